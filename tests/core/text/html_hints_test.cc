#include "core/text/html_hints.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace neardup::internal {
namespace {

constexpr unsigned kFooter = kHintUnlikely | kHintBad | kHintFooter;

unsigned hints_of(std::string_view name) {
  HtmlHints hints;
  return hints.of(name).hints;
}

TEST(HtmlHints, a_word_is_found_at_every_place_of_a_name_of_any_length) {
  constexpr std::string_view kWord = "footer";
  for (std::size_t size = kWord.size(); size <= 240; ++size) {
    EXPECT_EQ(hints_of(std::string(size, '7')), 0) << size;
    for (std::size_t at = 0; at + kWord.size() <= size; ++at) {
      std::string name(size, '7');
      name.replace(at, kWord.size(), kWord);
      ASSERT_EQ(hints_of(name), kFooter) << name;
      name[at] = 'F';
      ASSERT_EQ(hints_of(name), kFooter) << name;
      name[at] = 'x';
      ASSERT_EQ(hints_of(name), 0) << name;
    }
  }
}

TEST(HtmlHints, only_the_first_bytes_of_a_name_count) {
  EXPECT_EQ(hints_of(std::string(234, 'x') + "footer"), kFooter);
  EXPECT_EQ(hints_of(std::string(235, 'x') + "footer"), 0U);
}

TEST(HtmlHints, parts_begin_and_end_where_names_are_parted) {
  for (const std::string_view name : {"ad", "an-ad", "ad_2", "AD-top", "one ad", "ad\tone"})
    EXPECT_EQ(hints_of(name), kHintUnlikely) << name;
  for (const std::string_view name : {"lead", "add", "road-map", "ad7"})
    EXPECT_EQ(hints_of(name), 0U) << name;
}

TEST(HtmlHints, looks_are_no_words_and_words_beside_them_are) {
  for (const std::string_view look :
       {"text-sm", "text-2xl", "text-gray-500", "overflow-footer", "md:footer"}) {
    EXPECT_EQ(hints_of(look), 0U) << look;
    EXPECT_EQ(hints_of(std::string(look) + " footer"), kFooter) << look;
    EXPECT_EQ(hints_of("footer  " + std::string(look)), kFooter) << look;
  }
  EXPECT_NE(hints_of("text-body"), 0U);
  EXPECT_NE(hints_of("entry-text"), 0U);
  std::string many;  // as long as a name may be, and looks between all of it
  while (many.size() < 240) many += "x: y ";
  EXPECT_EQ(hints_of(many), 0U);
  EXPECT_EQ(hints_of(many.replace(234, 6, "footer")), kFooter);
}

}  // namespace
}  // namespace neardup::internal
