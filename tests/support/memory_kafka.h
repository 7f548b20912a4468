// Kafka as far as the worker sees it, in memory and with faults on demand.
//
// One MemoryKafka is the cluster: input partitions, the committed journal, the committed verdicts, the epoch
// of the writer. MemorySource, MemorySink and MemoryLog are one instance's clients of it. A transaction is
// all or nothing; the sink may be told to answer otherwise than what happened, as a real cluster does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "service/journal/log.h"
#include "service/pipeline/leadership.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"

namespace neardup {

struct MemoryRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::int64_t timestamp_ms = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool has_too_many_headers = false;
};

struct MemoryVerdict {
  OutputTopic topic;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> headers;

  friend bool operator==(const MemoryVerdict&, const MemoryVerdict&) = default;
};

// A verdict as it lies in its topic.
inline MemoryVerdict kept(const OutputRecord& record) {
  MemoryVerdict verdict{record.topic, {}, {}, {}};
  if (record.key) verdict.key = *record.key;
  if (record.value) verdict.value = *record.value;
  for (const Header& header : record.headers)
    verdict.headers.emplace_back(header.name, header.value.value_or(""));
  return verdict;
}

struct MemoryKafka {
  std::string topic = "pages";
  std::vector<std::vector<MemoryRecord>> input;  // by partition
  std::vector<std::string> journal;
  std::size_t hidden = 0;      // of its last records: their transaction's end is not marked
  int looks_until_marked = 0;  // at what is hidden, before it is not
  bool is_seen = true;         // some verdict of what is hidden; else all of them are hidden as well
  std::vector<MemoryVerdict> verdicts;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> group_offsets;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> offsets_before;  // the last transaction
  std::uint64_t epoch = 0;                                                      // of the newest writer
  int stale_looks = 0;  // at the journal, that find the end where the reader is

  std::size_t hidden_verdicts = 0;  // the last ones, unless `is_seen`

  // In the topics, and without an end: the next transaction that is committed there commits them.
  std::vector<MemoryVerdict> open_verdicts;
  bool is_open_committed = false;  // what Kafka had decided of them

  void show_open() {
    verdicts.insert(verdicts.end(), open_verdicts.begin(), open_verdicts.end());
    open_verdicts.clear();
  }

  void drop_hidden() {
    if (hidden > 0) group_offsets = offsets_before;
    journal.resize(journal_end());
    verdicts.resize(verdicts.size() - hidden_verdicts);
    hidden = hidden_verdicts = 0;
  }

  std::size_t journal_end() const { return journal.size() - hidden; }

  static std::vector<MemoryVerdict> verdicts_of(const Transaction& transaction) {
    std::vector<MemoryVerdict> sent;
    for (const OutputRecord& record : transaction.records) sent.push_back(kept(record));
    return sent;
  }

  // The end of a later transaction is marked for both.
  void commit(const Transaction& transaction) {
    hidden = 0;
    offsets_before = group_offsets;
    show_open();
    journal.emplace_back(transaction.journal_record);
    for (MemoryVerdict& verdict : verdicts_of(transaction)) verdicts.push_back(std::move(verdict));
    for (const CommittedPosition& position : transaction.positions) {
      group_offsets[{position.topic, position.partition}] = position.next;
    }
  }
};

class MemorySource final : public RecordSource {
 public:
  explicit MemorySource(const MemoryKafka& kafka) : kafka_(kafka) {}

  Status assign(std::span<const InputPosition> positions) override {
    positions_.clear();
    for (const InputPosition& position : positions) {
      positions_.push_back({position.topic, position.partition, std::max<std::int64_t>(0, position.next)});
    }
    return {};
  }

  // Takes from the partitions in turn, so that the order of one run is the order of every run.
  Status poll(std::vector<Record>& records, std::size_t records_max, std::chrono::milliseconds) override {
    if (handed_out >= lost_from) return Error{ErrorCode::kContradiction, "the records are gone"};
    records_max = std::min(records_max, records_per_poll);
    for (std::size_t taken = 0; taken < records_max;) {
      bool any = false;
      for (auto& [topic, partition, next] : positions_) {
        const auto& log = kafka_.input[static_cast<std::size_t>(partition)];
        if (taken == records_max || next >= static_cast<std::int64_t>(log.size())) continue;
        const MemoryRecord& from = log[static_cast<std::size_t>(next)];
        Record record;
        record.source = {topic, partition, next};
        if (from.key) record.key = *from.key;
        if (from.value) record.value = *from.value;
        record.timestamp_ms = from.timestamp_ms;
        if (!from.headers.empty()) {
          std::vector<Header>& headers = headers_.emplace_back();
          for (const auto& [name, text] : from.headers) headers.push_back({name, text});
          record.headers = headers;
        }
        record.has_too_many_headers = from.has_too_many_headers;
        records.push_back(record);
        ++next;
        ++taken;
        ++handed_out;
        any = true;
      }
      if (!any) break;
    }
    if (at_end() && rests.empty() && on_end) on_end();
    return {};
  }

  void idle() override { ++idled; }
  void take_rests(std::vector<RestPosition>& taken) override {
    if (at_end()) taken = std::exchange(rests, {});
  }
  void close_batch() override { ++closed_; }
  void release() override {
    CHECK(closed_ > released_, "a closed batch that was not released");
    ++released_;
  }

  std::vector<RestPosition> rests;  // told once, at the end of every partition

  // Called when a poll found the end of every partition.
  std::function<void()> on_end;

  std::size_t records_per_poll = std::numeric_limits<std::size_t>::max();
  std::size_t lost_from = std::numeric_limits<std::size_t>::max();  // records that were handed out
  std::atomic<std::size_t> handed_out{0};
  std::atomic<std::size_t> idled{0};  // calls

 private:
  struct Position {
    std::uint32_t topic;
    std::int32_t partition;
    std::int64_t next;
  };

  bool at_end() const {
    return std::all_of(positions_.begin(), positions_.end(), [&](const Position& position) {
      return position.next >=
             static_cast<std::int64_t>(kafka_.input[static_cast<std::size_t>(position.partition)].size());
    });
  }

  const MemoryKafka& kafka_;
  std::vector<Position> positions_;
  std::deque<std::vector<Header>> headers_;  // of what was handed out
  std::size_t closed_ = 0;
  std::size_t released_ = 0;
};

// What becomes of one commit, and what the client is told of it.
enum class Fate : std::uint8_t {
  kCommitted,       // as it should be
  kLost,            // in doubt, and not there
  kThere,           // in doubt, and there
  kTimedOutInside,  // committed, but this producer may not begin again
  kStale,           // committed, and the journal's leader that is asked knows nothing of it for a while
  kSilent,          // told committed, and not there: what a stray EndTxn can do
  kLostFenced,      // in doubt, not there, and another instance was elected meanwhile
  kHidden,          // in doubt, there, and nobody can read it for a while
  kUnmarked,        // told committed, and nobody will ever read any of it
  kShownLate,       // committed, and its verdicts have no end
  kNotShown,        // the same, and one look is not enough
  kLostOpen,        // in doubt, not there, and its verdicts have no end
  kThereFenced,     // in doubt, there, and another instance was elected meanwhile
  kCrashBefore,     // the process dies before the transaction is committed
  kCrashAfter,      // the process dies after it
};

struct Crash {};  // thrown in place of a process that dies

class MemorySink final : public BatchSink {
 public:
  MemorySink(MemoryKafka& kafka, std::function<Fate()> fate) : kafka_(kafka), fate_(std::move(fate)) {}

  CommitAnswer commit(const Transaction& transaction) override {
    CHECK(epoch_ > 0, "recycle() comes first");
    CHECK(!spent_, "a producer in doubt must not begin another transaction");
    if (epoch_ != kafka_.epoch) return {CommitAnswer::Kind::kFenced, "a newer writer is there", false};
    CHECK(kafka_.open_verdicts.empty(), "what is open is ended before another transaction begins");
    switch (fate_()) {
      case Fate::kCommitted:
        kafka_.commit(transaction);
        return {};
      case Fate::kLost:
        spent_ = true;
        return {CommitAnswer::Kind::kInDoubt, "timed out", false};
      case Fate::kThere:
        kafka_.commit(transaction);
        spent_ = true;
        return {CommitAnswer::Kind::kInDoubt, "timed out", false};
      case Fate::kHidden:
        kafka_.commit(transaction);
        kafka_.hidden = 1;
        kafka_.looks_until_marked = 3;
        spent_ = true;
        return {CommitAnswer::Kind::kInDoubt, "timed out", false};
      case Fate::kUnmarked: {
        const std::size_t before = kafka_.verdicts.size();
        kafka_.commit(transaction);
        kafka_.hidden = 1;
        kafka_.hidden_verdicts = kafka_.verdicts.size() - before;
        kafka_.looks_until_marked = 1'000'000;
        kafka_.is_seen = false;
        return {};
      }
      case Fate::kNotShown:
        shows_nothing_ = true;
        [[fallthrough]];
      case Fate::kShownLate: {
        const std::size_t before = kafka_.verdicts.size();
        kafka_.commit(transaction);
        kafka_.verdicts.resize(before);
        kafka_.open_verdicts = MemoryKafka::verdicts_of(transaction);
        kafka_.is_open_committed = true;
        return {};
      }
      case Fate::kLostOpen:
        kafka_.open_verdicts = MemoryKafka::verdicts_of(transaction);
        kafka_.is_open_committed = false;
        spent_ = true;
        return {CommitAnswer::Kind::kInDoubt, "timed out", false};
      case Fate::kTimedOutInside:
        kafka_.commit(transaction);
        spent_ = true;
        return {CommitAnswer::Kind::kCommitted, "", true};
      case Fate::kStale:
        kafka_.commit(transaction);
        kafka_.stale_looks = 5;
        return {};
      case Fate::kSilent:
        spent_ = true;
        return {};
      case Fate::kThereFenced:
        kafka_.commit(transaction);
        [[fallthrough]];
      case Fate::kLostFenced:
        spent_ = true;
        voted_out_ = true;
        return {CommitAnswer::Kind::kInDoubt, "timed out", false};
      case Fate::kCrashBefore:
        throw Crash();
      case Fate::kCrashAfter:
        kafka_.commit(transaction);
        throw Crash();
    }
    return {};
  }

  Status recycle() override {
    if (voted_out_) return Error{ErrorCode::kFenced, "another instance was elected"};
    if (leadership != nullptr && !leadership->held()) return voted_out();
    epoch_ = ++kafka_.epoch;
    spent_ = false;
    ++recycles;
    return {};
  }

  CommitAnswer await_shown(const Transaction&) override {
    if (std::exchange(shows_nothing_, false)) return {CommitAnswer::Kind::kInDoubt, "no leader", false};
    kafka_.show_open();
    return {};
  }

  Result<bool> is_settled() override { return kafka_.open_verdicts.empty(); }

  Result<bool> is_group_at(std::span<const CommittedPosition> positions) override {
    return std::ranges::all_of(positions, [&](const CommittedPosition& position) {
      const auto at = kafka_.group_offsets.find({position.topic, position.partition});
      return at != kafka_.group_offsets.end() && at->second == position.next;
    });
  }

  Result<bool> is_group_moved(std::span<const CommittedPosition> positions) override {
    return std::ranges::any_of(positions, [&](const CommittedPosition& position) {
      const auto at = kafka_.group_offsets.find({position.topic, position.partition});
      return at != kafka_.group_offsets.end() && at->second != position.next;
    });
  }

  Result<Ending> end_unmarked(std::span<const CommittedPosition> covered) override {
    ++asked_to_end;
    for (const CommittedPosition& position : covered)
      CHECK(position.next >= 0 && !position.topic.empty(), "a position of the journal");
    const bool is_committed = kafka_.open_verdicts.empty() ? kafka_.is_seen : kafka_.is_open_committed;
    if (is_committed) {
      kafka_.hidden = 0;
      kafka_.show_open();
    } else {
      kafka_.drop_hidden();
      kafka_.open_verdicts.clear();
    }
    if (Status status = recycle(); !status) return status.error();
    return is_committed ? Ending::kCommitted : Ending::kAborted;
  }

  const Leadership* leadership = nullptr;  // who has none makes no producer
  int recycles = 0;
  int asked_to_end = 0;

 private:
  MemoryKafka& kafka_;
  std::function<Fate()> fate_;
  std::uint64_t epoch_ = 0;
  bool spent_ = false;
  bool voted_out_ = false;
  bool shows_nothing_ = false;  // when it is waited for
};

class MemoryLog final : public SeekableLog {
 public:
  explicit MemoryLog(MemoryKafka& kafka) : kafka_(kafka) {}

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override {
    if (is_stale()) return {};
    while (position_ < kafka_.journal_end()) {
      const std::string& bytes = kafka_.journal[position_++];
      if (Status status = take(bytes, 1); !status) return status;
    }
    return {};
  }

  Result<bool> next(std::chrono::milliseconds,
                    const std::function<Status(std::string_view bytes)>& take) override {
    if (is_stale() || position_ == kafka_.journal_end()) return false;
    if (Status status = take(kafka_.journal[position_++]); !status) return status.error();
    return true;
  }

  Result<bool> is_settled() override {
    if (kafka_.hidden > 0 && --kafka_.looks_until_marked == 0) kafka_.hidden = 0;
    return kafka_.hidden == 0;
  }

  std::int64_t position() const override { return static_cast<std::int64_t>(position_); }
  Result<std::int64_t> end() override { return static_cast<std::int64_t>(kafka_.journal_end()); }
  Status start_at(std::int64_t position) override {
    position_ = static_cast<std::size_t>(position);
    return {};
  }

 private:
  bool is_stale() { return kafka_.stale_looks > 0 && kafka_.stale_looks-- > 0; }

  MemoryKafka& kafka_;
  std::size_t position_ = 0;
};

class MemoryLeadership final : public Leadership {
 public:
  bool held() const override { return leader; }
  std::uint64_t election() const override { return elections; }
  bool may_return() const override { return on_wait && on_wait(); }

  bool leader = true;
  std::uint64_t elections = 1;
  std::function<bool()> on_wait;  // of who has lost: whether it is worth waiting for
};

}  // namespace neardup
