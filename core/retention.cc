#include "core/retention.h"

#include "core/base/check.h"

namespace neardup {

Retention::Retention(RetentionOptions options) : options_(options) {
  CHECK(options_.age_max_ms >= 0, "config refuses negative ages");
}

// Whoever comes from now on came at `time_ms` or later.
void Retention::come(std::int64_t time_ms) {
  now_ms_ = std::max(now_ms_, time_ms);
  if (options_.age_max_ms == 0 || now_ms_ == 0) return;
  if (marks_.empty() || now_ms_ - marks_.back().begin_ms > options_.age_max_ms / kAgeSteps)
    marks_.push_back({marks_.empty() ? 0 : marks_.back().sequence, now_ms_, now_ms_});
  marks_.back().end_ms = now_ms_;
  // Of marks that are all too old the last one tells most.
  while (marks_.size() >= 2 && is_too_old(marks_[1])) marks_.pop_front();
}

void Retention::note(Sequence size, std::int64_t time_ms) {
  if (time_ms <= now_ms_) return;
  if (!marks_.empty()) marks_.back().sequence = size;
  come(time_ms);
}

void Retention::replay(const Moment& moment) {
  weigh(moment.size - moment.oldest, moment.bytes);
  come(moment.time_ms);
  if (!marks_.empty()) marks_.back().sequence = moment.size;
  size_ = moment.size;
  asked_ms_ = now_ms_;
}

// Tables keep the room that they once had. So what uniques take is told by the moment at which there were
// most of them; with fewer of them memory tells it only where it is by more than a sixth above that: so much
// it may grow while tables sweep out what was forgotten.
void Retention::weigh(std::uint64_t live, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (bytes_before_ > 0 && bytes > bytes_before_)
    batch_bytes_max_ = std::max(batch_bytes_max_, bytes - bytes_before_);
  bytes_before_ = bytes;
  if (live >= fullest_.live || bytes / 7 > fullest_.bytes / 6) fullest_ = {live, bytes};
}

// How many uniques fit below 13/16 of the limit.
std::uint64_t Retention::fitting() const {
  __extension__ using Word128 = unsigned __int128;
  const std::uint64_t room = options_.bytes_max / 16 * 13;
  return static_cast<std::uint64_t>(static_cast<Word128>(fullest_.live) * room / fullest_.bytes);
}

Sequence Retention::oldest_by_age() const {
  return !marks_.empty() && is_too_old(marks_.front()) ? marks_.front().sequence : 0;
}

Retention::Answer Retention::decide(const Moment& moment) {
  replay(moment);
  Answer answer{.oldest = moment.oldest};
  const Sequence most = moment.oldest + kForgottenMax;
  has_more_ = false;
  const auto forget_below = [&](Sequence sequence, Reason reason) {
    has_more_ = has_more_ || sequence > most;
    sequence = std::min(sequence, most);
    if (sequence <= answer.oldest) return;
    answer.oldest = sequence;
    answer.reason = reason;
  };
  const auto keep_newest = [&](std::uint64_t count, Reason reason) {
    if (moment.size > count) forget_below(moment.size - count, reason);
  };

  if (options_.count_max > 0) keep_newest(options_.count_max, Reason::kCount);
  forget_below(oldest_by_age(), Reason::kAge);
  if (options_.bytes_max == 0) return answer;
  if (options_.at_bytes_max == MemoryPolicy::kEvictOldest) {
    bound_memory(moment.size - answer.oldest, moment);
    if (kept_max_) keep_newest(*kept_max_, Reason::kMemory);
  }
  answer.must_stop = must_stop(moment.bytes);
  return answer;
}

bool Retention::is_due(Sequence size) const {
  const std::uint64_t count = options_.count_max;
  if (count > 0 && size > count && size - size_ >= std::max<std::uint64_t>(count / kCountSteps, 1))
    return true;
  return options_.age_max_ms > 0 && now_ms_ - asked_ms_ > options_.age_max_ms / kAgeSteps;
}

bool Retention::must_stop(std::uint64_t bytes) const {
  if (options_.bytes_max == 0) return false;
  if (options_.at_bytes_max == MemoryPolicy::kStop) return bytes + batch_bytes_max_ >= options_.bytes_max;
  return bytes >= options_.bytes_max && kept_max_ && *kept_max_ <= kKeptMin;
}

void Retention::bound_memory(std::uint64_t live, const Moment& moment) {
  const std::uint64_t sixteenth = options_.bytes_max / 16;
  const bool begins = !kept_max_;
  if (begins) {
    if (moment.bytes < 13 * sixteenth) return;
    kept_max_ = std::max(live, kKeptMin);
    cut_again_at_ = moment.size;
    bytes_since_cut_ = moment.bytes;
  }
  if (is_above(moment.bytes) && fitting() < *kept_max_) {
    kept_max_ = std::max(fitting(), kKeptMin);
    cut_again_at_ = moment.size + *kept_max_ / 4;
    bytes_since_cut_ = moment.bytes;
    return;
  }
  if (begins) return;
  // What stays above the limit is the room that tables keep; columns come and go beside it, in steps.
  const std::uint64_t steps = is_above(bytes_since_cut_) ? sixteenth : 0;
  const bool is_growing = moment.bytes > bytes_since_cut_ + steps;
  bytes_since_cut_ = std::min(bytes_since_cut_, moment.bytes);
  if (moment.bytes < 11 * sixteenth) {
    kept_max_.reset();  // uniques got smaller
  } else if (moment.bytes >= 15 * sixteenth && is_growing && moment.size >= cut_again_at_) {
    kept_max_ = std::max(*kept_max_ - *kept_max_ / 16, kKeptMin);
    cut_again_at_ = moment.size + *kept_max_ / 4;
    bytes_since_cut_ = moment.bytes;
  }
}

}  // namespace neardup
