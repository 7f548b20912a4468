#include "core/detector/replaced_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/detector/replaced_tokens.h"

namespace neardup {
namespace {

ReplacedTokens least(std::u32string_view a, std::u32string_view b) {
  NumberPattern pattern;
  pattern.set(a);
  return pattern.least_replaced(b);
}

TEST(ReplacedNumbers, are_found_wherever_tokens_end) {
  EXPECT_EQ(least(U"12 votes for smith 31", U"40 votes for smith 7"),
            (ReplacedTokens{.numbers = 2, .tokens = 5}));
  EXPECT_EQ(least(U"于7月15日前 81", U"于8月16日前 81"), (ReplacedTokens{.numbers = 2, .tokens = 7}))
      << "a character of Han ends one";
  EXPECT_EQ(least(U"1 2 3 4", U"4 3 2"), (ReplacedTokens{.tokens = 4})) << "what is left out is not replaced";
  EXPECT_EQ(least(U"tel 02079460123 or 02079460124", U"tel 02079460125 or 02079460126").numbers, 2U)
      << "a long one is told by its ends";
}

TEST(ReplacedNumbers, of_what_is_not_a_plain_number_nothing_is_certain) {
  EXPECT_EQ(least(U"ab1 2cd 3e4", U"ab5 6cd 7e8").numbers, 0U) << "codes may be words misread";
  EXPECT_EQ(least(U"١٢ ٣٤ ٥٦", U"٧٨ ٩٠ ٢١").numbers, 0U) << "digits beyond ASCII";
  EXPECT_EQ(least(U"1 2 3", U"one two three").numbers, 0U);
  EXPECT_EQ(least(U"1‑ 2‑", U"3‑ 4‑").numbers, 0U) << "U+2011 is part of the token, though high";
}

TEST(ReplacedNumbers, one_number_refuses_nothing) {
  EXPECT_EQ(least(U"room 12 is free", U"room 13 is free"), ReplacedTokens{});
}

// The obvious way, for texts without characters from kTokenCharacterMin on.
ReplacedTokens plain_least(std::u32string_view a, std::u32string_view b) {
  std::array<std::multiset<std::u32string>, 2> numbers;
  std::array<unsigned, 2> tokens{};
  for (const std::u32string_view text : {a, b}) {
    const std::size_t which = text.data() == a.data() ? 0 : 1;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(U' ', begin), text.size());
      const std::u32string_view token = text.substr(begin, end - begin);
      begin = end + 1;
      if (token.empty()) continue;
      ++tokens[which];
      if (token.size() < 64 && token.find_first_not_of(U"0123456789") == token.npos)
        numbers[which].emplace(token);
    }
  }
  if (numbers[0].size() < 2) return {};
  std::size_t shared = 0;
  for (const std::u32string& number : numbers[1]) shared += numbers[0].contains(number);
  const std::size_t fewer = std::min(numbers[0].size(), numbers[1].size());
  return {.numbers = static_cast<unsigned>(fewer - std::min(fewer, shared)),
          .tokens = std::max(tokens[0], tokens[1])};
}

// Tokens of a few characters, some of them numbers; and a copy with some of its characters changed.
std::array<std::u32string, 2> any_texts(std::mt19937_64& random, std::u32string_view letters) {
  std::array<std::u32string, 2> texts;
  std::u32string& text = texts[0];
  for (std::uint64_t tokens = 1 + random() % 60; tokens > 0; --tokens) {
    const std::u32string_view from = random() % 3 == 0 ? U"0123456789" : letters;
    for (std::uint64_t size = 1 + random() % (random() % 20 == 0 ? 70 : 9); size > 0; --size) {
      text += from[random() % from.size()];
    }
    text += U' ';
  }
  text.resize(std::min(text.size() - 1, std::size_t{TokenPattern::kTokensMax}));
  texts[1] = text;
  for (char32_t& c : texts[1]) {
    if (random() % 12 != 0) continue;
    c = c >= U'0' && c <= U'9' ? U"0123456789 a"[random() % 12] : letters[random() % letters.size()];
  }
  texts[1].resize(texts[1].size() - random() % std::min<std::size_t>(texts[1].size(), 30));
  return texts;
}

TEST(ReplacedNumbers, are_those_of_the_obvious_way) {
  std::mt19937_64 random(20261201);
  unsigned replaced = 0;
  unsigned less = 0;  // by a bit of the table that two numbers share
  for (int round = 0; round < 20000; ++round) {
    const auto [a, b] = any_texts(random, U"ab1é ");
    const ReplacedTokens expected = plain_least(a, b);
    const ReplacedTokens found = least(a, b);
    ASSERT_EQ(found.tokens, expected.tokens) << "round " << round;
    ASSERT_LE(found.numbers, expected.numbers) << "round " << round;
    replaced += expected.numbers;
    less += expected.numbers - found.numbers;
  }
  EXPECT_GT(replaced, 50000U);
  EXPECT_LT(less * 20, replaced);
}

TEST(ReplacedNumbers, whom_they_refuse_all_tokens_refuse) {
  std::mt19937_64 random(20261202);
  unsigned refused = 0;
  unsigned passed = 0;
  constexpr std::array<std::u32string_view, 4> kLetters = {U"abc", U"ab1", U"月日ab1", U"ก日١ ‑한é7"};
  for (int round = 0; round < 40000; ++round) {
    const auto [a, b] = any_texts(random, kLetters[random() % kLetters.size()]);
    const ReplacedTokens certain = least(a, b);
    for (const ReplacementLimits& limits : {ReplacementLimits{}, ReplacementLimits{500, 700},
                                            ReplacementLimits{0, 800}, ReplacementLimits{800, 0}}) {
      TokenPattern pattern;
      pattern.set(a);
      const ReplacedTokens all = pattern.compare(b, limits);
      ASSERT_LE(certain.numbers, all.numbers) << "round " << round;
      if (certain.tokens > 0) {
        ASSERT_GE(certain.tokens, all.tokens) << "round " << round;
      }
      if (is_same_filling(certain, limits)) {
        ++passed;
        continue;
      }
      ++refused;
      ASSERT_FALSE(is_same_filling(all, limits)) << "round " << round;
    }
  }
  EXPECT_GT(refused, 10000U);
  EXPECT_GT(passed, 20000U);
}

}  // namespace
}  // namespace neardup
