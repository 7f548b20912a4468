// What the reader of one partition does when the broker does not answer as it should, on librdkafka's own
// mock of a cluster.

#include "service/kafka/log_reader.h"

#include <gtest/gtest.h>

#include <thread>

#include "service/kafka/sender.h"
#include "tests/service/kafka/mock_cluster.h"

namespace neardup {
namespace {

constexpr const char* kTopic = "journal";

KafkaConfig config_for(const MockCluster& cluster) {
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "reader";
  return config;
}

void send(const KafkaConfig& config, std::initializer_list<const char*> values) {
  Probe probe;
  auto sender = KafkaSender::open(config, kTopic, probe);
  ASSERT_TRUE(sender) << sender.error().message;
  for (const char* const value : values) ASSERT_TRUE((*sender)->send(std::nullopt, value, {}, 0));
  ASSERT_TRUE((*sender)->finish(std::chrono::seconds(30)));
}

// A reader of kTopic, and what it reports to.
struct Reading {
  explicit Reading(const KafkaConfig& config) {
    auto opened = KafkaLogReader::open(config, kTopic, 0, probe, board, {});
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) reader = *std::move(opened);
  }
  Probe probe;
  StateBoard board;
  std::unique_ptr<KafkaLogReader> reader;
};

TEST(LogReader, asks_again_for_the_end_while_records_wait_to_be_read) {
  MockCluster cluster({kTopic});
  const KafkaConfig config = config_for(cluster);
  send(config, {"one", "two"});
  const Reading reading(config);
  ASSERT_TRUE(reading.reader);
  std::vector<std::string> read;
  const Result<std::optional<std::string>> first = reading.reader->next(std::chrono::seconds(30));
  ASSERT_TRUE(first);
  ASSERT_TRUE(*first);
  EXPECT_EQ(**first, "one");  // and the other one is in the client's queue
  cluster.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 2);
  ASSERT_TRUE(reading.reader->read_to_end([&](std::string_view bytes, double) -> Status {
    read.emplace_back(bytes);
    return {};
  }));
  EXPECT_EQ(read, std::vector<std::string>{"two"});
}

// A standby asks so, and does nothing else between two records.
TEST(LogReader, finds_what_is_there_however_short_it_waits) {
  MockCluster cluster({kTopic});
  const KafkaConfig config = config_for(cluster);
  send(config, {"one", "two"});
  const Reading reading(config);
  ASSERT_TRUE(reading.reader);
  std::vector<std::string> read;
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
       read.size() < 2 && std::chrono::steady_clock::now() < end;) {
    const Result<std::optional<std::string>> bytes = reading.reader->next(std::chrono::milliseconds(1));
    ASSERT_TRUE(bytes);
    if (*bytes) read.push_back(**bytes);
  }
  EXPECT_EQ(read, (std::vector<std::string>{"one", "two"}));
  const Result<bool> settled = reading.reader->is_settled();
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_TRUE(*settled);
}

TEST(LogReader, that_is_told_where_to_start_never_goes_back_to_the_beginning) {
  MockCluster cluster({kTopic});
  const KafkaConfig config = config_for(cluster);
  send(config, {"one", "two", "three"});
  cluster.answer_late(MockCluster::kListOffsets, std::chrono::milliseconds(1500));
  const Reading reading(config);
  ASSERT_TRUE(reading.reader);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it would be asking where the log begins
  ASSERT_TRUE(reading.reader->start_at(2));
  const Result<std::optional<std::string>> last = reading.reader->next(std::chrono::seconds(30));
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, "three");
  const Result<std::optional<std::string>> more = reading.reader->next(std::chrono::milliseconds(3000));
  ASSERT_TRUE(more);
  EXPECT_EQ(*more, std::nullopt);
}

}  // namespace
}  // namespace neardup
