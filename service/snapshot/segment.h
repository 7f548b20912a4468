// What does a segment file hold?
//
// A run of the journal: the bytes of its records as Kafka has them, each in a frame of its own, after a
// header that says of which journal and from which record on. Segments are only ever appended to; what stands
// in one is a function of the journal alone.
//
//   segment   "NDSG" | format version u16 | journal 16 bytes | first number u64 | crc32c u32 of this header
//             frames
//   frame     crc32c u32 of all behind it | length u32 of the record | number u64 | position i64 | record
//
// All little-endian. `position` is one past the record in the journal's log (SeekableLog), so that reading
// can go on behind any frame.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/limits.h"
#include "service/journal/record.h"

namespace neardup {

inline constexpr std::uint16_t kSnapshotVersion = 1;  // of segments and manifests

inline constexpr std::size_t kSegmentHeaderBytes = 4 + 2 + 16 + 8 + 4;
inline constexpr std::size_t kFrameHeaderBytes = 4 + 4 + 8 + 8;
// A longer one is no record of ours; it bounds what a reader has in memory.
inline constexpr std::size_t kFrameRecordBytesMax = 4 * kJournalRecordBytesMax;

struct SegmentHeader {
  Uuid journal{};
  std::uint64_t first = 0;  // number of the first record

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

struct StoredRecord {
  std::uint64_t number = 0;
  std::int64_t position = 0;  // one past it in the journal's log
  std::string_view bytes;
};

std::string encode_segment_header(const SegmentHeader& header);

// Errors: kCorrupt, kUnsupportedVersion. REQUIRES, as below: `bytes` are as many as the constant says, or
// fewer, which is corrupt.
Result<SegmentHeader> decode_segment_header(std::string_view bytes);

// Replaces `frame`. REQUIRES: record.bytes.size() <= kFrameRecordBytesMax.
void encode_frame(const StoredRecord& record, std::string& frame);

// How many bytes a frame has that begins with these. Error kCorrupt: no frame begins so.
Result<std::size_t> frame_bytes(std::string_view header);

// `frame` is exactly one; the view points into it. Error kCorrupt.
Result<StoredRecord> decode_frame(std::string_view frame);

}  // namespace neardup
