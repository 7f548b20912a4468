#include "core/fingerprint/hamming.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace neardup {
namespace {

TEST(Hamming, distance_counts_the_bits_that_differ) {
  EXPECT_EQ(hamming_distance({0b10101}, {0b00110}), 3);
  EXPECT_EQ(hamming_distance({0}, {0}), 0);
  EXPECT_EQ(hamming_distance({0}, {~std::uint64_t{0}}), 64);
}

TEST(Hamming, distance_equals_a_loop_over_bits_for_a_million_random_pairs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const Fingerprint a{random()};
    const Fingerprint b{random()};
    int expected = 0;
    for (int bit = 0; bit < 64; ++bit) expected += (a.bits >> bit & 1) != (b.bits >> bit & 1);
    ASSERT_EQ(hamming_distance(a, b), expected) << std::hex << a.bits << " " << b.bits;
  }
}

TEST(Hamming, there_are_41664_fingerprints_at_distance_3) {
  const Fingerprint from{0x0123456789ABCDEF};
  int count = 0;
  for (int i = 0; i < 64; ++i) {
    for (int j = i + 1; j < 64; ++j) {
      for (int k = j + 1; k < 64; ++k) {
        const std::uint64_t flips = std::uint64_t{1} << i | std::uint64_t{1} << j | std::uint64_t{1} << k;
        count += hamming_distance(from, {from.bits ^ flips}) == 3;
      }
    }
  }
  EXPECT_EQ(count, 41664);
}

TEST(Hamming, similarity_is_the_cosine_of_the_estimated_angle) {
  for (int distance = 0; distance <= kFingerprintBits; ++distance) {
    EXPECT_EQ(similarity_permille(distance, FingerprintKind::kSimHash),
              std::lround(1000 * std::cos(std::numbers::pi * distance / 64)))
        << distance;
  }
}

TEST(Hamming, similarity_by_minhash_is_the_share_of_features_in_common) {
  const auto similarity = [](int distance) {
    return similarity_permille(distance, FingerprintKind::kMinHash);
  };
  EXPECT_EQ(similarity(0), 1000);
  EXPECT_EQ(similarity(8), 750);
  EXPECT_EQ(similarity(31), 32);
  EXPECT_EQ(similarity(32), 0);
  EXPECT_EQ(similarity(64), 0);
}

}  // namespace
}  // namespace neardup
