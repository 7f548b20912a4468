#include "service/codec/gzip.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/gzip_bytes.h"

namespace neardup {
namespace {

using Outcome = GzipReader::Outcome;

constexpr std::size_t kBytesMax = 1'000'000;

std::string words(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) text += std::to_string(i * 2654435761U) + " words ";
  text.resize(bytes);
  return text;
}

TEST(Gzip, what_was_packed_comes_out) {
  GzipReader reader;
  std::string out = "before";
  for (const std::size_t size : {0, 1, 100, 16 << 10, (16 << 10) + 1, 300'000, 64 << 10, 1'000'000}) {
    ASSERT_EQ(reader.read(gzip_of(words(size)), kBytesMax, out), Outcome::kRead) << size;
    EXPECT_EQ(out, words(size));
  }
}

TEST(Gzip, all_members_are_read_and_nothing_behind_them) {
  GzipReader reader;
  std::string out;
  const std::string two = gzip_of("one, ") + gzip_of("") + gzip_of("two");
  for (const std::string_view behind : {"", "\n", "and more", "\x1F", "\x1F\x8B"}) {
    ASSERT_EQ(reader.read(two + std::string(behind), kBytesMax, out), Outcome::kRead) << behind;
    EXPECT_EQ(out, "one, two");
  }
  // The first member ends exactly where the room does.
  const std::string full = gzip_of(std::string(kBytesMax, 'x')) + gzip_of("");
  ASSERT_EQ(reader.read(full, kBytesMax, out), Outcome::kRead);
  EXPECT_EQ(out, std::string(kBytesMax, 'x'));
}

TEST(Gzip, a_damaged_one_is_refused_and_the_next_is_read) {
  GzipReader reader;
  std::string out;
  const std::string whole = gzip_of(words(5000));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(reader.read(whole.substr(0, size), kBytesMax, out), Outcome::kDamaged) << size;
  }
  std::string wrong_sum = whole;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(reader.read(wrong_sum, kBytesMax, out), Outcome::kDamaged);
  EXPECT_EQ(reader.read(gzip_of("one") + whole.substr(0, whole.size() / 2), kBytesMax, out),
            Outcome::kDamaged);
  ASSERT_EQ(reader.read(whole, kBytesMax, out), Outcome::kRead);
  EXPECT_EQ(out, words(5000));
}

TEST(Gzip, a_bomb_takes_no_more_memory_than_is_allowed) {
  GzipReader reader;
  std::string out;
  const std::string bomb = gzip_of(std::string(8'000'000, 'x'));
  ASSERT_LT(bomb.size(), 10'000U);
  EXPECT_EQ(reader.read(bomb, kBytesMax, out), Outcome::kTooLarge);
  EXPECT_LE(out.capacity(), 2 * kBytesMax);
  EXPECT_EQ(reader.read(gzip_of(std::string(kBytesMax + 1, 'x')), kBytesMax, out), Outcome::kTooLarge);
  EXPECT_EQ(reader.read(gzip_of(std::string(kBytesMax, 'x')), kBytesMax, out), Outcome::kRead);
}

}  // namespace
}  // namespace neardup
