// What goes wrong where the service meets Kafka?
//
// The three clients of one life, over the cluster in memory: each does what the real one of service/kafka
// promises, until a fault that its life draws strikes, or a planted mistake is made.
//
//   SimulatedSource   the input, its partitions interleaved as drawn; what is given back is written over
//   SimulatedSink     transactions: while they are sent, at their end, when a producer replaces another
//   SimulatedLog      the journal: to restore from, to read back, to find the truth in doubt
//
// Threads: as RecordSource, BatchSink and SeekableLog say.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "service/journal/log.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"
#include "tests/simulation/cluster.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/instance.h"

namespace neardup {

class SimulatedSource final : public RecordSource {
 public:
  // At the end of all partitions it asks `at_end` to stop; or before, when the instance is voted out.
  SimulatedSource(SimulatedInstance& instance, std::size_t batch_max, std::stop_source& at_end)
      : instance_(instance), batch_max_(batch_max), at_end_(at_end) {}

  Status assign(std::span<const InputPosition> positions) override;
  // Takes from the partitions as drawn: their order is another one in every life.
  Status poll(std::vector<Record>& records, std::size_t records_max, std::chrono::milliseconds wait) override;
  // A partition may rest at any moment.
  void take_rests(std::vector<RestPosition>& rests) override;
  void close_batch() override;
  void release() override;
  void idle() override;

  // Waits, in the thread that publishes, until all is gathered that there is room for; not for ever. So what
  // a term has in hand does not hang on how threads are scheduled.
  void come_to_rest();

  // Writes over the bytes of a batch that was closed, counted from 0: who still reads them gets others.
  void write_over(std::size_t batch);

 private:
  // Keys and values that were handed out.
  using Bytes = std::deque<std::string>;

  struct Position {
    std::uint32_t topic;
    std::int32_t partition;
    std::int64_t next;
  };

  // The input has one more partition, read from its beginning, if one is to come: the last of them come
  // behind the end of all others, if not before.
  bool grow();

  const std::vector<MemoryRecord>& log_of(const Position& position) const {
    return instance_.cluster.input()[static_cast<std::size_t>(position.partition)];
  }

  SimulatedInstance& instance_;
  std::size_t batch_max_;
  std::stop_source& at_end_;
  std::vector<Position> positions_;
  std::uint64_t polls_ = 0;
  std::uint64_t asked_for_rests_ = 0;
  std::size_t released_ = 0;
  std::atomic<std::uint64_t> idles_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // batches are added by one thread; a planted mistake is made by another one
  // All of this life, the last one open: what is written over is not freed, so who reads it too late is sure
  // to get something else.
  std::deque<Bytes> batches_ = std::deque<Bytes>(1);
};

class SimulatedSink final : public BatchSink {
 public:
  explicit SimulatedSink(SimulatedInstance& instance) : instance_(instance) {}

  CommitAnswer commit(const Transaction& transaction) override;
  Status recycle() override;
  CommitAnswer await_shown(const Transaction& transaction) override;
  Result<bool> is_settled() override;
  Result<bool> is_group_at(std::span<const CommittedPosition> positions) override;
  Result<bool> is_group_moved(std::span<const CommittedPosition> positions) override;
  Result<Ending> end_unmarked(std::span<const CommittedPosition> covered) override;

  // What strikes when the record that was sent last is read back.
  std::optional<Fault> take_read_back_fault() { return std::exchange(read_back_fault_, std::nullopt); }
  const std::string& journal_bytes() const { return journal_bytes_; }

 private:
  std::optional<Fault> draw_fault(Draw& draw) const;
  std::optional<CommitAnswer> strike_while_sending(Fault fault, Draw& draw);
  CommitAnswer end(std::optional<Fault> fault, Draw& draw, std::size_t sends);
  CommitAnswer doubt(const char* reason) {
    spent_ = true;
    return {CommitAnswer::Kind::kInDoubt, reason, false};
  }
  CommitAnswer retried() {
    spent_ = true;
    return {CommitAnswer::Kind::kCommitted, "", true};
  }
  static CommitAnswer fenced() { return {CommitAnswer::Kind::kFenced, "a newer writer is there", false}; }

  SimulatedInstance& instance_;
  std::uint64_t epoch_ = 0;
  bool spent_ = false;
  bool late_ = false;
  std::uint64_t attempts_ = 0;
  std::uint64_t recycles_ = 0;
  std::string journal_bytes_;
  bool moves_group_ = false;  // as each does in Kafka: KafkaInput tells no rest that was told
  std::optional<Fault> read_back_fault_;
};

class SimulatedLog final : public SeekableLog {
 public:
  // Without faults: as the snapshot and the oracle read it.
  explicit SimulatedLog(Cluster& cluster) : cluster_(cluster) {}
  // As an instance reads it, standing by.
  explicit SimulatedLog(SimulatedInstance& instance) : cluster_(instance.cluster), instance_(&instance) {}

  // From now on it is read to publish, or to stand by again: nullptr.
  void lead_with(SimulatedSink* sink) {
    sink_ = sink;
    restored_ = false;
  }

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override;
  Result<bool> next(std::chrono::milliseconds wait,
                    const std::function<Status(std::string_view bytes)>& take) override;
  Result<bool> is_settled() override { return planted(Planted::kSettlingOff) || cluster_.is_settled(); }

  std::int64_t position() const override { return position_; }
  Result<std::int64_t> end() override { return journal_end(); }
  Status start_at(std::int64_t position) override {
    position_ = position;
    return {};
  }

 private:
  std::int64_t journal_end() const;
  bool is_stale() const;  // one look
  bool planted(Planted planted) const { return instance_ != nullptr && instance_->planted == planted; }
  Status strike_restoring(std::uint64_t record) const;

  Cluster& cluster_;
  SimulatedInstance* instance_ = nullptr;
  SimulatedSink* sink_ = nullptr;
  bool restored_ = false;
  std::int64_t position_ = 0;  // one past the record that was handed out last
};

}  // namespace neardup
