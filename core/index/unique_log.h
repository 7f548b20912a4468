// What is remembered of each unique?
//
// Its exact digest, where it lay, its id and its url, under its sequence number: 0, 1, 2, ... in the order of
// decision. Nothing is ever changed or taken back. Its fingerprint is not here: the Hamming index keeps it,
// under the same number.
//
//   digests       | d0 | d1 | d2 | ...    a column: the exact index reads it
//   packed_at     | p0 | p1 | p2 | ...    where the rest lies:
//   blocks        | topic partition offset tokens id url | ...    varints and strings with their lengths
//
// Cost:    24 bytes + id + url + the varints (5 to 34 bytes, 10 to 12 in practice) per unique, in chunks of
//          65 536 uniques and blocks of 1 MiB. Nothing is copied when it grows, so no append pauses.
// Threads: none inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/decision.h"
#include "core/document.h"
#include "core/index/chunked_array.h"
#include "core/limits.h"

namespace neardup {

inline constexpr std::size_t kColumnChunk = std::size_t{1} << 16;
using DigestColumn = ChunkedArray<Digest128, kColumnChunk>;

class UniqueLog {
 public:
  struct Entry {
    std::string_view id;
    std::string_view url;
    Source source;
    Digest128 exact;
    std::uint32_t tokens = 0;
  };

  // Remembers `entry` under the sequence number size().
  // REQUIRES: size() < kUniquesMax; id of at most kIdBytesMax bytes, url of at most kUrlBytesMax.
  void append(const Entry& entry);

  // REQUIRES: sequence < size(). The views live as long as the log.
  Entry entry(Sequence sequence) const;

  std::uint64_t size() const { return digests_.size(); }

  const DigestColumn& digests() const { return digests_; }

  // A digest of all entries, in order: two logs are equal iff theirs are. It reads the whole log.
  Digest128 digest() const;

  // Memory held: whole chunks and whole blocks.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  // Three varints of 10 bytes at most (source), one of 5 (tokens), two lengths of 2, and the names.
  static constexpr std::size_t kPackedBytesMax = 3 * 10 + 5 + 2 * 2 + kIdBytesMax + kUrlBytesMax;
  static_assert(kPackedBytesMax <= kBlockBytes, "an entry never crosses the edge of a block");

  std::string_view packed_from(std::uint64_t at) const;

  DigestColumn digests_;
  ChunkedArray<std::uint64_t, kColumnChunk> packed_at_;  // block number x kBlockBytes + offset inside it
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = kBlockBytes;  // bytes used of the last block; none yet counts as full
  std::string packing_;                   // the entry being packed; kept for its memory
};

}  // namespace neardup
