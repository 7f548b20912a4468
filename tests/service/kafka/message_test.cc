// What a message of librdkafka's is as a record, on its own mock of a cluster.

#include "service/kafka/message.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/kafka/input.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/allocated.h"

namespace neardup {
namespace {

constexpr std::size_t kHeaders = 5000;

// Sends one record with these headers to a cluster of its own, and hands the message that is read to `look`.
template <class Look>
void send_and_read(const std::vector<Header>& headers, Look look) {
  const MockCluster cluster({"pages"});
  Probe probe;
  KafkaConfig config;
  config.brokers = cluster.servers();
  const auto sender = KafkaSender::open(config, "pages", probe);
  ASSERT_TRUE(sender) << sender.error().message;
  ASSERT_TRUE((*sender)->send("key", "value", headers, 0));
  ASSERT_TRUE((*sender)->finish(std::chrono::seconds(30)));

  ClientListener listener("input", probe);
  const auto client = make_client(RD_KAFKA_CONSUMER, config, consumer_properties("dedup"), listener);
  ASSERT_TRUE(client) << client.error().message;
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), "pages", 0)->offset = 0;
  ASSERT_EQ(rd_kafka_assign(client->get(), list.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
  const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client->get(), 30000));
  ASSERT_NE(message, nullptr);
  ASSERT_EQ(message->err, RD_KAFKA_RESP_ERR_NO_ERROR);
  look(*message);
}

// librdkafka is patched to keep them as they are sent (tests/support/librdkafka-headers.patch).
TEST(Message, has_the_headers_that_were_sent) {
  using namespace std::string_view_literals;
  const std::string large(20'000, 'v');
  const std::vector<Header> sent = {
      {"name", "value"}, {"none", std::nullopt}, {"empty", ""},       {"", "no name"},
      {"name", "again"}, {"large", large},       {"bytes", "a\0b"sv}, {"last", ""}};
  send_and_read(sent, [&](const rd_kafka_message_t& message) {
    std::deque<std::vector<Header>> headers;
    const Record record = view_record(message, 0, headers);
    EXPECT_EQ(record.key, "key");
    EXPECT_EQ(record.value, "value");
    ASSERT_EQ(record.headers.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(record.headers[i].name, sent[i].name);
      EXPECT_EQ(record.headers[i].value, sent[i].value);
    }
  });
}

// Many small ones take ten times what is sent; the bound of a batch must know.
TEST(Message, is_counted_with_what_its_headers_take_in_memory) {
  if (allocated() == 0) GTEST_SKIP() << "the allocator does not tell";
  for (const std::size_t value_size : {0, 1, 40, 150}) {
    SCOPED_TRACE(value_size);
    const std::string value(value_size, 'v');
    send_and_read(std::vector<Header>(kHeaders, {"x", value}), [&](const rd_kafka_message_t& message) {
      std::deque<std::vector<Header>> headers;
      const std::size_t before = allocated();
      const Record record = view_record(message, 0, headers);
      const double parsed = static_cast<double>(allocated() - before) / kHeaders;
      ASSERT_EQ(record.headers.size(), kHeaders);
      const double fetched = 1 + static_cast<double>(value_size) + 2;  // and how long each of the two is
      const double counted = static_cast<double>(memory_of(record)) / kHeaders;
      EXPECT_NEAR(counted, parsed + fetched, (parsed + fetched) / 5);
    });
  }
}

// Of many small records what librdkafka and we have around them is most of it; a batch's bound must know.
TEST(Message, is_counted_with_what_is_held_around_it) {
  if (allocated() == 0) GTEST_SKIP() << "the allocator does not tell";
  constexpr std::size_t kRecords = 20'000;
  const MockCluster cluster({"pages"});
  cluster.send("pages", std::vector<std::string>(kRecords, "value"));
  KafkaConfig config;
  config.brokers = cluster.servers();
  Probe probe;
  const auto input = KafkaInput::open(config, probe);
  ASSERT_TRUE(input) << input.error().message;
  std::vector<Record> records;
  const std::size_t before = allocated();
  const InputPosition beginning = {.topic_name = "pages"};
  ASSERT_TRUE((*input)->assign({&beginning, 1}));
  while (records.size() < kRecords)
    ASSERT_TRUE((*input)->poll(records, kRecords - records.size(), std::chrono::milliseconds(100)));
  std::size_t counted = 0;
  for (const Record& record : records) counted += memory_of(record);
  const std::size_t held = allocated() - before;
  EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(held), static_cast<double>(held) / 5)
      << held / kRecords << " bytes each";
}

// They may be a hundred megabytes that were a few kilobytes on their way.
TEST(Message, with_too_many_headers_says_so_and_counts_for_many) {
  send_and_read(std::vector<Header>(100'001, {"", ""}), [&](const rd_kafka_message_t& message) {
    std::deque<std::vector<Header>> headers;
    const Record record = view_record(message, 0, headers);
    EXPECT_TRUE(record.has_too_many_headers);
    EXPECT_TRUE(record.headers.empty());
    EXPECT_EQ(record.value, "value");
    EXPECT_GE(memory_of(record), kTooManyHeadersBytes);
  });
  send_and_read({}, [&](const rd_kafka_message_t& message) {
    std::deque<std::vector<Header>> headers;
    const Record record = view_record(message, 0, headers);
    EXPECT_FALSE(record.has_too_many_headers);
    EXPECT_EQ(memory_of(record), 8U + kRecordMemoryBytes);
  });
}

}  // namespace
}  // namespace neardup
