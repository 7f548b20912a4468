#include "core/index/id_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A log and its index, filled together.
struct Filled {
  UniqueLog log{{}};
  IdIndex index{log};

  void insert(std::string_view id) {
    log.append(
        {.id = id, .url = {}, .source = {}, .exact = {}, .fingerprint = {}, .previous = index.find(id)});
    index.insert(log.size() - 1, id);
  }
  void expire(Sequence oldest) {
    log.expire(oldest);
    index.expire(oldest);
  }
  std::vector<Sequence> all_of(std::string_view id) const {
    std::vector<Sequence> all;
    index.for_each(id, [&](Sequence sequence) { all.push_back(sequence); });
    return all;
  }
};

TEST(IdIndex, finds_the_latest_unique_of_an_id_and_all_before_it) {
  Filled filled;
  for (const char* id : {"a", "b", "a", "c", "a"}) filled.insert(id);
  EXPECT_EQ(filled.index.find("a"), Sequence{4});
  EXPECT_EQ(filled.index.find("b"), Sequence{1});
  EXPECT_EQ(filled.index.find("d"), std::nullopt);
  EXPECT_THAT(filled.all_of("a"), ElementsAre(4, 2, 0));
  EXPECT_THAT(filled.all_of("d"), IsEmpty());
}

TEST(IdIndex, an_id_that_was_erased_begins_anew) {
  Filled filled;
  for (const char* id : {"a", "a", "b"}) filled.insert(id);
  EXPECT_TRUE(filled.index.erase("a"));
  EXPECT_FALSE(filled.index.erase("a"));
  EXPECT_EQ(filled.index.find("a"), std::nullopt);
  filled.insert("a");
  EXPECT_THAT(filled.all_of("a"), ElementsAre(3));
  EXPECT_THAT(filled.all_of("b"), ElementsAre(2));
}

TEST(IdIndex, versions_end_where_they_expired) {
  Filled filled;
  for (int i = 0; i < 10; ++i) filled.insert("a");
  filled.insert("b");
  filled.expire(8);
  EXPECT_THAT(filled.all_of("a"), ElementsAre(9, 8));
  filled.expire(10);
  EXPECT_THAT(filled.all_of("a"), IsEmpty());
  EXPECT_THAT(filled.all_of("b"), ElementsAre(10));
}

TEST(IdIndex, a_page_that_changes_for_ever_is_found_as_soon_as_any_other) {
  Filled filled;
  for (int i = 0; i < 300'000; ++i) filled.insert("news");  // would take minutes if a find walked them all
  filled.insert("other");
  EXPECT_EQ(filled.index.find("news"), Sequence{299'999});
  EXPECT_EQ(filled.all_of("news").size(), 300'000U);
}

TEST(IdIndex, agrees_with_a_map_of_lists) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  Filled filled;
  std::map<std::string, std::vector<Sequence>> expected;
  for (int i = 0; i < 40'000; ++i) {
    const std::string id = std::to_string(random() % 3000);
    auto& versions = expected[id];
    versions.insert(versions.begin(), filled.log.size());
    filled.insert(id);
    const std::string other = std::to_string(random() % 3000);
    if (i % 9 == 0) {
      ASSERT_EQ(filled.index.erase(other), !expected[other].empty());
      expected[other].clear();
    }
    if (i % 4000 == 0) {
      const Sequence oldest = filled.log.size() / 2;
      filled.expire(oldest);
      for (auto& [name, list] : expected)
        std::erase_if(list, [&](Sequence sequence) { return sequence < oldest; });
    }
    ASSERT_EQ(filled.all_of(other), expected[other]);
  }
  for (const auto& [id, versions] : expected) ASSERT_EQ(filled.all_of(id), versions);
}

}  // namespace
}  // namespace neardup
