#include "service/pipeline/rebuilding.h"

#include <algorithm>
#include <span>
#include <utility>

namespace neardup {

Result<std::shared_ptr<const AcceptedRecord>> accept_record(std::string_view bytes, JournalChain& chain) {
  auto accepted = std::make_shared<AcceptedRecord>();
  accepted->bytes = bytes;
  Result<JournalRecord> record = decode_journal_record(accepted->bytes);
  if (!record) return record.error().in("record " + std::to_string(chain.next_number()));
  if (Status status = chain.accept(*record, accepted->bytes); !status) return status.error();
  accepted->record = *std::move(record);
  return std::shared_ptr<const AcceptedRecord>(std::move(accepted));
}

Status RecordPortion::prepare(std::shared_ptr<const AcceptedRecord> record, std::size_t begin) {
  record_ = std::move(record);
  begin_ = end_ = begin;
  const std::span<const Unique> uniques(record_->record.uniques);
  for (std::size_t bytes = 0; end_ < uniques.size() && end_ - begin_ < kCountMax && bytes < kKeptBytesMax;
       ++end_) {
    bytes += uniques[end_].kept.size();
  }
  const Status status = returning_.prepare(uniques.subspan(begin_, end_ - begin_));
  return status ? status : status.error().in("record " + std::to_string(record_->record.number));
}

// The uniques, and between them what was deleted. What was deleted just behind them the next portion begins
// with.
Status RecordPortion::restore_uniques(Detector& detector) const {
  const JournalRecord& record = record_->record;
  std::size_t at = begin_;
  const auto restore_to = [&](std::size_t end) {
    detector.restore(returning_, at - begin_, end - begin_, record.detector_options);
    at = end;
  };
  for (auto deletion = std::ranges::lower_bound(record.deletions, begin_, {}, &JournalDeletion::behind);
       deletion != record.deletions.end() && (deletion->behind < end_ || is_last()); ++deletion) {
    if (!detector.options().by_id) {
      return Error{ErrorCode::kContradiction,
                   "documents were deleted by their ids: who remembers this journal must know them. Set "
                   "index.by_id: true, or begin anew with another journal and group (kafka.topics.journal, "
                   "kafka.group)"};
    }
    restore_to(deletion->behind);
    if (const std::size_t forgotten = detector.forget(deletion->id).size();
        forgotten != deletion->forgotten) {
      return Error{ErrorCode::kContradiction, "a deletion leaves " + std::to_string(forgotten) +
                                                  " uniques to forget, expected " +
                                                  std::to_string(deletion->forgotten)};
    }
  }
  restore_to(end_);
  return {};
}

Status RecordPortion::remember(Detector& detector, Retention& retention) const {
  const JournalRecord& record = record_->record;
  Status status = restore_uniques(detector);
  if (status && is_last()) status = detector.restore(record.clusters, record.cluster_rule);
  if (!status) return status.error().in("record " + std::to_string(record.number));
  if (!is_last()) return {};
  detector.expire(record.oldest);
  retention.replay({.oldest = detector.oldest(),
                    .size = detector.size(),
                    .time_ms = record.time_ms,
                    .bytes = detector.bytes()});
  return {};
}

Status remember_record(const std::shared_ptr<const AcceptedRecord>& record, RecordPortion& portion,
                       Detector& detector, Retention& retention) {
  for (std::size_t begin = 0;; begin = portion.end()) {
    if (Status status = portion.prepare(record, begin); !status) return status;
    if (Status status = portion.remember(detector, retention); !status) return status;
    if (portion.is_last()) return {};
  }
}

Rebuilding::Rebuilding(JournalChain& chain, Detector& detector, Retention& retention, int threads)
    : chain_(chain), detector_(detector), retention_(retention) {
  while (portions_.size() < kPortions) portions_.emplace_back(detector.options());
  detector.restore_on(threads);
  thread_ = std::thread([this] { run(); });
}

Status Rebuilding::take(std::string_view bytes) {
  auto record = accept_record(bytes, chain_);
  return record ? take(*record) : record.error();
}

Status Rebuilding::take(const std::shared_ptr<const AcceptedRecord>& record) {
  bool is_last = false;
  for (std::size_t begin = 0; !is_last;) {
    {
      std::unique_lock lock(mutex_);
      remembered_changed_.wait(lock, [&] { return taken_ - remembered_ < kPortions; });
      if (!status_) return status_;
    }
    RecordPortion& portion = portions_[taken_ % kPortions];
    if (Status status = portion.prepare(record, begin); !status) return status;
    begin = portion.end();
    is_last = portion.is_last();
    {
      const std::lock_guard lock(mutex_);
      ++taken_;
    }
    taken_changed_.notify_one();
  }
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
      Status status = portions_[remembered_ % kPortions].remember(detector_, retention_);
      lock.lock();
      status_ = std::move(status);
    }
    ++remembered_;
    remembered_changed_.notify_one();
  }
}

}  // namespace neardup
