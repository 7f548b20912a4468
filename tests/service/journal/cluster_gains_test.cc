#include "service/journal/cluster_gains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Source at(std::int64_t offset) { return {.topic = 0, .partition = 1, .offset = offset}; }

TEST(ClusterGains, are_one_for_each_leader_ascending_with_the_latest_that_represents_it) {
  ClusterGains gains;
  const Representative older{at(9), 50};  // joined in a batch before
  const Representative first{at(11), 60};
  const Representative second{at(13), 70};
  gains.add(7, at(10), {.size = 5, .representative = older});
  gains.add(3, at(11), {.size = 2, .representative = first});
  gains.add(7, at(12), {.size = 6, .representative = older});
  gains.add(3, at(13), {.size = 3, .representative = second});
  gains.add(3, at(14), {.size = 4, .representative = second});
  gains.add(5, at(15), {.size = 2});
  std::vector<ClusterGain> taken = {{.leader = 99, .joined = 99}};
  gains.take(taken);
  EXPECT_THAT(taken, ElementsAre(ClusterGain{3, 3, second}, ClusterGain{.leader = 5, .joined = 1},
                                 ClusterGain{.leader = 7, .joined = 2}));
  gains.take(taken);
  EXPECT_THAT(taken, IsEmpty()) << "they were taken";
}

TEST(ClusterGains, of_a_cluster_that_is_no_more_there_are_none) {
  ClusterGains gains;
  gains.add(7, at(10), {.size = 2});
  gains.add(3, at(11), {.size = 2});
  gains.end(7);
  gains.end(1);
  std::vector<ClusterGain> taken;
  gains.take(taken);
  EXPECT_THAT(taken, ElementsAre(ClusterGain{.leader = 3, .joined = 1}));
  gains.end(3);
  gains.clear();
  gains.add(3, at(12), {.size = 3});
  gains.take(taken);
  EXPECT_EQ(taken.size(), 1U);
}

}  // namespace
}  // namespace neardup
