#include "core/index/covering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "core/covering_names.h"

namespace neardup {
namespace {

// Calls visit(set) for every set of exactly `size` of the elements from .. count - 1, joined with `set`.
template <class Visit>
void for_each_set(int count, int size, Visit visit, std::uint64_t set = 0, int from = 0) {
  if (size == 0) return visit(set);
  for (int i = from; i + size <= count; ++i) {
    for_each_set(count, size - 1, visit, set | std::uint64_t{1} << i, i + 1);
  }
}

bool some_key_avoids(const Covering& covering, std::uint64_t errors) {
  return std::any_of(covering.keys.begin(), covering.keys.end(),
                     [&](std::uint64_t key) { return (key & errors) == 0; });
}

TEST(Covering, every_pattern_of_up_to_k_wrong_blocks_is_avoided_by_some_key) {
  for (const Covering& covering : coverings()) {
    SCOPED_TRACE(covering.name);
    std::size_t patterns = 0;
    for (int errors = 0; errors <= covering.distance; ++errors) {
      for_each_set(covering.blocks, std::min(errors, covering.blocks), [&](std::uint64_t wrong) {
        ++patterns;
        ASSERT_TRUE(some_key_avoids(covering, wrong)) << std::hex << wrong;
      });
    }
    EXPECT_GE(patterns, 1U + static_cast<std::size_t>(covering.distance));
  }
}

TEST(Covering, none_promises_less_than_it_could) {
  for (const Covering& covering : coverings()) {
    if (covering.distance >= covering.blocks) continue;
    bool always = true;
    for_each_set(covering.blocks, covering.distance + 1,
                 [&](std::uint64_t wrong) { always &= some_key_avoids(covering, wrong); });
    EXPECT_FALSE(always) << covering.name << " covers one more";
  }
}

// A key less would be a smaller covering, and a cheaper one.
TEST(Covering, no_key_is_there_for_nothing) {
  for (const Covering& covering : coverings()) {
    for (std::size_t left_out = 0; left_out < covering.keys.size(); ++left_out) {
      Covering less = covering;
      less.keys.erase(less.keys.begin() + static_cast<std::ptrdiff_t>(left_out));
      bool always = true;
      for_each_set(less.blocks, less.distance,
                   [&](std::uint64_t wrong) { always &= some_key_avoids(less, wrong); });
      EXPECT_FALSE(always) << covering.name << " without key " << left_out;
    }
  }
}

// What lets a table pass over a candidate that differs in more bits of its part.
TEST(Covering, some_part_has_few_wrong_blocks_and_a_key_that_avoids_them) {
  for (const Covering& covering : coverings()) {
    SCOPED_TRACE(covering.name);
    ASSERT_EQ(covering.tables() % covering.parts, 0);
    ASSERT_EQ(covering.blocks % covering.parts, 0);
    const int keys = covering.tables() / covering.parts;
    const int blocks = covering.blocks / covering.parts;
    for_each_set(covering.blocks, std::min(covering.distance, covering.blocks), [&](std::uint64_t wrong) {
      bool found = false;
      for (int table = 0; table < covering.tables(); ++table) {
        const std::uint64_t part = ((std::uint64_t{1} << blocks) - 1) << (table / keys * blocks);
        const std::uint64_t key = covering.keys[static_cast<std::size_t>(table)];
        ASSERT_EQ(key & ~part, 0U) << "a key is of one part";
        found |= (key & wrong) == 0 && std::popcount(part & wrong) <= covering.part_distance;
      }
      ASSERT_TRUE(found) << std::hex << wrong;
    });
    for (int table = 0; table < covering.tables(); ++table) {
      const auto part = part_bits<std::uint64_t>(covering, table);
      EXPECT_EQ(key_bits<std::uint64_t>(covering, table) & ~part, 0U);
      EXPECT_NEAR(count_bits(part), 64.0 / covering.parts, 1);
    }
  }
}

TEST(Covering, names_are_tables_and_bits_of_a_key_at_width_64) {
  std::set<std::string_view> names;
  for (const Covering& covering : coverings()) {
    SCOPED_TRACE(covering.name);
    EXPECT_TRUE(names.insert(covering.name).second);
    EXPECT_EQ(covering_named(covering.name), &covering);
    int fewest = 64;
    int most = 0;
    for (int table = 0; table < covering.tables(); ++table) {
      const int bits = count_bits(key_bits<std::uint64_t>(covering, table));
      fewest = std::min(fewest, bits);
      most = std::max(most, bits);
    }
    const std::string name(covering.name);
    EXPECT_EQ(std::stoi(name), covering.tables());
    const int named = std::stoi(name.substr(name.find('x') + 1));
    EXPECT_LE(fewest, named);
    EXPECT_GE(most, named);
    EXPECT_LE(covering.tables(), kTablesMax);
  }
  EXPECT_EQ(covering_named("5x5"), nullptr);
}

TEST(Covering, there_is_a_default_for_each_distance) {
  for (int k = 0; k <= kCoveringDistanceMax; ++k) EXPECT_GE(default_covering(k).distance, k);
  EXPECT_EQ(default_covering(3).name, "6x21");
}

template <class Word>
void blocks_are_a_partition() {
  for (const Covering& covering : coverings()) {
    Word all{};
    for (int table = 0; table < covering.tables(); ++table) all = all | key_bits<Word>(covering, table);
    EXPECT_EQ(count_bits(all), kWidthOf<Word>) << covering.name << ": a bit that no key has is wasted";
    EXPECT_EQ(first_bit(covering, kWidthOf<Word>, 0), 0);
    EXPECT_EQ(first_bit(covering, kWidthOf<Word>, covering.blocks), kWidthOf<Word>);
  }
}

TEST(Covering, every_bit_of_every_width_is_in_some_key) {
  blocks_are_a_partition<std::uint32_t>();
  blocks_are_a_partition<std::uint64_t>();
  blocks_are_a_partition<Word128>();
}

// The classic example: with halves, one key of six avoids three errors wherever they fall.
TEST(Covering, the_keys_of_6x21_leave_out_a_third_of_one_half) {
  const Covering& covering = *covering_named("6x21");
  EXPECT_EQ(key_bits<std::uint64_t>(covering, 0), 0x00000000001FFFFFU);
  EXPECT_EQ(key_bits<std::uint64_t>(covering, 5), 0xFFFFFC0000000000U);
}

TEST(Covering, settings_know_all_of_them_and_how_far_they_find) {
  ASSERT_EQ(coverings().size(), kCoveringNames.size());
  for (std::size_t i = 0; i < kCoveringNames.size(); ++i) {
    EXPECT_EQ(coverings()[i].name, kCoveringNames[i].name);
    EXPECT_EQ(coverings()[i].distance, kCoveringNames[i].distance);
    EXPECT_EQ(distance_of_covering(kCoveringNames[i].name), kCoveringNames[i].distance);
  }
  EXPECT_EQ(distance_of_covering("5x13"), -1);
}

}  // namespace
}  // namespace neardup
