#include "service/pipeline/rebuilding.h"

#include <utility>

namespace neardup {

Status PreparedRecord::prepare(std::string_view bytes, JournalChain& chain) {
  Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return record.error().in("record " + std::to_string(chain.next_number()));
  if (Status status = chain.accept(*record, bytes); !status) return status;
  record_ = *std::move(record);
  const Status status = returning_.prepare(record_.uniques);
  return status ? status : status.error().in("record " + std::to_string(record_.number));
}

// The uniques, and between them what was deleted.
Status PreparedRecord::restore_uniques(Detector& detector) const {
  std::size_t begin = 0;
  for (const JournalDeletion& deletion : record_.deletions) {
    if (!detector.options().by_id) {
      return Error{ErrorCode::kContradiction,
                   "documents were deleted by their ids: who remembers this journal must know them. Set "
                   "index.by_id: true, or begin anew with another journal and group (kafka.topics.journal, "
                   "kafka.group)"};
    }
    detector.restore(returning_, begin, deletion.behind, record_.detector_options);
    begin = deletion.behind;
    if (const std::size_t forgotten = detector.forget(deletion.id).size(); forgotten != deletion.forgotten) {
      return Error{ErrorCode::kContradiction, "a deletion leaves " + std::to_string(forgotten) +
                                                  " uniques to forget, expected " +
                                                  std::to_string(deletion.forgotten)};
    }
  }
  detector.restore(returning_, begin, returning_.size(), record_.detector_options);
  return {};
}

Status PreparedRecord::remember(Detector& detector, Retention& retention) const {
  Status status = restore_uniques(detector);
  if (status) status = detector.restore(record_.clusters, record_.cluster_rule);
  if (!status) return status.error().in("record " + std::to_string(record_.number));
  detector.expire(record_.oldest);
  retention.replay({.oldest = detector.oldest(),
                    .size = detector.size(),
                    .time_ms = record_.time_ms,
                    .bytes = detector.bytes()});
  return {};
}

Rebuilding::Rebuilding(JournalChain& chain, Detector& detector, Retention& retention, int threads)
    : chain_(chain), detector_(detector), retention_(retention) {
  while (steps_.size() < kSteps) steps_.emplace_back(detector.options());
  detector.restore_on(threads);
  thread_ = std::thread([this] { run(); });
}

Status Rebuilding::take(std::string_view bytes) {
  {
    std::unique_lock lock(mutex_);
    remembered_changed_.wait(lock, [&] { return taken_ - remembered_ < kSteps; });
    if (!status_) return status_;
  }
  Step& step = steps_[taken_ % kSteps];
  step.bytes.assign(bytes);
  if (Status status = step.record.prepare(step.bytes, chain_); !status) return status;
  {
    const std::lock_guard lock(mutex_);
    ++taken_;
  }
  taken_changed_.notify_one();
  return {};
}

Status Rebuilding::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      is_last_ = true;
    }
    taken_changed_.notify_one();
    thread_.join();
    detector_.restore_on(1);
  }
  return status_;
}

void Rebuilding::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    taken_changed_.wait(lock, [&] { return is_last_ || taken_ > remembered_; });
    if (taken_ == remembered_) return;
    if (status_) {
      lock.unlock();
      Status status = steps_[remembered_ % kSteps].record.remember(detector_, retention_);
      lock.lock();
      status_ = std::move(status);
    }
    ++remembered_;
    remembered_changed_.notify_one();
  }
}

}  // namespace neardup
