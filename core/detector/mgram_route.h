// Which unique is this text a near-duplicate of, if only texts that share a run of m units are compared?
//
//   mgram_index: the result sets of its grams ─► candidates, oldest first ─► a measure ─► the first that
//   reaches the threshold
//
// The classic algorithm for short texts: every gram of a text is a bucket it falls into; a bucket's result
// set begins with its first text, and a new one is compared with those in it, and appended if it is like
// none. As published it runs bucket by bucket, and a text may survive in one and not in another; here it is
// judged once, against all its buckets together, so a text is a duplicate iff it is like any text of any of
// them, and what is unique is kept once. The first seen among all that are like it is the answer.
//
//   measure    similarity of two texts                                     at the threshold or above: alike
//   edit       1 - edits / units of the longer text
//   jaccard    of their sets of grams                                      (gram_similarity.h)
//   cosine     of their counts of grams
//
// A pair that shares a run of m units is compared, one that shares none is not; the bounds under which this
// holds are those of mgram_index.h. A text of less than m units meets its equals only.
//
// Cost:    a find is bounded: MgramIndex::kBucketTextsMax rows for each gram asked for, kRowsMax comparisons.
// Threads: none inside; find() may run side by side, each with an MgramWork of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/decision.h"
#include "core/detector/edit_similarity.h"
#include "core/detector/gram_similarity.h"
#include "core/detector/mgram_options.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/index/mgram_index.h"

namespace neardup {

struct MgramMatch {
  Sequence sequence = 0;
  unsigned similarity_permille = 0;  // rounded down

  friend bool operator==(const MgramMatch&, const MgramMatch&) = default;
};

// The working memory of a find, and what the last one cost.
class MgramWork {
 public:
  std::size_t met() const { return search_.met(); }                       // texts that share a gram, bounded
  std::size_t candidates() const { return search_.candidates().size(); }  // of them, after the filters
  std::size_t compared() const { return compared_; }                      // of them, by the measure
  bool is_truncated() const { return search_.is_truncated(); }            // there were more to meet

 private:
  friend class MgramRoute;
  MgramSearch search_;
  EditPattern edits_;
  GramPattern grams_;
  std::vector<char32_t> text_;
  std::vector<char32_t> units_;
  std::vector<Key> keys_;
  std::size_t compared_ = 0;
};

class MgramRoute {
 public:
  // REQUIRES: 1 <= options.m <= kMgramSizeMax, 1 <= options.threshold_permille <= 1000.
  explicit MgramRoute(MgramRouteOptions options);

  // Starts to load what find() reads first: worth calling for the next text or two of a batch.
  void prefetch(const MgramSignature& signature) const { index_.prefetch(signature); }

  // REQUIRES: the signature was made with the route's `m` and `over`, here and below.
  std::optional<MgramMatch> find(const MgramSignature& signature, MgramWork& work) const;

  // Whether, and how, two texts match, by the same rule, even if they share no gram.
  std::optional<MgramMatch> compare(const MgramSignature& a, const MgramSignature& b, MgramWork& work) const;

  // Remembers a unique. REQUIRES: `sequence` is above all inserted before.
  void insert(Sequence sequence, const MgramSignature& signature) { index_.insert(sequence, signature); }
  bool erase(Sequence sequence, MgramSigner& signer) { return index_.erase(sequence, signer); }
  void expire(Sequence oldest) { index_.expire(oldest); }

  // Equal for equal states; the bytes held, counted.
  Digest128 digest() const { return index_.digest(); }
  std::size_t bytes() const { return index_.bytes(); }

  const MgramIndex& index() const { return index_; }

 private:
  void set(const MgramSignature& signature, MgramWork& work) const;
  // Of the text set and another one, of which `units` were read: in permille; nothing below the threshold.
  std::optional<unsigned> similarity(const MgramSignature& signature, const std::vector<char32_t>& units,
                                     MgramSizes sizes, MgramWork& work) const;
  bool may_match(MgramSizes a, MgramSizes b, std::uint32_t most_shared) const;

  MgramRouteOptions options_;
  MgramIndex index_;
};

}  // namespace neardup
