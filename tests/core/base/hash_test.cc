#include "core/base/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string_view>

namespace neardup {
namespace {

// The golden vectors hold digest128 fast; here is what its seeded sister is for. Of 4 to 8 bytes XXH3-64 is a
// bijection that can be computed backwards, so ids like these are as many as one likes.
TEST(Hash, who_does_not_know_the_seed_chooses_no_collision) {
  constexpr std::array<std::string_view, 3> kChosen = {"%ksI[wQL", "KQH%V=6!", "MiRIh]]p"};
  constexpr std::uint64_t kCompared = (std::uint64_t{1} << 36) - 1;  // what a table asks of two ids
  const auto distinct = [&](auto hash) {
    std::set<std::uint64_t> keys;
    for (const std::string_view id : kChosen) keys.insert(hash(id) & kCompared);
    return keys.size();
  };
  EXPECT_EQ(distinct([](std::string_view id) { return digest64(id); }), 1U) << "chosen for this one";
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t seed = secret_seed();
    EXPECT_EQ(distinct([&](std::string_view id) { return seeded64(id, seed); }), kChosen.size()) << seed;
  }
}

TEST(Hash, a_seed_is_another_one_each_time) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(secret_seed());
  EXPECT_EQ(seeds.size(), 100U);
}

}  // namespace
}  // namespace neardup
