#include "core/text/character_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/text/utf8.h"

namespace neardup {
namespace {

// What the reference stands for, and behind it what is left of the bytes.
std::string decoded(std::string_view bytes) {
  const CharacterReference reference = read_character_reference(bytes);
  return std::string(reference.view()) + "|" + std::string(bytes.substr(reference.length));
}

TEST(CharacterReference, names_stand_for_their_characters) {
  EXPECT_EQ(decoded("&amp;x"), "&|x");
  EXPECT_EQ(decoded("&eacute;"), "é|");
  EXPECT_EQ(decoded("&hearts;"), "♥|");
  EXPECT_EQ(decoded("&Afr;"), "𝔄|");
  EXPECT_EQ(decoded("&nGt;"), "≫⃒|");  // two characters, longer than its name
  EXPECT_EQ(decoded("&CounterClockwiseContourIntegral;"), "∳|");
}

TEST(CharacterReference, names_have_a_case) {
  EXPECT_EQ(decoded("&Eacute;"), "É|");
  EXPECT_EQ(decoded("&EACUTE;"), "|&EACUTE;");
}

TEST(CharacterReference, old_names_need_no_semicolon_and_the_longest_name_wins) {
  EXPECT_EQ(decoded("&copy2024"), "©|2024");
  EXPECT_EQ(decoded("&notit;"), "¬|it;");
  EXPECT_EQ(decoded("&notin;"), "∉|");
  EXPECT_EQ(decoded("&ampamp;"), "&|amp;");
  EXPECT_EQ(decoded("&hearts"), "|&hearts");
}

TEST(CharacterReference, an_ampersand_without_a_name_is_an_ampersand) {
  for (const std::string_view bytes :
       {"&", "& ", "&;", "&&amp;", "&#", "&#;", "&#x;", "&#xg", "&unknown;", "&1;", "&\xC3\xA9"}) {
    EXPECT_EQ(decoded(bytes), "|" + std::string(bytes));
  }
}

TEST(CharacterReference, numbers_are_decimal_or_hexadecimal_with_or_without_semicolon) {
  EXPECT_EQ(decoded("&#233;"), "é|");
  EXPECT_EQ(decoded("&#xE9;"), "é|");
  EXPECT_EQ(decoded("&#Xe9;x"), "é|x");
  EXPECT_EQ(decoded("&#233 x"), "é| x");
  EXPECT_EQ(decoded("&#x1F600;"), "😀|");
  EXPECT_EQ(decoded("&#00000000000000000000000000000000000000065;"), "A|");
}

TEST(CharacterReference, a_number_that_is_no_character_is_a_replacement_character) {
  for (const std::string_view bytes : {"&#0;", "&#xD800;", "&#xDFFF;", "&#x110000;",
                                       "&#99999999999999999999999;", "&#xFFFFFFFFFFFFFFFFFF;"}) {
    EXPECT_EQ(decoded(bytes), "\uFFFD|") << bytes;
  }
}

TEST(CharacterReference, numbers_of_windows_1252_mean_its_characters) {
  EXPECT_EQ(decoded("&#128;"), "€|");
  EXPECT_EQ(decoded("&#x92;"), "’|");
  EXPECT_EQ(decoded("&#159;"), "Ÿ|");
  EXPECT_EQ(decoded("&#x81;"), "\u0081|");  // a hole of windows-1252
  EXPECT_EQ(decoded("&#160;"), "\u00A0|");
}

TEST(CharacterReference, every_name_of_the_table_is_found_and_the_table_is_whole) {
  ASSERT_EQ(internal::kNamedReferenceCount, 2231U);
  std::size_t bare = 0;
  for (std::size_t i = 0; i < internal::kNamedReferenceCount; ++i) {
    const internal::NamedReference& each = internal::kNamedReferences[i];
    if (i > 0) {
      ASSERT_LT(internal::kNamedReferences[i - 1].name, each.name);
    }
    EXPECT_EQ(decoded("&" + std::string(each.name) + "."), std::string(each.text) + "|.");
    bare += each.name.back() != ';';
  }
  EXPECT_EQ(bare, 106U);
}

}  // namespace
}  // namespace neardup
