#include "service/kafka/unmarked.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service/journal/record.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/topics.h"

namespace neardup {
namespace {

constexpr std::int64_t kLookedAt = 320;  // offsets of a partition at first
// And once it is told: what others wrote there lies behind ours.
constexpr std::int64_t kLookedAtMax = 20'000;
constexpr std::int64_t kFurther = 8;           // so many times as far back
constexpr std::uint64_t kReadMax = 64 << 20;   // of bytes; a verdict may hold its page
constexpr std::int64_t kJournalLookedAt = 20;  // offsets; a record has two, and may take megabytes
constexpr std::chrono::milliseconds kGroupAsked{5000};
// The journal's record is the first of its transaction that is sent. A verdict that is so much older is of
// other records that had these offsets once, of a topic that was made again, or of another journal's time.
constexpr std::int64_t kOlderMs = 60'000;

using Place = ParsedVerdict::Place;

// Where the document came from; nullopt: it is no verdict on one of `inputs`.
std::optional<Place> place_of(const Record& record, const std::string& topic,
                              std::span<const std::string> inputs, const KafkaConfig& config) {
  std::optional<Place> place = place_in(record.headers);
  if (!place && topic != config.topics.dead_letter) {
    if (Result<ParsedVerdict> verdict = parse_verdict_json(record.value.value_or("")); verdict)
      place = std::move(verdict->source);
  }
  const bool is_ours = place && std::ranges::find(inputs, place->topic) != inputs.end();
  return is_ours ? place : std::nullopt;
}

void add_topics(const JournalRecord& record, std::vector<std::string>& inputs) {
  for (const JournalTopic& topic : record.topics) {
    if (std::ranges::find(inputs, topic.name) == inputs.end()) inputs.emplace_back(topic.name);
  }
}

bool lies_behind(const Place& place, std::span<const CommittedPosition> covered) {
  const CommittedPosition* const position = find_position(covered, place.topic, place.partition);
  return position == nullptr || place.offset >= position->next;
}

// Reads on to the end, or until `take` says that it is enough.
Status read_until(KafkaLogReader& reader, const std::function<bool(const Record&)>& take) {
  bool is_enough = false;
  const Status status = reader.read_records_to_end([&](const Record& record, double) -> Status {
    is_enough = take(record);
    if (is_enough) return Error{ErrorCode::kNotFound, "nothing more is looked for"};
    return {};
  });
  return is_enough ? Status() : status;
}

// What nobody who reads committed records can see, from its first record on; `take` says whether it is
// enough.
Status read_open(const OpenPartition& from, const KafkaConfig& config, StateBoard& board,
                 const std::stop_token& stop, const std::function<bool(const Record&)>& take) {
  Probe uncounted;
  auto reader = KafkaLogReader::open(config, from.topic, from.partition, uncounted, board, stop,
                                     KafkaLogReader::Isolation::kReadUncommitted);
  if (!reader) return reader.error();
  if (Status status = (*reader)->start_at(from.stable); !status) return status;
  return read_until(**reader, take);
}

struct JournalEnd {
  std::string last;                     // the record that can be read last; "": there is none
  std::optional<std::int64_t> last_ms;  // when it was sent; nullopt: none can be read
  std::string open;                     // the record that has no end; "": all have theirs
  std::int64_t open_ms = 0;
};

Result<JournalEnd> read_journal_end(const KafkaConfig& config, StateBoard& board,
                                    const std::stop_token& stop) {
  Probe uncounted;
  OpenPartition journal = {.topic = config.topics.journal};
  const auto reader = KafkaLogReader::open(config, journal.topic, journal.partition, uncounted, board, stop);
  if (!reader) return reader.error();
  JournalEnd end;
  bool is_told = false;  // what was aborted tells nothing: then we look further back
  for (std::int64_t looked_at = kJournalLookedAt; !is_told; looked_at *= 8) {
    const Result<bool> from_beginning = (*reader)->start_near_end(looked_at);
    if (!from_beginning) return from_beginning.error();
    const Status status = (*reader)->read_records_to_end([&](const Record& record, double) -> Status {
      end.last = record.value.value_or("");
      end.last_ms = record.timestamp_ms;
      return {};
    });
    if (!status) return status.error();
    is_told = *from_beginning || end.last_ms;
  }
  const Result<std::int64_t> stable = (*reader)->end();
  if (!stable) return stable.error();
  journal.stable = *stable;
  bool is_one = true;
  const Status status = read_open(journal, config, board, stop, [&](const Record& record) {
    is_one = end.open.empty();
    end.open = record.value.value_or("");
    end.open_ms = record.timestamp_ms;
    return !is_one;
  });
  if (!status) return status.error();
  if (!is_one) return Error{ErrorCode::kContradiction, "the journal holds several records that have no end"};
  return end;
}

// A record of the journal, which points into `bytes`; of no bytes, one that covers nothing. Error
// kContradiction: it is none.
Result<JournalRecord> decode(std::string_view bytes) {
  if (bytes.empty()) return JournalRecord();
  Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return Error{ErrorCode::kContradiction, record.error().message};
  for (const JournalPosition& position : record->positions) {
    if (position.topic >= record->topics.size())
      return Error{ErrorCode::kContradiction, "journal record: covers a topic that it does not name"};
  }
  return record;
}

bool covers(const JournalRecord& record, const Place& place) {
  return std::ranges::any_of(record.positions, [&](const JournalPosition& one) {
    return record.topics.at(one.topic).name == place.topic && one.partition == place.partition &&
           one.from <= place.offset && place.offset < one.next;
  });
}

// Where the batch of `record` moves the group.
std::vector<CommittedPosition> positions_of(const JournalRecord& record) {
  std::vector<CommittedPosition> positions;
  for (const JournalPosition& one : record.positions) {
    positions.push_back(
        {std::string(record.topics.at(one.topic).name), one.partition, one.next, one.leader_epoch});
  }
  return positions;
}

// From when on a verdict behind the readable journal tells that it has lost its end: what it lost is younger
// than what it has. Where nothing can be read, a journal may have been begun anew, and old verdicts are
// another's; but of one that holds more than its first batch, or an operator's word, all count.
std::int64_t lost_since(const JournalRecord& batch, std::int64_t open_ms,
                        std::optional<std::int64_t> last_ms) {
  if (last_ms) return std::min(*last_ms, open_ms) - kOlderMs;
  const bool is_begun_anew = batch.number == 0 && !is_acceptance(batch);
  return is_begun_anew ? open_ms - kOlderMs : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

// What is seen last is of the batch, or no record is: so what is told does not hang on how far back that was.
std::int64_t internal::further_back(std::int64_t looked_at, std::uint64_t bytes, bool is_told) {
  const bool is_enough = looked_at >= kLookedAtMax || bytes > kReadMax / static_cast<std::uint64_t>(kFurther);
  return is_told && is_enough ? 0 : looked_at * kFurther;
}

Result<bool> sees_verdict_of(const JournalRecord& batch, std::int64_t open_ms,
                             std::optional<std::int64_t> last_ms, std::span<const CommittedPosition> readable,
                             const KafkaConfig& config, std::span<const TopicPartition> partitions,
                             StateBoard& board, const std::stop_token& stop) {
  const std::int64_t since_ms = lost_since(batch, open_ms, last_ms);
  std::vector<std::string> inputs = config.topics.input;
  add_topics(batch, inputs);
  Probe uncounted;
  std::string unknown;
  for (const auto& [topic, partition] : partitions) {
    auto reader = KafkaLogReader::open(config, topic, partition, uncounted, board, stop);
    if (!reader) return reader.error();
    bool is_seen = false;
    for (std::int64_t looked_at = kLookedAt; looked_at > 0;) {
      const Result<bool> from_beginning = (*reader)->start_near_end(looked_at);
      if (!from_beginning) return from_beginning.error();
      bool is_told = false;  // what was aborted tells nothing
      std::uint64_t bytes = 0;
      const Status status = read_until(**reader, [&](const Record& record) {
        is_told = true;
        bytes += record.value.value_or("").size();
        const std::optional<Place> place = place_of(record, topic, inputs, config);
        if (!place) return false;
        if (covers(batch, *place)) {
          is_seen = record.timestamp_ms >= open_ms - kOlderMs;
        } else if (record.timestamp_ms >= since_ms && lies_behind(*place, readable)) {
          unknown =
              place->topic + ":" + std::to_string(place->partition) + "@" + std::to_string(place->offset);
        }
        return is_seen;
      });
      if (!status) return status.error();
      if (is_seen) return true;
      looked_at = *from_beginning ? 0 : internal::further_back(looked_at, bytes, is_told);
    }
  }
  if (unknown.empty()) return false;
  return Error{ErrorCode::kContradiction,
               "there is a verdict on " + unknown + ", which the journal does not know: it has lost its end"};
}

namespace {

// Whether verdicts without an end are of a batch that the journal has. Error kContradiction: some are.
Result<bool> is_covered(std::span<const UnmarkedPartition> open,
                        std::span<const CommittedPosition> readable) {
  const auto behind = std::ranges::count_if(
      open, [&](const UnmarkedPartition& one) { return lies_behind(one.source, readable); });
  if (behind == 0 || behind == std::ssize(open)) return behind == 0;
  return Error{ErrorCode::kContradiction,
               "verdicts without an end are in part of a batch that the journal has, in part of none"};
}

}  // namespace

Result<std::vector<std::string>> inputs_of_journal(const KafkaConfig& config, StateBoard& board,
                                                   const std::stop_token& stop) {
  const Result<JournalEnd> journal = read_journal_end(config, board, stop);
  if (!journal) return journal.error();
  std::vector<std::string> inputs = config.topics.input;
  for (const std::string& bytes : {journal->last, journal->open}) {
    const Result<JournalRecord> record = decode(bytes);
    if (!record) return record.error();
    add_topics(*record, inputs);
  }
  return inputs;
}

Result<std::vector<UnmarkedPartition>> ours_of(std::span<const OpenPartition> open,
                                               std::span<const std::string> inputs, const KafkaConfig& config,
                                               StateBoard& board, const std::stop_token& stop) {
  std::vector<UnmarkedPartition> ours;
  for (const OpenPartition& one : open) {
    std::optional<Place> place;
    const Status status = read_open(one, config, board, stop, [&](const Record& record) {
      place = place_of(record, one.topic, inputs, config);
      return true;
    });
    if (!status) return status.error();
    if (place) ours.push_back({one, *std::move(place)});
  }
  return ours;
}

Result<Unmarked> look_at_unmarked(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                  std::span<const TopicPartition> partitions,
                                  std::span<const UnmarkedPartition> open, StateBoard& board,
                                  const std::stop_token& stop) {
  const Result<JournalEnd> journal = read_journal_end(config, board, stop);
  if (!journal) return journal.error();
  const Result<JournalRecord> last = decode(journal->last);
  if (!last) return last.error();
  const Result<JournalRecord> without_end = decode(journal->open);
  if (!without_end) return without_end.error();
  std::vector<CommittedPosition> readable = positions_of(*last);
  readable.insert(readable.end(), covered.begin(), covered.end());

  Unmarked unmarked;
  unmarked.in_journal = !journal->open.empty();
  const Result<bool> is_committed = unmarked.in_journal
                                        ? sees_verdict_of(*without_end, journal->open_ms, journal->last_ms,
                                                          readable, config, partitions, board, stop)
                                        : is_covered(open, readable);
  if (!is_committed) return is_committed.error();
  unmarked.ending = *is_committed ? Ending::kCommitted : Ending::kAborted;
  unmarked.is_whole = !(unmarked.in_journal && *is_committed);
  unmarked.positions = unmarked.is_whole ? std::move(readable) : positions_of(*without_end);
  return unmarked;
}

Result<Unmarked> look_at_open_positions(std::span<const CommittedPosition> covered,
                                        std::span<const CommittedPosition> all, const KafkaConfig& config,
                                        std::span<const TopicPartition> partitions, StateBoard& board,
                                        const std::stop_token& stop) {
  const auto group = read_group(config, all, kGroupAsked, stop, OpenPositions::kLeftOut);
  if (!group) return group.error();
  Unmarked unmarked;
  bool is_behind = false;
  bool is_ahead = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CommittedPosition* const known = find_position(covered, all[i].topic, all[i].partition);
    if (known == nullptr) {
      unmarked.positions.push_back({all[i].topic, all[i].partition, (*group)[i].value_or(0)});
      continue;
    }
    unmarked.positions.push_back(*known);
    const std::int64_t next = (*group)[i].value_or(known->next);
    is_behind = is_behind || next < known->next;
    is_ahead = is_ahead || next > known->next;
  }
  if (is_behind && !is_ahead) unmarked.ending = Ending::kCommitted;
  if (is_behind || is_ahead) return unmarked;
  const Result<JournalEnd> journal = read_journal_end(config, board, stop);
  if (!journal) return journal.error();
  if (!journal->last_ms) return unmarked;
  const Result<bool> lost = sees_verdict_of(JournalRecord(), *journal->last_ms, journal->last_ms, covered,
                                            config, partitions, board, stop);
  if (!lost) return lost.error();
  return unmarked;
}

}  // namespace neardup
