// Where do records come from?
//
// The seam on the input side. A source hands out records of many partitions in the order in which they came;
// within a partition that is offset order. Kafka in the service, memory in tests; one day fingerprints
// instead of documents.
//
// Threads: one caller. Records may be read by any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "service/codec/record.h"
#include "service/journal/record.h"

namespace neardup {

// One input partition and where to go on reading.
struct InputPosition {
  std::uint32_t topic = 0;  // ordinal
  std::string topic_name;
  std::int32_t partition = 0;
  std::int64_t next = kFromBeginning;
  std::int32_t leader_epoch = -1;  // of the last record covered; -1 when unknown
  // Where the log began and ended a moment ago, if that was asked: a backlog shows from the start on.
  std::optional<std::int64_t> log_begin = {};
  std::optional<std::int64_t> log_end = {};

  static constexpr std::int64_t kFromBeginning = -2;  // the oldest record that is still there
};

// A partition rests: up to `next` lies no record that was not handed out, only the ends of transactions, and
// records of those that were aborted.
struct RestPosition {
  std::uint32_t topic = 0;  // ordinal
  std::int32_t partition = 0;
  std::int64_t next = 0;
};

// What the cluster says of one input partition. What is not known contradicts nothing.
struct PartitionBounds {
  std::optional<std::int64_t> begin = {};  // the oldest record that is still there
  std::optional<std::int64_t> end = {};    // one past the newest
  std::optional<std::int64_t> committed =
      {};  // position of the group; Kafka forgets those of idle partitions
};

// An input topic as the cluster describes it now.
struct InputTopic {
  std::string name;
  Uuid id{};
  std::int32_t partitions = 0;
  std::vector<PartitionBounds> bounds = {};  // by partition; empty when nobody asked
};

class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // Reads exactly these partitions from now on, from exactly there.
  virtual Status assign(std::span<const InputPosition> positions) = 0;

  // Appends what is there, at most `records_max`, waiting up to `wait` for the first one. Their bytes stay
  // valid until their batch is released. Error kContradiction: the input at a position is gone (retention,
  // truncation, a topic made again).
  virtual Status poll(std::vector<Record>& records, std::size_t records_max,
                      std::chrono::milliseconds wait) = 0;

  // Called from time to time instead of poll while nobody has room for records: what a client hears besides
  // them is taken all the same, and lag goes on being reported.
  virtual void idle() {}

  // Appends the partitions that have rested for a while behind what was handed out of them, unless that was
  // told before: retention may take what lies there, and a start that finds it gone cannot know what it was.
  virtual void take_rests(std::vector<RestPosition>& /*rests*/) {}

  // What was handed out since the last call is one batch.
  virtual void close_batch() = 0;

  // The verdicts of the oldest batch are committed: gives back the bytes of its records.
  // REQUIRES: a closed batch that was not released.
  virtual void release() = 0;
};

}  // namespace neardup
