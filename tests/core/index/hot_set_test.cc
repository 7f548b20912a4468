#include "core/index/hot_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

namespace neardup {
namespace {

TEST(HotSet, knows_its_members_and_that_no_feature_is_one) {
  HotSet set;
  EXPECT_FALSE(set.contains(0));
  EXPECT_TRUE(set.add(7, 1));
  EXPECT_TRUE(set.add(0, 1));
  EXPECT_FALSE(set.add(7, 2));
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(1));
  EXPECT_TRUE(set.contains(kNoFeature));
  EXPECT_FALSE(set.add(kNoFeature, 3));
  EXPECT_EQ(set.size(), 2U);
}

TEST(HotSet, a_member_is_one_until_the_last_number_it_was_added_with_expires) {
  HotSet set;
  set.add(7, 10);
  set.add(8, 10);
  set.add(8, 30);
  set.add(8, 20);
  set.expire(10);
  EXPECT_TRUE(set.contains(7));
  set.expire(11);
  EXPECT_FALSE(set.contains(7));
  EXPECT_TRUE(set.contains(8));
  EXPECT_TRUE(set.add(7, 12));
  set.expire(31);
  EXPECT_FALSE(set.contains(7));
  EXPECT_FALSE(set.contains(8));
  EXPECT_EQ(set.size(), 0U);
}

// Against a map, through doublings and sweeps: contains(), the digest, and the memory.
TEST(HotSet, agrees_with_a_map_and_forgets_as_numbers_expire) {
  constexpr std::uint64_t kSeed = 4;
  constexpr std::uint64_t kWindow = 3000;
  std::mt19937_64 random(kSeed);
  HotSet set;
  HotSet seldom;  // the same, and forgets seldom
  std::map<Feature, std::uint64_t> model;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const Feature feature = random() % 10'000 * (random() % 2 == 0 ? 1 : 0x100000001) + i / 10'000 * 50'000;
    const std::uint64_t changes = set.changes();
    const bool is_new = model.insert_or_assign(feature, i).second;
    ASSERT_EQ(set.add(feature, i), is_new);
    ASSERT_EQ(set.changes() != changes, is_new);
    seldom.add(feature, i);
    if (i >= kWindow && random() % 10 == 0) {
      const std::uint64_t oldest = i - kWindow;
      set.expire(oldest);
      std::erase_if(model, [&](const auto& member) { return member.second < oldest; });
    }
    const Feature asked = random() % 10'000 + i / 10'000 * 50'000;
    ASSERT_EQ(set.contains(asked), model.contains(asked));
    ASSERT_LE(set.size(), 3 * model.size());
  }
  seldom.expire(60'000 - kWindow);
  std::erase_if(model, [&](const auto& member) { return member.second < 60'000 - kWindow; });
  set.expire(60'000 - kWindow);
  EXPECT_EQ(seldom.digest(), set.digest());
  EXPECT_LE(set.bytes(), 3 * 108 * model.size());
  set.expire(60'000);
  EXPECT_LT(set.bytes(), 2000U);
}

TEST(HotSet, the_state_is_who_is_a_member_and_until_when) {
  HotSet a;
  HotSet b;
  a.add(1, 5);
  a.add(2, 5);
  b.add(2, 5);
  EXPECT_NE(a.digest(), b.digest());
  b.add(1, 5);
  EXPECT_EQ(a.digest(), b.digest()) << "in any order";
  b.add(1, 6);
  EXPECT_NE(a.digest(), b.digest());
}

}  // namespace
}  // namespace neardup
