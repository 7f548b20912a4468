// Which uniques share a gram with this text?
//
// Each unique is posted under every key of its grams. What lies under one key is the bucket of that gram, its
// result set: texts of which none is a near-duplicate of another, because only uniques get here.
//
//   grams ─► buckets ─► rows met, each with how many grams it shares ─► the most alike of them ─► filter
//                                                                              candidates, oldest first
//
// Some grams are in every other text, so a bucket keeps its kBucketTextsMax oldest texts and is then full;
// refused() counts the postings that found no room, unmet() the texts that were posted nowhere. And a text
// that meets more than kRowsMax rows is compared with those that share most; MgramSearch::is_truncated()
// tells. Short of these two bounds every unique that shares a gram is met, and, but for one pair of keys in
// 2^36 (bucket_table.h), no other.
//
// A filter gets the most grams that a row may share: those counted, and one for each gram that refused a
// text which is remembered, since of it nothing can be told. So a filter by grams never discards what it
// should not.
//
// Uniques are numbered in rows of their own, 0, 1, 2, ..., and each row knows its sequence number: the low 32
// bits, which is enough for as many as are remembered at a time.
//
// State:   a function of the sequence of uniques, removals and expiries.
// Cost:    some 11 bytes a gram, as many texts share one and lie in lines of their own, 20 bytes and the text
//          (text_store.h) a unique. A find reads a cache line or two a gram, and kRowsMax records at most.
// Threads: none inside; the const functions may run side by side, each with an MgramSearch of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/prefetch_line.h"
#include "core/decision.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/index/bucket_table.h"
#include "core/index/chunked_array.h"
#include "core/index/hot_set.h"
#include "core/index/text_store.h"

namespace neardup {

// What is known of a stored text before it is read.
struct MgramSizes {
  std::uint32_t units = 0;
  std::uint32_t grams = 0;  // each counted once
  std::uint32_t norm = 0;   // MgramSignature::norm
};

// The working memory of a search, kept so that nothing is allocated.
class MgramSearch {
 public:
  // Of the last find: the candidates, ascending; the rows met; whether some of them were not looked at.
  std::span<const Ordinal> candidates() const { return candidates_; }
  std::size_t met() const { return met_.size(); }
  bool is_truncated() const { return is_truncated_; }

 private:
  friend class MgramIndex;
  struct Met {
    std::uint32_t age;  // rows from the first remembered to this one
    std::uint32_t shared;
  };
  struct Slot {
    std::uint32_t search = 0;
    std::uint32_t at = 0;  // in met_
  };

  Met& met_of(std::uint32_t age);

  std::vector<Met> met_;
  std::vector<Slot> slots_;  // rows to met_; those of another search are empty
  std::size_t mask_ = 0;     // of the slots in use
  std::uint32_t search_ = 0;
  bool is_truncated_ = false;
  std::vector<Ordinal> candidates_;
  std::vector<Key> keys_;
};

class MgramIndex {
 public:
  static constexpr unsigned kBucketTextsMax = 64;
  static constexpr std::size_t kRowsMax = 1024;

  // Starts to load what find() reads first.
  void prefetch(const MgramSignature& signature) const {
    for (const Mgram& gram : signature.grams) table_.prefetch(gram.key);
  }

  // Fills search.candidates(): the rows met for which keep(sizes, most_shared) is true.
  template <class Keep>
  void find(const MgramSignature& signature, MgramSearch& search, Keep keep) const;

  // REQUIRES: `sequence` is above those inserted before, and less than kUniquesMax above the oldest
  // remembered.
  void insert(Sequence sequence, const MgramSignature& signature);

  // Forgets one unique. False if it is not here. REQUIRES: a signer of the options of those inserted.
  bool erase(Sequence sequence, MgramSigner& signer);

  // Forgets all below `oldest`.
  void expire(Sequence oldest);

  // REQUIRES: the row is a candidate of a search that nothing has changed the index since.
  Sequence sequence(Ordinal row) const {
    return oldest_ + static_cast<std::uint32_t>(sequences_[row] - static_cast<std::uint32_t>(oldest_));
  }
  MgramSizes sizes(Ordinal row) const {
    return {records_[row].units, records_[row].grams, records_[row].norm};
  }
  void text(Ordinal row, std::vector<char32_t>& out) const;

  Ordinal rows() const { return records_.size(); }  // ever stored; the next one's number
  const BucketTable& table() const { return table_; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t unmet() const { return unmet_; }
  std::size_t full_grams() const { return full_.size(); }  // that refused a text which is remembered
  // Buckets there ever were, each counted as it got its first text, and the most texts that one had.
  std::uint64_t buckets() const { return buckets_; }
  unsigned largest_bucket() const { return largest_bucket_; }

  // Equal for equal states. It reads everything.
  Digest128 digest() const;
  std::size_t bytes() const;

 private:
  struct Record {
    std::uint32_t place_low;
    std::uint16_t place_high;
    std::uint16_t length;  // characters; 0: erased
    std::uint16_t units;
    std::uint16_t grams;
    std::uint32_t norm;

    std::uint64_t place() const { return std::uint64_t{place_high} << 32 | place_low; }
  };
  static_assert(sizeof(Record) == 16);

  // Fills search.met_, ascending and bounded.
  void meet(const MgramSignature& signature, MgramSearch& search) const;
  // How many grams of the text refused another that is remembered.
  std::uint32_t full_grams_of(const MgramSignature& signature) const;
  Ordinal first_row_from(Sequence sequence) const;

  BucketTable table_;
  HotSet full_;
  ChunkedArray<Record> records_;
  ChunkedArray<std::uint32_t> sequences_;  // their low bits
  TextStore texts_;
  Sequence oldest_ = 0;    // those before are expired,
  Ordinal first_row_ = 0;  // and these rows
  std::uint64_t refused_ = 0;
  std::uint64_t unmet_ = 0;
  std::uint64_t buckets_ = 0;
  unsigned largest_bucket_ = 0;
};

template <class Keep>
void MgramIndex::find(const MgramSignature& signature, MgramSearch& search, Keep keep) const {
  meet(signature, search);
  search.candidates_.clear();
  if (search.met_.empty()) return;
  const std::uint32_t unknown = full_grams_of(signature);
  for (const MgramSearch::Met& met : search.met_) prefetch_line(&records_[first_row_ + met.age]);
  for (const MgramSearch::Met& met : search.met_) {
    const Ordinal row = first_row_ + met.age;
    const Record& record = records_[row];
    if (record.length == 0) continue;
    if (!keep(sizes(row), met.shared + unknown)) continue;
    texts_.prefetch(record.place());
    search.candidates_.push_back(row);
  }
}

}  // namespace neardup
