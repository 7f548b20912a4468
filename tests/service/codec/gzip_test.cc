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

// What a stream makes of `gzip` in pieces of `step` bytes; with a mark behind it where it is damaged, or ends
// too early.
std::string streamed(std::string_view gzip, std::size_t step, std::size_t room) {
  GzipStream stream;
  std::string all;
  std::string out(room, '\0');
  for (std::size_t at = 0; at < gzip.size(); at += step) {
    std::string_view piece = gzip.substr(at, step);
    for (;;) {
      const GzipStream::Unpacked unpacked = stream.read(piece, out);
      all.append(out, 0, unpacked.size);
      if (unpacked.is_damaged) return all + "|damaged";
      if (unpacked.size < room) break;
    }
    EXPECT_TRUE(piece.empty());
  }
  return stream.is_between_members() ? all : all + "|cut off";
}

TEST(Gzip, a_stream_unpacks_in_whatever_pieces_it_comes) {
  const std::string all = words(3000);
  const std::string gzip = gzip_of("") + gzip_of(all) + gzip_of("end");
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, gzip.size()}) {
    for (const std::size_t room : {1, 64, 3003, 10'000}) {
      ASSERT_EQ(streamed(gzip, step, room), all + "end") << step << " " << room;
      ASSERT_EQ(streamed(gzip + std::string(1000, '\0'), step, room), all + "end") << step << " " << room;
      ASSERT_EQ(streamed(gzip + "words", step, room), all + "end|damaged") << step << " " << room;
      ASSERT_EQ(streamed(gzip + std::string("\0words", 6), step, room), all + "end|damaged")
          << step << " " << room;
    }
  }
  EXPECT_EQ(streamed("", 1, 10), "");
  // Little is given and much comes out: it is fetched although nothing more is given.
  EXPECT_EQ(streamed(gzip_of(std::string(1'000'000, 'x')), 1 << 20, 64), std::string(1'000'000, 'x'));
}

TEST(Gzip, a_stream_gives_what_came_before_the_damage) {
  const std::string whole = gzip_of("one") + gzip_of(words(5000));
  for (std::size_t size = gzip_of("one").size() + 1; size < whole.size(); ++size) {
    const std::string got = streamed(whole.substr(0, size), 100, 1000);
    ASSERT_TRUE(got.starts_with("one") && got.ends_with("|cut off")) << size;
  }
  std::string wrong_sum = whole;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(streamed(wrong_sum, 100, 1000), "one" + words(5000) + "|damaged");
  EXPECT_EQ(streamed("\x1F"
                     "words",
                     100, 1000),
            "|damaged");
}

}  // namespace
}  // namespace neardup
