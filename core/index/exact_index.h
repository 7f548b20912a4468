// Which unique has this very text?
//
// Postings by the digest of the canonical text (bucket_table.h). The digests themselves stay in the log and
// are read only where 36 bits of them agree, so looking for a new text touches one cache line of memory and
// hardly ever the log.
//
// Cost:    9.0 to 9.3 bytes a unique, more where a step of memory has just begun (10.4 at two million). It
//          grows one bucket at a time: no pause, ever.
// Threads: none inside; the const functions may run side by side. A batch has owners
//          (bucket_table.h).
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/decision.h"
#include "core/index/bucket_table.h"
#include "core/index/unique_log.h"

namespace neardup {

class ExactIndex {
 public:
  // Of uniques of `log`, which must outlive the index.
  explicit ExactIndex(const UniqueLog& log) : log_(log) {}

  // Starts to load what find() reads first; and, once that is here, what is left.
  void prefetch(Digest128 digest) const { table_.prefetch(digest.low); }
  void prefetch_rest(Digest128 digest) const { table_.prefetch_rest(digest.low); }

  // The unique with this digest; the lowest, should several have it.
  std::optional<Sequence> find(Digest128 digest) const {
    std::optional<Sequence> lowest;
    table_.scan(digest.low, [&](Ordinal sequence) {
      if (!lowest && sequence >= log_.oldest() && log_.exact(sequence) == digest) lowest = sequence;
    });
    return lowest;
  }

  // REQUIRES: the log has `sequence` with this digest, and it is above all inserted before.
  void insert(Sequence sequence, Digest128 digest) {
    DCHECK(log_.exact(sequence) == digest);
    table_.insert(digest.low, sequence);
  }

  // Many at once, by owners of shards: the steps of a batch of the table. The log need not have them yet.
  void open(std::size_t uniques, Sequence newest) { table_.open(uniques, newest); }
  void grow(BucketTable::ShardSet own) { table_.grow(own); }
  static bool is_own(Digest128 digest, BucketTable::ShardSet own) {
    return BucketTable::is_own(digest.low, own);
  }
  void insert_own(Sequence sequence, Digest128 digest) { table_.insert_own(digest.low, sequence); }
  void close() { table_.close(); }

  // Forgets one unique. False if it is not here.
  bool erase(Sequence sequence, Digest128 digest) { return table_.erase(digest.low, sequence); }

  // Forgets all below `oldest`.
  void expire(Sequence oldest) { table_.expire(oldest); }

  // Equal for equal contents. It reads the whole table.
  Digest128 digest() const { return table_.digest(); }

  std::size_t bytes() const { return table_.bytes(); }

 private:
  const UniqueLog& log_;
  BucketTable table_;
};

}  // namespace neardup
