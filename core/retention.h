// What is to be forgotten now, or must the stream stop?
//
// Asked between batches, answered by arithmetic. The oldest go first, so the answer is one number: all
// uniques below it are to be forgotten. Whoever asks writes the answer down with the batch; a replay takes it
// from there and only tells this class how far time had come.
//
//   count    at most `count_max` uniques are kept.
//   age      Time is the latest time of any document so far: it never goes back. A unique is as old as time
//            has moved since it came, so that the order of age is the order of arrival, whatever times
//            documents claim for themselves. It is forgotten at an age of `age_max_ms`, or up to 1/256
//            of that later: time is marked in steps, and the marks are all the memory this takes. Of a batch
//            whose documents are not noted one by one all uniques count as come at its end: where time leaps
//            within it, those before the leap are kept for the leap longer. So it is in every replay.
//   memory   kStop asks to stop where another batch might pass `bytes_max`. kEvictOldest lets the number of
//            uniques grow no more from 13/16 of it on. Tables give room back to new uniques and not to the
//            system, and hold for a while what is forgotten and not yet swept out: so memory still grows by a
//            sixth or so, and then stands still, below the limit. Where it grows beyond 15/16 none the less,
//            since uniques got larger, a sixteenth of them is forgotten at a time; between two such cuts the
//            tables get time. Memory above `bytes_max`, as behind a restart with a smaller limit, is answered
//            at once: kept are as many as would take 13/16 of it. That stops the growth and frees columns;
//            but tables stay as large as they were, and a replay of the same history makes them so again.
//
// No more than kForgottenMax are forgotten at a time: an index may have to take each of them out of its
// tables, and whoever waits for that, here and in every replay, says meanwhile that it is alive to nobody.
//
// Cost:    no more than 258 marks; a decision looks at the first few.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "core/decision.h"

namespace neardup {

enum class MemoryPolicy : std::uint8_t { kEvictOldest, kStop };
inline constexpr std::array<std::string_view, 2> kMemoryPolicyNames = {"evict-oldest", "stop"};
constexpr std::string_view name(MemoryPolicy p) { return kMemoryPolicyNames[static_cast<std::size_t>(p)]; }

enum class RetentionClock : std::uint8_t { kEventTime, kArrivalTime };
inline constexpr std::array<std::string_view, 2> kRetentionClockNames = {"event", "arrival"};

struct RetentionOptions {
  std::uint64_t count_max = 0;  // of uniques; 0: no bound
  std::int64_t age_max_ms = 0;  // 0: no bound
  std::uint64_t bytes_max = 0;  // 0: no bound
  MemoryPolicy at_bytes_max = MemoryPolicy::kEvictOldest;
  RetentionClock clock = RetentionClock::kEventTime;
};

// The time that a document tells. Nobody knows the future: an event time after the arrival is a broken clock,
// and one such document would forget everything. So would an arrival after now: who has a clock lets none of
// these pass. 0 is unknown.
inline std::int64_t retention_time_ms(RetentionClock clock, std::int64_t event_time_ms,
                                      std::int64_t arrival_time_ms) {
  if (clock == RetentionClock::kArrivalTime || event_time_ms == 0) return arrival_time_ms;
  return arrival_time_ms == 0 ? event_time_ms : std::min(event_time_ms, arrival_time_ms);
}

class Retention {
 public:
  static constexpr std::uint64_t kForgottenMax = std::uint64_t{1} << 22;

  // REQUIRES: options.age_max_ms >= 0.
  explicit Retention(RetentionOptions options);

  // What retention_time_ms() says by the clock of the options.
  std::int64_t time_ms(std::int64_t event_time_ms, std::int64_t arrival_time_ms) const {
    return retention_time_ms(options_.clock, event_time_ms, arrival_time_ms);
  }

  struct Moment {
    Sequence oldest = 0;  // the first that is remembered
    Sequence size = 0;
    std::int64_t time_ms = 0;  // the latest of its documents; 0: unknown
    std::uint64_t bytes = 0;   // of memory; 0: unknown
  };
  // Before a document of the batch that is being decided: it comes behind `size` uniques and tells `time_ms`,
  // 0 if none.
  void note(Sequence size, std::int64_t time_ms);
  // After a batch that was decided before. REQUIRES: oldest <= size.
  void replay(const Moment& moment);

  enum class Reason : std::uint8_t { kNone, kCount, kAge, kMemory };
  struct Answer {
    Sequence oldest = 0;            // forget all below
    Reason reason = Reason::kNone;  // of what is forgotten now: the rule that asked for the most
    bool must_stop = false;         // take in no more: memory is full and may not or cannot be freed

    friend bool operator==(const Answer&, const Answer&) = default;
  };
  // After a batch that is being decided.
  Answer decide(const Moment& moment);
  // The last answer would have forgotten more, were there not kForgottenMax. Who has no batch after this one
  // asks again.
  bool has_more() const { return has_more_; }

  // With so many uniques, and so late as is noted: would a window by count or age be passed by a 256th of it
  // if nobody asked? Who makes batches of any size by themselves should ask then.
  bool is_due(Sequence size) const;

  // Would `bytes` of memory be a reason to stop, as things are?
  bool must_stop(std::uint64_t bytes) const;
  // Are they more than there should be? Where the oldest are forgotten, that stops nothing by itself.
  bool is_above(std::uint64_t bytes) const { return options_.bytes_max > 0 && bytes > options_.bytes_max; }

  std::int64_t now_ms() const { return now_ms_; }  // the latest time of any document; 0: unknown

  const RetentionOptions& options() const { return options_; }

 private:
  static constexpr std::int64_t kAgeSteps = 256;
  static constexpr std::uint64_t kCountSteps = 256;
  static constexpr std::uint64_t kKeptMin =
      1024;  // a limit that has no room for these is too small to evict for

  // The uniques below `sequence`, and not below that of the mark before, came from begin_ms to end_ms.
  struct Mark {
    Sequence sequence = 0;
    std::int64_t begin_ms = 0;
    std::int64_t end_ms = 0;
  };

  void come(std::int64_t time_ms);
  bool is_too_old(const Mark& mark) const { return now_ms_ - mark.end_ms >= options_.age_max_ms; }
  void weigh(std::uint64_t live, std::uint64_t bytes);
  std::uint64_t fitting() const;
  Sequence oldest_by_age() const;
  void bound_memory(std::uint64_t live, const Moment& moment);

  const RetentionOptions options_;
  std::int64_t now_ms_ = 0;
  bool has_more_ = false;
  Sequence size_ = 0;          // behind the last batch,
  std::int64_t asked_ms_ = 0;  // and the latest time by then
  std::deque<Mark> marks_;
  std::optional<std::uint64_t> kept_max_;  // uniques, by the memory limit
  Sequence cut_again_at_ = 0;              // not before there are so many
  std::uint64_t bytes_since_cut_ = 0;      // the fewest: only what grows is cut
  struct Fullest {
    std::uint64_t live = 0;  // so many uniques took
    std::uint64_t bytes = 0;
  };
  Fullest fullest_;
  std::uint64_t bytes_before_ = 0;     // behind the last batch; 0: there was none
  std::uint64_t batch_bytes_max_ = 0;  // the most that memory grew from one batch to the next
};

}  // namespace neardup
