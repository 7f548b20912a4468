// How are committed journal records read back?
//
// The seam between those who need the journal (recovery, the writer's audit) and who can read it (Kafka in
// the service, memory in tests). A log hands out every committed record once, in order; records of aborted
// transactions never show.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/result.h"

namespace neardup {

// What a person can do about a log that is not settled.
inline constexpr std::string_view kHangingTransaction =
    "an earlier writer's transaction has not ended; if that lasts for minutes it hangs in Kafka, and "
    "kafka-transactions.sh find-hanging names it";

class JournalLog {
 public:
  virtual ~JournalLog() = default;

  // Hands every record from where we stand to the end of the log, as it is when the call begins, to `take`,
  // which may refuse one: its error ends the reading and is returned. `progress` is the share read, 0..1.
  // The end is really the end once the writer's init_transactions has fenced all others and is_settled() says
  // so: before, a transaction may still be open.
  virtual Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) = 0;

  // Hands the next record to `take`, if one is committed within `wait`: whether one was. If `take` refuses
  // it, its error is returned.
  virtual Result<bool> next(std::chrono::milliseconds wait,
                            const std::function<Status(std::string_view bytes)>& take) = 0;

  // Whether nothing that was appended waits for its transaction to end. What waits is not handed out, and yet
  // may be committed.
  virtual Result<bool> is_settled() = 0;
};

// A log that can be told where to go on, for who has kept what lies before.
//
// A position is the log's own number: of Kafka an offset, which is not a record's number, because marks of
// transactions lie between records.
class SeekableLog : public JournalLog {
 public:
  // One past the record that was handed out last; 0 before the first.
  virtual std::int64_t position() const = 0;

  // One past all that is committed now.
  virtual Result<std::int64_t> end() = 0;

  // The next record handed out is the first one at `position` or behind it. So `position() - 1` hands out the
  // last one again.
  virtual Status start_at(std::int64_t position) = 0;
};

}  // namespace neardup
