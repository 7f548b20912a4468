// BlockIndex against the linear scan, and against all error patterns there are.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/index/block_index.h"
#include "tests/reference/linear_index.h"

namespace neardup {
namespace {

// Calls visit(pattern) for every pattern of at most `bits_max` one bits of 64.
template <class Visit>
void for_each_pattern(int bits_max, Visit visit, std::uint64_t pattern = 0, int from = 0) {
  visit(pattern);
  if (bits_max == 0) return;
  for (int bit = from; bit < 64; ++bit) {
    for_each_pattern(bits_max - 1, visit, pattern | std::uint64_t{1} << bit, bit + 1);
  }
}

TEST(BlockIndexProperty, every_error_pattern_of_up_to_k_bits_is_found_and_none_of_one_more) {
  constexpr std::uint64_t kSeed = 41664;  // C(64, 3)
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const std::vector<std::uint64_t> samples = {0, ~std::uint64_t{0}, 0xFFFF00000000FFFF, random(), random()};
  for (int k = 0; k <= kHammingDistanceMax; ++k) {
    for (const std::uint64_t sample : samples) {
      FingerprintColumn column;
      BlockIndex index(column, k);
      column.push_back({sample});
      index.insert_next();
      int patterns = 0;
      int found = 0;
      for_each_pattern(k + 1, [&](std::uint64_t pattern) {
        const auto match = index.find_first({sample ^ pattern});
        const int distance = reference::differing_bits(pattern, 0);
        ASSERT_EQ(match.has_value(), distance <= k) << "k " << k << " pattern " << std::hex << pattern;
        ++patterns;
        if (match) {
          ++found;
          ASSERT_EQ(*match, (Match{0, distance}));
        }
      });
      // 1, 64, C(64,2), C(64,3), C(64,4)
      constexpr int kOfWeight[] = {1, 64, 2016, 41664, 635376};
      int within = 0;
      for (int weight = 0; weight <= k; ++weight) within += kOfWeight[weight];
      EXPECT_EQ(found, within);
      EXPECT_EQ(patterns, within + kOfWeight[k + 1]);
    }
  }
}

// `count` fingerprints: a share of them drawn anew, the others near an earlier one.
std::vector<std::uint64_t> draw(std::mt19937_64& random, std::size_t count, int percent_new) {
  std::vector<std::uint64_t> fingerprints;
  while (fingerprints.size() < count) {
    if (fingerprints.empty() || random() % 100 < static_cast<std::uint64_t>(percent_new)) {
      fingerprints.push_back(random());
    } else {
      std::uint64_t near = fingerprints[random() % fingerprints.size()];
      for (std::uint64_t flips = random() % 6; flips > 0; --flips) near ^= std::uint64_t{1} << random() % 64;
      fingerprints.push_back(near);
    }
  }
  return fingerprints;
}

// Inserts all; every `stride`-th insert is preceded by a query near it, answered by both.
void compare_with_linear_scan(const std::vector<std::uint64_t>& fingerprints, int k, std::size_t stride,
                              std::mt19937_64& random) {
  FingerprintColumn column;
  BlockIndex index(column, k);
  reference::LinearIndex linear;
  std::vector<Match> matches;
  std::size_t matched = 0;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    if (i % stride == stride - 1) {
      std::uint64_t query = fingerprints[i];
      if (random() % 2 == 0 && i > 0) query = fingerprints[random() % i];
      for (std::uint64_t flips = random() % 5; flips > 0; --flips) query ^= std::uint64_t{1} << random() % 64;

      std::vector<Match> expected;
      for (const auto& [sequence, distance] : linear.find_all(query, k))
        expected.push_back({sequence, distance});
      index.find_all({query}, matches);
      ASSERT_EQ(matches, expected);
      ASSERT_EQ(index.find_first({query}),
                expected.empty() ? std::nullopt : std::optional<Match>(expected.front()));
      matched += !expected.empty();
    }
    column.push_back({fingerprints[i]});
    index.insert_next();
    linear.insert(fingerprints[i]);
  }
  EXPECT_GT(matched, 0U) << "these queries prove nothing";
}

TEST(BlockIndexProperty, agrees_with_a_linear_scan_of_two_million_random_fingerprints) {
  constexpr std::uint64_t kSeed = 1;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  compare_with_linear_scan(draw(random, 2'000'000, 100), 3, 10'000, random);
}

TEST(BlockIndexProperty, agrees_with_a_linear_scan_of_two_million_clustered_fingerprints) {
  constexpr std::uint64_t kSeed = 2;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  compare_with_linear_scan(draw(random, 2'000'000, 2), 3, 10'000, random);
}

TEST(BlockIndexProperty, agrees_with_a_linear_scan_at_every_k_in_small_dense_sets) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int k = static_cast<int>(seed % 4);
    compare_with_linear_scan(draw(random, 2'000, static_cast<int>(random() % 100)), k, 3, random);
  }
}

}  // namespace
}  // namespace neardup
