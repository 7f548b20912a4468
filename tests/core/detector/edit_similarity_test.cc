#include "core/detector/edit_similarity.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace neardup {
namespace {

std::optional<unsigned> distance(std::u32string_view a, std::u32string_view b, unsigned most = 1000) {
  EditPattern pattern;
  pattern.set(a);
  return pattern.distance(b, most);
}

TEST(EditPattern, counts_substitutions_insertions_and_deletions) {
  EXPECT_EQ(distance(U"kitten", U"sitting"), 3U);
  EXPECT_EQ(distance(U"flaw", U"lawn"), 2U);
  EXPECT_EQ(distance(U"春节快乐", U"春节很快乐"), 1U);
  EXPECT_EQ(distance(U"same", U"same"), 0U);
}

TEST(EditPattern, an_empty_text_is_as_far_as_the_other_is_long) {
  EXPECT_EQ(distance(U"", U""), 0U);
  EXPECT_EQ(distance(U"", U"abc"), 3U);
  EXPECT_EQ(distance(U"abc", U""), 3U);
}

TEST(EditPattern, says_nothing_of_what_is_farther_than_asked) {
  EXPECT_EQ(distance(U"kitten", U"sitting", 3), 3U);
  EXPECT_EQ(distance(U"kitten", U"sitting", 2), std::nullopt);
  EXPECT_EQ(distance(U"a", U"aaaaaaa", 5), std::nullopt);
}

TEST(EditPattern, another_pattern_leaves_nothing_of_the_one_before) {
  EditPattern pattern;
  pattern.set(std::u32string_view(U"春节 abc 快乐 привет"));
  pattern.set(std::u32string_view(U"xyz 新年"));
  EXPECT_EQ(pattern.distance(std::u32string_view(U"春节 abc"), 100), 6U);
  EXPECT_EQ(pattern.distance(std::u32string_view(U"xyz 新年"), 0), 0U);
}

}  // namespace
}  // namespace neardup
