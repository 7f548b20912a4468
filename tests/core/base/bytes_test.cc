#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace neardup {
namespace {

TEST(Bytes, what_is_written_is_read_back) {
  std::string out;
  ByteWriter writer(out);
  writer.u8(0xFE);
  writer.u16(0x1234);
  writer.u32(0xDEADBEEF);
  writer.u64(std::numeric_limits<std::uint64_t>::max());
  writer.varint(0);
  writer.varint(127);
  writer.varint(128);
  writer.varint(std::numeric_limits<std::uint64_t>::max());
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    writer.signed_varint(v);
  }
  writer.string("abc");
  writer.digest({1, 2});

  ByteReader reader(out);
  EXPECT_EQ(reader.u8(), 0xFE);
  EXPECT_EQ(reader.u16(), 0x1234);
  EXPECT_EQ(reader.u32(), 0xDEADBEEF);
  EXPECT_EQ(reader.u64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.varint(), 127U);
  EXPECT_EQ(reader.varint(), 128U);
  EXPECT_EQ(reader.varint(), std::numeric_limits<std::uint64_t>::max());
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(reader.signed_varint(), v);
  }
  EXPECT_EQ(reader.string(), "abc");
  EXPECT_EQ(reader.digest(), (Digest128{1, 2}));
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at_end());
}

TEST(Bytes, integers_are_little_endian_on_every_machine) {
  std::string out;
  ByteWriter writer(out);
  writer.u16(0x0102);
  writer.u32(0x01020304);
  writer.u64(0x0102030405060708);
  writer.u32s<2>({0x01020304, 5});
  const std::string expected("\2\1\4\3\2\1\x8\7\6\5\4\3\2\1\4\3\2\1\5\0\0\0", 22);
  EXPECT_EQ(out, expected);

  std::string same = "before ";
  append_in_place(same, 100, [](InPlaceWriter& in_place) {
    in_place.u16(0x0102);
    in_place.u32(0x01020304);
    in_place.u64(0x0102030405060708);
    in_place.u32s<2>({0x01020304, 5});
  });
  EXPECT_EQ(same, "before " + expected);

  ByteReader reader(out);
  EXPECT_EQ(reader.u16(), 0x0102);
  EXPECT_EQ(reader.u32(), 0x01020304U);
  EXPECT_EQ(reader.u64(), 0x0102030405060708U);
  std::array<std::uint32_t, 2> values;
  reader.u32s(values);
  EXPECT_EQ(values, (std::array<std::uint32_t, 2>{0x01020304, 5}));
  EXPECT_TRUE(reader.ok() && reader.at_end());
  reader.u32s(values);
  EXPECT_EQ(values, (std::array<std::uint32_t, 2>{}));
  EXPECT_FALSE(reader.ok());
}

// A sanitizer sees where they lie.
TEST(Bytes, no_bytes_may_lie_nowhere) {
  std::string out;
  ByteWriter(out).string({});
  std::string same;
  append_in_place(same, 1, [](InPlaceWriter& in_place) { in_place.string({}); });
  EXPECT_EQ(same, out);
}

TEST(Bytes, a_reader_that_was_told_so_stays_failed_as_well) {
  ByteReader reader("\x01\x02");
  EXPECT_EQ(reader.u8(), 1);
  reader.fail();
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0);
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(Bytes, a_reader_that_ran_out_stays_failed_and_gives_zero) {
  ByteReader reader("\x01\x02");
  EXPECT_EQ(reader.u32(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0);
  EXPECT_EQ(reader.string(), "");
}

TEST(Bytes, a_string_longer_than_what_is_left_fails) {
  std::string out;
  ByteWriter(out).varint(1000);
  out += "short";
  ByteReader reader(out);
  EXPECT_EQ(reader.string(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, a_varint_of_more_than_64_bits_fails) {
  ByteReader too_long(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11));
  too_long.varint();
  EXPECT_FALSE(too_long.ok());
  ByteReader too_big(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 10));
  too_big.varint();
  EXPECT_FALSE(too_big.ok());
}

}  // namespace
}  // namespace neardup
