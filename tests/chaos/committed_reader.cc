#include "tests/chaos/committed_reader.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "service/journal/record.h"
#include "service/kafka/message.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr int kQueryMs = 5000;

}  // namespace

CommittedReader::CommittedReader(const KafkaConfig& config, const std::vector<Partition>& partitions,
                                 std::string journal)
    : listener_("reader", probe_), journal_(std::move(journal)) {
  ClientProperties properties = consumer_properties(config.group + "-reader");
  properties.emplace_back("fetch.wait.max.ms", "50");
  Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_CONSUMER, config, properties, listener_);
  if (!client) throw std::runtime_error(client.error().message);
  client_ = std::move(*client);
  const auto list = partition_list(static_cast<int>(partitions.size()));
  for (const auto& [topic, partition] : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = 0;
    next_[{topic, partition}] = 0;
    content_[{topic, partition}] = {};
  }
  if (const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
      error != RD_KAFKA_RESP_ERR_NO_ERROR)
    throw std::runtime_error("reader: " + describe(error));
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

CommittedReader::~CommittedReader() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void CommittedReader::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_.get(), kPollMs));
    if (!message) continue;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      keep(*message);
    } else if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      const std::lock_guard lock(mutex_);
      std::int64_t& next = next_[{rd_kafka_topic_name(message->rkt), message->partition}];
      next = std::max(next, message->offset);
    } else {
      listener_.on_error(message->err, rd_kafka_message_errstr(message.get()));
    }
  }
}

void CommittedReader::keep(const rd_kafka_message_t& message) {
  std::deque<std::vector<Header>> headers;
  const Record record = view_record(message, 0, headers);
  CommittedRecord kept;
  kept.offset = message.offset;
  if (record.key) kept.record.key = *record.key;
  if (record.value) kept.record.value = *record.value;
  kept.record.timestamp_ms = record.timestamp_ms;
  for (const Header& header : record.headers)
    kept.headers.emplace_back(header.name, header.value.value_or(""));
  const Partition partition = {rd_kafka_topic_name(message.rkt), message.partition};
  if (partition.first == journal_) {
    // One that cannot be read is the oracle's to tell.
    if (const Result<JournalRecord> batch = decode_journal_record(kept.record.value.value_or("")))
      verdicts_ += batch->counts.verdicts();
  }
  const std::lock_guard lock(mutex_);
  next_[partition] = message.offset + 1;
  content_[partition].push_back(std::move(kept));
}

bool CommittedReader::is_at_end() {
  std::map<Partition, std::int64_t> next;
  {
    const std::lock_guard lock(mutex_);
    next = next_;
  }
  return std::ranges::all_of(next, [&](const auto& entry) {
    const auto& [partition, at] = entry;
    std::int64_t low = 0;
    std::int64_t high = 0;
    return rd_kafka_query_watermark_offsets(client_.get(), partition.first.c_str(), partition.second, &low,
                                            &high, kQueryMs) == RD_KAFKA_RESP_ERR_NO_ERROR &&
           at >= high;
  });
}

bool CommittedReader::wait_for_end(milliseconds time) {
  const auto deadline = steady_clock::now() + time;
  while (!is_at_end()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

CommittedReader::Content CommittedReader::take() {
  thread_.request_stop();
  thread_.join();
  return std::move(content_);
}

}  // namespace neardup
