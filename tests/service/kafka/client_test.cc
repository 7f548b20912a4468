// What a client makes of answers that a real broker seldom gives, on librdkafka's own mock of a cluster.

#include "service/kafka/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/service/kafka/mock_cluster.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;

struct MetadataDeleter {
  void operator()(const rd_kafka_metadata_t* p) const { rd_kafka_metadata_destroy(p); }
};

// How many brokers the answer lists; none came: -1.
int ask_for_brokers(rd_kafka_t& client, milliseconds limit) {
  const rd_kafka_metadata_t* answer = nullptr;
  if (rd_kafka_metadata(&client, 1, nullptr, &answer, static_cast<int>(limit.count())) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    return -1;
  }
  const std::unique_ptr<const rd_kafka_metadata_t, MetadataDeleter> owned(answer);
  return answer->broker_cnt;
}

class ErrorNames : public Probe {
 public:
  void kafka_error(std::string_view, std::string_view code) override { names.emplace_back(code); }
  std::vector<std::string> names;
};

// librdkafka without our patch drops every broker, and most often for ever
// (tests/support/librdkafka-5301.patch).
TEST(Client, keeps_the_brokers_it_knows_when_an_answer_lists_none) {
  MockCluster cluster({"pages"});
  KafkaConfig config;
  config.brokers = cluster.servers();
  ErrorNames errors;
  ClientListener listener("input", errors);
  const Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_PRODUCER, config, {}, listener);
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_EQ(ask_for_brokers(**client, milliseconds(30000)), 1);
  cluster.fence();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask_for_brokers(**client, milliseconds(30000)), 0);
    rd_kafka_poll(client->get(), 100);
  }
  EXPECT_THAT(errors.names, ::testing::IsEmpty());
}

}  // namespace
}  // namespace neardup
