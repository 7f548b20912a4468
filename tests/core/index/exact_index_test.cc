#include "core/index/exact_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace neardup {
namespace {

// A column and its index, filled together.
struct Filled {
  DigestColumn digests;
  ExactIndex index{digests};

  void insert(Digest128 digest) {
    digests.push_back(digest);
    index.insert_next();
  }
};

TEST(ExactIndex, finds_what_was_inserted_and_nothing_else) {
  Filled filled;
  EXPECT_EQ(filled.index.find({0, 0}), std::nullopt);
  filled.insert({0, 0});
  filled.insert({1, 0});
  filled.insert({0, 1});
  EXPECT_EQ(filled.index.find({0, 0}), Sequence{0});
  EXPECT_EQ(filled.index.find({1, 0}), Sequence{1});
  EXPECT_EQ(filled.index.find({0, 1}), Sequence{2});
  EXPECT_EQ(filled.index.find({1, 1}), std::nullopt);
}

TEST(ExactIndex, of_equal_digests_the_lowest_sequence_number_is_found_even_after_growth) {
  Filled filled;
  filled.insert({7, 7});
  filled.insert({7, 7});
  for (std::uint64_t i = 100; i < 5000; ++i) filled.insert({i, i});
  EXPECT_EQ(filled.index.find({7, 7}), Sequence{0});
}

TEST(ExactIndex, digests_that_share_slot_and_tag_are_told_apart) {
  Filled filled;
  for (std::uint64_t i = 0; i < 500; ++i) filled.insert({255 * i, 42});  // one slot, one tag
  for (std::uint64_t i = 0; i < 500; ++i) EXPECT_EQ(filled.index.find({255 * i, 42}), Sequence{i});
  EXPECT_EQ(filled.index.find({std::uint64_t{255} * 500, 42}), std::nullopt);
}

TEST(ExactIndex, agrees_with_a_map_through_every_growth) {
  constexpr std::uint64_t kSeed = 20240607;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  Filled filled;
  std::map<Digest128, Sequence> expected;
  // Digests from few values, so that parts of them often agree; low bits alike, so that probes collide.
  const auto draw = [&] { return Digest128{random() % 64, (random() % 8192) << 2}; };
  for (int i = 0; i < 30'000; ++i) {
    const Digest128 digest = draw();
    if (expected.emplace(digest, filled.index.size()).second) filled.insert(digest);
    const Digest128 query = draw();
    const auto found = expected.find(query);
    ASSERT_EQ(filled.index.find(query),
              found == expected.end() ? std::nullopt : std::optional<Sequence>(found->second));
  }
  for (const auto& [digest, sequence] : expected) ASSERT_EQ(filled.index.find(digest), sequence);
}

TEST(ExactIndex, memory_is_9_bytes_per_unique_in_steps) {
  Filled filled;
  EXPECT_EQ(filled.index.bytes(), 0U);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    filled.insert({i * 0x9E3779B97F4A7C15, i * 0xD6E8FEB86659FD93});
    ASSERT_GE(filled.index.bytes(), (i + 1) * 8);
    ASSERT_LE(filled.index.bytes(), (i + 1) * 10 + (std::size_t{128} << 10));
  }
}

}  // namespace
}  // namespace neardup
