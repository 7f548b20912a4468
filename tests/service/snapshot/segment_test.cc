#include "service/snapshot/segment.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/bytes.h"
#include "core/base/crc32c.h"
#include "core/signature.h"
#include "service/snapshot/manifest.h"

namespace neardup {
namespace {

Manifest example() {
  return {.signature_options = "fingerprint.features=shingles",
          .journal = {1, 2, 3},
          .generation = 9,
          .records = 12,
          .uniques = 345,
          .position = 24,
          .last_digest = {0xA1, 0xA2},
          .topics = {{"pages", {4}}, {"more", {5}}},
          .positions = {{{0, 0}, {10, 3}}, {{1, 7}, {99, -1}}},
          .segments = {{0, 10, 1000, {1, 2}}, {10, 2, 234, {0xA1, 0xA2}}}};
}

// `bytes` with a right checksum at its end again.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 4);
  ByteWriter(bytes).u32(crc32c(bytes));
  return bytes;
}

TEST(Segment, a_header_reads_back_and_no_flipped_bit_or_missing_byte_passes) {
  const SegmentHeader header = {{7, 8, 9}, 1234567890123};
  const std::string bytes = encode_segment_header(header);
  ASSERT_EQ(bytes.size(), kSegmentHeaderBytes);
  ASSERT_EQ(*decode_segment_header(bytes), header);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_segment_header(flipped).ok()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_segment_header(std::string_view(bytes).substr(0, size)).ok()) << size;
}

TEST(Segment, a_frame_reads_back_and_no_flipped_bit_or_missing_byte_passes) {
  std::string frame;
  encode_frame({41, 97, "the record"}, frame);
  ASSERT_EQ(*frame_bytes(frame), frame.size());
  const Result<StoredRecord> record = decode_frame(frame);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->number, 41U);
  EXPECT_EQ(record->position, 97);
  EXPECT_EQ(record->bytes, "the record");
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    std::string flipped = frame;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_frame(flipped).ok()) << bit;
  }
  for (std::size_t size = 0; size < frame.size(); ++size)
    EXPECT_FALSE(decode_frame(std::string_view(frame).substr(0, size)).ok()) << size;
}

TEST(Segment, a_page_of_zeros_is_no_frame) {
  const std::string zeros(4096, '\0');
  EXPECT_FALSE(decode_frame(std::string_view(zeros).substr(0, kFrameHeaderBytes)).ok());
}

TEST(Segment, a_length_that_cannot_be_is_refused_before_anything_is_read) {
  std::string header(4, '\0');
  ByteWriter out(header);
  out.u32(static_cast<std::uint32_t>(kFrameRecordBytesMax + 1));
  out.u64(0);
  out.u64(0);
  EXPECT_FALSE(frame_bytes(header).ok());
}

TEST(Manifest, what_is_encoded_is_decoded) {
  const Manifest manifest = example();
  const Result<Manifest> read = decode_manifest(encode_manifest(manifest));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->signature_options, manifest.signature_options);
  EXPECT_EQ(read->journal, manifest.journal);
  EXPECT_EQ(read->generation, 9U);
  EXPECT_EQ(read->records, 12U);
  EXPECT_EQ(read->uniques, 345U);
  EXPECT_EQ(read->position, 24);
  EXPECT_EQ(read->last_digest, manifest.last_digest);
  ASSERT_EQ(read->topics.size(), 2U);
  EXPECT_EQ(read->topics[1].name, "more");
  EXPECT_EQ(read->topics[1].id, manifest.topics[1].id);
  ASSERT_EQ(read->positions.size(), 2U);
  EXPECT_EQ(read->positions.at({1, 7}).next, 99);
  EXPECT_EQ(read->positions.at({1, 7}).leader_epoch, -1);
  EXPECT_EQ(read->segments, manifest.segments);
  EXPECT_EQ(read->bytes(), 1234U);
}

TEST(Manifest, no_flipped_bit_or_missing_byte_passes) {
  const std::string bytes = encode_manifest(example());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const Result<Manifest> read = decode_manifest(flipped);
    ASSERT_FALSE(read.ok()) << bit;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << "a flipped bit is no other version";
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_manifest(std::string_view(bytes).substr(0, size)).ok()) << size;
}

TEST(Manifest, another_version_is_refused_by_name) {
  std::string format = encode_manifest(example());
  format[4] = 77;
  const Result<Manifest> other_format = decode_manifest(sealed(format));
  ASSERT_FALSE(other_format.ok());
  EXPECT_EQ(other_format.error().code, ErrorCode::kUnsupportedVersion);
  EXPECT_TRUE(other_format.error().message.starts_with(
      "format version 77, this program reads 1: it was written by a newer neardup"))
      << other_format.error().message;

  std::string signature = encode_manifest(example());
  signature[6] = static_cast<char>(kSignatureVersion + 1);
  const Result<Manifest> other_signature = decode_manifest(sealed(signature));
  ASSERT_FALSE(other_signature.ok());
  EXPECT_EQ(other_signature.error().code, ErrorCode::kUnsupportedVersion);
}

TEST(Manifest, segments_with_a_hole_or_of_other_records_are_refused) {
  Manifest hole = example();
  hole.segments[1].first = 11;
  EXPECT_FALSE(decode_manifest(encode_manifest(hole)).ok());
  Manifest fewer = example();
  fewer.segments[1].records = 1;
  EXPECT_FALSE(decode_manifest(encode_manifest(fewer)).ok());
  Manifest none = example();
  none.segments.clear();
  none.records = 0;
  EXPECT_FALSE(decode_manifest(encode_manifest(none)).ok());
}

}  // namespace
}  // namespace neardup
