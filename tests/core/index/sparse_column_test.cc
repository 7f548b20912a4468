#include "core/index/sparse_column.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using Pairs = std::vector<std::pair<Sequence, std::uint32_t>>;

Pairs all_of(const SparseColumn<std::uint32_t>& column) {
  Pairs all;
  column.for_each([&](Sequence sequence, std::uint32_t value) { all.emplace_back(sequence, value); });
  return all;
}

TEST(SparseColumn, finds_what_was_inserted_in_any_order_and_lists_it_ascending) {
  SparseColumn<std::uint32_t> column;
  EXPECT_EQ(column.find(0), nullptr);
  column.insert(700, 1);
  column.insert(0, 2);
  column.insert(255, 3);
  column.insert(256, 4);
  ASSERT_NE(column.find(255), nullptr);
  EXPECT_EQ(*column.find(255), 3U);
  EXPECT_EQ(column.find(254), nullptr);
  EXPECT_EQ(column.find(1'000'000), nullptr);
  EXPECT_EQ(all_of(column), (Pairs{{0, 2}, {255, 3}, {256, 4}, {700, 1}}));
  *column.find(0) = 5;
  EXPECT_EQ(all_of(column)[0].second, 5U);
}

TEST(SparseColumn, agrees_with_a_map_through_deletion_and_expiry) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  SparseColumn<std::uint32_t> column;
  std::map<Sequence, std::uint32_t> expected;
  Sequence oldest = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const Sequence sequence = oldest + random() % 5000;
    const auto found = expected.find(sequence);
    if (const std::uint32_t* const value = column.find(sequence)) {
      ASSERT_NE(found, expected.end());
      ASSERT_EQ(*value, found->second);
      if (random() % 2 == 0) {
        ASSERT_TRUE(column.erase(sequence));
        ASSERT_FALSE(column.erase(sequence));
        expected.erase(found);
      }
    } else {
      ASSERT_EQ(found, expected.end());
      column.insert(sequence, i);
      expected.emplace(sequence, i);
    }
    if (i % 500 == 0) {
      oldest += random() % 400;
      column.expire(oldest);
      std::erase_if(expected, [&](const auto& entry) { return entry.first < oldest; });
    }
    ASSERT_EQ(column.size(), expected.size());
  }
  EXPECT_EQ(all_of(column), Pairs(expected.begin(), expected.end()));
  column.expire(oldest + 10'000);
  EXPECT_EQ(column.size(), 0U);
  EXPECT_EQ(column.bytes(), 0U);
  column.insert(oldest + 20'000, 1);
  EXPECT_EQ(all_of(column), (Pairs{{oldest + 20'000, 1}}));
}

TEST(SparseColumn, a_value_of_4_bytes_costs_7_where_a_fifth_of_all_have_one) {
  SparseColumn<std::uint32_t> column;
  std::mt19937_64 random(5);
  for (Sequence sequence = 0; sequence < 1'000'000; ++sequence) {
    if (random() % 5 == 0) column.insert(sequence, 1);
  }
  const double each = static_cast<double>(column.bytes()) / static_cast<double>(column.size());
  EXPECT_GT(each, 5);
  EXPECT_LT(each, 7);
}

TEST(SparseColumnDeathTest, what_is_expired_does_not_come_back) {
  SparseColumn<std::uint32_t> column;
  column.expire(10);
  EXPECT_DEATH(column.insert(9, 1), "does not come back");
}

}  // namespace
}  // namespace neardup
