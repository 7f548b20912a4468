#include "core/text/folder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/text/fold_table.h"
#include "tests/core/text/folder_tiers.h"

namespace neardup {
namespace {

CanonicalText canonicalized(std::string_view bytes) {
  CanonicalText out;
  canonicalize_by_all(bytes, out);
  return out;
}

TEST(Folder, english_keeps_its_words_in_lower_case) {
  EXPECT_EQ(canonical("The quick (brown) FOX -- it's 3.14!\r\n"), "the quick brown fox it s 3 14");
}

TEST(Folder, text_without_letters_or_digits_is_empty) {
  for (const std::string_view bytes : {"", " ", "\n\t ... !?", "—…“”", "😀👍🏽❤️", "\xC2\xAD\xE2\x80\x8D"}) {
    const CanonicalText out = canonicalized(bytes);
    EXPECT_EQ(out.text.view(), "") << bytes;
    EXPECT_EQ(out.tokens, 0U) << bytes;
  }
}

TEST(Folder, words_and_token_characters_are_counted) {
  const CanonicalText out = canonicalized("Ｎａｉ̈ve  CAFÉ — 春节2021年，你好！");
  EXPECT_EQ(out.text.view(), "naive cafe 春节 2021 年你好");
  EXPECT_EQ(out.tokens, 8U);
  EXPECT_EQ(out.characters, 5U);
  EXPECT_EQ(out.invalid_sequences, 0U);
}

TEST(Folder, chinese_stands_without_spaces_whatever_its_punctuation) {
  EXPECT_EQ(canonical("你好，世界"), "你好世界");
  EXPECT_EQ(canonical("你好 世 界\n"), "你好世界");
  EXPECT_EQ(canonical("  《你好》  "), "你好");
}

TEST(Folder, words_among_chinese_have_a_space_on_each_side) {
  EXPECT_EQ(canonical("春节2021年"), "春节 2021 年");
  EXPECT_EQ(canonical("春节 2021 年"), "春节 2021 年");
  EXPECT_EQ(canonical("用C++写, 2 次"), "用 c 写 2 次");
}

TEST(Folder, full_width_and_half_width_forms_agree_with_the_usual_ones) {
  EXPECT_EQ(canonical("ＡＢＣ１２３"), canonical("abc123"));
  EXPECT_EQ(canonical("ｶﾞｷﾞﾊﾟﾋﾟｱｰ"), canonical("ガギパピアー"));
  EXPECT_EQ(canonical("ﾡￂ"), canonical("가"));
}

TEST(Folder, simplified_and_traditional_stay_different) { EXPECT_NE(canonical("龙门"), canonical("龍門")); }

TEST(Folder, compatibility_ideographs_and_squared_forms_unfold) {
  EXPECT_EQ(canonical("豈"), "豈");
  EXPECT_EQ(canonical("㈱日本㍿"), "株日本株式会社");
  EXPECT_EQ(canonical("㌀"), "アパート");
  EXPECT_EQ(canonical("①Ⅷ½"), "1viii1 2");
}

TEST(Folder, japanese_mixes_kana_and_han_as_token_characters) {
  EXPECT_EQ(canonical("東京タワーへ、行きましょう。々〆ヽ"), "東京タワーへ行きましょう々〆ヽ");
}

TEST(Folder, kana_composes_with_the_voicing_mark_after_it) {
  EXPECT_EQ(canonical("か\u3099は\u309Aゝ\u3099"), "がぱゞ");
  EXPECT_EQ(canonical("か\u3099\u3099"), "が");
  EXPECT_EQ(canonical("あ\u3099"), "あ");
  EXPECT_EQ(canonical("か.\u3099"), "か");
  EXPECT_EQ(canonical("\u3099か"), "か");
}

// Here the form differs from NFKC_Casefold on purpose; README.md says why.
TEST(Folder, what_vanishes_hides_no_composition) {
  EXPECT_EQ(canonical("か\u20DD\u3099"), "が");
  EXPECT_EQ(canonical("か\u309A\u3099"), "が");
  EXPECT_EQ(canonical("ᄒ\u0301ᅡ\u200Dᆫ"), "한");
}

TEST(Folder, a_kept_mark_stands_between_what_would_compose) {
  EXPECT_EQ(canonical("か\u093C\u3099"), "か \u093C");
  EXPECT_EQ(canonical("ᄒ\u093Cᅡ"), "ᄒ\u093Cᅡ");
}

TEST(Folder, korean_forms_words_and_its_jamo_compose_to_syllables) {
  EXPECT_EQ(canonical("안녕하세요, 세계!"), "안녕하세요 세계");
  EXPECT_EQ(canonical("한글"), "한글");
  EXPECT_EQ(canonical("ㅎㅏㄴ"), canonical("하ᄂ"));  // compatibility jamo fold to initial consonants
  EXPECT_EQ(canonical("ᄒ ᅡ"), "ᄒ ᅡ");
}

TEST(Folder, thai_keeps_its_vowel_signs_and_tones_each_a_token) {
  const CanonicalText out = canonicalized("ภาษาไทย ที่นี่ น้ำ");
  EXPECT_EQ(out.text.view(), "ภาษาไทยที่นี่น\u0E49\u0E4D\u0E32");
  EXPECT_EQ(out.characters, out.tokens);
  EXPECT_NE(canonical("ไมล์"), canonical("ไม่ล"));
}

TEST(Folder, kept_marks_come_in_one_order) {
  EXPECT_EQ(canonical("ก\u0E48\u0E38"), "ก\u0E38\u0E48");
  EXPECT_EQ(canonical("မ\u103A\u1037"), "မ\u1037\u103A");
  EXPECT_EQ(canonical("क\u094D\u093C"), "क\u093C\u094D");
  EXPECT_EQ(canonical("क\u093F\u093C"), "क\u093F\u093C");  // a vowel sign of class 0 stands between
}

TEST(Folder, a_run_of_kept_marks_is_sorted_thirty_at_a_time) {
  std::string tones;
  for (int i = 0; i < 31; ++i) tones += "\u0E48";
  EXPECT_EQ(canonical("ก" + tones + "\u0E38"), "ก" + tones.substr(0, 90) + "\u0E38\u0E48");
}

TEST(Folder, devanagari_keeps_its_vowel_signs_in_words) {
  EXPECT_EQ(canonical("हिन्दी, भाषा"), "हिन्दी भाषा");
  EXPECT_EQ(canonical("\u0958"), "\u0915\u093C");
}

TEST(Folder, arabic_and_hebrew_lose_their_points) {
  EXPECT_EQ(canonical("العَرَبِيَّة، ﻻ"), "العربية لا");
  EXPECT_EQ(canonical("עִבְרִית"), "עברית");
  EXPECT_EQ(canonical("ﷺ"), "صلى الله عليه وسلم");
}

TEST(Folder, cyrillic_and_greek_fold_case_and_accents) {
  EXPECT_EQ(canonical("ЁЖИК, Йод"), "ежик иод");
  EXPECT_EQ(canonical("ΆΣΟΦΟΣ ΐ ᾳ"), "ασοφοσ ι αι");
}

TEST(Folder, composed_and_decomposed_accents_agree) {
  EXPECT_EQ(canonical("Zürich Crème Å"), "zurich creme a");
  EXPECT_EQ(canonical("Zu\u0308rich Cre\u0300me A\u030A"), "zurich creme a");
}

TEST(Folder, case_folding_is_full) {
  EXPECT_EQ(canonical("Straße STRASSE ﬁn İ ŉ"), "strasse strasse fin i ʼn");
}

TEST(Folder, invisible_characters_neither_stay_nor_separate) {
  EXPECT_EQ(canonical("\uFEFFin\u00ADvisi\u200Bble\u2060\uFE0F"), "invisible");
  EXPECT_EQ(canonical("葛\U000E0100城"), "葛城");
}

TEST(Folder, nul_separates_like_any_other_control_character) {
  EXPECT_EQ(canonical(std::string_view("a\0b\x01"
                                       "c\x7F"
                                       "d",
                                       8)),
            "a b c d");
}

TEST(Folder, bytes_that_are_not_utf8_separate_and_are_counted) {
  const struct {
    std::string_view bytes, text;
    std::uint32_t errors;
  } cases[] = {
      {"a\xFF"
       "b",
       "a b", 1},
      {"a\x80\xBF"
       "b",
       "a b", 2},
      {"a\xC3", "a", 1},
      {"a\xE6\x98"
       "b",
       "a b", 1},  // a truncated character is one error
      {"\xC0\xAF", "", 2},
      {"\xE0\x80\xAF", "", 3},  // overlong forms
      {"\xED\xA0\x80", "", 3},
      {"\xF4\x90\x80\x80", "", 4},  // a surrogate; beyond U+10FFFF
      {"\xF0\x9F\x98", "", 1},
      {"年\xFF年", "年年", 1},
      {"\xEF\xBF\xBD", "", 0},  // U+FFFD itself is well-formed
  };
  for (const auto& each : cases) {
    const CanonicalText out = canonicalized(each.bytes);
    EXPECT_EQ(out.text.view(), each.text);
    EXPECT_EQ(out.invalid_sequences, each.errors) << each.text;
  }
}

TEST(Folder, text_never_starts_or_ends_with_a_space) {
  EXPECT_EQ(canonical(" . a . "), "a");
  EXPECT_EQ(canonical("。年。"), "年");
  EXPECT_EQ(canonical("é!"), "e");
  EXPECT_EQ(canonical("年 !"), "年");
}

TEST(Folder, text_that_grows_the_most_fits) {
  std::string bytes, expected;
  for (int i = 0; i < 1000; ++i) {
    bytes += "ﷺ年";
    expected += "صلى الله عليه وسلم 年 ";
  }
  expected.pop_back();
  EXPECT_TRUE(canonical(bytes) == expected);  // too long to print
}

TEST(Folder, the_ascii_path_agrees_with_the_table) {
  for (char32_t c = 0; c < 0x80; ++c) {
    const std::string byte(1, static_cast<char>(c));
    const internal::FoldEntry entry = internal::fold_entry(c);
    std::string expected;
    if (entry >= internal::kFirstSequence) {
      const char32_t* const sequence = internal::kFoldSequences + (entry - internal::kFirstSequence);
      ASSERT_EQ(sequence[0], 1U);
      expected = static_cast<char>(sequence[1]);
    } else if (internal::fold_action(entry) == internal::FoldAction::kWord) {
      expected = byte;
    } else {
      ASSERT_EQ(internal::fold_action(entry), internal::FoldAction::kSeparator);
    }
    EXPECT_EQ(canonical(byte), expected);
  }
}

}  // namespace
}  // namespace neardup
