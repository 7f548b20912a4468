#include "core/detector/replaced_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <string>

namespace neardup {
namespace {

// Without the number of characters, which is the longer text's.
ReplacedTokens compared(std::u32string_view a, std::u32string_view b) {
  TokenPattern pattern;
  pattern.set(a);
  ReplacedTokens replaced = pattern.compare(b);
  EXPECT_EQ(pattern.compare(b), replaced) << "a comparison leaves no trace";
  EXPECT_EQ(replaced.characters, std::max(a.size(), b.size()));
  replaced.characters = 0;
  return replaced;
}

bool same(std::u32string_view a, std::u32string_view b, const ReplacementLimits& limits = {}) {
  TokenPattern pattern;
  pattern.set(a);
  return is_same_filling(pattern.compare(b), limits);
}

TEST(ReplacedTokens, counts_what_each_has_instead_of_the_other) {
  EXPECT_EQ(compared(U"a b c 1", U"a b d 2"),
            (ReplacedTokens{.numbers = 1, .others = 1, .tokens = 4, .tokens_fewer = 4}));
  EXPECT_EQ(compared(U"a b c", U"c b a"), (ReplacedTokens{.tokens = 3, .tokens_fewer = 3}))
      << "order is none of its business";
  EXPECT_EQ(compared(U"a a b", U"a b b"), (ReplacedTokens{.others = 1, .tokens = 3, .tokens_fewer = 3}))
      << "occurrences count";
}

TEST(ReplacedTokens, what_is_only_left_out_or_put_in_replaces_nothing) {
  EXPECT_EQ(compared(U"a b c d e", U"a b"), (ReplacedTokens{.tokens = 5, .tokens_fewer = 2}));
  EXPECT_EQ(compared(U"a b 7", U"a b c"), (ReplacedTokens{.tokens = 3, .tokens_fewer = 3}))
      << "a number is no word";
}

TEST(ReplacedTokens, characters_of_unspaced_scripts_are_tokens) {
  EXPECT_EQ(compared(U"春节 2021 年", U"春天 2022 年"),
            (ReplacedTokens{.numbers = 1, .others = 1, .tokens = 4, .tokens_fewer = 4}));
  EXPECT_EQ(compared(U"한국어", U"한국말"), (ReplacedTokens{.others = 1, .tokens = 3, .tokens_fewer = 3}));
}

TEST(ReplacedTokens, digits_of_other_scripts_make_numbers_too) {
  EXPECT_EQ(compared(U"عام ٢٠٢١", U"عام ٢٠٢٢"),
            (ReplacedTokens{.numbers = 1, .tokens = 2, .tokens_fewer = 2}));
}

TEST(ReplacedTokens, codes_count_by_their_characters_too) {
  EXPECT_EQ(compared(U"part a7c b 12", U"part x9y9 b 13"),
            (ReplacedTokens{.numbers = 2, .tokens = 4, .tokens_fewer = 4, .code_characters = 3}));
  EXPECT_EQ(compared(U"part a7c b 12", U"a7c x9"),
            (ReplacedTokens{.numbers = 1, .tokens = 4, .tokens_fewer = 2}))
      << "one that is put in replaces none";
  EXPECT_EQ(compared(U"第7号 2021", U"第8号 2022").code_characters, 0U) << "digits alone are no code";
}

TEST(ReplacedTokens, what_a_code_and_another_have_in_common_is_not_replaced) {
  const auto replaced = [](std::u32string_view a, std::u32string_view b) {
    const ReplacedTokens found = compared(a, b);
    EXPECT_EQ(compared(b, a), found) << "either way round";
    return found.code_characters;
  };
  EXPECT_EQ(replaced(U"at super131", U"at super638"), 3U);
  EXPECT_EQ(replaced(U"at super131", U"at 131super"), 0U) << "order is none of its business";
  EXPECT_EQ(replaced(U"videl8zp5xfwri", U"videxms1blcwlk"), 14U);
  EXPECT_EQ(replaced(U"a3f9c2b7e1d4", U"c2a3b7d4e1f9"), 12U) << "all hashes have such runs";
  EXPECT_EQ(replaced(U"super131 x7", U"super131 super638"), 2U) << "each run counts once";
  EXPECT_EQ(replaced(U"ab12345 c", U"ab12345 d"), 0U);
  EXPECT_EQ(replaced(U"at super131", U"at super"), 0U) << "a word is no code";
  EXPECT_TRUE(same(U"你也挺帅的好的只要你說的我們都照做一定支持 super131 黎開",
                   U"你也挺帅的好的只要你說的我們都照做一定支持 super638 黎開"));
}

// The pieces of all codes of a text of ASCII, by the obvious way.
std::multiset<std::u32string> pieces_of(std::u32string_view text) {
  const auto is_digit = [](char32_t c) { return c >= U'0' && c <= U'9'; };
  std::multiset<std::u32string> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(U' ', begin), text.size());
    const std::u32string token(text.substr(begin, end - begin));
    begin = end + 1;
    const auto digits = std::ranges::count_if(token, is_digit);
    if (digits == 0 || digits == std::ssize(token)) continue;
    std::size_t rest = token.size();
    for (std::size_t from = 0, to = 0; from < token.size(); from = to) {
      while (to < token.size() && is_digit(token[to]) == is_digit(token[from])) ++to;
      if (to - from < 3) continue;
      pieces.insert(token.substr(from, to - from));
      rest -= to - from;
    }
    // As many characters as it stands for, and a name that is no run's.
    if (rest > 0)
      pieces.insert(token + std::u32string(1000 - token.size(), U' ') + std::u32string(rest, U'.'));
  }
  return pieces;
}

unsigned characters_of(const std::multiset<std::u32string>& pieces) {
  std::size_t characters = 0;
  for (const std::u32string& piece : pieces)
    characters += piece.size() > 1000 ? piece.size() - 1000 : piece.size();
  return static_cast<unsigned>(characters);
}

TEST(ReplacedTokens, characters_of_codes_are_counted_as_by_the_obvious_way) {
  std::mt19937_64 random(20261126);
  unsigned charged = 0;
  for (int round = 0; round < 3000; ++round) {
    std::array<std::u32string, 2> texts;
    for (std::u32string& text : texts) {
      for (std::uint64_t tokens = 1 + random() % (round % 100 == 0 ? 60 : 6); tokens > 0; --tokens) {
        if (!text.empty()) text += U' ';
        for (std::uint64_t size = 1 + random() % 4; size > 0; --size) {
          text += std::u32string(1 + random() % 4, U"ab12"[random() % 4]);
        }
      }
      if (text.size() > TokenPattern::kTokensMax) text.resize(TokenPattern::kTokensMax - 1);
    }
    const std::multiset<std::u32string> a = pieces_of(texts[0]);
    const std::multiset<std::u32string> b = pieces_of(texts[1]);
    std::multiset<std::u32string> shared;
    std::ranges::set_intersection(a, b, std::inserter(shared, shared.end()));
    const unsigned expected = std::min(characters_of(a), characters_of(b)) - characters_of(shared);
    ASSERT_EQ(compared(texts[0], texts[1]).code_characters, expected) << "round " << round;
    charged += expected;
  }
  EXPECT_GT(charged, 3000U);
}

TEST(ReplacedTokens, a_text_may_be_codes_from_end_to_end) {
  std::u32string text;
  for (char32_t c = U'a'; text.size() + 3 <= TokenPattern::kTokensMax; ++c) text += {c, U'1', U'ก'};
  EXPECT_EQ(compared(text, text).code_characters, 0U);
  EXPECT_EQ(compared(text, U"z9").code_characters, 2U);
}

TEST(ReplacedTokens, another_filling_of_a_form_is_another_text) {
  EXPECT_FALSE(same(U"wesvil inc sets quarterly qtly div 40 cts vs 43 cts prior pay may 17 record june 13",
                    U"lelen inc sets quarterly qtly div 12 cts vs 10 cts prior pay may 4 record june 2"));
  EXPECT_FALSE(same(U"您的快递 kf9700 已到达东芳驿站取件码 37 请于 7 月 15 日前领取",
                    U"您的快递 lw1231 已到达金海驿站取件码 81 请于 7 月 16 日前领取"));
}

TEST(ReplacedTokens, an_edited_word_or_a_counter_leaves_the_text_the_same) {
  constexpr const char32_t* kNotice = U"the parish council will meet on june 13 at 20 39 in the village hall";
  EXPECT_TRUE(same(kNotice, U"the parish council will gather on june 13 at 20 39 in the village hall"));
  EXPECT_TRUE(same(kNotice, U"today the parish council will meet on june 13 at 20 39 in the hall"));
  EXPECT_TRUE(same(kNotice, U"the parish council will meet on june 13 at 20 45 in the village hall"));
  EXPECT_FALSE(same(kNotice, U"the parish council will meet on june 14 at 20 45 in the village hall"));
}

TEST(ReplacedTokens, a_long_code_is_no_small_edit) {
  constexpr const char32_t* kItem =
      U"the third session was held today see tv example com videl8zp5xfwrianbnrput8s";
  EXPECT_FALSE(same(kItem, U"the third session was held today see tv example com videxms1blcwlka6trkicods"));
  EXPECT_TRUE(same(kItem, U"the third session was held today see tv example com videxms1blcwlka6trkicods",
                   {.tokens_permille = 600}))
      << "a third of the characters is within the limit";
  EXPECT_TRUE(same(kItem, U"the third session was held today see tv example com"));
  EXPECT_TRUE(same(U"flight ba2490 to london city boards at gate b 7 at noon today",
                   U"flight ba2491 to london city boards at gate b 7 at noon today"));
}

TEST(ReplacedTokens, limits_can_be_set_and_lifted) {
  const ReplacedTokens words{.others = 3, .tokens = 12, .tokens_fewer = 12};
  EXPECT_FALSE(is_same_filling(words, {}));
  EXPECT_TRUE(is_same_filling(words, {.tokens_permille = 750}));
  EXPECT_TRUE(is_same_filling({.others = 3, .tokens = 12, .tokens_fewer = 7}, {})) << "too few to judge";
  EXPECT_TRUE(is_same_filling(words, {.tokens_permille = 0}));
  const ReplacedTokens numbers{.numbers = 2, .tokens = 12, .tokens_fewer = 11};
  EXPECT_FALSE(is_same_filling(numbers, {}));
  EXPECT_TRUE(is_same_filling(numbers, {.numbers_permille = 0}));
  EXPECT_TRUE(is_same_filling({.numbers = 2, .tokens = 25, .tokens_fewer = 20}, {}));
}

}  // namespace
}  // namespace neardup
