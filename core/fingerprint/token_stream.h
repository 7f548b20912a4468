// Which hashes do the tokens of a text have, in their order?
//
// Everything that is counted in a text is made of them: a token is a feature by its own hash, two joined
// characters make a bigram's, three tokens in a row a word shingle's. So they are computed once. A text may
// be long, hence they come in batches that stay in the first-level cache:
//
//   stream.open(canonical);
//   while (stream.next(batch)) ...             batch.hashes[i]: feature.h's hash of the bytes of a token
//
//                 batch.hashes[0]      a word     a character   a character
//   ... [-2] [-1]       [0]             [1]           [2]           [3]      ...    [size - 1]
//   of the batch     characters bit:     0             1             1
//   before it        joined bit:         0             0             1              with the one before it
//
// Cost:    linear in the text, vectors where the CPU has them. The object holds 33 KiB; nothing is allocated.
// Threads: one stream per thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/isa.h"
#include "core/fingerprint/kernels.h"

namespace neardup {

// Some tokens of a text, side by side.
struct TokenBatch {
  static constexpr std::size_t kTokensMax = internal::kTokensMax;
  static constexpr std::size_t kHistory = 2;                      // values before the first ...
  static constexpr std::size_t kSlack = internal::kFeatureSlack;  // ... and behind the last that can be read

  // `size` hashes in token order. hashes[-1] and hashes[-2] are those of the tokens before this batch, 0
  // where the text has none; those behind the last mean nothing.
  const std::uint64_t* hashes = nullptr;
  std::size_t size = 0;  // 1 to kTokensMax

  // Bit i % 64 of word i / 64 tells of token i; bits from `size` on are 0.
  const std::uint64_t* characters = nullptr;  // it is a character, else a word
  const std::uint64_t* joined = nullptr;  // so it is, and the token before is too, without a space between

  // It counts in a SimHash (simhash.h): not too many of all tokens before share its slot. Null if the stream
  // was opened for hashes alone.
  const std::uint64_t* counting = nullptr;
};

class TokenStream {
 public:
  // How many bytes behind a canonical text must be readable, whatever they hold.
  static constexpr std::size_t kTextSlack = internal::kTextSlack;

  // REQUIRES: the CPU has `tier`.
  explicit TokenStream(Isa tier = isa()) : kernels_(&internal::kernels(tier)) {}

  // What the batches are read for. A SimHash needs `counting` of them, and that is a third of the time.
  enum class Use : std::uint8_t { kSimHash, kHashes };

  // Starts at the beginning of `canonical`, which must outlive every call of next().
  // REQUIRES: canonicalize() made it; kTextSlack bytes behind it are readable.
  void open(std::string_view canonical, Use use = Use::kSimHash);

  // The next tokens, or false at the end. What `batch` points at holds until the next call.
  bool next(TokenBatch& batch);

 private:
  static constexpr std::size_t kFirst = 8;  // so that the hashes of a batch start with a cache line

  std::size_t read_chunk(std::uint64_t* hashes);
  std::size_t read_long_word(std::uint64_t* hashes);

  const internal::Kernels* kernels_;
  std::string_view text_;  // what is left of it
  std::size_t size_ = 0;   // of the last batch
  Use use_ = Use::kSimHash;
  bool begun_ = false;
  bool after_character_ = false;  // a character ends where text_ begins
  internal::TokenPlaces places_;
  internal::WeightTable weights_{};
  std::array<std::uint64_t, TokenBatch::kTokensMax / 64> counting_{};
  alignas(64) std::array<std::uint64_t, kFirst + TokenBatch::kTokensMax + TokenBatch::kSlack> hashes_{};
};

}  // namespace neardup
