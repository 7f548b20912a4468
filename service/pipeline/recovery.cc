#include "service/pipeline/recovery.h"

#include <chrono>
#include <span>

#include "service/clock.h"
#include "service/journal/record.h"

namespace neardup {
namespace {

// The uniques, and between them what was deleted.
Status restore_uniques(const JournalRecord& record, Detector& detector) {
  const std::span<const Unique> uniques(record.uniques);
  std::size_t taken = 0;
  for (const JournalDeletion& deletion : record.deletions) {
    if (!detector.options().by_id) {
      return Error{ErrorCode::kContradiction,
                   "documents were deleted by their ids: who remembers this journal must know them. Set "
                   "index.by_id: true, or begin anew with another journal and group (kafka.topics.journal, "
                   "kafka.group)"};
    }
    if (Status status = detector.restore(uniques.subspan(taken, deletion.behind - taken)); !status)
      return status;
    taken = deletion.behind;
    if (const std::size_t forgotten = detector.forget(deletion.id).size(); forgotten != deletion.forgotten) {
      return Error{ErrorCode::kContradiction, "a deletion leaves " + std::to_string(forgotten) +
                                                  " uniques to forget, expected " +
                                                  std::to_string(deletion.forgotten)};
    }
  }
  return detector.restore(uniques.subspan(taken));
}

}  // namespace

Status apply_record(std::string_view bytes, JournalChain& chain, Detector& detector, Retention& retention) {
  Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return record.error().in("record " + std::to_string(chain.next_number()));
  if (Status status = chain.accept(*record, bytes); !status) return status;
  if (Status status = restore_uniques(*record, detector); !status) {
    return status.error().in("record " + std::to_string(record->number));
  }
  for (const ClusterGain& gain : record->clusters) {
    if (Status status = detector.restore(gain, record->cluster_rule); !status) {
      return status.error().in("record " + std::to_string(record->number));
    }
  }
  detector.expire(record->oldest);
  retention.replay(detector.size(), record->time_ms);
  return {};
}

Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board) {
  const auto begin = std::chrono::steady_clock::now();
  const auto take = [&](std::string_view bytes, double progress) -> Status {
    board.beat();
    if (Status status = apply_record(bytes, chain, detector, retention); !status) return status;
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
  return {.entries = detector.remembered(),
          .bytes = detector.bytes(),
          .file_bytes = detector.file_bytes(),
          .truncated = counts.truncated - truncated_before,
          .hot_features = counts.hot_features,
          .clusters = detector.cluster_counts()};
}

Status follow(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention,
              std::chrono::milliseconds wait, Probe& probe, StateBoard& board) {
  const std::uint64_t before = chain.next_number();
  for (;; wait = std::chrono::milliseconds(1)) {
    board.beat();
    const Result<std::optional<std::string>> bytes = log.next(wait);
    if (!bytes) return bytes.error();
    if (!*bytes) break;
    if (Status status = apply_record(**bytes, chain, detector, retention); !status) return status;
  }
  if (chain.next_number() != before) {
    probe.index(index_counts(detector, detector.lookup_counts().truncated));
  }
  return {};
}

}  // namespace neardup
