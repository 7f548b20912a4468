#include "core/detector/origin.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

constexpr Source kHere{.topic = 1, .partition = 2, .offset = 3};

TEST(Origin, is_the_host_whatever_its_case_and_the_page) {
  const std::uint64_t host = origin_of("http://example.org/a", kHere);
  EXPECT_EQ(origin_of("https://user@WWW.Example.ORG:8080/b?c", {}), host);
  EXPECT_NE(origin_of("http://example.net/a", kHere), host);
}

TEST(Origin, without_a_host_is_the_input_partition) {
  const std::uint64_t here = origin_of("", kHere);
  EXPECT_EQ(origin_of("no url", {.topic = 1, .partition = 2, .offset = 4}), here);
  EXPECT_NE(origin_of("", {.topic = 1, .partition = 3, .offset = 3}), here);
  EXPECT_NE(origin_of("", {.topic = 2, .partition = 2, .offset = 3}), here);
}

TEST(Origin, a_host_without_end_is_one_all_the_same) {
  const std::string letters(300, 'a');
  EXPECT_EQ(origin_of("http://" + letters + "/", kHere), origin_of("http://" + letters + "b/", kHere));
}

TEST(SourcePriorities, the_first_host_of_the_list_that_a_document_is_of_counts) {
  const SourcePriorities priorities({"Example.org", "www.news.net", "cdn.example.org"});
  EXPECT_EQ(priorities.of("http://example.org/"), 0U);
  EXPECT_EQ(priorities.of("http://www.example.org/"), 0U);
  EXPECT_EQ(priorities.of("https://a.b.EXAMPLE.org/x"), 0U);
  EXPECT_EQ(priorities.of("http://cdn.example.org/"), 0U) << "what lies below is of it";
  EXPECT_EQ(priorities.of("http://news.net/1"), 1U);
  EXPECT_EQ(priorities.of("http://notexample.org/"), 3U);
  EXPECT_EQ(priorities.of("http://org/"), 3U);
  EXPECT_EQ(priorities.of(""), 3U);
}

TEST(SourcePriorities, none_makes_all_equal) {
  const SourcePriorities priorities({});
  EXPECT_EQ(priorities.of("http://example.org/"), 0U);
  EXPECT_EQ(priorities.of(""), 0U);
}

}  // namespace
}  // namespace neardup
