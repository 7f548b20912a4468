#include "core/index/hot_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace neardup {
namespace {

TEST(HotSet, knows_its_members_in_the_order_in_which_they_came) {
  HotSet set;
  EXPECT_FALSE(set.contains(0));
  EXPECT_TRUE(set.add(7));
  EXPECT_TRUE(set.add(0));
  EXPECT_FALSE(set.add(7));
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(1));
  EXPECT_THAT(set.members(), testing::ElementsAre(7, 0));
}

TEST(HotSet, agrees_with_a_set_through_every_doubling) {
  constexpr std::uint64_t kSeed = 4;
  std::mt19937_64 random(kSeed);
  HotSet set;
  std::set<Feature> model;
  for (int i = 0; i < 20'000; ++i) {
    const Feature feature = random() % 10'000 * (random() % 2 == 0 ? 1 : 0x100000001);
    ASSERT_EQ(set.add(feature), model.insert(feature).second);
    const Feature asked = random() % 10'000;
    ASSERT_EQ(set.contains(asked), model.contains(asked));
  }
  EXPECT_EQ(set.size(), model.size());
  EXPECT_LE(set.bytes(), 56 * model.size());
}

TEST(HotSet, another_order_is_another_state) {
  HotSet a;
  HotSet b;
  a.add(1);
  a.add(2);
  b.add(2);
  EXPECT_NE(a.digest(), b.digest());
  b.add(1);
  EXPECT_NE(a.digest(), b.digest());
}

}  // namespace
}  // namespace neardup
