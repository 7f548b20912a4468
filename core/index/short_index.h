// Which short uniques may be so like this short text that it is worth comparing them?
//
//   signature ─► postings of its bands and one-deletion keys (band_postings.h) ─► length ─► class counts
//
// What the two filters discard cannot be within the distance asked for, so it need not be compared; what they
// leave are the candidates, in the order in which they were stored. Their texts are kept here.
//
// Uniques are numbered in rows of their own, 0, 1, 2, ..., and each row knows its sequence number.
//
// Cost:    about 87 bytes a unique, and its text (text_store.h). The table is dense: most of a unique is
//          postings, and memory is dearer here than the half microsecond that it costs a find. A find reads
//          some 120 cache lines of postings, all on their way at once, and one record a candidate.
// Threads: none inside; the const functions may run side by side, each with a ShortSearch of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/decision.h"
#include "core/fingerprint/short_signature.h"
#include "core/index/band_postings.h"
#include "core/index/chunked_array.h"
#include "core/index/met_rows.h"
#include "core/index/row_sequences.h"
#include "core/index/text_store.h"

namespace neardup {

using Row = Ordinal;

// How many edits two texts may be apart at a similarity of `threshold_permille`, the longer one having
// `length` characters. REQUIRES: threshold_permille <= 1000.
constexpr unsigned edits_max(std::size_t length, unsigned threshold_permille) {
  return static_cast<unsigned>(length * (1000 - threshold_permille) / 1000);
}

// The working memory of a search, kept so that nothing is allocated.
class ShortSearch {
 public:
  // Of the last find: the candidates, ascending, and how many rows were met before the filters.
  std::span<const Row> candidates() const { return candidates_; }
  std::size_t met() const { return met_count_; }

 private:
  friend class ShortIndex;

  MetRows met_;
  std::size_t met_count_ = 0;
  std::vector<Row> rows_;
  std::vector<Row> candidates_;

  std::vector<std::uint32_t> uncommon_features_;
  ShortMinima uncommon_minima_;
  std::uint64_t uncommon_of_hot_ = 0;  // changes() of the hot set that they were made with
  bool uncommon_made_ = false;
};

class ShortIndex {
 public:
  ShortIndex() : postings_(1, BucketTable::kFillDense) {}

  // Starts to load what find() reads first; and, once that is here, what is left: worth calling for the next
  // texts of a batch.
  void prefetch(const ShortSignature& signature) const {
    postings_.prefetch(signature.band_span(), signature.tiny_span());
  }
  void prefetch_rest(const ShortSignature& signature) const {
    postings_.prefetch_rest(signature.band_span(), signature.tiny_span());
  }

  // Starts to load what insert() reads first; and, once that is here, what is left.
  void prefetch_insert(const ShortSignature& signature) const {
    for (const Band& band : signature.band_span()) postings_.table().prefetch(band.key);
    for (const Key key : signature.tiny_span()) postings_.table().prefetch(key);
  }
  void prefetch_insert_rest(const ShortSignature& signature) const {
    for (const Band& band : signature.band_span()) postings_.table().prefetch_rest(band.key);
    for (const Key key : signature.tiny_span()) postings_.table().prefetch_rest(key);
  }

  // Fills search.candidates(): all rows met whose length and classes allow a similarity of the threshold.
  void find(const ShortSignature& signature, unsigned threshold_permille, ShortSearch& search) const;

  // REQUIRES: `sequence` is above those inserted before.
  void insert(Sequence sequence, const ShortSignature& signature, ShortSearch& search);

  // Forgets one unique. False if it is not here.
  bool erase(Sequence sequence, ShortSigner& signer);

  // Forgets all below `oldest`.
  void expire(Sequence oldest);

  // REQUIRES: the row is a candidate of a search that nothing has changed the index since.
  Sequence sequence(Row row) const { return sequences_[row]; }
  std::size_t length(Row row) const { return records_[row].length; }
  // Writes length(row) characters to `out`.
  void text(Row row, char32_t* out) const {
    const Record& record = records_[row];
    texts_.read(record.place(), record.length, out);
  }

  Row rows() const { return records_.size(); }  // ever stored; the next one's number
  const BandPostings& postings() const { return postings_; }

  // Equal for equal states. It reads everything.
  Digest128 digest() const;
  std::size_t bytes() const;
  std::size_t text_bytes() const { return texts_.bytes(); }  // of them

 private:
  struct Record {
    ClassCounts classes;
    std::uint32_t place_low;
    std::uint16_t place_high;
    std::uint16_t length;  // 0: erased

    std::uint64_t place() const { return std::uint64_t{place_high} << 32 | place_low; }
  };
  static_assert(sizeof(Record) == 16);

  UncommonMinima uncommon(const ShortSignature& signature, std::size_t band, ShortSearch& search) const;

  BandPostings postings_;
  ChunkedArray<Record> records_;
  RowSequences sequences_;
  TextStore texts_;
  Row first_row_ = 0;  // those before are expired
};

}  // namespace neardup
