#include "service/pipeline/recovery.h"

#include <algorithm>
#include <chrono>

#include "service/journal/record.h"

namespace neardup {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board) {
  const auto begin = std::chrono::steady_clock::now();
  const auto take = [&](std::string_view bytes, double progress) -> Status {
    board.beat();
    Result<JournalRecord> record = decode_journal_record(bytes);
    if (!record) return record.error().in("record " + std::to_string(chain.next_number()));
    if (Status status = chain.accept(*record, bytes); !status) return status;
    for (const Unique& unique : record->uniques) {
      if (Status status = detector.restore(unique); !status) {
        return status.error().in("record " + std::to_string(chain.next_number() - 1));
      }
    }
    detector.expire(record->oldest);
    retention.replay(detector.size(), record->time_ms);
    probe.restored(chain.next_number(), progress, seconds_since(begin));
    return {};
  };
  if (Status status = log.read_to_end(take); !status) return status;
  CHECK(detector.size() == chain.next_sequence(), "the index holds what the journal says");
  probe.restored(chain.next_number(), 1, seconds_since(begin));
  probe.index(index_counts(detector, detector.lookup_counts().truncated));
  return {};
}

IndexCounts index_counts(const Detector& detector, std::uint64_t truncated_before) {
  const Detector::LookupCounts counts = detector.lookup_counts();
  return {.entries = detector.size() - detector.oldest(),
          .bytes = detector.bytes(),
          .file_bytes = detector.file_bytes(),
          .truncated = counts.truncated - truncated_before,
          .hot_features = counts.hot_features};
}

Result<InputPlan> plan_input(const JournalChain& chain, std::span<const InputTopic> configured) {
  InputPlan plan;
  plan.topics = chain.topics();
  for (const InputTopic& topic : configured) {
    const auto known = std::find_if(plan.topics.begin(), plan.topics.end(),
                                    [&](const JournalChain::Topic& t) { return t.name == topic.name; });
    const auto ordinal = static_cast<std::uint32_t>(known - plan.topics.begin());
    if (known == plan.topics.end()) {
      plan.topics.push_back({topic.name, topic.id});
    } else if (known->id != topic.id) {
      return Error{
          ErrorCode::kContradiction,
          "input topic " + topic.name +
              " was deleted and made again since the journal last saw it: its offsets mean other records "
              "now. "
              "Read the new one under another journal (kafka.topics.journal), or name a topic that still is "
              "what the journal knows"};
    }
    for (std::int32_t partition = 0; partition < topic.partitions; ++partition) {
      InputPosition position;
      position.topic = ordinal;
      position.topic_name = topic.name;
      position.partition = partition;
      if (const auto at = chain.positions().find({ordinal, partition}); at != chain.positions().end()) {
        position.next = at->second.next;
        position.leader_epoch = at->second.leader_epoch;
      }
      plan.positions.push_back(std::move(position));
    }
    const auto beyond = chain.positions().lower_bound({ordinal, topic.partitions});
    if (beyond != chain.positions().end() && beyond->first.first == ordinal) {
      return Error{ErrorCode::kContradiction, "input topic " + topic.name + " has " +
                                                  std::to_string(topic.partitions) +
                                                  " partitions, but the journal has read partition " +
                                                  std::to_string(beyond->first.second)};
    }
  }
  return plan;
}

}  // namespace neardup
