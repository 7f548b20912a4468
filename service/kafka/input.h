// The input side of the service: records of the assigned partitions, and how far behind we are (lag.h).
//
// Read by `assign` alone: no consumer group decides what we read, so no rebalance can touch the data path.
// Records are handed out where librdkafka put them; nothing is copied.
//
// Threads: one caller. Records may be read by any; `add` may be called from any.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "service/kafka/client.h"
#include "service/kafka/lag.h"
#include "service/kafka/offsets_request.h"
#include "service/pipeline/source.h"

namespace neardup {

class KafkaInput final : public RecordSource {
 public:
  static constexpr std::chrono::seconds kRestAfter{10};

  // Errors: of make_client. Kafka itself may still be away. `rest_after`: so long no record comes of a
  // partition that rests.
  static Result<std::unique_ptr<KafkaInput>> open(const KafkaConfig& config, Probe& probe,
                                                  const std::stop_token& stop = {},
                                                  std::chrono::milliseconds rest_after = kRestAfter);
  ~KafkaInput() override;

  Status assign(std::span<const InputPosition> positions) override;
  Status poll(std::vector<Record>& records, std::size_t records_max, std::chrono::milliseconds wait) override;
  void idle() override;
  void take_rests(std::vector<RestPosition>& rests) override;
  void close_batch() override;
  void release() override;

  // Reads these partitions too, from the next poll on; the others are not disturbed.
  void add(std::vector<InputPosition> positions);

 private:
  // The messages of one batch, where its records lie.
  struct Held {
    std::vector<RdKafka<rd_kafka_message_t>> messages;
    std::deque<std::vector<Header>> headers;  // of those that have any
  };
  struct Partition {
    std::uint32_t topic = 0;
    std::string topic_name;
    std::int32_t partition = 0;
    PartitionLag lag;
    std::int64_t told = PartitionLag::kUnknown;     // the position that the journal has, or will have
    std::chrono::steady_clock::time_point heard{};  // when that was
  };

  KafkaInput(const KafkaConfig& config, Probe& probe, std::chrono::milliseconds rest_after);

  Status take(const rd_kafka_message_t& message, std::vector<Record>& records);
  void know(const InputPosition& position);
  void sort_partitions();
  Status take_added();
  Status begin_again();
  Partition* find(const rd_kafka_message_t& message);
  void read_statistics(std::string_view json);
  void ask_for_ends(std::chrono::seconds interval);
  void report_assigned();
  void report_lag();

  const KafkaConfig& config_;
  Probe& probe_;
  const std::chrono::milliseconds rest_after_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  RdKafka<rd_kafka_queue_t> queue_;
  std::vector<Partition> partitions_;  // ordered by topic ordinal, partition
  std::vector<std::pair<const rd_kafka_topic_t*, std::size_t>>
      topic_begin_;        // handle -> its first in partitions_
  std::deque<Held> held_;  // batches handed out and not released; the last one is open
  std::uint64_t batches_released_ = 0;
  std::vector<rd_kafka_message_t*> fetched_;
  std::chrono::steady_clock::time_point reported_{};
  std::chrono::steady_clock::time_point polled_at_{};
  // Partitions of which nobody told where they begin, and when to ask again.
  std::vector<TopicPartition> untold_;
  std::chrono::steady_clock::time_point ask_again_{};
  std::optional<OffsetsRequest> ends_;  // on its way, or answered and not yet taken
  std::chrono::steady_clock::time_point asked_for_ends_{};
  std::mutex added_mutex_;
  std::vector<InputPosition> added_;  // not yet taken by a poll
  std::atomic<bool> any_added_{false};
};

}  // namespace neardup
