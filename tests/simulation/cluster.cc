#include "tests/simulation/cluster.h"

#include <algorithm>
#include <span>
#include <utility>

namespace neardup {

std::size_t Cluster::partitions() const {
  const std::lock_guard lock(mutex_);
  return partitions_;
}

void Cluster::begin_with(std::size_t partitions) {
  const std::lock_guard lock(mutex_);
  partitions_ = partitions;
}

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

bool Cluster::arrives() {
  if (hidden_->loss.looks == kNever || --hidden_->loss.looks > 0) return false;
  end_hidden(hidden_->loss.where == Unmarked::kOfAbort ? Ending::kAborted : Ending::kCommitted);
  return true;
}

bool Cluster::is_settled() {
  const std::lock_guard lock(mutex_);
  return !hidden_ || !hidden_->in_journal() || arrives();
}

bool Cluster::is_shown() {
  const std::lock_guard lock(mutex_);
  return !hidden_ || hidden_->in_journal() || arrives();
}

bool Cluster::is_seen(const Hidden& hidden) const {
  for (std::size_t i = 0; i < committed_.back().verdicts.size(); ++i)
    if (!hidden.holds(i)) return true;
  return false;
}

std::optional<Ending> Cluster::look_at_unmarked(const std::map<std::int32_t, std::int64_t>& covered) {
  const std::lock_guard lock(mutex_);
  if (!hidden_) return Ending::kNone;
  // As of the last record that can be read: what `covered` is told by may be older.
  std::map<std::int32_t, std::int64_t> readable = covered;
  const auto last = std::find_if(committed_.rbegin() + (hidden_->in_journal() ? 1 : 0), committed_.rend(),
                                 [](const Content& content) { return !content.journal.empty(); });
  if (last != committed_.rend())
    for (const auto& [partition, next] : last->positions) readable[partition] = next;
  const Content& content = hidden_->loss.where == Unmarked::kOfAbort ? hidden_->aborted : committed_.back();
  const bool lies_behind = std::ranges::any_of(content.positions, [&](const auto& position) {
    return position.second > offset_in(readable, position.first).value_or(0);
  });
  if (!hidden_->in_journal()) return lies_behind ? Ending::kAborted : Ending::kCommitted;
  if (lies_behind && is_seen(*hidden_)) return Ending::kCommitted;
  // The journal as `covered` has it may have lost its end.
  for (const Content& known : std::span(committed_).first(committed_.size() - 1)) {
    for (const auto& [partition, next] : known.positions) {
      if (known.verdicts.empty() || next <= offset_in(covered, partition).value_or(0)) continue;
      if (hidden_->loss.looks == kNever) end_hidden(Ending::kAborted);
      return std::nullopt;
    }
  }
  return Ending::kAborted;
}

bool Cluster::is_journal_open() const {
  const std::lock_guard lock(mutex_);
  return hidden_ && hidden_->in_journal();
}

void Cluster::end_unmarked(Ending ending) {
  const std::lock_guard lock(mutex_);
  if (hidden_) end_hidden(ending);
}

void Cluster::end_hidden(Ending ending) {
  const Hidden hidden = *std::exchange(hidden_, std::nullopt);
  if (hidden.loss.where == Unmarked::kOfAbort) {
    if (ending == Ending::kCommitted) committed_.push_back(hidden.aborted);
    return;
  }
  if (ending == Ending::kCommitted) return;
  Content& content = committed_.back();
  std::size_t verdict = 0;
  std::erase_if(content.verdicts, [&](const MemoryVerdict&) { return hidden.holds(verdict++); });
  if (hidden.in_journal()) {
    std::erase_if(journal_, [&](const JournalEntry& e) { return e.offset >= hidden.stable_end; });
    content.journal.clear();
  }
  if (content.verdicts.empty() && content.journal.empty()) committed_.pop_back();
  if (hidden.loss.where == Unmarked::kEverywhere) group_offsets_ = hidden.offsets_before;
}

Cluster::Answer Cluster::move_group(std::uint64_t epoch,
                                    const std::map<std::int32_t, std::int64_t>& positions) {
  const std::lock_guard lock(mutex_);
  if (fencing_ && epoch != epoch_) return Answer::kFenced;
  for (const auto& [partition, next] : positions) group_offsets_[partition] = next;
  if (hidden_) {  // Kafka takes no transaction before the last one is complete: its end comes no more
    hidden_->loss.looks = kNever;
    hidden_->offsets_before = group_offsets_;
  }
  return Answer::kDone;
}

void Cluster::end_open(bool commit) {
  if (!open_) return;
  Content content = *std::move(open_);
  open_.reset();
  if (!content.journal.empty()) {
    if (hidden_) end_hidden(commit ? Ending::kCommitted : Ending::kAborted);
    // Of verdicts alone no mark is lost where there are none.
    const bool of_abort = losing_ && losing_->where == Unmarked::kOfAbort;
    const bool of_verdicts = of_abort || (losing_ && losing_->where == Unmarked::kInVerdicts);
    const bool loses = losing_ && commit != of_abort && !(of_verdicts && content.verdicts.empty());
    if (loses) hidden_ = {*losing_, journal_end_, group_offsets_, commit ? Content() : content};
    if (loses) hidden_->aborted.journal.clear();
    losing_.reset();
  }
  for (const std::string& bytes : content.journal) {
    if (commit) journal_.push_back({journal_end_, bytes});
    ++journal_end_;
  }
  if (!content.journal.empty()) ++journal_end_;  // the mark
  if (!commit) return;
  for (const auto& [partition, next] : content.positions) {
    group_offsets_[partition] = next;
    partitions_ = std::max(partitions_, static_cast<std::size_t>(partition) + 1);
  }
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
  const bool is_ended = hidden_ && hidden_->in_journal() && !is_seen(*hidden_);
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
