#include "core/index/key_mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace neardup {
namespace {

TEST(KeyMix, different_numbers_stay_different) {
  for (int bits = 1; bits <= 22; ++bits) {
    const KeyMix mix(bits);
    std::vector<bool> seen(std::size_t{1} << bits);
    for (std::uint64_t x = 0; x < seen.size(); ++x) {
      const std::uint64_t mixed = mix.mix(x);
      ASSERT_LE(mixed, mix.mask());
      ASSERT_FALSE(seen[mixed]) << bits << " bits: " << x;
      seen[mixed] = true;
    }
  }
}

// Keys that differ in any eight neighbouring bits only: 256 of them, by the lowest eight bits of the mixed
// key.
TEST(KeyMix, its_lowest_bits_hang_on_all_bits) {
  for (const int bits : {16, 21, 24, 26}) {
    const KeyMix mix(bits);
    for (int from = 0; from + 8 <= bits; ++from) {
      std::vector<int> bucket(256);
      for (std::uint64_t x = 0; x < 256; ++x) ++bucket[mix.mix(x << from) & 0xFF];
      EXPECT_LE(*std::max_element(bucket.begin(), bucket.end()), 8) << bits << " bits, from " << from;
    }
  }
}

}  // namespace
}  // namespace neardup
