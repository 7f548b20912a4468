#include "service/codec/unpacking.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/packed_bytes.h"

namespace neardup {
namespace {

using Outcome = UnpackOutcome;

constexpr std::size_t kBytesMax = 1'000'000;

std::string words(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) text += std::to_string(i * 2654435761U) + " words ";
  text.resize(bytes);
  return text;
}

class Unpacking : public testing::TestWithParam<Packing> {
 protected:
  Outcome read(std::string_view packed) { return unpack(GetParam(), packed, kBytesMax, out_); }
  static std::string packed(std::string_view bytes) { return packed_of(GetParam(), bytes); }
  static bool may_be_many() { return GetParam() == Packing::kGzip || GetParam() == Packing::kZstd; }

  // What a stream makes of `packed` in pieces of `step` bytes; with a mark behind it where it is damaged, or
  // ends too early.
  static std::string streamed(std::string_view packed, std::size_t step, std::size_t room) {
    const auto stream = unpack_stream(GetParam());
    std::string all;
    std::string out(room, '\0');
    for (std::size_t at = 0; at < packed.size(); at += step) {
      std::string_view piece = packed.substr(at, step);
      for (;;) {
        const UnpackStream::Unpacked unpacked = stream->read(piece, out);
        all.append(out, 0, unpacked.size);
        if (unpacked.is_damaged) return all + "|damaged";
        if (unpacked.size < room) break;
      }
      EXPECT_TRUE(piece.empty());
    }
    return stream->may_end() ? all : all + "|cut off";
  }

  std::string out_ = "before";
};

INSTANTIATE_TEST_SUITE_P(EachWay, Unpacking,
                         testing::Values(Packing::kGzip, Packing::kZstd, Packing::kBrotli,
                                         Packing::kDeflate));

TEST_P(Unpacking, what_was_packed_comes_out) {
  for (const std::size_t size : {0, 1, 100, 16 << 10, (16 << 10) + 1, 300'000, 64 << 10, 1'000'000}) {
    ASSERT_EQ(read(packed(words(size))), Outcome::kRead) << size;
    EXPECT_EQ(out_, words(size));
  }
}

TEST_P(Unpacking, all_of_many_are_read_and_nothing_behind_them) {
  const std::string two = packed("one, ") + packed("") + packed("two");
  for (const std::string_view behind : {"", "\n", "and more", "\x1F\x8C", "\x28\xB4"}) {
    const Outcome outcome = read(two + std::string(behind));
    ASSERT_EQ(outcome, may_be_many() ? Outcome::kRead : Outcome::kDamaged) << behind;
    if (outcome == Outcome::kRead) {
      EXPECT_EQ(out_, "one, two");
    }
  }
  if (!may_be_many()) return;
  // The first one ends exactly where the room does.
  ASSERT_EQ(read(packed(std::string(kBytesMax, 'x')) + packed("")), Outcome::kRead);
  EXPECT_EQ(out_, std::string(kBytesMax, 'x'));
}

TEST_P(Unpacking, what_is_not_whole_is_refused) {
  const std::string whole = packed(words(5000));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(read(whole.substr(0, size)), Outcome::kDamaged) << size;
  }
  EXPECT_EQ(read(packed("one") + whole.substr(0, whole.size() / 2)), Outcome::kDamaged);
  EXPECT_EQ(read(words(5000)), Outcome::kDamaged);
  ASSERT_EQ(read(whole), Outcome::kRead);
  EXPECT_EQ(out_, words(5000));
}

TEST_P(Unpacking, a_bomb_takes_no_more_memory_than_is_allowed) {
  const std::string bomb = packed(std::string(8'000'000, 'x'));
  ASSERT_LT(bomb.size(), 10'000U);
  EXPECT_EQ(read(bomb), Outcome::kTooLarge);
  EXPECT_LE(out_.capacity(), 2 * kBytesMax);
  EXPECT_EQ(read(packed(std::string(kBytesMax + 1, 'x'))), Outcome::kTooLarge);
  EXPECT_EQ(read(packed(std::string(kBytesMax, 'x'))), Outcome::kRead);
}

TEST_P(Unpacking, a_stream_unpacks_in_whatever_pieces_it_comes) {
  const std::string all = words(3000);
  const std::string bytes = may_be_many() ? packed("") + packed(all) + packed("end") : packed(all + "end");
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    for (const std::size_t room : {1, 64, 3003, 10'000}) {
      ASSERT_EQ(streamed(bytes, step, room), all + "end") << step << " " << room;
      ASSERT_EQ(streamed(bytes + "words", step, room), all + "end|damaged") << step << " " << room;
      if (!may_be_many()) continue;
      ASSERT_EQ(streamed(bytes + std::string(1000, '\0'), step, room), all + "end") << step << " " << room;
      ASSERT_EQ(streamed(bytes + std::string("\0words", 6), step, room), all + "end|damaged")
          << step << " " << room;
      ASSERT_EQ(streamed(bytes + std::string(9, '\0') + packed("!"), step, room), all + "end!")
          << step << " " << room;
    }
  }
  EXPECT_EQ(streamed("", 1, 10), "");
  // Little is given and much comes out: it is fetched although nothing more is given.
  EXPECT_EQ(streamed(packed(std::string(1'000'000, 'x')), 1 << 20, 64), std::string(1'000'000, 'x'));
}

TEST_P(Unpacking, a_stream_that_is_cut_off_is_not_at_its_end) {
  const std::string whole = packed(words(5000));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string got = streamed(whole.substr(0, size), 100, 1000);
    ASSERT_TRUE(got.ends_with("|cut off")) << size;
    ASSERT_TRUE(words(5000).starts_with(std::string_view(got).substr(0, got.size() - 8))) << size;
  }
}

TEST(Unpack, a_wrong_sum_is_damage_behind_what_came) {
  std::string out;
  std::string wrong = gzip_of(words(5000));
  wrong[wrong.size() - 6] ^= 1;
  EXPECT_EQ(unpack(Packing::kGzip, wrong, kBytesMax, out), Outcome::kDamaged);
  const auto stream = unpack_stream(Packing::kGzip);
  std::string_view left = wrong;
  out.resize(10'000);
  const UnpackStream::Unpacked unpacked = stream->read(left, out);
  EXPECT_TRUE(unpacked.is_damaged);
  EXPECT_EQ(out.substr(0, unpacked.size), words(5000));
}

TEST(Unpack, a_deflate_may_come_without_its_head_as_some_servers_send_it) {
  std::string out;
  ASSERT_EQ(unpack(Packing::kDeflate, bare_deflate_of(words(5000)), kBytesMax, out), Outcome::kRead);
  EXPECT_EQ(out, words(5000));
  EXPECT_EQ(unpack(Packing::kDeflate, bare_deflate_of(words(5000)) + "x", kBytesMax, out), Outcome::kDamaged);
}

TEST(Unpack, a_zstd_may_begin_with_what_is_skipped) {
  const std::string note("\x5A\x2A\x4D\x18\x03\0\0\0abc", 11);
  std::string out;
  ASSERT_EQ(unpack(Packing::kZstd, note + zstd_of("one, ") + note + zstd_of("two"), kBytesMax, out),
            Outcome::kRead);
  EXPECT_EQ(out, "one, two");
}

TEST(Unpack, a_zstd_may_look_back_as_far_as_its_tool_lets_it) {
  const std::string text = words(5000);
  std::string out;
  ASSERT_EQ(unpack(Packing::kZstd, zstd_with_window(text, 27), kBytesMax, out), Outcome::kRead);
  EXPECT_EQ(out, text);
  EXPECT_EQ(unpack(Packing::kZstd, zstd_with_window(text, 28), kBytesMax, out), Outcome::kDamaged);
}

TEST(Unpack, a_gzip_is_found_by_all_that_its_head_says) {
  const std::string gzip = gzip_of("words");
  const std::string head = gzip.substr(0, kGzipHeadBytes);
  EXPECT_EQ(find_gzip(gzip), 0U);
  EXPECT_EQ(find_gzip("words" + gzip), 5U);
  EXPECT_EQ(find_gzip("\x1F\x8B\x08\xE0" + head), 4U);
  for (std::size_t size = 0; size < kGzipHeadBytes; ++size)
    EXPECT_EQ(find_gzip("words" + head.substr(0, size)), 5 + size) << "behind the last byte";
  for (const auto& [at, byte] : {std::pair<std::size_t, char>{2, 7}, {3, '\x20'}, {8, 1}, {9, 14}}) {
    std::string none = head;
    none[at] = byte;
    EXPECT_EQ(find_gzip(none), none.size()) << at;
  }
}

TEST(Unpack, how_bytes_are_packed_is_told_by_the_first_of_them_or_by_a_name) {
  EXPECT_EQ(packing_of(gzip_of("")), Packing::kGzip);
  EXPECT_EQ(packing_of(zstd_of("")), Packing::kZstd);
  EXPECT_EQ(packing_of("\x50\x2A\x4D\x18"), Packing::kZstd) << "as pzstd begins";
  for (const std::string_view bytes : {"", "\x1F\x8B", "\x1F\xEF\xBF\xBD\x08", "(words)", "\x28\xB5\x2F"}) {
    EXPECT_EQ(packing_of(bytes), std::nullopt) << bytes;
  }
  for (const std::string_view bytes : {"", "\x1F", "\x1F\x8B", "(", "\x28\xB5\x2F", "P", "P*M"})
    EXPECT_TRUE(may_become_packed(bytes)) << bytes;
  for (const std::string_view bytes : {"{", "(w", "P\n", "A", "\x1F\x8B\x08", "\x1F\x8C"})
    EXPECT_FALSE(may_become_packed(bytes)) << bytes;
  EXPECT_EQ(packing_named("X-Gzip"), Packing::kGzip);
  EXPECT_EQ(packing_named("br"), Packing::kBrotli);
  EXPECT_EQ(packing_named("gzip, br"), std::nullopt);
  EXPECT_EQ(packing_named(""), std::nullopt);
  EXPECT_EQ(without_packed_ending("a.html.GZ"), "a.html");
  EXPECT_EQ(without_packed_ending("a.jsonl.zst"), "a.jsonl");
  EXPECT_EQ(without_packed_ending("a.gz.html"), "a.gz.html");
}

}  // namespace
}  // namespace neardup
