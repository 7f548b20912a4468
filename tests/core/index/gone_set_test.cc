#include "core/index/gone_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace neardup {
namespace {

TEST(GoneSet, agrees_with_a_set_through_expiry) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    GoneSet gone;
    std::set<std::uint64_t> expected;
    std::uint64_t oldest = random() % 200;
    gone.expire(oldest);
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t number = oldest + random() % 300;
      if (random() % 50 == 0) {
        oldest = number;
        expected.erase(expected.begin(), expected.lower_bound(oldest));
        gone.expire(oldest);
      } else if (random() % 4 == 0) {
        ASSERT_EQ(gone.add(number), expected.insert(number).second);
      }
      ASSERT_EQ(gone.contains(number), expected.contains(number));
      ASSERT_EQ(gone.size(), expected.size());
    }
    for (std::uint64_t number = 0; number < oldest + 400; ++number)
      ASSERT_EQ(gone.contains(number), expected.contains(number)) << number;
    GoneSet same;  // in another order, and never aware of what expired
    for (auto number = expected.rbegin(); number != expected.rend(); ++number) same.add(*number);
    EXPECT_EQ(same.digest(), gone.digest());
    if (expected.empty()) continue;
    gone.expire(*expected.begin() + 1);
    EXPECT_NE(same.digest(), gone.digest());
  }
}

TEST(GoneSet, takes_no_memory_until_something_is_gone) {
  GoneSet gone;
  EXPECT_EQ(gone.bytes(), 0U);
  gone.add(1'000'000'000);
  EXPECT_EQ(gone.bytes(), 8U);
  gone.expire(1'000'000'064);
  EXPECT_EQ(gone.bytes(), 0U);
  EXPECT_FALSE(gone.contains(1'000'000'000));
}

}  // namespace
}  // namespace neardup
