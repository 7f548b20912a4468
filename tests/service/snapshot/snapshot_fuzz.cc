// Hostile bytes into what reads a snapshot: a manifest, a segment with its frames, and the journal records in
// them. As they are, and as fields of a manifest or record whose head and checksum are right, which no chance
// would make.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/crc32c.h"
#include "core/signature.h"
#include "service/journal/record.h"
#include "service/snapshot/manifest.h"
#include "service/snapshot/segment.h"

namespace {

using namespace neardup;

void read_manifest(std::string_view bytes) {
  const Result<Manifest> manifest = decode_manifest(bytes);
  if (!manifest) return;
  const std::string written = encode_manifest(*manifest);
  const Result<Manifest> again = decode_manifest(written);
  CHECK(again.ok() && encode_manifest(*again) == written, "what was accepted is written and read alike");
}

void read_journal_record(std::string_view bytes) {
  const Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return;
  const std::string written = encode_journal_record(*record);
  const Result<JournalRecord> again = decode_journal_record(written);
  CHECK(again.ok() && encode_journal_record(*again) == written,
        "what was accepted is written and read alike");
}

// Around these fields, a head and a checksum that are right.
std::string sealed(std::string_view magic, std::uint16_t version, std::string_view fields) {
  std::string bytes(magic);
  ByteWriter out(bytes);
  out.u16(version);
  out.u16(kSignatureVersion);
  out.bytes(fields);
  out.u32(crc32c(bytes));
  return bytes;
}

void read_frames(std::string_view bytes) {
  for (;;) {
    const Result<std::size_t> length = frame_bytes(bytes.substr(0, kFrameHeaderBytes));
    if (!length || *length > bytes.size()) return;
    const Result<StoredRecord> record = decode_frame(bytes.substr(0, *length));
    if (!record) return;
    CHECK(record->bytes.size() + kFrameHeaderBytes == *length, "a frame is its header and its record");
    read_journal_record(record->bytes);
    bytes.remove_prefix(*length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_manifest(bytes);
  read_manifest(sealed("NDSM", kSnapshotVersion, bytes));
  read_journal_record(bytes);
  for (std::uint16_t version = kJournalVersionOldest; version <= kJournalVersion; ++version)
    read_journal_record(sealed("NDJ\n", version, bytes));
  read_frames(bytes);
  if (decode_segment_header(bytes.substr(0, kSegmentHeaderBytes)))
    read_frames(bytes.substr(kSegmentHeaderBytes));
  return 0;
}
