#include "tests/bench/serve_run.h"

#include <algorithm>
#include <chrono>

#include "service/kafka/topics.h"

namespace neardup {
namespace {

constexpr std::int64_t kAheadMax = 100'000;

}  // namespace

Probe& no_probe() {
  static Probe probe;
  return probe;
}

Config run_config(const std::string& servers, const std::string& input, const std::string& run) {
  Config config;
  config.kafka.brokers = servers;
  config.kafka.group = run;
  config.kafka.topics = {
      {input}, run + ".unique", run + ".duplicate", run + ".dead-letter", run + ".journal"};
  config.http.address = "";
  return config;
}

void create_run_topics(const Config& config) {
  or_throw(create_topics(config.kafka, {.partitions = kPartitions, .input = true}, std::chrono::seconds(30)));
}

GroupPositions::GroupPositions(const Config& config) : list_(partition_list(kPartitions)) {
  ClientProperties properties = consumer_properties(config.kafka.group);
  properties.emplace_back("isolation.level",
                          "read_uncommitted");  // answer now, with what is committed by now
  client_ = or_throw(make_client(RD_KAFKA_CONSUMER, config.kafka, properties, listener_));
  for (std::int32_t i = 0; i < kPartitions; ++i)
    rd_kafka_topic_partition_list_add(list_.get(), config.kafka.topics.input.front().c_str(), i);
  covered();  // connects
}

std::int64_t GroupPositions::covered() {
  if (rd_kafka_committed(client_.get(), list_.get(), 10000) != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < kPartitions; ++i)
    sum += std::max<std::int64_t>(0, list_->elems[i].offset);  // negative: none yet
  return sum;
}

Pages::Pages(const Config& config, std::size_t page_bytes, std::uint64_t seed)
    : sender_(or_throw(KafkaSender::open(config.kafka, config.kafka.topics.input.front(), no_probe()))),
      text_(page_bytes, seed) {}

void Pages::send() {
  text_.next(page_);
  or_throw(sender_->send(page_.id, page_.record, {}, static_cast<std::int32_t>(sent_++ % kPartitions)));
}

void Pages::finish() { or_throw(sender_->finish(std::chrono::seconds(60))); }

bool Pages::has_room(GroupPositions& positions) {
  if (sent_ - covered_ >= kAheadMax) covered_ = positions.covered();
  return sent_ - covered_ < kAheadMax;
}

}  // namespace neardup
