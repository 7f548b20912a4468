// Which unique is this short text a near-duplicate of?
//
//   short_index: candidates, oldest first ─► replaced_numbers ─► edit_similarity ─► replaced_tokens ─►
//   the first that passes them all
//
// The first seen among all that are like the text is the answer, so comparing ends at the first that is.
// Similarity is 1 - edits / length of the longer text, in characters.
//
// Cost:    a find is bounded: BandPostings::kPostingsMax rows for each key asked for, and a comparison for
//          each candidate. 3 to 12 us a text is usual, 100 us among notices of a few forms.
// Threads: none inside; find() may run side by side, each with a ShortWork of its own.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/decision.h"
#include "core/detector/edit_similarity.h"
#include "core/detector/replaced_numbers.h"
#include "core/detector/replaced_tokens.h"
#include "core/fingerprint/short_signature.h"
#include "core/index/short_index.h"

namespace neardup {

struct ShortOptions {
  unsigned threshold_permille = 800;  // of the similarity, 500 .. 1000
  ReplacementLimits replacement;
};

struct ShortMatch {
  Sequence sequence = 0;
  unsigned edits = 0;
  unsigned similarity_permille = 0;  // rounded down

  friend bool operator==(const ShortMatch&, const ShortMatch&) = default;
};

// The working memory of a find, and what the last one cost.
class ShortWork {
 public:
  std::size_t met() const { return search_.met(); }                       // rows under the keys
  std::size_t candidates() const { return search_.candidates().size(); }  // of them, after the filters
  std::size_t compared() const { return compared_; }                      // of them, by their texts

 private:
  friend class ShortRoute;
  ShortSearch search_;
  NumberPattern numbers_;
  EditPattern pattern_;
  TokenPattern tokens_;
  bool tokens_are_set_ = false;
  std::array<char32_t, TextStore::kTextMax> other_;
  std::size_t compared_ = 0;
};

class ShortRoute {
 public:
  // REQUIRES: 500 <= options.threshold_permille <= 1000, the limits at most 1000.
  explicit ShortRoute(ShortOptions options);

  // Starts to load what find() reads first; and, once that is here, what is left: worth calling for the next
  // text or two of a batch.
  void prefetch(const ShortSignature& signature) const { index_.prefetch(signature); }
  void prefetch_rest(const ShortSignature& signature) const { index_.prefetch_rest(signature); }

  void prefetch_insert(const ShortSignature& signature) const { index_.prefetch_insert(signature); }
  void prefetch_insert_rest(const ShortSignature& signature) const { index_.prefetch_insert_rest(signature); }

  std::optional<ShortMatch> find(const ShortSignature& signature, ShortWork& work) const;

  // Whether, and how, two texts match, by the same rule.
  std::optional<ShortMatch> compare(const ShortSignature& a, const ShortSignature& b, ShortWork& work) const;

  // Remembers a unique. REQUIRES: `sequence` is above all inserted before.
  void insert(Sequence sequence, const ShortSignature& signature, ShortWork& work) {
    index_.insert(sequence, signature, work.search_);
  }
  bool erase(Sequence sequence, ShortSigner& signer) { return index_.erase(sequence, signer); }
  void expire(Sequence oldest) { index_.expire(oldest); }

  const ShortIndex& index() const { return index_; }

 private:
  bool tokens_pass(const ShortSignature& signature, std::span<const char32_t> other, ShortWork& work) const;

  ShortOptions options_;
  ShortIndex index_;
};

}  // namespace neardup
