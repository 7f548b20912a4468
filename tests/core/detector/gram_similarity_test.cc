#include "core/detector/gram_similarity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace neardup {
namespace {

std::vector<Mgram> counted(const std::vector<Key>& keys) {
  std::map<Key, std::uint32_t> counts;
  for (const Key key : keys) ++counts[key];
  std::vector<Mgram> grams;
  for (const auto& [key, count] : counts) grams.push_back({key, count});
  return grams;
}

TEST(GramSimilarity, of_texts_without_a_common_gram_is_none_and_of_equal_ones_is_whole) {
  GramPattern pattern;
  pattern.set(counted({1, 2, 2, 3}));
  const GramOverlap none = pattern.compare(std::vector<Key>{4, 5});
  EXPECT_EQ(none, (GramOverlap{}));
  EXPECT_EQ(jaccard_permille(none.shared, 3, 2), 0U);
  EXPECT_EQ(cosine_permille(none.dot, 6, 2), 0U);
  const GramOverlap all = pattern.compare(std::vector<Key>{3, 2, 1, 2});
  EXPECT_EQ(jaccard_permille(all.shared, 3, 3), 1000U);
  EXPECT_EQ(cosine_permille(all.dot, 6, 6), 1000U);
}

TEST(GramSimilarity, is_rounded_down) {
  EXPECT_EQ(jaccard_permille(2, 3, 3), 500U);
  EXPECT_EQ(jaccard_permille(2, 2, 3), 666U);
  EXPECT_EQ(cosine_permille(1, 2, 1), 707U);
  EXPECT_EQ(cosine_permille(1023 * 1023, 1024 * 1024, 1023 * 1023), 999U);
  EXPECT_EQ(cosine_permille(1024 * 1024, 1024 * 1024, 1024 * 1024), 1000U);
}

TEST(GramSimilarity, agrees_with_sets_and_vectors) {
  std::mt19937_64 random(3);
  GramPattern pattern;
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t alphabet = 1 + random() % 60;
    const auto draw = [&] {
      std::vector<Key> keys(1 + random() % (round % 50 == 0 ? kMgramTextMax : 40));
      for (Key& key : keys) key = (random() % alphabet) << 40 | 7;
      return keys;
    };
    const std::vector<Key> a = draw();
    const std::vector<Key> b = draw();
    std::map<Key, std::uint64_t> in_a;
    std::map<Key, std::uint64_t> in_b;
    for (const Key key : a) ++in_a[key];
    for (const Key key : b) ++in_b[key];
    GramOverlap expected;
    std::uint64_t norm_a = 0;
    std::uint64_t norm_b = 0;
    for (const auto& [key, count] : in_a) {
      norm_a += count * count;
      if (!in_b.contains(key)) continue;
      ++expected.shared;
      expected.dot += count * in_b[key];
    }
    for (const auto& [key, count] : in_b) norm_b += count * count;
    pattern.set(counted(a));
    ASSERT_EQ(pattern.compare(b), expected);
    const double cosine = static_cast<double>(expected.dot) /
                          std::sqrt(static_cast<double>(norm_a) * static_cast<double>(norm_b));
    ASSERT_NEAR(cosine_permille(expected.dot, norm_a, norm_b), std::floor(cosine * 1000 + 1e-7), 0);
  }
}

}  // namespace
}  // namespace neardup
