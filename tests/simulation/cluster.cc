#include "tests/simulation/cluster.h"

#include <algorithm>
#include <span>
#include <utility>

namespace neardup {

std::uint64_t Cluster::init_producer() {
  const std::lock_guard lock(mutex_);
  if (fencing_) {
    end_open(false);
    strays_.clear();  // of an older epoch now
  }
  return ++epoch_;
}

Cluster::Answer Cluster::send(std::uint64_t epoch, const std::function<void(Content&)>& add) {
  const std::lock_guard lock(mutex_);
  if (fencing_ && epoch != epoch_) return Answer::kFenced;
  for (Stray& stray : strays_) {
    if (stray.epoch != epoch) continue;
    if (stray.sends-- > 0) continue;
    ++strays_arrived_;
    end_open(true);
    stray = strays_.back();
    strays_.pop_back();
    break;
  }
  if (!open_) open_.emplace();
  add(*open_);
  return Answer::kDone;
}

Cluster::Answer Cluster::end(std::uint64_t epoch, bool commit) {
  const std::lock_guard lock(mutex_);
  if (fencing_ && epoch != epoch_) return Answer::kFenced;
  end_open(commit);
  return Answer::kDone;
}

void Cluster::delay_end(std::uint64_t epoch, std::size_t sends) {
  const std::lock_guard lock(mutex_);
  strays_.push_back({epoch, sends});
}

std::uint64_t Cluster::strays_arrived() const {
  const std::lock_guard lock(mutex_);
  return strays_arrived_;
}

void Cluster::lose_markers(std::uint64_t looks, Unmarked where) {
  const std::lock_guard lock(mutex_);
  losing_ = {looks, where};
}

bool Cluster::is_settled() {
  const std::lock_guard lock(mutex_);
  if (hidden_ && hidden_->loss.looks != kNobodyComes && --hidden_->loss.looks == 0) hidden_.reset();
  return !hidden_;
}

bool Cluster::sees_verdict_behind(const std::map<std::int32_t, std::int64_t>& covered) const {
  const std::lock_guard lock(mutex_);
  const std::size_t unseen = hidden_ && hidden_->loss.where != Unmarked::kInJournal ? 1 : 0;
  for (const Content& content : std::span(committed_).first(committed_.size() - unseen)) {
    if (content.verdicts.empty()) continue;
    for (const auto& [partition, next] : content.positions)
      if (next > offset_in(covered, partition).value_or(0)) return true;
  }
  return false;
}

void Cluster::end_unmarked() {
  const std::lock_guard lock(mutex_);
  abort_hidden();
}

void Cluster::call_operator() {
  const std::lock_guard lock(mutex_);
  if (hidden_ && hidden_->loss.looks == kNobodyComes) abort_hidden();
}

void Cluster::abort_hidden() {
  if (!hidden_) return;
  std::erase_if(journal_, [this](const JournalEntry& e) { return e.offset >= hidden_->stable_end; });
  committed_.back().journal.clear();
  if (hidden_->loss.where != Unmarked::kInJournal) committed_.back().verdicts.clear();
  if (committed_.back().verdicts.empty()) committed_.pop_back();
  if (hidden_->loss.where == Unmarked::kEverywhere) group_offsets_ = std::move(hidden_->offsets_before);
  hidden_.reset();
}

Cluster::Answer Cluster::move_group(std::uint64_t epoch,
                                    const std::map<std::int32_t, std::int64_t>& positions) {
  const std::lock_guard lock(mutex_);
  if (fencing_ && epoch != epoch_) return Answer::kFenced;
  for (const auto& [partition, next] : positions) group_offsets_[partition] = next;
  // The one tool that operators have (kafka-transactions.sh) aborts, as the writer does next.
  if (hidden_) hidden_ = {{kNobodyComes, hidden_->loss.where}, hidden_->stable_end, group_offsets_};
  return Answer::kDone;
}

void Cluster::end_open(bool commit) {
  if (!open_) return;
  Content content = *std::move(open_);
  open_.reset();
  if (!content.journal.empty()) {
    hidden_.reset();
    if (losing_ && commit) hidden_ = {*losing_, journal_end_, group_offsets_};
    losing_.reset();
  }
  for (const std::string& bytes : content.journal) {
    if (commit) journal_.push_back({journal_end_, bytes});
    ++journal_end_;
  }
  if (!content.journal.empty()) ++journal_end_;  // the mark
  if (!commit) return;
  for (const auto& [partition, next] : content.positions) group_offsets_[partition] = next;
  committed_.push_back(std::move(content));
}

std::optional<Cluster::JournalEntry> Cluster::journal_at(std::int64_t position, std::int64_t end) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::lower_bound(journal_, position, {}, &JournalEntry::offset);
  if (at == journal_.end() || at->offset >= std::min(end, readable_end())) return std::nullopt;
  return *at;
}

std::int64_t Cluster::journal_end() const {
  const std::lock_guard lock(mutex_);
  return readable_end();
}

std::optional<std::int64_t> Cluster::group_offset(std::int32_t partition) const {
  const std::lock_guard lock(mutex_);
  return offset_in(group_offsets_, partition);
}

std::optional<std::int64_t> Cluster::group_offset_without_unmarked(std::int32_t partition) const {
  const std::lock_guard lock(mutex_);
  const bool is_ended = hidden_ && hidden_->loss.where != Unmarked::kInJournal;
  return offset_in(is_ended ? hidden_->offsets_before : group_offsets_, partition);
}

std::optional<std::int64_t> Cluster::offset_in(const std::map<std::int32_t, std::int64_t>& offsets,
                                               std::int32_t partition) {
  const auto at = offsets.find(partition);
  return at == offsets.end() ? std::nullopt : std::optional(at->second);
}

bool Cluster::all_covered() const {
  const std::lock_guard lock(mutex_);
  for (std::size_t partition = 0; partition < input_.size(); ++partition) {
    const auto at = group_offsets_.find(static_cast<std::int32_t>(partition));
    const std::int64_t next = at == group_offsets_.end() ? 0 : at->second;
    if (next != static_cast<std::int64_t>(input_[partition].size())) return false;
  }
  return true;
}

}  // namespace neardup
