// Has all its end that our transactions wrote?
//
// Consumers can read a partition up to the last stable offset, before the first transaction that has no end.
// So it is settled once that has reached what was the partition's end when it was first asked for, after our
// last record: what others write meanwhile does not count. What they leave open may hold a partition back for
// hours; once our own is ended there, it is left to them for as long as its stable offset does not move, and
// a loss of ours behind it is not seen.
//
//   ... │ T1, ended │ T2, without an end │ others │
//   ────┼───────────┼────────────────────┼────────┤
//                   stable offset        asked for end
//
// Of the group's positions the coordinator says whether a transaction that moves them has no end.
//
// Cost: one question to each leader, and to the coordinator, for every look, and a second one to the leaders
//       for the first. Threads: one caller.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "service/kafka/client.h"

namespace neardup {

// A partition, and the first offset that nobody can read.
struct OpenPartition {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t stable = 0;
};

// What is not settled.
struct OpenEnds {
  std::vector<OpenPartition> partitions;
  bool in_group = false;

  bool none() const { return partitions.empty() && !in_group; }
  std::string text() const { return partitions.empty() ? "the group's positions" : partitions.front().topic; }
};

class StableEnds {
 public:
  using Partition = std::pair<std::string, std::int32_t>;

  explicit StableEnds(std::string group) : group_(std::move(group)) {}

  // The next look asks for the end of each of `outputs`. Call it behind whatever has to be readable.
  // `inputs`: where the group has its positions.
  void begin(std::span<const Partition> outputs, std::span<const Partition> inputs);

  // Error kUnavailable: somebody does not answer, for want of a leader perhaps.
  Result<OpenEnds> look(rd_kafka_t* client, int timeout_ms);

  // What is open in `partition` is not ours.
  void leave_to_others(const OpenPartition& partition);

 private:
  const std::string group_;
  RdKafka<rd_kafka_topic_partition_list_t> outputs_;
  RdKafka<rd_kafka_topic_partition_list_t> inputs_;
  std::map<Partition, std::int64_t> ends_;
  std::map<Partition, std::int64_t> of_others_;  // the stable offsets that they hold back
};

}  // namespace neardup
