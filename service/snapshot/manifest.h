// What does a snapshot promise?
//
// The manifest names the segments and how much of each is on the disk for good, and the state of the journal
// at the last record of that: all that can be said of the snapshot without reading it. Each commit writes a
// new one under a new name and leaves the one before in place, so that a damaged file costs one interval.
//
//   "NDSM" | format version u16 | signature version u16 | signature options string | journal 16 bytes
//   generation u64 | records u64 | uniques u64 | position i64 | last digest
//   topics     varint count, then each: string name, 16 bytes id
//   positions  varint count, then each: varint topic, varint partition, varint next, signed varint epoch
//   segments   varint count, then each: varint first number, varint records, varint bytes, last digest
//   crc32c u32 of all before
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "service/journal/chain.h"

namespace neardup {

// What is durable of one segment.
struct StoredSegment {
  std::uint64_t first = 0;  // number of its first record
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of the file
  Digest128 last{};         // of the last record's bytes; of an empty segment, of the record before it

  friend bool operator==(const StoredSegment&, const StoredSegment&) = default;
};

struct Manifest {
  std::string signature_options;
  Uuid journal{};
  std::uint64_t generation = 0;
  std::uint64_t records = 0;
  std::uint64_t uniques = 0;
  std::int64_t position = 0;  // where the journal's log goes on behind the last record
  Digest128 last_digest;      // of the last record's bytes
  std::vector<JournalChain::Topic> topics;
  std::map<JournalChain::Partition, JournalChain::Position> positions;
  std::vector<StoredSegment> segments;  // ascending, without a hole; one at least

  std::uint64_t bytes() const;  // of all segments
};

// Error kContradiction, which names both: `signature_options` make others than `manifest` has.
Status comparable(const Manifest& manifest, const std::string& signature_options);

// Does `chain`, which has accepted the records that `manifest` promises, stand where it says? Frames may be
// whole and of another folder. Error kCorrupt, which names what differs.
Status is_as_promised(const JournalChain& chain, const Manifest& manifest);

inline constexpr std::size_t kManifestBytesMax = std::size_t{64} << 20;

std::string encode_manifest(const Manifest& manifest);

// Errors: kCorrupt, kUnsupportedVersion (of the format, or of the signatures in it).
Result<Manifest> decode_manifest(std::string_view bytes);

}  // namespace neardup
