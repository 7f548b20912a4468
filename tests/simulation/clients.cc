#include "tests/simulation/clients.h"

#include <algorithm>
#include <array>
#include <map>
#include <thread>

#include "core/base/check.h"

namespace neardup {

using std::chrono::milliseconds;

// ---- The input ----

Status SimulatedSource::assign(std::span<const InputPosition> positions) {
  for (const InputPosition& position : positions)
    positions_.push_back({position.topic, position.partition, std::max<std::int64_t>(0, position.next)});
  return {};
}

Status SimulatedSource::poll(std::vector<Record>& records, std::size_t records_max, milliseconds) {
  Draw draw = instance_.faults.draw("poll", instance_.life, ++polls_);
  if (draw.one_in(80) && instance_.faults.strikes(Fault::kPollFails)) {
    has_failed_ = true;
    return Error{ErrorCode::kUnavailable, "the input does not answer"};
  }
  if (instance_.faults.draw("rest", instance_.life, polls_).one_in(25) &&
      instance_.faults.strikes(Fault::kVotedOutAtRest)) {
    instance_.is_at_rest = true;
    at_end_.request_stop();
  }
  if (instance_.faults.draw("growth", instance_.life, polls_).one_in(8)) grow();
  std::size_t count = std::min<std::size_t>(records_max, 1 + draw.below(batch_max_));
  if (draw.one_in(8) && instance_.faults.strikes(Fault::kPollEmpty)) count = 0;
  for (;;) {
    std::vector<Position*> filled;
    for (Position& position : positions_) {
      if (position.next < static_cast<std::int64_t>(log_of(position).size())) filled.push_back(&position);
    }
    if (filled.empty() && grow()) continue;
    if (filled.empty()) at_end_.request_stop();
    if (filled.empty() || count-- == 0) return {};
    Position& position = *filled[draw.below(filled.size())];
    const MemoryRecord& from = log_of(position)[static_cast<std::size_t>(position.next)];
    Record& record = records.emplace_back();
    record.source = {position.topic, position.partition, position.next++};
    if (from.key) record.key = batches_.back().emplace_back(*from.key);
    if (from.value) record.value = batches_.back().emplace_back(*from.value);
    if (!from.value && instance_.planted == Planted::kDeletionOff) record.key = "nobody";
    record.timestamp_ms = from.timestamp_ms;
  }
}

void SimulatedSource::idle() { ++idles_; }

void SimulatedSource::come_to_rest() {
  // One may be of before the last batch was given back.
  const std::uint64_t enough = idles_ + 2;
  for (int times = 0; times < 1000; ++times) {
    if (idles_ >= enough || has_failed_ || at_end_.stop_requested()) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

bool SimulatedSource::grow() {
  if (positions_.size() == instance_.cluster.input().size()) return false;
  positions_.push_back({positions_.front().topic, static_cast<std::int32_t>(positions_.size()), 0});
  return true;
}

void SimulatedSource::take_rests(std::vector<RestPosition>& rests) {
  Draw draw = instance_.faults.draw("rests", instance_.life, ++asked_for_rests_);
  if (!draw.one_in(10)) return;
  const Position& position = positions_[draw.below(positions_.size())];
  if (position.next > 0) rests.push_back({position.topic, position.partition, position.next});
}

void SimulatedSource::close_batch() {
  const std::lock_guard lock(mutex_);
  batches_.emplace_back();
}

void SimulatedSource::release() { write_over(released_++); }

void SimulatedSource::write_over(std::size_t batch) {
  const std::lock_guard lock(mutex_);
  CHECK(batch + 1 < batches_.size(), "a closed batch that was not released");
  for (std::string& bytes : batches_[batch]) std::ranges::fill(bytes, '?');
}

// ---- Transactions ----

namespace {

// Of a verdict on a document, one digit of its signature.
void change(MemoryVerdict& verdict) {
  constexpr std::string_view kField = R"("signature":")";
  const std::size_t at = verdict.value ? verdict.value->find(kField) : std::string::npos;
  if (at == std::string::npos) return;
  char& digit = (*verdict.value)[at + kField.size()];
  digit = digit == '0' ? '1' : '0';
}

}  // namespace

CommitAnswer SimulatedSink::commit(const Transaction& transaction) {
  if (spent_ && instance_.planted != Planted::kRecycleOff)
    instance_.violation = "a producer in doubt began another transaction";
  if (instance_.before_commit) instance_.before_commit();
  journal_bytes_ = transaction.journal_record;
  moves_group_ = std::ranges::any_of(transaction.positions, [&](const CommittedPosition& position) {
    return instance_.cluster.group_offset(position.partition) != position.next;
  });
  read_back_fault_.reset();
  Draw draw = instance_.faults.draw("commit", instance_.life, ++attempts_);
  const std::optional<Fault> fault = draw_fault(draw);
  const std::size_t records = transaction.records.size();
  const std::size_t sends = records + 2;  // the journal record, verdicts, positions
  std::size_t place = sends;              // of what strikes while it is sent
  if (fault == Fault::kCrashBeforeBegin || fault == Fault::kZombieBeforeBegin) place = 0;
  if (fault == Fault::kCrashInProduce || fault == Fault::kZombieInProduce || fault == Fault::kProduceFailed)
    place = 1 + draw.below(std::max<std::size_t>(records, 1));  // what was accepted has none
  if (fault == Fault::kCrashBeforeOffsets) place = sends - 1;
  for (std::size_t i = 0;; ++i) {
    if (i == place && fault) {
      if (std::optional<CommitAnswer> answer = strike_while_sending(*fault, draw)) return *answer;
    }
    if (i == sends) break;
    const Cluster::Answer answer = instance_.cluster.send(epoch_, [&](Cluster::Content& content) {
      if (i == 0) {
        content.journal.emplace_back(transaction.journal_record);
      } else if (i <= records) {
        if (i == records && instance_.planted == Planted::kVerdictDropped) return;
        content.verdicts.push_back(kept(transaction.records[i - 1]));
        if (instance_.planted == Planted::kVerdictChanged) change(content.verdicts.back());
      } else {
        for (const CommittedPosition& position : transaction.positions)
          content.positions[position.partition] = position.next;
      }
    });
    if (answer == Cluster::Answer::kFenced) return fenced();
  }
  return end(fault, draw, sends);
}

Status SimulatedSink::recycle() {
  Draw draw = instance_.faults.draw("recycle", instance_.life, ++recycles_);
  if (instance_.planted == Planted::kRecycleOff && epoch_ > 0) return {};
  if (late_ && draw.one_in(2)) (void)instance_.cluster.end(epoch_, true);
  late_ = false;
  if (!instance_.leadership.held()) return voted_out();
  epoch_ = instance_.cluster.init_producer();
  spent_ = false;
  if (draw.one_in(30) && instance_.faults.strikes(Fault::kCrashInRecycle)) instance_.die();
  return {};
}

// Its own look may be in vain; then the transaction that marks it again ends all that is open as committed.
// Seen or not, a request may have gone without an answer by then.
CommitAnswer SimulatedSink::await_shown(const Transaction& transaction) {
  if (instance_.planted == Planted::kShownOff) return {};
  if (!instance_.cluster.is_shown()) {
    Draw draw = instance_.faults.draw("shown", instance_.life, attempts_);
    if (draw.one_in(6) && instance_.faults.strikes(Fault::kCrashBeforeShown)) instance_.die();
    if (draw.one_in(4)) return doubt("not all of it can be seen");
    if (instance_.cluster.move_group(epoch_, {}) == Cluster::Answer::kFenced) return fenced();
    instance_.cluster.end_unmarked(Ending::kCommitted);
  }
  Draw draw = instance_.faults.draw("retried", instance_.life, attempts_);
  if (!draw.one_in(6) || !instance_.faults.strikes(Fault::kShownRetried)) return {};
  const std::size_t sends = transaction.records.size() + 2;
  instance_.cluster.delay_end(epoch_, draw.below(2 * sends));
  if (instance_.planted == Planted::kRetriedOff) return {};
  return retried();
}

Result<bool> SimulatedSink::is_settled() {
  return instance_.planted == Planted::kShownOff || instance_.cluster.is_shown();
}

Result<bool> SimulatedSink::is_group_at(std::span<const CommittedPosition> positions) {
  return instance_.planted != Planted::kWitnessOff &&
         std::ranges::all_of(positions, [&](const CommittedPosition& position) {
           return instance_.cluster.group_offset(position.partition) == position.next;
         });
}

Result<bool> SimulatedSink::is_group_moved(std::span<const CommittedPosition> positions) {
  return std::ranges::any_of(positions, [&](const CommittedPosition& position) {
    return instance_.cluster.group_offset(position.partition).value_or(position.next) != position.next;
  });
}

Result<Ending> SimulatedSink::end_unmarked(std::span<const CommittedPosition> covered) {
  std::map<std::int32_t, std::int64_t> positions;  // of none: the beginning
  for (std::size_t i = 0; i < instance_.cluster.partitions(); ++i)
    positions[static_cast<std::int32_t>(i)] = 0;
  for (const CommittedPosition& position : covered) positions[position.partition] = position.next;
  const std::optional<Ending> seen = instance_.planted == Planted::kSeenOff
                                         ? Ending::kAborted
                                         : instance_.cluster.look_at_unmarked(positions);
  if (!seen) return Error{ErrorCode::kContradiction, "the journal has lost its end"};
  const Ending ending = *seen;
  if (ending == Ending::kAborted && instance_.cluster.is_journal_open() &&
      instance_.planted != Planted::kGivingBackOff) {
    if (instance_.cluster.move_group(epoch_, positions) == Cluster::Answer::kFenced)
      return Error{ErrorCode::kUnavailable, "a newer writer is there"};
    if (Status status = recycle(); !status) return status.error();
  }
  if (!instance_.leadership.held()) return voted_out();
  instance_.cluster.end_unmarked(ending);
  if (Status status = recycle(); !status) return status.error();
  return ending;
}

std::optional<Fault> SimulatedSink::draw_fault(Draw& draw) const {
  constexpr auto kFirst = static_cast<std::uint64_t>(Fault::kCrashBeforeBegin);
  constexpr auto kLast = static_cast<std::uint64_t>(Fault::kReadBackFails);
  const auto fault = static_cast<Fault>(kFirst + draw.below(kLast - kFirst + 1));
  if (!draw.percent(instance_.fault_share)) return std::nullopt;
  const bool zombie = fault >= Fault::kZombieBeforeBegin && fault <= Fault::kZombieBeforeAnswer;
  if (zombie && (!instance_.may_stand_still || instance_.outlived)) return std::nullopt;
  return instance_.faults.strikes(fault) ? std::optional(fault) : std::nullopt;
}

std::optional<CommitAnswer> SimulatedSink::strike_while_sending(Fault fault, Draw& draw) {
  switch (fault) {
    case Fault::kCrashBeforeBegin:
    case Fault::kCrashInProduce:
    case Fault::kCrashBeforeOffsets:
    case Fault::kCrashBeforeCommit:
      instance_.die();
    case Fault::kZombieBeforeBegin:
    case Fault::kZombieInProduce:
    case Fault::kZombieBeforeCommit:
      instance_.stand_still(draw);
      return std::nullopt;
    case Fault::kProduceFailed:
      return doubt("a record was not delivered");
    case Fault::kAborted:
      if (instance_.cluster.end(epoch_, false) == Cluster::Answer::kFenced) return fenced();
      return doubt("the coordinator gave the transaction up");
    default:
      return std::nullopt;
  }
}

CommitAnswer SimulatedSink::end(std::optional<Fault> fault, Draw& draw, std::size_t sends) {
  if (fault == Fault::kCommitLost) return doubt("timed out");
  if (fault == Fault::kCommitLate) {
    // It arrives before the next producer is made, or is refused; of a producer that goes on, it ends what
    // is open then.
    late_ = true;
    if (instance_.planted == Planted::kRecycleOff) instance_.cluster.delay_end(epoch_, draw.below(2 * sends));
    return doubt("timed out");
  }
  if (fault == Fault::kAbortMarkersLost) {
    instance_.cluster.lose_markers(1 + draw.below(4), Cluster::Unmarked::kOfAbort);
    return doubt("timed out");
  }
  if (fault == Fault::kMarkersLost) {
    using enum Cluster::Unmarked;
    constexpr std::array kWhere = {kInJournal, kInSome, kInTopics, kEverywhere, kInVerdicts};
    instance_.cluster.lose_markers(1 + draw.below(4), kWhere[draw.below(kWhere.size())]);
  }
  const bool executed = fault != Fault::kCommitFalse && (fault != Fault::kVotedOut || draw.one_in(2));
  if (instance_.cluster.end(epoch_, executed) == Cluster::Answer::kFenced) return fenced();
  if (!fault) return {};
  switch (*fault) {
    case Fault::kEndStale:
      if (!moves_group_) return {};
      instance_.stale_looks = 1 + draw.below(5);
      return draw.one_in(2) ? doubt("timed out") : CommitAnswer();
    case Fault::kMarkersLost:
      return draw.one_in(2) ? doubt("timed out") : CommitAnswer();
    case Fault::kCommitUnanswered:
      return doubt("timed out");
    case Fault::kCommitRetried:
      instance_.cluster.delay_end(epoch_, draw.below(2 * sends));
      return retried();
    case Fault::kCrashBeforeAnswer:
      instance_.die();
    case Fault::kZombieBeforeAnswer:
      instance_.stand_still(draw);
      return {};
    case Fault::kVotedOut:
      if (instance_.may_stand_still && draw.one_in(2)) instance_.other_lives();
      instance_.lose_election(draw);
      return doubt("timed out");
    default:
      read_back_fault_ = fault;
      return {};
  }
}

// ---- The journal ----

Status SimulatedLog::read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) {
  if (is_stale()) return {};
  const std::int64_t end = journal_end();
  if (position_ > end) return Error{ErrorCode::kContradiction, "the journal ends before what was read of it"};
  const bool restoring = !std::exchange(restored_, true);
  if (!restoring && planted(Planted::kChainOff)) {
    position_ = end;
    return {};
  }
  std::uint64_t records = 0;
  while (const std::optional<Cluster::JournalEntry> entry = cluster_.journal_at(position_, end)) {
    if (restoring && instance_ != nullptr) {
      if (Status status = strike_restoring(records); !status) return status;
    }
    ++records;
    position_ = entry->offset + 1;
    if (Status status = take(entry->bytes, static_cast<double>(position_) / static_cast<double>(end));
        !status)
      return status;
  }
  return {};
}

Result<bool> SimulatedLog::next(milliseconds, const std::function<Status(std::string_view bytes)>& take) {
  const auto hand = [&](std::string_view bytes) -> Result<bool> {
    if (Status status = take(bytes); !status) return status.error();
    return true;
  };
  const std::optional<Cluster::JournalEntry> entry = cluster_.journal_at(position_, journal_end());
  if (const std::optional<Fault> fault = sink_ != nullptr ? sink_->take_read_back_fault() : std::nullopt) {
    if (fault == Fault::kCrashAfterAnswer) instance_->die();
    if (fault == Fault::kReadBackLate) return false;
    if (fault == Fault::kReadBackFails) return Error{ErrorCode::kUnavailable, "the journal does not answer"};
  }
  if (is_stale()) return false;
  if (planted(Planted::kAuditOff) && sink_ != nullptr && !entry) {
    ++position_;
    return hand(sink_->journal_bytes());
  }
  if (!entry) return false;
  position_ = entry->offset + 1;
  return hand(entry->bytes);
}

bool SimulatedLog::is_stale() const {
  return instance_ != nullptr && instance_->stale_looks > 0 && instance_->stale_looks-- > 0;
}

std::int64_t SimulatedLog::journal_end() const {
  const std::int64_t end = cluster_.journal_end();
  return instance_ == nullptr ? end : std::min(end, instance_->world.journal_end);
}

Status SimulatedLog::strike_restoring(std::uint64_t record) const {
  Draw draw = instance_->faults.draw("restore", instance_->life, record);
  if (draw.one_in(120) && instance_->faults.strikes(Fault::kCrashInRestore)) instance_->die();
  if (draw.one_in(120) && instance_->faults.strikes(Fault::kRestoreFails))
    return Error{ErrorCode::kUnavailable, "the journal does not answer"};
  return {};
}

}  // namespace neardup
