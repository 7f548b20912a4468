#include "core/fingerprint/weight_table.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/fingerprint/kernels.h"
#include "tests/core/fingerprint/tiers.h"

namespace neardup {
namespace {

using internal::kWeightMax;
using internal::WeightTable;

constexpr int kTexts = 3 * WeightTable::kFloors + 1;  // so that it is cleared more than once

TEST(WeightTable, every_text_has_room_for_so_many_in_each_slot) {
  WeightTable weights;
  for (int text = 0; text < kTexts; ++text) {
    for (int i = 0; i < kWeightMax; ++i) EXPECT_TRUE(weights.count(0)) << text;
    EXPECT_FALSE(weights.count(0)) << text;
    EXPECT_TRUE(weights.count(~std::uint64_t{0})) << text;
    weights.forget();
  }
}

TEST(WeightTable, a_slot_that_rests_for_some_texts_is_empty) {
  WeightTable weights;
  for (int rest = 1; rest < kTexts; ++rest) {
    while (weights.count(0)) {
    }
    for (int text = 0; text < rest; ++text) weights.forget();
    for (int i = 0; i < kWeightMax; ++i) EXPECT_TRUE(weights.count(0)) << rest;
    EXPECT_FALSE(weights.count(0)) << rest;
  }
}

// Texts of bigrams that crowd into a few slots, so that each floor sees slots that are empty, begun and full.
TEST(WeightTable, kernels_count_as_it_does_in_every_text) {
  constexpr std::size_t kTokens = 640;
  constexpr std::uint64_t kSeed = 15;
  std::mt19937_64 random(kSeed);
  std::vector<std::uint64_t> hashes(kTokens + internal::kFeatureSlack + 8);
  const std::vector<std::uint64_t> joined(kTokens / 64, ~std::uint64_t{0});
  std::vector<std::uint64_t> bigrams(kTokens + internal::kFeatureSlack);
  std::vector<std::uint64_t> counting(kTokens / 64);
  for (const Isa tier : tiers()) {
    WeightTable weights;
    WeightTable expected;
    for (int text = 0; text < kTexts; ++text, weights.forget(), expected.forget()) {
      for (std::uint64_t& hash : hashes) hash = random() % 7;
      const std::size_t size = internal::kernels(tier).hash_bigrams(
          hashes.data() + 8, joined.data(), kTokens, bigrams.data(), &weights, counting.data());
      ASSERT_EQ(size, kTokens);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(counting[i / 64] >> i % 64 & 1, expected.count(bigrams[i]) ? 1U : 0U)
            << isa_name(tier) << ", text " << text << ", bigram " << i;
      }
    }
  }
}

}  // namespace
}  // namespace neardup
