#include "core/fingerprint/minhash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/fingerprint/hamming.h"
#include "tests/reference/naive_shingles.h"

namespace neardup {
namespace {

using Features = std::vector<std::uint64_t>;

Fingerprint minhash(std::span<const std::uint64_t> features) {
  MinHash minhash;
  minhash.add(features);
  return minhash.finish();
}

Fingerprint naive_minhash(const Features& features) {
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::uint64_t seed = reference::finish((i + 1) * 0x9E3779B97F4A7C15);
    std::uint32_t least = 0xFFFFFFFF;
    for (const std::uint64_t feature : features) {
      const auto value = static_cast<std::uint32_t>(feature);
      least = std::min(
          least, (value ^ static_cast<std::uint32_t>(seed >> 32)) * (static_cast<std::uint32_t>(seed) | 1));
    }
    bits |= reference::finish(least * 0x9E3779B97F4A7C15) >> 63 << i;
  }
  return {bits};
}

TEST(MinHash, is_that_of_the_definition) {
  std::mt19937_64 draw(1);
  for (std::size_t size = 0; size < 300; ++size) {
    Features features(size);
    for (std::uint64_t& f : features) f = draw();
    EXPECT_EQ(minhash(features), naive_minhash(features)) << size;
  }
}

TEST(MinHash, counts_order_and_portions_play_no_part) {
  std::mt19937_64 draw(2);
  Features features(100);
  for (std::uint64_t& f : features) f = draw();
  const Fingerprint expected = minhash(features);
  features.insert(features.end(), features.begin(), features.begin() + 50);
  std::shuffle(features.begin(), features.end(), draw);
  MinHash portions;
  portions.add(std::span(features).first(33));
  portions.add(std::span(features).subspan(33));
  EXPECT_EQ(portions.finish(), expected);
  portions.clear();
  EXPECT_EQ(portions.finish(), minhash({}));
}

// Were the permutations or the bits not independent, the distance would spread more than that of 64 coins.
TEST(MinHash, the_distance_is_half_of_what_is_not_shared) {
  std::mt19937_64 draw(3);
  for (const std::size_t size : {12, 100}) {
    for (const double jaccard : {0.0, 0.5, 0.8, 0.9}) {
      const auto shared =
          static_cast<std::size_t>(std::lround(static_cast<double>(size) * 2 * jaccard / (1 + jaccard)));
      const double exact = static_cast<double>(shared) / static_cast<double>(2 * size - shared);
      constexpr int kPairs = 4000;
      double sum = 0;
      double squares = 0;
      for (int pair = 0; pair < kPairs; ++pair) {
        Features a(size);
        for (std::uint64_t& f : a) f = draw();
        Features b = a;
        for (std::size_t i = shared; i < size; ++i) b[i] = draw();
        const double distance = hamming_distance(minhash(a), minhash(b));
        sum += distance;
        squares += distance * distance;
      }
      const double mean = sum / kPairs;
      const double deviation = std::sqrt(squares / kPairs - mean * mean);
      const double p = (1 - exact) / 2;
      EXPECT_NEAR(mean, 64 * p, .35) << size << ' ' << jaccard;
      EXPECT_NEAR(deviation, std::sqrt(64 * p * (1 - p)), .35) << size << ' ' << jaccard;
    }
  }
}

}  // namespace
}  // namespace neardup
