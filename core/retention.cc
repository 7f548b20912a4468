#include "core/retention.h"

#include "core/base/check.h"

namespace neardup {

Retention::Retention(RetentionOptions options) : options_(options) {
  CHECK(options_.age_max_ms >= 0, "config refuses negative ages");
}

void Retention::replay(Sequence size, std::int64_t time_ms, std::uint64_t bytes) {
  if (bytes_before_ > 0 && bytes > bytes_before_)
    batch_bytes_max_ = std::max(batch_bytes_max_, bytes - bytes_before_);
  if (bytes > 0) bytes_before_ = bytes;
  now_ms_ = std::max(now_ms_, time_ms);
  if (options_.age_max_ms == 0 || now_ms_ == 0) return;
  const std::int64_t step = options_.age_max_ms / kAgeSteps;
  if (marks_.empty() || now_ms_ - marks_.back().begin_ms > step) marks_.push_back({0, now_ms_, now_ms_});
  marks_.back().sequence = size;
  marks_.back().end_ms = now_ms_;
  // Of marks that are all too old the last one tells most.
  while (marks_.size() >= 2 && is_too_old(marks_[1])) marks_.pop_front();
}

Sequence Retention::oldest_by_age() const {
  return !marks_.empty() && is_too_old(marks_.front()) ? marks_.front().sequence : 0;
}

Retention::Answer Retention::decide(const Moment& moment) {
  replay(moment.size, moment.time_ms, moment.bytes);
  Answer answer{.oldest = moment.oldest};
  const auto forget_below = [&](Sequence sequence, Reason reason) {
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

bool Retention::must_stop(std::uint64_t bytes) const {
  if (options_.bytes_max == 0) return false;
  if (options_.at_bytes_max == MemoryPolicy::kStop) return bytes + batch_bytes_max_ >= options_.bytes_max;
  return bytes >= options_.bytes_max && kept_max_ && *kept_max_ <= kKeptMin;
}

void Retention::bound_memory(std::uint64_t live, const Moment& moment) {
  const std::uint64_t sixteenth = options_.bytes_max / 16;
  if (!kept_max_) {
    if (moment.bytes < 13 * sixteenth) return;
    kept_max_ = std::max(live, kKeptMin);
    cut_again_at_ = moment.size;
    bytes_since_cut_ = moment.bytes;
    return;
  }
  const bool is_growing = moment.bytes > bytes_since_cut_;
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
