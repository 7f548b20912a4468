#include "service/kafka/seen_verdicts.h"

#include <optional>
#include <string>

#include "service/codec/verdict_codec.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/topics.h"

namespace neardup {
namespace {

constexpr std::int64_t kLookedAt = 20'000;  // records of a partition; a batch has half as many

using Place = ParsedVerdict::Place;

// Where the document came from; nullopt: it is no verdict of ours.
std::optional<Place> place_of(const Record& record, bool is_dead_letter) {
  if (is_dead_letter) return dead_letter_place(record.headers);
  Result<ParsedVerdict> verdict = parse_verdict_json(record.value.value_or(""));
  if (!verdict) return std::nullopt;
  return std::move(verdict->source);
}

bool lies_behind(const Place& place, std::span<const CommittedPosition> covered) {
  for (const CommittedPosition& position : covered) {
    if (position.topic == place.topic && position.partition == place.partition)
      return place.offset >= position.next;
  }
  return true;
}

}  // namespace

Result<bool> sees_verdict_behind(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                 const std::array<std::int32_t, kOutputTopics>& partitions, StateBoard& board,
                                 const std::stop_token& stop) {
  Probe uncounted;
  const std::array<std::string, kOutputTopics> topics = output_topic_names(config.topics);
  for (std::size_t topic = 0; topic < topics.size(); ++topic) {
    const bool is_dead_letter = topic == static_cast<std::size_t>(OutputTopic::kDeadLetter);
    for (std::int32_t partition = 0; partition < partitions[topic]; ++partition) {
      auto reader = KafkaLogReader::open(config, topics[topic], partition, uncounted, board, stop);
      if (!reader) return reader.error();
      const Result<bool> from_beginning = (*reader)->start_near_end(kLookedAt);
      if (!from_beginning) return from_beginning.error();
      bool is_told = *from_beginning;
      bool is_behind = false;
      const Status status = (*reader)->read_records_to_end([&](const Record& record, double) -> Status {
        is_told = true;
        if (const std::optional<Place> place = place_of(record, is_dead_letter))
          is_behind = is_behind || lies_behind(*place, covered);
        return {};
      });
      if (!status) return status.error();
      if (is_behind || !is_told) return true;
    }
  }
  return false;
}

}  // namespace neardup
