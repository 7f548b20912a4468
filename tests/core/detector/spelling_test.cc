#include "core/detector/spelling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "tests/reference/plain_replaced_tokens.h"

namespace neardup {
namespace {

std::optional<unsigned> misspelt(std::u32string_view a, std::u32string_view b) {
  const std::optional<unsigned> letters = misspelt_letters(a, b);
  EXPECT_EQ(misspelt_letters(b, a), letters) << "either way round";
  return letters;
}

std::optional<unsigned> misread(std::u32string_view a, std::u32string_view b) {
  const std::optional<unsigned> letters = misread_letters(a, b);
  EXPECT_EQ(misread_letters(b, a), letters) << "either way round";
  return letters;
}

TEST(Spelling, a_letter_makes_a_word_of_four_no_other_one) {
  EXPECT_EQ(misspelt(U"colour", U"color"), 1U);
  EXPECT_EQ(misspelt(U"organise", U"organize"), 1U);
  EXPECT_EQ(misspelt(U"centre", U"center"), 1U) << "neighbours that changed places";
  EXPECT_EQ(misspelt(U"your", U"yor"), 1U);
  EXPECT_EQ(misspelt(U"приветъ", U"привет"), 1U);
  EXPECT_EQ(misspelt(U"for", U"far"), std::nullopt);
  EXPECT_EQ(misspelt(U"苹", U"华"), std::nullopt);
}

TEST(Spelling, in_a_long_word_a_fifth_may_differ_and_no_more_than_three) {
  EXPECT_EQ(misspelt(U"application", U"applicatlom"), 2U);
  EXPECT_EQ(misspelt(U"programme", U"program"), std::nullopt);
  EXPECT_EQ(misspelt(U"internationalisation", U"iternationalizatoin"), 3U);
  const std::u32string word(60, U'a');
  EXPECT_EQ(misspelt(word, std::u32string(57, U'a') + U"bbb"), 3U);
  EXPECT_EQ(misspelt(word, std::u32string(56, U'a') + U"bbbb"), std::nullopt);
}

TEST(Spelling, another_word_is_another_word) {
  for (const auto& [a, b] : {std::pair{U"monday", U"sunday"},
                             {U"june", U"july"},
                             {U"north", U"south"},
                             {U"east", U"west"},
                             {U"nurse", U"driver"},
                             {U"tuesday", U"thursday"},
                             {U"increase", U"decrease"},
                             {U"wesvil", U"lelen"}}) {
    EXPECT_EQ(misspelt(a, b), std::nullopt);
  }
}

TEST(Spelling, a_digit_may_be_read_for_a_letter_but_not_put_in) {
  EXPECT_EQ(misread(U"p1ease", U"please"), 1U);
  EXPECT_EQ(misread(U"c0py", U"copy"), 1U);
  EXPECT_EQ(misread(U"app1icati0n", U"application"), 2U);
  EXPECT_EQ(misread(U"c00l", U"cool"), std::nullopt);
  EXPECT_EQ(misread(U"gate7", U"gate"), std::nullopt);
  EXPECT_EQ(misread(U"y0u", U"you"), std::nullopt);
}

TEST(Spelling, is_as_by_the_whole_matrix) {
  std::mt19937_64 random(7);
  unsigned spellings = 0;
  for (int round = 0; round < 20000; ++round) {
    std::u32string a;
    for (std::uint64_t size = 3 + random() % 20; size > 0; --size) a += U"abcd"[random() % 4];
    std::u32string b = a;
    for (std::uint64_t edits = random() % 5; edits > 0 && b.size() > 1; --edits) {
      const std::size_t at = random() % (b.size() - 1);
      switch (random() % 4) {
        case 0:
          b[at] = U"abcd"[random() % 4];
          break;
        case 1:
          b.erase(at, 1);
          break;
        case 2:
          b.insert(at, 1, U"abcd"[random() % 4]);
          break;
        default:
          std::swap(b[at], b[at + 1]);
      }
    }
    const std::optional<std::size_t> expected = reference::spelling(a, b);
    const std::optional<unsigned> found = misspelt(a, b);
    ASSERT_EQ(found ? std::optional<std::size_t>(*found) : std::nullopt, expected) << "round " << round;
    spellings += expected.has_value() ? 1 : 0;
  }
  EXPECT_GT(spellings, 8000U);
  EXPECT_LT(spellings, 18000U);
}

}  // namespace
}  // namespace neardup
