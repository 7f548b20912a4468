// What has a consumer seen that reads committed records, and was there all the time?
//
// Reads all partitions of some topics from their beginning, on a thread of its own, straight from the
// brokers, through their deaths too, and keeps every record in the order in which it came.
//
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/kafka/client.h"
#include "tests/support/memory_kafka.h"

namespace neardup {

struct CommittedRecord {
  std::int64_t offset = 0;
  MemoryRecord record;
  std::vector<std::pair<std::string, std::string>> headers;
};

class CommittedReader {
 public:
  using Partition = std::pair<std::string, std::int32_t>;  // topic, partition
  using Content = std::map<Partition, std::vector<CommittedRecord>>;

  // `journal`: the topic whose records are counted as they come. Throws when it cannot read.
  CommittedReader(const KafkaConfig& config, const std::vector<Partition>& partitions, std::string journal);
  ~CommittedReader();
  CommittedReader(const CommittedReader&) = delete;
  CommittedReader& operator=(const CommittedReader&) = delete;

  // Verdicts that the journal's records told of so far.
  std::uint64_t verdicts() const { return verdicts_; }

  // Waits until each partition was read to its end as it is then. False when the time is over.
  bool wait_for_end(std::chrono::milliseconds time);

  // Ends the reading. REQUIRES: called once.
  Content take();

 private:
  void run(const std::stop_token& stop);
  bool is_at_end();
  void keep(const rd_kafka_message_t& message);

  Probe probe_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  std::string journal_;
  std::atomic<std::uint64_t> verdicts_{0};
  std::mutex mutex_;  // of what follows
  Content content_;
  std::map<Partition, std::int64_t> next_;  // offset that may come
  std::jthread thread_;
};

}  // namespace neardup
