#include "core/fingerprint/shingle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/text/utf8.h"
#include "tests/reference/naive_shingles.h"

namespace neardup {
namespace {

std::string utf8(char32_t code_point) {
  std::string bytes(4, '\0');
  bytes.resize(static_cast<std::size_t>(encode_utf8(code_point, bytes.data()) - bytes.data()));
  return bytes;
}

std::vector<std::uint64_t> hashes_of(std::string_view text) {
  std::vector<std::uint64_t> hashes(text.size() + kUnitSlack);
  hashes.resize(hash_characters(text, hashes.data()));
  return hashes;
}

std::vector<std::uint64_t> shingles_of(ShingleKind kind, const std::vector<std::uint64_t>& units) {
  std::vector<std::uint64_t> shingles(shingle_count(kind, units.size()));
  hash_shingles(kind, units, shingles.data());
  return shingles;
}

TEST(Shingle, a_text_goes_by_characters_iff_more_than_a_tenth_of_its_tokens_are_characters) {
  EXPECT_EQ(shingle_kind(100, 0), ShingleKind::kWords);
  EXPECT_EQ(shingle_kind(100, 10), ShingleKind::kWords);
  EXPECT_EQ(shingle_kind(100, 11), ShingleKind::kCharacters);
  EXPECT_EQ(shingle_kind(9, 1), ShingleKind::kCharacters);
  EXPECT_EQ(shingle_kind(1, 1), ShingleKind::kCharacters);
}

TEST(Shingle, a_text_has_one_shingle_for_each_window_and_at_least_one_if_there_is_anything) {
  EXPECT_EQ(shingle_count(ShingleKind::kWords, 0), 0U);
  EXPECT_EQ(shingle_count(ShingleKind::kWords, 1), 1U);
  EXPECT_EQ(shingle_count(ShingleKind::kWords, 3), 1U);
  EXPECT_EQ(shingle_count(ShingleKind::kWords, 4), 2U);
  EXPECT_EQ(shingle_count(ShingleKind::kCharacters, 0), 0U);
  EXPECT_EQ(shingle_count(ShingleKind::kCharacters, 4), 1U);
  EXPECT_EQ(shingle_count(ShingleKind::kCharacters, 6), 2U);
}

TEST(Shingle, code_points_of_every_length_are_counted_and_hashed) {
  const std::u32string text = U"aé€😀 z\u0e01가ß\U0010FFFF\uFFFD\u07FF\u0800\U00010000\x7F\x80";
  std::string bytes;
  std::vector<std::uint64_t> expected;
  for (int round = 0; round < 40; ++round) {  // every alignment to a block of 64 bytes
    for (const char32_t c : text) {
      bytes += utf8(c);
      expected.push_back(reference::character(c));
      ASSERT_EQ(code_point_count(bytes), expected.size());
      ASSERT_EQ(hashes_of(bytes), expected) << bytes;
    }
  }
}

TEST(Shingle, no_two_code_points_share_a_hash) {
  std::vector<std::uint64_t> hashes;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) hashes.push_back(reference::character(c));
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST(Shingle, the_order_of_the_units_matters) {
  for (const ShingleKind kind : {ShingleKind::kWords, ShingleKind::kCharacters}) {
    std::vector<std::uint64_t> units = hashes_of("abcde");
    units.resize(shingle_width(kind));
    std::sort(units.begin(), units.end());
    std::vector<std::uint64_t> shingles;
    do {
      shingles.push_back(shingles_of(kind, units).at(0));
    } while (std::next_permutation(units.begin(), units.end()));
    std::sort(shingles.begin(), shingles.end());
    EXPECT_EQ(std::adjacent_find(shingles.begin(), shingles.end()), shingles.end());
  }
}

TEST(Shingle, a_run_of_one_unit_is_a_shingle_like_any_other) {
  for (const ShingleKind kind : {ShingleKind::kWords, ShingleKind::kCharacters}) {
    std::vector<std::uint64_t> shingles;
    for (char32_t c = U'一'; c < U'一' + 20000; ++c) {
      const std::vector<std::uint64_t> units(shingle_width(kind), reference::character(c));
      shingles.push_back(shingles_of(kind, units).at(0));
    }
    std::sort(shingles.begin(), shingles.end());
    EXPECT_EQ(std::adjacent_find(shingles.begin(), shingles.end()), shingles.end());
  }
}

TEST(Shingle, a_short_text_is_hashed_whole) {
  EXPECT_EQ(shingles_of(ShingleKind::kCharacters, hashes_of("")), std::vector<std::uint64_t>{});
  EXPECT_EQ(shingles_of(ShingleKind::kCharacters, hashes_of("abc")),
            (std::vector<std::uint64_t>{reference::shingles(ShingleKind::kCharacters, hashes_of("abc"))}));
  EXPECT_NE(shingles_of(ShingleKind::kCharacters, hashes_of("abc")),
            shingles_of(ShingleKind::kCharacters, hashes_of("abcd")));
  EXPECT_NE(shingles_of(ShingleKind::kWords, {1}), shingles_of(ShingleKind::kWords, {1, 2}));
}

TEST(Shingle, windows_are_hashed_as_defined) {
  const std::vector<std::uint64_t> units = hashes_of("the quick brown fox jumps over the lazy dog");
  for (const ShingleKind kind : {ShingleKind::kWords, ShingleKind::kCharacters}) {
    EXPECT_EQ(shingles_of(kind, units), reference::shingles(kind, units));
  }
}

// The high half says where, the low half how small: both must be even, neither may tell of the other, and
// this of texts of few characters, each often repeated, as texts are.
TEST(Shingle, hashes_fill_bins_and_values_evenly) {
  for (const unsigned characters : {40U, 600U, 3000U}) {
    std::mt19937_64 draw(characters);
    std::string text;
    for (int i = 0; i < 60000; ++i)
      text += utf8(0x4E00 + static_cast<char32_t>(draw() % characters * (draw() % 4) / 3));
    for (const ShingleKind kind : {ShingleKind::kWords, ShingleKind::kCharacters}) {
      std::vector<std::uint64_t> shingles = shingles_of(kind, hashes_of(text));
      std::sort(shingles.begin(), shingles.end());
      shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
      constexpr std::size_t kBins = 24;
      constexpr std::size_t kRanges = 16;  // of values
      std::vector<double> cells(kBins * kRanges);
      for (const std::uint64_t shingle : shingles) {
        cells[reference::place(shingle, kBins) * kRanges + (shingle & 0xFFFFFFFF) / (1ULL << 28)] += 1;
      }
      const double mean = static_cast<double>(shingles.size()) / static_cast<double>(cells.size());
      double chi_squared = 0;
      for (const double cell : cells) chi_squared += (cell - mean) * (cell - mean) / mean;
      EXPECT_GT(mean, 20) << characters;
      EXPECT_LT(chi_squared, 383 + 5 * 28)
          << "of 383 degrees of freedom, five standard deviations; " << characters;
      EXPECT_GT(chi_squared, 383 - 5 * 28) << characters;
    }
  }
}

}  // namespace
}  // namespace neardup
