// Which uniques did this document have before?
//
// Of each id the table (bucket_table.h) has the latest unique, and in the log each entry names the one before
// it: so a page that changes for ever is found as soon as any other.
//
//   id ─► latest ─► previous ─► previous ─► none          their order in the log, backwards
//
// Cost:    9.3 bytes a unique at most. A find is one cache line of the table, and reads the log where 36 bits
// of the id's hash agree. That hash has a seed: strangers choose ids, and could choose thousands that share
// one whose seed they know. Threads: none inside; the const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/decision.h"
#include "core/index/bucket_table.h"
#include "core/index/unique_log.h"

namespace neardup {

class IdIndex {
 public:
  // Of uniques of `log`, which must outlive the index. `seed`: no answer hangs on it, and bytes() by little.
  explicit IdIndex(const UniqueLog& log, std::uint64_t seed = 0) : log_(log), seed_(seed) {}

  // Starts to load what find() reads first; and, once that is here, what is left.
  void prefetch(std::string_view id) const { table_.prefetch(key(id)); }
  void prefetch_rest(std::string_view id) const { table_.prefetch_rest(key(id)); }

  // The latest unique with this id: what an entry to be appended has as its `previous`.
  std::optional<Sequence> find(std::string_view id) const {
    std::optional<Sequence> latest;
    table_.scan(key(id), [&](Ordinal sequence) {
      if (sequence >= log_.oldest() && log_.entry(sequence).id == id) latest = sequence;
    });
    return latest;
  }

  // Calls visit(sequence) for each unique with this id, the latest first.
  template <class Visit>
  void for_each(std::string_view id, Visit visit) const {
    for (std::optional<Sequence> at = find(id); at; at = log_.entry(*at).previous) visit(*at);
  }

  // REQUIRES: the log has `sequence` with this id, its `previous` being find(id); above all inserted before.
  void insert(Sequence sequence, std::string_view id) {
    const std::optional<Sequence> previous = log_.entry(sequence).previous;
    DCHECK(previous == find(id));
    if (previous) table_.erase(key(id), *previous);
    table_.insert(key(id), sequence);
  }

  // Forgets the id with all its uniques. False if it is not here.
  bool erase(std::string_view id) {
    const std::optional<Sequence> latest = find(id);
    return latest && table_.erase(key(id), *latest);
  }

  // Forgets all uniques below `oldest`.
  void expire(Sequence oldest) { table_.expire(oldest); }

  std::size_t bytes() const { return table_.bytes(); }

 private:
  std::uint64_t key(std::string_view id) const { return seeded64(id, seed_); }

  const UniqueLog& log_;
  const std::uint64_t seed_;
  BucketTable table_;
};

}  // namespace neardup
