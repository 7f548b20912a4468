#include "service/snapshot/segment.h"

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/crc32c.h"
#include "service/journal/fields.h"

namespace neardup {
namespace {

constexpr std::string_view kMagic = "NDSG";
constexpr std::size_t kChecksumBytes = 4;

Error corrupt(std::string what) { return {ErrorCode::kCorrupt, std::move(what)}; }

}  // namespace

std::string encode_segment_header(const SegmentHeader& header) {
  std::string bytes;
  ByteWriter out(bytes);
  out.bytes(kMagic);
  out.u16(kSnapshotVersion);
  out.bytes({reinterpret_cast<const char*>(header.journal.data()), header.journal.size()});
  out.u64(header.first);
  out.u32(crc32c(bytes));
  return bytes;
}

Result<SegmentHeader> decode_segment_header(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return corrupt("does not begin like a segment");
  if (bytes.size() != kSegmentHeaderBytes) return corrupt("ends inside its header");
  const std::string_view body = bytes.substr(0, kSegmentHeaderBytes - kChecksumBytes);
  if (ByteReader(bytes.substr(body.size())).u32() != crc32c(body))
    return corrupt("the checksum of its header does not match");

  ByteReader in(body.substr(kMagic.size()));
  if (const std::uint16_t version = in.u16(); version != kSnapshotVersion)
    return other_version("format", version, kSnapshotVersion);
  SegmentHeader header;
  const std::string_view journal = in.bytes(header.journal.size());
  for (std::size_t i = 0; i < journal.size(); ++i) header.journal[i] = static_cast<std::uint8_t>(journal[i]);
  header.first = in.u64();
  return header;
}

void encode_frame(const StoredRecord& record, std::string& frame) {
  CHECK(record.bytes.size() <= kFrameRecordBytesMax, "no journal record is so large");
  frame.clear();
  ByteWriter out(frame);
  out.u32(0);  // the checksum, once the rest is there
  out.u32(static_cast<std::uint32_t>(record.bytes.size()));
  out.u64(record.number);
  out.u64(static_cast<std::uint64_t>(record.position));
  out.bytes(record.bytes);
  std::string checksum;
  ByteWriter(checksum).u32(crc32c(std::string_view(frame).substr(kChecksumBytes)));
  frame.replace(0, kChecksumBytes, checksum);
}

Result<std::size_t> frame_bytes(std::string_view header) {
  ByteReader in(header);
  in.u32();
  const std::size_t length = in.u32();
  if (!in.ok() || header.size() < kFrameHeaderBytes) return corrupt("ends inside the header of a record");
  if (length > kFrameRecordBytesMax)
    return corrupt("a record of " + std::to_string(length) + " bytes cannot be");
  return kFrameHeaderBytes + length;
}

Result<StoredRecord> decode_frame(std::string_view frame) {
  const Result<std::size_t> size = frame_bytes(frame.substr(0, kFrameHeaderBytes));
  if (!size) return size.error();
  if (frame.size() != *size) return corrupt("ends inside a record");
  ByteReader in(frame);
  if (in.u32() != crc32c(frame.substr(kChecksumBytes)))
    return corrupt("the checksum of a record does not match");
  in.u32();
  StoredRecord record;
  record.number = in.u64();
  record.position = static_cast<std::int64_t>(in.u64());
  record.bytes = in.bytes(in.remaining());
  return record;
}

}  // namespace neardup
