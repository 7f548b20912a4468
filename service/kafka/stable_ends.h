// Can consumers read all that was written to these partitions?
//
// They can up to the last stable offset, before the first transaction that has no end. So a partition is
// settled once that has reached what was the partition's end when it was first asked for, after our last
// record: what others write meanwhile does not count. What they leave open may hold a partition back for
// hours: it is left to them for as long as its stable offset does not move, and a loss of ours behind it is
// not seen.
//
//   ... │ T1, ended │ T2, without an end │ others │
//   ────┼───────────┼────────────────────┼────────┤
//                   stable offset        asked for end
//
// Cost: one question to each leader for every look, and a second one for the first. Threads: one caller.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "service/kafka/client.h"

namespace neardup {

// A partition, and the first offset that nobody can read.
struct OpenPartition {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t stable = 0;

  friend bool operator==(const OpenPartition&, const OpenPartition&) = default;
};

class StableEnds {
 public:
  // The next look asks for the end of each of them. Call it behind whatever has to be readable.
  void begin(std::span<const TopicPartition> partitions);

  // The partitions that are not settled now. Error kUnavailable: one does not answer, for want of a leader
  // perhaps.
  Result<std::vector<OpenPartition>> look(rd_kafka_t* client, int timeout_ms);

  // What is open in `partition` is not ours.
  void leave_to_others(const OpenPartition& partition);

 private:
  RdKafka<rd_kafka_topic_partition_list_t> partitions_;
  std::map<TopicPartition, std::int64_t> ends_;
  std::map<TopicPartition, std::int64_t> of_others_;  // the stable offsets that they hold back
};

}  // namespace neardup
