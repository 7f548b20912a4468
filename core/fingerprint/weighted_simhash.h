// Which fingerprint has a text whose features are chosen and weighed?
//
//   canonical text ─► without stop words ─► words, shingles or ngrams ─► each votes as its idf says
//
// The votes are counted as simhash.h defines it, the cap included; a vote counts `weight` in place of 1. So
// with the default options the answer is the same 64 bits, only later: SimHasher is for those.
//
// Cost:    64 additions per feature, in vectors where the compiler finds them; 48 KiB. Nothing is allocated
//          once the buffers have grown to the size of the documents.
// Threads: one object per thread; the options' tables are shared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/free_memory.h"
#include "core/fingerprint/feature_options.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/token_stream.h"
#include "core/signature.h"
#include "core/text/folder.h"

namespace neardup {

// The hash of `size` tokens in a row, given theirs. Of one token its own.
// REQUIRES: size >= 1.
std::uint64_t shingle_feature(const std::uint64_t* tokens, std::size_t size);

class WeightedSimHash {
 public:
  // Stop words are left in a canonical text of so many bytes or more, since it cannot be folded again. No
  // real text comes near: it takes 23 MiB of nothing but ligatures.
  static constexpr std::size_t kCutBytesMax = std::size_t{1} << 28;

  // REQUIRES: sizes in their ranges; no idf with kNgrams.
  explicit WeightedSimHash(FeatureOptions options);

  // Nothing: no feature of any weight is left to compare.
  // REQUIRES: canonicalize() made it.
  std::optional<Fingerprint> hash(const PaddedBytes& canonical);

  // How many features of the last text have a vote, whatever they weigh: each as often as it counts.
  std::size_t features() const { return features_; }

  // What grew with the texts, of memory; and gives it back.
  std::size_t held_bytes() const { return cut_.capacity() + rest_.text.capacity(); }
  void give_back() {
    free_memory(cut_);
    free_memory(rest_);
  }

 private:
  using Slots = internal::WeightTable;  // features counted so far

  // Counts the votes of `feature` if its slot has room for one more.
  void add(std::uint64_t feature, std::uint32_t weight, Slots& slots);
  void add_words(std::string_view canonical);
  void add_shingles(std::string_view canonical);
  void add_ngrams(std::string_view canonical);
  std::uint32_t weight(std::uint64_t feature) const;

  const FeatureOptions options_;
  std::array<std::uint32_t, kFingerprintBits> for_bit_{};  // votes
  std::uint32_t cast_ = 0;                                 // votes in all
  std::size_t features_ = 0;                               // that cast them
  Slots slots_{};
  Slots bigram_slots_{};  // bigrams of characters have slots of their own
  TokenStream tokens_;
  std::string cut_;  // the text without its stop words
  CanonicalText rest_;
};

}  // namespace neardup
