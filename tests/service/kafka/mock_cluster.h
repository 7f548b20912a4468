// librdkafka's own mock of a cluster, for what a real broker does too seldom.
//
// One broker, unless it is told otherwise; a request can be told what to be answered.
#pragma once

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/kafka/client.h"
#include "service/kafka/sender.h"

namespace neardup {

class MockCluster {
 public:
  // Numbers of requests in Kafka's protocol.
  static constexpr std::int16_t kProduce = 0;
  static constexpr std::int16_t kFetch = 1;
  static constexpr std::int16_t kListOffsets = 2;
  static constexpr std::int16_t kMetadata = 3;
  static constexpr std::int16_t kOffsetFetch = 9;
  static constexpr std::int16_t kFindCoordinator = 10;
  static constexpr std::int16_t kHeartbeat = 12;
  static constexpr std::int16_t kInitProducerId = 22;
  static constexpr std::int16_t kAddPartitionsToTxn = 24;
  static constexpr std::int16_t kEndTxn = 26;
  static constexpr std::int16_t kTxnOffsetCommit = 28;

  // Topics of one partition.
  explicit MockCluster(std::initializer_list<const char*> topics, int brokers = 1) {
    std::array<char, 256> why{};
    host_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why.data(), why.size()));
    cluster_ = rd_kafka_mock_cluster_new(host_.get(), brokers);
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster_, 0);
    for (const char* const topic : topics) rd_kafka_mock_topic_create(cluster_, topic, 1, 1);
  }
  ~MockCluster() { rd_kafka_mock_cluster_destroy(cluster_); }
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string servers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }

  // Appends records of these values to a partition of a topic.
  void send(const char* topic, const std::vector<std::string>& values, std::int32_t partition = 0,
            std::span<const Header> headers = {}) const {
    KafkaConfig config;
    config.brokers = servers();
    Probe probe;
    const auto sender = KafkaSender::open(config, topic, probe);
    ASSERT_TRUE(sender) << sender.error().message;
    for (const std::string& value : values)
      ASSERT_TRUE((*sender)->send(std::nullopt, value, headers, partition));
    ASSERT_TRUE((*sender)->finish(std::chrono::seconds(30)));
  }

  // The first `count` values of a topic's first partition, or as many as come within half a minute.
  std::vector<std::string> values(const char* topic, std::size_t count) const {
    KafkaConfig config;
    config.brokers = servers();
    Probe probe;
    ClientListener listener("test", probe);
    const auto consumer = make_client(RD_KAFKA_CONSUMER, config, consumer_properties("test"), listener);
    EXPECT_TRUE(consumer) << consumer.error().message;
    const auto list = partition_list(1);
    rd_kafka_topic_partition_list_add(list.get(), topic, 0)->offset = 0;
    EXPECT_EQ(rd_kafka_assign(consumer->get(), list.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
    std::vector<std::string> values;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (values.size() < count && std::chrono::steady_clock::now() < until) {
      const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(consumer->get(), 100));
      if (message && message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
        values.emplace_back(static_cast<const char*>(message->payload), message->len);
    }
    return values;
  }

  // Commits a position of a group that has no members.
  void move_group(const std::string& group, const char* topic, std::int32_t partition,
                  std::int64_t next) const {
    KafkaConfig config;
    config.brokers = servers();
    Probe probe;
    ClientListener listener("test", probe);
    const auto consumer = make_client(RD_KAFKA_CONSUMER, config, consumer_properties(group), listener);
    ASSERT_TRUE(consumer) << consumer.error().message;
    const auto list = partition_list(1);
    rd_kafka_topic_partition_list_add(list.get(), topic, partition)->offset = next;
    ASSERT_EQ(rd_kafka_commit(consumer->get(), list.get(), 0), RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  // The next `times` requests of `api` are answered with `error`.
  void refuse(std::int16_t api, rd_kafka_resp_err_t error, int times) {
    for (int i = 0; i < times; ++i) rd_kafka_mock_push_request_errors(cluster_, api, 1, error);
  }
  void refuse_no_more(std::int16_t api) { rd_kafka_mock_clear_request_errors(cluster_, api); }
  // The next request of `api` is not answered: its connection is closed.
  void cut(std::int16_t api) { refuse(api, RD_KAFKA_RESP_ERR__TRANSPORT, 1); }
  // A topic loses its records, and is another one from now on.
  void forget(const char* topic, int partitions = 1) {
    rd_kafka_mock_topic_delete(cluster_, topic);
    rd_kafka_mock_topic_create(cluster_, topic, partitions, 1);
  }
  // From now on `broker`, the first of which is 1, leads a partition.
  void lead(const char* topic, std::int32_t partition, std::int32_t broker) {
    rd_kafka_mock_partition_set_leader(cluster_, topic, partition, broker);
  }
  // A partition without a leader: nobody can write or read there.
  void depose(const char* topic, std::int32_t partition) { lead(topic, partition, -1); }
  // The next fetch of a partition is told that its leader leads no more, and that nobody knows who does.
  void orphan(const char* topic, std::int32_t partition) {
    rd_kafka_mock_partition_push_leader_response(cluster_, topic, partition, -1, -1);
    rd_kafka_mock_partition_push_request_errors(cluster_, topic, partition, kFetch, 1,
                                                RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  }
  // The next fetch of a partition is answered with an error; this one says nothing.
  void spoil(const char* topic, std::int32_t partition,
             rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_UNKNOWN) {
    rd_kafka_mock_partition_push_request_errors(cluster_, topic, partition, kFetch, 1, error);
  }
  // From now on nobody is told of a topic's partitions, but this error.
  void conceal(const char* topic, rd_kafka_resp_err_t error) {
    rd_kafka_mock_topic_set_error(cluster_, topic, error);
  }
  // How many requests of `api` have come since count_requests().
  void count_requests() { rd_kafka_mock_start_request_tracking(cluster_); }
  std::size_t requests(std::int16_t api) const {
    std::size_t count = 0;
    rd_kafka_mock_request_t** const all = rd_kafka_mock_get_requests(cluster_, &count);
    const auto of_api = std::ranges::count_if(std::span(all, count), [&](rd_kafka_mock_request_t* one) {
      return rd_kafka_mock_request_api_key(one) == api;
    });
    rd_kafka_mock_request_destroy_array(all, count);
    return static_cast<std::size_t>(of_api);
  }
  // From now on its answers do not list this broker, as where the controller has fenced it.
  void fence(std::int32_t broker = 1) { rd_kafka_mock_broker_remove_from_metadata(cluster_, broker); }
  // From now on `broker` is the controller; of itself the mock names none.
  void control(std::int32_t broker) { rd_kafka_mock_set_controller_id(cluster_, broker); }
  // From now on `broker` coordinates a "group" or a "transaction" of this name.
  void coordinate(const char* what, const char* name, std::int32_t broker) {
    rd_kafka_mock_coordinator_set(cluster_, what, name, broker);
  }
  // The next request of `api` is answered so much later.
  void answer_late(std::int16_t api, std::chrono::milliseconds delay) {
    rd_kafka_mock_broker_push_request_error_rtts(cluster_, 1, api, 1, RD_KAFKA_RESP_ERR_NO_ERROR,
                                                 static_cast<int>(delay.count()));
  }

 private:
  RdKafka<rd_kafka_t> host_;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
};

}  // namespace neardup
