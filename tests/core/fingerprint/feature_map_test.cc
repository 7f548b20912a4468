#include "core/fingerprint/feature_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace neardup {
namespace {

TEST(FeatureMap, an_empty_one_knows_nothing) { EXPECT_EQ(FeatureMap().find(0), nullptr); }

TEST(FeatureMap, keeps_the_first_value_until_it_is_changed) {
  FeatureMap map;
  EXPECT_EQ(map.insert(7, 1), 1U);
  EXPECT_EQ(map.insert(7, 2), 1U);
  map.insert(7, 0) = 9;
  EXPECT_EQ(*map.find(7), 9U);
  EXPECT_EQ(map.size(), 1U);
}

TEST(FeatureMap, agrees_with_a_sorted_map_however_the_hashes_crowd) {
  std::mt19937_64 draw(1);
  for (const int bits : {4, 12, 64}) {  // few different top bits: long runs of probes, around the end too
    FeatureMap map;
    std::map<std::uint64_t, std::uint32_t> twin;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const std::uint64_t feature = bits == 64 ? draw() : ~std::uint64_t{0} << (64 - bits) | draw() % 5000;
      EXPECT_EQ(map.insert(feature, i), twin.try_emplace(feature, i).first->second);
    }
    EXPECT_EQ(map.size(), twin.size());
    for (const auto& [feature, value] : twin) ASSERT_EQ(*map.find(feature), value);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t feature = draw();
      ASSERT_EQ(map.find(feature) != nullptr, twin.contains(feature));
    }
    std::map<std::uint64_t, std::uint32_t> seen;
    map.each([&](std::uint64_t feature, std::uint32_t value) { seen[feature] = value; });
    EXPECT_EQ(seen, twin);
  }
}

}  // namespace
}  // namespace neardup
