#include "core/text/script.h"

#include <gtest/gtest.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <array>
#include <string>

#include "core/text/folder.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

ScriptCounts scripts_of(std::string_view text) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  return count_scripts(canonical.text);
}

TEST(Script, each_script_is_counted_by_its_letters) {
  EXPECT_EQ(scripts_of("Naïve café, 2021!"), (ScriptCounts{9, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(scripts_of("春节2月11日"), (ScriptCounts{0, 4, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(scripts_of("東京タワーと人々"), (ScriptCounts{0, 4, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(scripts_of("서울의 봄"), (ScriptCounts{0, 0, 0, 4, 0, 0, 0, 0}));
  EXPECT_EQ(scripts_of("ภาษา"), (ScriptCounts{0, 0, 0, 0, 4, 0, 0, 0})) << "vowel signs are letters";
  EXPECT_EQ(scripts_of("Привет, мир"), (ScriptCounts{0, 0, 0, 0, 0, 9, 0, 0}));
  EXPECT_EQ(scripts_of("مرحبا"), (ScriptCounts{0, 0, 0, 0, 0, 0, 5, 0}));
  EXPECT_EQ(scripts_of("Ελλάδα हिन्दी"), (ScriptCounts{0, 0, 0, 0, 0, 0, 0, 12}));
}

TEST(Script, digits_and_nothing_belong_to_none) {
  EXPECT_EQ(scripts_of("2021 ٣ ３"), ScriptCounts{});
  EXPECT_EQ(scripts_of(""), ScriptCounts{});
}

TEST(Script, agrees_with_icu_on_every_letter) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::array<char, 4> bytes{};
    const std::string text(bytes.data(), encode_utf8(point, bytes.data()));
    const ScriptCounts got = count_scripts(text);
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(static_cast<UChar32>(point), &error);
    if ((U_GET_GC_MASK(static_cast<UChar32>(point)) & U_GC_L_MASK) == 0) {
      if ((U_GET_GC_MASK(static_cast<UChar32>(point)) & U_GC_M_MASK) == 0) {
        ASSERT_EQ(got, ScriptCounts{}) << std::hex << static_cast<unsigned>(point);
      }
      continue;
    }
    ScriptCounts expected{};
    switch (script) {
      case USCRIPT_LATIN:
        expected[static_cast<std::size_t>(Script::kLatin)] = 1;
        break;
      case USCRIPT_HAN:
        expected[static_cast<std::size_t>(Script::kHan)] = 1;
        break;
      case USCRIPT_HIRAGANA:
      case USCRIPT_KATAKANA:
        expected[static_cast<std::size_t>(Script::kKana)] = 1;
        break;
      case USCRIPT_HANGUL:
        expected[static_cast<std::size_t>(Script::kHangul)] = 1;
        break;
      case USCRIPT_THAI:
        expected[static_cast<std::size_t>(Script::kThai)] = 1;
        break;
      case USCRIPT_CYRILLIC:
        expected[static_cast<std::size_t>(Script::kCyrillic)] = 1;
        break;
      case USCRIPT_ARABIC:
        expected[static_cast<std::size_t>(Script::kArabic)] = 1;
        break;
      case USCRIPT_COMMON: {
        const bool kana = uscript_hasScript(static_cast<UChar32>(point), USCRIPT_HIRAGANA) != 0 ||
                          uscript_hasScript(static_cast<UChar32>(point), USCRIPT_KATAKANA) != 0;
        const bool han = uscript_hasScript(static_cast<UChar32>(point), USCRIPT_HAN) != 0;
        expected[static_cast<std::size_t>(kana ? Script::kKana : han ? Script::kHan : Script::kOther)] = 1;
        break;
      }
      default:
        expected[static_cast<std::size_t>(Script::kOther)] = 1;
    }
    ASSERT_EQ(got, expected) << std::hex << static_cast<unsigned>(point);
  }
}

}  // namespace
}  // namespace neardup
