#include "service/kafka/unmarked.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "service/codec/verdict_codec.h"
#include "service/journal/record.h"
#include "service/kafka/log_reader.h"

namespace neardup {
namespace {

constexpr std::int64_t kLookedAt = 20'000;     // records of a partition; a batch has half as many
constexpr std::int64_t kJournalLookedAt = 20;  // offsets; a record has two, and may take megabytes

using Place = ParsedVerdict::Place;

// Where the document came from; nullopt: it is no verdict of ours.
std::optional<Place> place_of(const Record& record, const std::string& topic, const KafkaConfig& config) {
  if (topic == config.topics.dead_letter) return dead_letter_place(record.headers);
  Result<ParsedVerdict> verdict = parse_verdict_json(record.value.value_or(""));
  if (!verdict) return std::nullopt;
  return std::move(verdict->source);
}

bool lies_behind(const std::optional<Place>& place, std::span<const CommittedPosition> covered) {
  if (!place) return false;
  for (const CommittedPosition& position : covered) {
    if (position.topic == place->topic && position.partition == place->partition)
      return place->offset >= position.next;
  }
  return true;
}

// Whether consumers can see one. Error kUnavailable, too: all that was looked at of a partition was aborted,
// and no other shows one.
Result<bool> sees_verdict_behind(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                 std::span<const StableEnds::Partition> partitions, StateBoard& board,
                                 const std::stop_token& stop) {
  Probe uncounted;
  std::string untold;
  for (const auto& [topic, partition] : partitions) {
    auto reader = KafkaLogReader::open(config, topic, partition, uncounted, board, stop);
    if (!reader) return reader.error();
    const Result<bool> from_beginning = (*reader)->start_near_end(kLookedAt);
    if (!from_beginning) return from_beginning.error();
    bool is_told = *from_beginning;
    bool is_behind = false;
    const Status status = (*reader)->read_records_to_end([&](const Record& record, double) -> Status {
      is_told = true;
      is_behind = is_behind || lies_behind(place_of(record, topic, config), covered);
      return {};
    });
    if (!status) return status.error();
    if (is_behind) return true;
    if (!is_told) untold = topic + "[" + std::to_string(partition) + "]";
  }
  if (untold.empty()) return false;
  return Error{ErrorCode::kUnavailable, "the last " + std::to_string(kLookedAt) + " records of " + untold +
                                            " were aborted: what can be seen there cannot be told"};
}

// What nobody who reads committed records can see.
Status read_open(const OpenPartition& from, const KafkaConfig& config, StateBoard& board,
                 const std::stop_token& stop, const std::function<Status(const Record&)>& take) {
  Probe uncounted;
  auto reader = KafkaLogReader::open(config, from.topic, from.partition, uncounted, board, stop,
                                     KafkaLogReader::Isolation::kReadUncommitted);
  if (!reader) return reader.error();
  if (Status status = (*reader)->start_at(from.stable); !status) return status;
  return (*reader)->read_records_to_end([&](const Record& record, double) { return take(record); });
}

Result<bool> holds_open_verdict_behind(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                       std::span<const OpenPartition> open, StateBoard& board,
                                       const std::stop_token& stop) {
  bool is_behind = false;
  for (const OpenPartition& partition : open) {
    const Status status = read_open(partition, config, board, stop, [&](const Record& record) -> Status {
      is_behind = is_behind || lies_behind(place_of(record, partition.topic, config), covered);
      return {};
    });
    if (!status) return status.error();
  }
  return is_behind;
}

struct JournalEnd {
  std::string last;  // the record that can be read last; "": the last ones were aborted, or there is none
  std::string open;  // the record that has no end; "": all have theirs
};

Result<JournalEnd> read_journal_end(const KafkaConfig& config, StateBoard& board,
                                    const std::stop_token& stop) {
  Probe uncounted;
  OpenPartition journal = {.topic = config.topics.journal};
  const auto reader = KafkaLogReader::open(config, journal.topic, journal.partition, uncounted, board, stop);
  if (!reader) return reader.error();
  if (const Result<bool> started = (*reader)->start_near_end(kJournalLookedAt); !started)
    return started.error();
  JournalEnd end;
  Status status = (*reader)->read_records_to_end([&](const Record& record, double) -> Status {
    end.last = record.value.value_or("");
    return {};
  });
  if (!status) return status.error();
  const Result<std::int64_t> stable = (*reader)->end();
  if (!stable) return stable.error();
  journal.stable = *stable;
  status = read_open(journal, config, board, stop, [&](const Record& record) -> Status {
    if (!end.open.empty())
      return Error{ErrorCode::kContradiction, "the journal holds several records that have no end"};
    end.open = record.value.value_or("");
    return {};
  });
  if (!status) return status.error();
  return end;
}

// Where the batch of a journal record ends. Error kContradiction: it is none.
Result<std::vector<Unmarked::Position>> positions_of(const std::string& bytes) {
  std::vector<Unmarked::Position> positions;
  if (bytes.empty()) return positions;
  const Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return Error{ErrorCode::kContradiction, record.error().message};
  for (const JournalPosition& one : record->positions) {
    positions.push_back(
        {std::string(record->topics.at(one.topic).name), one.partition, one.next, one.leader_epoch});
  }
  return positions;
}

std::vector<CommittedPosition> views(std::span<const Unmarked::Position> positions) {
  std::vector<CommittedPosition> views;
  for (const Unmarked::Position& one : positions)
    views.push_back({one.topic, one.partition, one.next, one.leader_epoch});
  return views;
}

}  // namespace

Result<Unmarked> look_at_unmarked(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                  std::span<const StableEnds::Partition> partitions,
                                  std::span<const OpenPartition> open, StateBoard& board,
                                  const std::stop_token& stop) {
  const Result<JournalEnd> journal = read_journal_end(config, board, stop);
  if (!journal) return journal.error();
  const Result<std::vector<Unmarked::Position>> last = positions_of(journal->last);
  if (!last) return last.error();
  std::vector<CommittedPosition> readable = views(*last);  // of a partition the first counts
  readable.insert(readable.end(), covered.begin(), covered.end());

  Unmarked unmarked;
  unmarked.in_journal = !journal->open.empty();
  const Result<bool> is_behind = unmarked.in_journal
                                     ? sees_verdict_behind(readable, config, partitions, board, stop)
                                     : holds_open_verdict_behind(readable, config, open, board, stop);
  if (!is_behind) return is_behind.error();
  unmarked.ending = unmarked.in_journal == *is_behind ? Ending::kCommitted : Ending::kAborted;
  if (unmarked.in_journal && unmarked.ending == Ending::kCommitted) {
    Result<std::vector<Unmarked::Position>> moved = positions_of(journal->open);
    if (!moved) return moved.error();
    unmarked.positions = *std::move(moved);
    unmarked.is_whole = false;
  } else {
    for (const CommittedPosition& one : readable)
      unmarked.positions.push_back({std::string(one.topic), one.partition, one.next, one.leader_epoch});
  }
  return unmarked;
}

}  // namespace neardup
