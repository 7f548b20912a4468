// Traditional Chinese and its simplified twin: one canonical form, if so wished.
#include "core/text/simplified.h"

#include <gtest/gtest.h>
#include <unicode/translit.h>
#include <unicode/unistr.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/text/fold_table.h"
#include "core/text/utf8.h"
#include "tests/core/text/folder_tiers.h"
#include "tests/core/text/random_text.h"
#include "tests/support/every_tier.h"

namespace neardup {
namespace {

constexpr FoldOptions kSimplified{ChineseForm::kSimplified};

// As Taiwan writes, and what ICU's own transliterator makes of it.
const std::string_view kTraditional =
    "我們在臺灣的圖書館裡讀書，後來發現許多電腦與網路設備已經過時。「龍門」的頭髮乾燥，著名學者瞭解憑藉科學，"
    "佔領僱傭，唸書嚐試，歎息慾望，昇降機；鐘錶與鍾愛、隻身、衹有、薴苧。";

std::string by_icu(std::string_view traditional) {
  UErrorCode error = U_ZERO_ERROR;
  UParseError place;
  static const std::unique_ptr<icu::Transliterator> transliterator(
      icu::Transliterator::createInstance("Traditional-Simplified", UTRANS_FORWARD, place, error));
  EXPECT_TRUE(U_SUCCESS(error));
  icu::UnicodeString text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(traditional.data(), static_cast<int>(traditional.size())));
  transliterator->transliterate(text);
  std::string result;
  text.toUTF8String(result);
  return result;
}

TEST(Simplified, traditional_and_simplified_text_have_one_form) {
  EXPECT_EQ(canonical("龍門", kSimplified), "龙门");
  EXPECT_EQ(canonical("後來", kSimplified), canonical("后来", kSimplified));
  const std::string simplified_text = by_icu(kTraditional);
  EXPECT_NE(canonical(kTraditional), canonical(simplified_text));
  EXPECT_EQ(canonical(kTraditional, kSimplified), canonical(simplified_text, kSimplified));
}

TEST(Simplified, both_ways_of_writing_meet_where_one_character_is_several) {
  EXPECT_EQ(canonical("乾坤干燥", kSimplified), canonical("干坤乾燥", kSimplified));
}

TEST(Simplified, as_is_is_the_default) {
  EXPECT_EQ(canonical("龍門 後來"), "龍門後來");
  CanonicalText out;
  canonicalize("龍門", out);
  EXPECT_EQ(out.text.view(), "龍門");
}

TEST(Simplified, what_unfolds_to_ideographs_is_simplified_too) {
  EXPECT_EQ(canonical("\uF9C4\u2FD3", kSimplified), "龙龙");  // compatibility ideographs of 龍
  EXPECT_EQ(canonical("㍿", kSimplified), canonical("株式會社", kSimplified));
}

TEST(Simplified, everything_else_is_folded_as_ever) {
  for (const std::string_view text :
       {"Naïve CAFÉ 2021", "カタカナ", "한국어 단어", "Ёлка ภาษาไทย น้ำ", "😀"}) {
    EXPECT_EQ(canonical(text, kSimplified), canonical(text));
  }
}

TEST(Simplified, each_ideograph_agrees_with_what_icu_writes_for_it) {
  for (char32_t c = 0x3400; c < 0xA000; ++c) {
    if (c >= 0x4DC0 && c < 0x4E00) continue;
    const std::string bytes = utf8({&c, 1});
    ASSERT_EQ(canonical(bytes, kSimplified), canonical(by_icu(bytes), kSimplified)) << bytes;
  }
}

TEST(Simplified, the_table_is_sorted_and_leads_to_token_characters_that_stay) {
  for (std::size_t i = 0; i < internal::kSimplifiedPairCount; ++i) {
    const auto [from, to] = internal::kSimplifiedPairs[i];
    if (i > 0) {
      ASSERT_LT(internal::kSimplifiedPairs[i - 1].from, from);
    }
    ASSERT_EQ(internal::simplified(from), to);
    ASSERT_EQ(internal::simplified(to), to);
    ASSERT_TRUE(is_token_character(to)) << std::hex << std::uint32_t{to};
  }
  EXPECT_EQ(internal::simplified(U'a'), U'a');
}

TEST(Simplified, every_tier_has_one_answer) {
  constexpr std::uint64_t kSeed = 20240302;
  RandomText random(kSeed);
  CanonicalText out;
  for (int i = 0; i < 100000; ++i) {
    std::string bytes = random.running(200);
    for (std::size_t more = random.below(20); more > 0; --more) {
      const auto c = static_cast<char32_t>(0x3400 + random.below(0xA000 - 0x3400));
      bytes += utf8({&c, 1});
    }
    if (random.below(4) == 0) random.damage(bytes, 1 + random.below(8));
    canonicalize_by_all(bytes, out, kSimplified);
    if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed << " case " << i << ": " << hex(bytes);
    ASSERT_EQ(canonical(out.text, kSimplified), out.text.view());
  }
  skip_unless_every_tier_ran();
}

}  // namespace
}  // namespace neardup
