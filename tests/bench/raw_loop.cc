#include "tests/bench/raw_loop.h"

#include <librdkafka/rdkafka.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "service/kafka/client.h"
#include "service/kafka/topics.h"
#include "service/kafka/writer.h"
#include "tests/bench/serve_run.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kTransactionMs = 30000;

volatile sig_atomic_t stopping = 0;

void produce(rd_kafka_topic_t* topic, std::int32_t partition, const void* value, std::size_t size,
             const void* key, std::size_t key_size) {
  if (rd_kafka_produce(topic, partition, 0, const_cast<void*>(value), size, key, key_size, nullptr) != 0)
    or_throw(rd_kafka_last_error());
}

}  // namespace

void run_raw_loop(const Config& config, const WrittenBytes& as) {
  signal(SIGTERM, [](int) { stopping = 1; });
  const std::string& input = config.kafka.topics.input.front();
  const auto described = or_throw(describe_topics(config.kafka, {input}, milliseconds(10000)));
  const std::int32_t partitions = described.at(input).partitions;

  Probe probe;
  ClientListener listener("raw", probe);
  const auto consumer = or_throw(make_client(RD_KAFKA_CONSUMER, config.kafka,
                                             consumer_properties(config.kafka.group + "-input"), listener));
  ClientProperties properties = writer_properties(config.kafka);
  // Else the flush of each commit polls in steps of 10 ms. Serve waits for its deliveries in another way.
  properties.emplace_back("delivery.report.only.error", "false");
  const auto producer = or_throw(make_client(RD_KAFKA_PRODUCER, config.kafka, properties, listener));
  const auto open_topic = [&](const std::string& name) {
    rd_kafka_topic_conf_t* conf = rd_kafka_topic_conf_new();
    rd_kafka_topic_conf_set(conf, "partitioner", "murmur2_random", nullptr, 0);
    return rd_kafka_topic_new(producer.get(), name.c_str(), conf);
  };
  rd_kafka_topic_t* const verdicts = open_topic(config.kafka.topics.unique);
  rd_kafka_topic_t* const journal = open_topic(config.kafka.topics.journal);
  or_throw(rd_kafka_init_transactions(producer.get(), kTransactionMs));
  const RdKafka<rd_kafka_consumer_group_metadata_t> group(
      rd_kafka_consumer_group_metadata_new(config.kafka.group.c_str()));

  const auto positions = partition_list(partitions);
  for (std::int32_t i = 0; i < partitions; ++i)
    rd_kafka_topic_partition_list_add(positions.get(), input.c_str(), i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  or_throw(rd_kafka_assign(consumer.get(), positions.get()));
  RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_get_consumer(consumer.get()));
  std::printf("running: %d input partitions\n", partitions);
  std::fflush(stdout);

  const auto documents_max = static_cast<std::size_t>(config.batch.documents_max);
  std::vector<rd_kafka_message_t*> messages(documents_max);
  const std::size_t journal_bytes = as.journal.size() / as.documents;  // of a document
  std::size_t journal_at = 0;
  std::string journal_record;
  while (stopping == 0) {
    std::size_t count = 0;
    steady_clock::time_point close = steady_clock::now() + milliseconds(config.batch.interval_ms);
    while (count < documents_max) {
      const auto left = std::chrono::ceil<milliseconds>(close - steady_clock::now());
      if (left <= milliseconds::zero()) break;
      const ssize_t got = rd_kafka_consume_batch_queue(queue.get(), static_cast<int>(left.count()),
                                                       messages.data() + count, documents_max - count);
      for (const std::size_t end = count + static_cast<std::size_t>(std::max<ssize_t>(0, got)), begin = count;
           rd_kafka_message_t *const message : std::span(messages).subspan(begin, end - begin)) {
        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
          const rd_kafka_resp_err_t error = message->err;
          rd_kafka_message_destroy(message);
          if (error != RD_KAFKA_RESP_ERR__PARTITION_EOF) or_throw(error);
          continue;
        }
        if (count == 0) {
          or_throw(rd_kafka_begin_transaction(producer.get()));
          close = steady_clock::now() + milliseconds(config.batch.interval_ms);
        }
        messages[count++] = message;
        produce(verdicts, RD_KAFKA_PARTITION_UA, message->payload, std::min(message->len, as.verdict),
                message->key, message->key_len);
        if (as.journal.size() - journal_at < journal_bytes) journal_at = 0;
        journal_record.append(as.journal, journal_at, journal_bytes);
        journal_at += journal_bytes;
        positions->elems[message->partition].offset = message->offset + 1;
      }
    }
    if (count == 0) continue;
    produce(journal, 0, journal_record.data(), journal_record.size(), nullptr, 0);
    or_throw(
        rd_kafka_send_offsets_to_transaction(producer.get(), positions.get(), group.get(), kTransactionMs));
    or_throw(rd_kafka_commit_transaction(producer.get(), kTransactionMs));
    for (rd_kafka_message_t* const message : std::span(messages).first(count))
      rd_kafka_message_destroy(message);
    journal_record.clear();
  }
  if (listener.undelivered() > 0) throw std::runtime_error("a record was not delivered");
  queue.reset();
  rd_kafka_topic_destroy(verdicts);
  rd_kafka_topic_destroy(journal);
  rd_kafka_consumer_close(consumer.get());
}

}  // namespace neardup
