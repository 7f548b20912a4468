#include "core/index/exact_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace neardup {
namespace {

// A log and its index, filled together.
struct Filled {
  UniqueLog log{{}};
  ExactIndex index{log};

  void insert(Digest128 digest) {
    log.append({.id = "id", .url = {}, .source = {}, .exact = digest, .fingerprint = {}});
    index.insert(log.size() - 1, digest);
  }
  void expire(Sequence oldest) {
    log.expire(oldest);
    index.expire(oldest);
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
  EXPECT_TRUE(filled.index.erase(0, {7, 7}));
  EXPECT_EQ(filled.index.find({7, 7}), Sequence{1});
  EXPECT_FALSE(filled.index.erase(0, {7, 7}));
}

TEST(ExactIndex, digests_that_share_all_bits_of_the_key_are_told_apart) {
  Filled filled;
  for (std::uint64_t i = 0; i < 500; ++i) filled.insert({i, 42});
  for (std::uint64_t i = 0; i < 500; ++i) EXPECT_EQ(filled.index.find({i, 42}), Sequence{i});
  EXPECT_EQ(filled.index.find({500, 42}), std::nullopt);
}

TEST(ExactIndex, what_is_expired_in_the_log_alone_is_not_looked_at) {
  Filled filled;
  for (std::uint64_t i = 0; i < 20'000; ++i) filled.insert({i, i});
  filled.log.expire(15'000);
  EXPECT_EQ(filled.index.find({14'999, 14'999}), std::nullopt);
  EXPECT_EQ(filled.index.find({15'000, 15'000}), Sequence{15'000});
}

TEST(ExactIndex, agrees_with_a_map_through_growth_deletion_and_expiry) {
  constexpr std::uint64_t kSeed = 20240607;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  Filled filled;
  std::map<Digest128, Sequence> expected;
  // Digests from few values, so that parts of them often agree.
  const auto draw = [&] { return Digest128{random() % 64, (random() % 8192) << 2}; };
  for (int i = 0; i < 60'000; ++i) {
    const Digest128 digest = draw();
    if (expected.emplace(digest, filled.log.size()).second) filled.insert(digest);
    const Digest128 query = draw();
    filled.index.prefetch(query);
    const auto found = expected.find(query);
    ASSERT_EQ(filled.index.find(query),
              found == expected.end() ? std::nullopt : std::optional<Sequence>(found->second));
    if (i % 7 == 0 && found != expected.end()) {
      ASSERT_TRUE(filled.index.erase(found->second, query));
      expected.erase(found);
    }
    if (i % 5000 == 0) {
      const Sequence oldest = filled.log.size() / 3;
      filled.expire(oldest);
      std::erase_if(expected, [&](const auto& entry) { return entry.second < oldest; });
    }
  }
  for (const auto& [digest, sequence] : expected) ASSERT_EQ(filled.index.find(digest), sequence);

  const Filled other;
  EXPECT_NE(other.index.digest(), filled.index.digest());
  filled.expire(filled.log.size());
  EXPECT_EQ(other.index.digest(), filled.index.digest());
}

TEST(ExactIndex, memory_is_9_bytes_a_unique_on_average_over_a_doubling) {
  Filled filled;
  double sum = 0;
  constexpr std::uint64_t kCount = 1'000'000;
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    filled.insert({random(), random()});
    if (i >= kCount / 2) sum += static_cast<double>(filled.index.bytes()) / static_cast<double>(i + 1);
  }
  EXPECT_GT(sum / (kCount / 2), 8);
  EXPECT_LT(sum / (kCount / 2), 9.3);
}

}  // namespace
}  // namespace neardup
