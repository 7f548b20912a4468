#include "core/detector/replaced_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/reference/plain_replaced_tokens.h"

namespace neardup {
namespace {

// Without the number of characters, which is the longer text's.
ReplacedTokens compared(std::u32string_view a, std::u32string_view b) {
  TokenPattern pattern;
  pattern.set(a);
  ReplacedTokens replaced = pattern.compare(b, {});
  EXPECT_EQ(pattern.compare(b, {}), replaced) << "a comparison leaves no trace";
  EXPECT_EQ(replaced.characters, std::max(a.size(), b.size()));
  replaced.characters = 0;
  return replaced;
}

bool same(std::u32string_view a, std::u32string_view b, const ReplacementLimits& limits = {}) {
  TokenPattern pattern;
  pattern.set(a);
  return is_same_filling(pattern.compare(b, limits), limits);
}

TEST(ReplacedTokens, counts_what_each_has_instead_of_the_other) {
  EXPECT_EQ(compared(U"a b c 1", U"a b d 2"),
            (ReplacedTokens{.numbers = 1, .others = 1, .tokens = 4, .tokens_fewer = 4}));
  EXPECT_EQ(compared(U"a b c", U"c b a"), (ReplacedTokens{.tokens = 3, .tokens_fewer = 3}))
      << "the order of words is none of its business";
  EXPECT_EQ(compared(U"a a b", U"a b b"), (ReplacedTokens{.others = 1, .tokens = 3, .tokens_fewer = 3}))
      << "occurrences count";
}

TEST(ReplacedTokens, what_is_only_left_out_or_put_in_replaces_nothing) {
  EXPECT_EQ(compared(U"a b c d e", U"a b"), (ReplacedTokens{.tokens = 5, .tokens_fewer = 2}));
  EXPECT_EQ(compared(U"a b 7", U"a b c"), (ReplacedTokens{.tokens = 3, .tokens_fewer = 3}))
      << "a number is no word";
}

TEST(ReplacedTokens, a_number_in_the_place_of_another_is_replaced_wherever_else_it_is) {
  const auto by_place = [](std::u32string_view a, std::u32string_view b) {
    const ReplacedTokens found = compared(a, b);
    EXPECT_EQ(compared(b, a), found) << "either way round";
    EXPECT_GE(found.numbers, found.by_place);
    return found.by_place;
  };
  EXPECT_EQ(by_place(U"the vote yes 12 no 31", U"the vote yes 31 no 12"), 2U);
  EXPECT_EQ(
      by_place(U"smith won 12 votes and jones won 31 votes", U"smith won 31 votes and jones won 12 votes"),
      2U)
      << "words that are next to both tell nothing, those behind them do";
  EXPECT_EQ(by_place(U"rome beat turin 2 1 at home", U"rome beat turin 1 2 at home"), 2U);
  EXPECT_EQ(by_place(U"div 40 cts vs 43 cts prior", U"div 43 cts vs 45 cts prior"), 2U)
      << "43 stays, elsewhere";
  EXPECT_EQ(by_place(U"反对 12 票赞成 31 票", U"反对 31 票赞成 12 票"), 2U);
}

TEST(ReplacedTokens, numbers_that_moved_with_their_words_are_not_replaced) {
  const auto numbers = [](std::u32string_view a, std::u32string_view b) { return compared(a, b).numbers; };
  EXPECT_EQ(numbers(U"pay may 17 record june 13 as usual", U"record june 13 pay may 17 as usual"), 0U);
  EXPECT_EQ(numbers(U"12 apples 7 pears 5 plums", U"5 plums 7 pears 12 apples"), 0U);
  EXPECT_EQ(numbers(U"doors 19 30 show 20 15 tickets 12 at the hall",
                    U"show 20 15 tickets 12 doors 19 30 at the hall"),
            0U);
  EXPECT_EQ(numbers(U"room 7 seats 30", U"room 7 now seats 30 people"), 0U);
  EXPECT_EQ(numbers(U"the score 2 1 so far", U"the score 3 2 1 so far"), 0U)
      << "of another run of numbers nobody knows which is which";
}

TEST(ReplacedTokens, exchanged_numbers_make_another_text) {
  constexpr const char32_t* kVote = U"the council voted on the motion yes 12 no 31 with two away";
  EXPECT_FALSE(same(kVote, U"the council voted on the motion yes 31 no 12 with two away"));
  EXPECT_TRUE(same(kVote, U"the council voted on the motion no 31 yes 12 with two away"));
  EXPECT_TRUE(same(kVote, U"the council voted on the motion yes 12 no 13 with two away"))
      << "a single one may differ";
}

TEST(ReplacedTokens, no_two_numbers_of_a_few_words_are_replaced) {
  EXPECT_FALSE(same(U"invoice 20231 of 450 dollars overdue", U"invoice 20238 of 950 dollars overdue"));
  EXPECT_FALSE(same(U"motion carried yes 12 no 31", U"motion carried yes 31 no 12"));
  EXPECT_TRUE(same(U"invoice 20231 of 450 dollars overdue", U"invoice 20238 of 450 dollars overdue"));
  EXPECT_TRUE(same(U"see you at 5 in town", U"see you by 6 in town")) << "every word is much";
  EXPECT_TRUE(same(U"invoice 20231 of 450 dollars overdue", U"invoice 20238 of 950 dollars overdue",
                   {.numbers_permille = 0}));
}

TEST(ReplacedTokens, characters_of_unspaced_scripts_are_tokens) {
  EXPECT_EQ(compared(U"春节 2021 年", U"春天 2022 年"),
            (ReplacedTokens{.numbers = 1, .others = 1, .tokens = 4, .tokens_fewer = 4}));
  EXPECT_EQ(compared(U"한국어", U"한국말"), (ReplacedTokens{.others = 1, .tokens = 3, .tokens_fewer = 3}));
}

TEST(ReplacedTokens, digits_of_other_scripts_make_numbers_too) {
  const std::vector<std::pair<std::u32string, std::u32string>> years = {
      {U"عام ٢٠٢١", U"عام ٢٠٢٢"},    // Arabic
      {U"साल २०२१", U"साल २०२२"},    // Hindi
      {U"વર્ષ ૨૦૨૧", U"વર્ષ ૨૦૨૨"},    // Gujarati
      {U"ਸਾਲ ੨੦੨੧", U"ਸਾਲ ੨੦੨੨"},    // Punjabi
      {U"ଵର୍ଷ ୨୦୨୧", U"ଵର୍ଷ ୨୦୨୨"},    // Odia
      {U"ஆண்டு ௨௦௨௧", U"ஆண்டு ௨௦௨௨"},  // Tamil
      {U"ఏడు ౨౦౨౧", U"ఏడు ౨౦౨౨"},    // Telugu
      {U"ವರ್ಷ ೨೦೨೧", U"ವರ್ಷ ೨೦೨೨"},    // Kannada
      {U"വർഷം ൨൦൨൧", U"വർഷം ൨൦൨൨"},  // Malayalam
      {U"𞤸𞤢𞤥 𞥒𞥐𞥒𞥑", U"𞤸𞤢𞤥 𞥒𞥐𞥒𞥒"},    // Fulani in Adlam, the last of them
  };
  for (const auto& [one, other] : years) {
    EXPECT_EQ(compared(one, other),
              (ReplacedTokens{.numbers = 1, .by_place = 1, .tokens = 2, .tokens_fewer = 2}));
  }
  EXPECT_EQ(compared(U"aa ٪x", U"aa ٪y").numbers, 0U) << "the sign behind the last of ten";
}

TEST(ReplacedTokens, codes_count_by_their_characters_too) {
  EXPECT_EQ(
      compared(U"part a7c b 12", U"part x9y9 b 13"),
      (ReplacedTokens{.numbers = 2, .by_place = 2, .tokens = 4, .tokens_fewer = 4, .code_characters = 3}));
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
    const unsigned expected = reference::replaced_tokens(texts[0], texts[1], {}).code_characters;
    ASSERT_EQ(compared(texts[0], texts[1]).code_characters, expected) << "round " << round;
    charged += expected;
  }
  EXPECT_GT(charged, 3000U);
}

TEST(ReplacedTokens, a_misspelt_word_is_no_other_word) {
  EXPECT_EQ(compared(U"the organisation apologised for the colour of the programme and the centre",
                     U"the organization apologized for the color of the program and the center"),
            (ReplacedTokens{.others = 1, .misspelt = 4, .tokens = 12, .tokens_fewer = 12}));
  constexpr const char32_t* kAsked =
      U"please send your application with a copy of your passport before 15 march to the office in room 204";
  constexpr const char32_t* kScanned =
      U"p1ease send your applicatlon with a c0py of your passport before 15 mareh to the office in room 2o4";
  EXPECT_EQ(compared(kAsked, kScanned),
            (ReplacedTokens{.numbers = 1, .by_place = 1, .misspelt = 4, .tokens = 19, .tokens_fewer = 19}))
      << "a number is content, whatever it is read as";
  EXPECT_TRUE(same(kAsked, kScanned));
  EXPECT_TRUE(same(kScanned, kAsked));
}

TEST(ReplacedTokens, other_words_and_numbers_are_not_misspelt) {
  const auto misspelt = [](std::u32string_view a, std::u32string_view b) {
    const std::u32string form = U"the form that all of these are filled into ";
    const ReplacementLimits limits{.tokens_permille = 990, .numbers_permille = 990};
    TokenPattern pattern;
    pattern.set(form + std::u32string(a));
    return pattern.compare(form + std::u32string(b), limits).misspelt;
  };
  EXPECT_EQ(misspelt(U"colour", U"color"), 1U);
  EXPECT_EQ(misspelt(U"monday nurse", U"sunday driver"), 0U);
  EXPECT_EQ(misspelt(U"苹果 开会", U"华为 开幕"), 0U);
  EXPECT_EQ(misspelt(U"room 10131", U"room 10132"), 0U);
  EXPECT_EQ(misspelt(U"super131", U"super132"), 0U) << "nor is a code another one";
  EXPECT_EQ(misspelt(U"colour colour", U"color gray"), 1U) << "one to one";
}

TEST(ReplacedTokens, spelling_does_not_make_another_filling_the_same_text) {
  constexpr const char32_t* kNotice = U"the parish council will meet on june 13 at 20 39 in the village hall";
  EXPECT_FALSE(same(kNotice, U"the parish counsil wil meet on june 14 at 20 45 in the village hall"));
  EXPECT_TRUE(same(kNotice, U"the parish counsil wil meet on june 13 at 20 45 in the vilage hall"));
  EXPECT_FALSE(same(kNotice, U"the town council will gather on july 13 at 20 39 in the market hall"));
}

TEST(ReplacedTokens, more_words_than_are_looked_at_are_replaced_as_they_stand) {
  std::u32string a;
  std::u32string b;
  for (char32_t c = U'a'; c <= U'z'; ++c) {
    a += {c, U'a', c, c, U' ', c, U'a', c, c, U' '};
    b += {c, U'b', c, c, U' ', c, U'b', c, c, U' '};
  }
  EXPECT_EQ(compared(a, b).misspelt, 0U);
  EXPECT_EQ(compared(a.substr(0, 32 * 5), b.substr(0, 32 * 5)).misspelt, 32U);
}

// Two of the text's digits, wherever they are.
void exchange_numbers(std::u32string& text, std::mt19937_64& random) {
  std::vector<std::size_t> digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'1' || text[i] == U'2') digits.push_back(i);
  }
  if (digits.size() < 2) return;
  std::swap(text[digits[random() % digits.size()]], text[digits[random() % digits.size()]]);
}

// Words of few letters, so that many are alike, and copies of them with noise.
TEST(ReplacedTokens, are_those_of_the_obvious_way_whichever_text_is_first) {
  std::mt19937_64 random(20261127);
  const auto any = [&random](std::u32string_view from) { return from[random() % from.size()]; };
  unsigned misspelt = 0;
  unsigned mended = 0;
  unsigned by_place = 0;
  for (int round = 0; round < 20000; ++round) {
    std::u32string a;
    for (std::uint64_t tokens = 6 + random() % (round % 50 == 0 ? 50 : 10); tokens > 0; --tokens) {
      const std::u32string_view letters = random() % 5 == 0 ? U"ab12" : random() % 8 == 0 ? U"12" : U"aabbc";
      for (std::uint64_t size = 1 + random() % 7; size > 0; --size) a += any(letters);
      a += U' ';
    }
    if (a.size() > TokenPattern::kTokensMax - 20) a.resize(TokenPattern::kTokensMax - 20);
    std::u32string b = a;
    if (round % 4 == 0) exchange_numbers(b, random);
    for (std::uint64_t edits = random() % 16; edits > 0 && b.size() > 2; --edits) {
      const std::size_t at = random() % (b.size() - 1);
      switch (random() % 5) {
        case 0:
          b.insert(at, 1, any(U"abc 1"));
          break;
        case 1:
          b.erase(at, 1);
          break;
        case 2:
          std::swap(b[at], b[at + 1]);
          break;
        default:
          b[at] = b[at] == U'1' || b[at] == U'2' ? any(U"12") : any(U"abc1");
      }
    }
    for (const ReplacementLimits& limits :
         {ReplacementLimits{}, ReplacementLimits{900, 990}, ReplacementLimits{0, 950}}) {
      const ReplacedTokens expected = reference::replaced_tokens(a, b, limits);
      TokenPattern pattern;
      pattern.set(a);
      ASSERT_EQ(pattern.compare(b, limits), expected) << "round " << round;
      pattern.set(b);
      ASSERT_EQ(pattern.compare(a, limits), expected) << "round " << round << ", the other way round";
      misspelt += expected.misspelt;
      by_place += expected.by_place;
      mended += expected.misspelt > 0 && is_same_filling(expected, limits) ? 1 : 0;
    }
  }
  EXPECT_GT(misspelt, 10000U);
  EXPECT_GT(by_place, 5000U);
  EXPECT_GT(mended, 2000U);
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
