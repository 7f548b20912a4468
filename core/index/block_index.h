// Which stored fingerprints lie within `distance` bits of this one? Exactly: none is missed.
//
// Cut 64 bits into four blocks of sixteen. Two fingerprints that differ in at most `distance` <= 3 bits agree
// on one of the first distance + 1 blocks (pigeonhole). So there is one table for each of these blocks, keyed
// by its value. What lies in the query's buckets are its candidates; each is verified by its true distance.
//
//   fingerprint   | block 0 | block 1 | block 2 | block 3 |      block 0 = the lowest 16 bits
//                      │         │         │         │
//   tables          65 536    65 536    65 536    65 536  buckets
//                      └─► [15 ordinals, next] ─► [15 ordinals, next] ─► ...   ascending, a cache line each
//
// Ordinals in a bucket ascend, so looking for the first match ends in each table at its first match, or at
// the best of the tables before.
//
// Cost:    (distance + 1) * n / 65 536 candidates for uniform bits: 61 for a million at distance 3, each one
//          a random read of the fingerprint column. Real text is skewed and costs more. Memory at distance 3:
//          2 MiB empty, then 17 bytes per unique and at most 16 MiB for lines not full.
// Threads: none inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/decision.h"
#include "core/index/chunked_array.h"
#include "core/index/unique_log.h"
#include "core/limits.h"
#include "core/signature.h"

namespace neardup {

struct Match {
  Sequence sequence = 0;
  int distance = 0;

  friend bool operator==(const Match&, const Match&) = default;
};

class BlockIndex {
 public:
  // Indexes rows of `fingerprints`, which must outlive the index.
  // REQUIRES: 0 <= distance <= kHammingDistanceMax.
  BlockIndex(const FingerprintColumn& fingerprints, int distance);

  // The match with the lowest sequence number, however near the others are. The second form adds to
  // `candidates` how many fingerprints it compared.
  std::optional<Match> find_first(Fingerprint query) const {
    std::uint64_t uncounted = 0;
    return find_first(query, uncounted);
  }
  std::optional<Match> find_first(Fingerprint query, std::uint64_t& candidates) const;

  // Replaces `matches` with all of them, each once, by ascending sequence number.
  void find_all(Fingerprint query, std::vector<Match>& matches) const;

  // Adds the row `size()`.
  // REQUIRES: size() < fingerprints.size().
  void insert_next();

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr int kBlockBits = 16;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBlockBits;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;  // no ordinal, no line: both stay below it

  // A line of postings: ordinals ascending, kNone behind the last.
  struct alignas(64) Line {
    std::array<std::uint32_t, 15> ordinals;
    std::uint32_t next;
  };
  static_assert(sizeof(Line) == 64);
  static_assert(kUniquesMax <= kNone);

  // A bucket knows its first line, to read from, and its last, to append to.
  struct Bucket {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  static std::size_t block(Fingerprint fingerprint, int table) {
    return fingerprint.bits >> (table * kBlockBits) & (kBuckets - 1);
  }
  const Bucket& bucket(Fingerprint fingerprint, int table) const {
    return buckets_[static_cast<std::size_t>(table) * kBuckets + block(fingerprint, table)];
  }

  void append(Bucket& bucket, std::uint32_t ordinal);

  // Calls visit(ordinal) for each posting, ascending, until it returns false.
  template <class Visit>
  void for_each(const Bucket& bucket, Visit visit) const;

  const FingerprintColumn& fingerprints_;
  const int distance_;
  const int tables_;
  std::vector<Bucket> buckets_;  // table after table
  ChunkedArray<Line, 4096> lines_;
  std::uint64_t size_ = 0;
};

}  // namespace neardup
