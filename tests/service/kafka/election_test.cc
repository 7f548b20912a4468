// Who leads, on librdkafka's own mock of a cluster. tests/integration/standby_test.cc asks a real Kafka.

#include "service/kafka/election.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

using namespace std::chrono_literals;

KafkaConfig config_of(const MockCluster& cluster) {
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "dedup";
  config.topics.journal = "journal";
  return config;
}

TEST(Election, a_worker_that_shows_no_life_leaves_the_office_to_another_instance) {
  constexpr std::chrono::seconds kSilence = 10s;
  const MockCluster cluster{{"journal"}};
  const KafkaConfig config = config_of(cluster);
  Probe probe;
  StateBoard board;
  std::atomic<int> losses{0};
  const auto hung =
      Election::join(config, probe, board, [&](bool leads) { losses += leads ? 0 : 1; }, {}, kSilence);
  ASSERT_TRUE(hung) << hung.error().message;
  ASSERT_TRUE(eventually([&] {
    board.beat();
    return (*hung)->held();
  }));
  ASSERT_TRUE(eventually([&] { return losses > 0; }));
  EXPECT_GT(board.since_beat(), kSilence);
  EXPECT_FALSE((*hung)->held());

  StateBoard other_board;
  const auto other = Election::join(config, probe, other_board, [](bool) {});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE((*other)->wait_until_leader({}, 30s));
  EXPECT_FALSE((*hung)->held());
  EXPECT_EQ(losses, 1);
}

// A session that ended while Kafka was away is such a loss.
TEST(Election, whoever_is_elected_again_is_told_so) {
  MockCluster cluster{{"journal"}};
  const KafkaConfig config = config_of(cluster);
  Probe probe;
  StateBoard board;
  std::atomic<int> wins{0};
  std::atomic<int> losses{0};
  const auto election = Election::join(config, probe, board, [&](bool leads) { ++(leads ? wins : losses); });
  ASSERT_TRUE(election) << election.error().message;
  ASSERT_TRUE(eventually([&] { return wins == 1; }));
  EXPECT_TRUE((*election)->held());
  EXPECT_EQ(losses, 0);
  cluster.refuse(MockCluster::kHeartbeat, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, 1);
  ASSERT_TRUE(eventually([&] { return wins == 2; }));
  EXPECT_TRUE((*election)->held());
  EXPECT_EQ((*election)->election(), 2U);
  EXPECT_EQ(losses, 1);
}

}  // namespace
}  // namespace neardup
