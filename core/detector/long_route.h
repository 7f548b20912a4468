// Which unique is this page a near-duplicate of?
//
//   bands ─► band_postings: uniques that share one ─► numbers of shingles ─► odd sketches ─► the first alike
//
// Of all that are alike enough, the first seen is the answer: the candidates are looked at as they are met,
// and one behind the first known so far is not looked at. Likeness is the Jaccard similarity of the shingle
// sets as the sketches estimate it.
//
// A unique has a row here for each kind of shingle it was signed by; the kinds never meet. Rows are numbered
// 0, 1, 2, ..., and each knows its sequence number.
//
// Cost:    the sketch and some 50 bytes of postings a row (band_postings.h). A find reads about 30 cache
//          lines of postings, all on their way at once, and a sketch for each candidate; crowded keys are
//          bounded.
// Threads: none inside; find() may run side by side, each with a LongWork of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/hash.h"
#include "core/decision.h"
#include "core/detector/exact_similarity.h"
#include "core/fingerprint/long_signature.h"
#include "core/index/band_batch.h"
#include "core/index/band_postings.h"
#include "core/index/chunked_array.h"
#include "core/index/met_rows.h"
#include "core/index/row_sequences.h"

namespace neardup {

struct LongMatch {
  Sequence sequence = 0;
  int similarity_permille = 0;  // estimated

  friend bool operator==(const LongMatch&, const LongMatch&) = default;
};

// The uncommon minima by which the bands of a unique were extended as it was stored. They hang on all that
// came before it, and on shingles that nobody keeps; with them the same state can be made again.
struct BandExtensions {
  static constexpr std::size_t kMax = kLongBandsMax * BandPostings::kExtensionsMax;

  std::uint32_t present = 0;               // bit band * kExtensionsMax + extension: the minimum was asked for
  std::array<std::uint32_t, kMax> minima;  // of those present; kNoMinimum: there was none
};

// A page that was inserted before, as it comes back.
struct ReturningPage {
  ShingleKind kind = ShingleKind::kWords;
  std::array<std::uint32_t, kMinimaBins> minima;  // the first ones
  std::array<Key, kLongBandsMax> keys;            // of its bands, as many as the layout says: make_keys()
  StandardSketch standard;                        // one of the two,
  CompactSketch compact;                          // as the route has them
  BandExtensions extensions;
};

// The working memory of a find and of the insert that may follow, and what the last find cost. It is of one
// route, as long as that lives.
class LongWork {
 public:
  // Another text is in hand.
  void begin() { hot_changes_ = 0; }

  std::size_t met() const { return rows_.size(); }    // rows under the keys, each once
  std::size_t compared() const { return compared_; }  // of them, by their sketches

 private:
  template <std::size_t kSketchBytes>
  friend class LongRoute;

  MetRows met_;
  std::vector<Ordinal> rows_;
  std::size_t compared_ = 0;

  // The uncommon minima of the text: find() and insert() ask for the same, unless one more feature got hot.
  BandMinima uncommon_{};
  std::uint64_t hot_changes_ = 0;  // of the hot set then; some, or nobody asks for these minima
};

template <std::size_t kSketchBytes>
class LongRoute {
 public:
  using Sketch = OddSketch<kSketchBytes>;

  // REQUIRES: 500 <= threshold_permille <= 1000.
  explicit LongRoute(unsigned threshold_permille);

  // Asks `exact` in place of the sketches, of whatever meets. It must outlive the route; null: the sketches.
  void judge_by(const ExactSimilarity* exact) { exact_ = exact; }

  // Starts to load what find() reads first; and, once that is here, what is left: worth calling for the next
  // text or two of a batch.
  void prefetch(const LongSignature& signature) const { postings_.prefetch(signature.band_span(), {}); }
  void prefetch_rest(const LongSignature& signature) const {
    postings_.prefetch_rest(signature.band_span(), {});
  }

  // REQUIRES: the signature holds a Sketch, and bands of one layout for the life of the route; `work` has
  // begun with this text, and the same for insert().
  std::optional<LongMatch> find(const LongSignature& signature, LongWork& work) const;

  // The similarity of the row of `sequence` by this kind of sketch; nothing if it has none here.
  std::optional<int> similarity(Sequence sequence, const LongSignature& signature) const;

  // Remembers a unique, and writes by what its bands were extended.
  // REQUIRES: `sequence` is not below those inserted before.
  void insert(Sequence sequence, const LongSignature& signature, LongWork& work, BandExtensions& extensions);

  // Pages that were inserted before come back with the same extensions, many at once and their postings by
  // several threads, in the steps of a BandBatch: each member is shown all pages, numbered from 0. While they
  // post, the first appends the rows, in the same order. Which bins extend a band hangs on the layout: if
  // they were inserted under another one (`as_inserted` is false), each band that is crowded is extended by
  // the first minima of its bins, in the place of those that are not common, which nobody knows any more.
  void begin(std::span<const BucketTable::ShardSet> shards);
  void share(std::size_t member, std::size_t number, const ReturningPage& page, BandLayout layout,
             bool as_inserted);
  void open();
  void post(std::size_t member) { batch_.post(postings_, member); }
  void append(Sequence sequence, const ReturningPage& page) { append(sequence, sketch_of(page)); }
  void close(BandLayout layout, bool as_inserted);

  // Forgets one unique: its rows stay, and are met no more. False if it has none.
  bool erase(Sequence sequence);

  // Forgets all below `oldest`.
  void expire(Sequence oldest);

  std::uint64_t rows() const { return sketches_.size(); }  // ever stored
  const BandPostings& postings() const { return postings_; }
  Digest128 digest() const;  // equal for equal states; it reads everything
  std::size_t bytes() const { return postings_.bytes() + sketches_.bytes() + sequences_.bytes(); }

 private:
  // Of a LongSignature or a ReturningPage.
  template <class Page>
  static const Sketch& sketch_of(const Page& page) {
    if constexpr (std::is_same_v<Sketch, StandardSketch>) {
      return page.standard;
    } else {
      return page.compact;
    }
  }
  UncommonMinima uncommon(const LongSignature& signature, std::size_t band, unsigned extension,
                          LongWork& work) const;
  std::optional<LongMatch> find_exactly(ShingleKind kind, LongWork& work) const;
  void append(Sequence sequence, const Sketch& sketch);

  int threshold_permille_;
  const ExactSimilarity* exact_ = nullptr;
  BandPostings postings_;
  BandBatch batch_;
  std::vector<const ReturningPage*> batch_pages_;
  ChunkedArray<Sketch> sketches_;
  RowSequences sequences_;
  std::uint64_t first_row_ = 0;  // those before are expired
};

}  // namespace neardup
