// How far behind is one input partition, in records and in seconds?
//
// In records: the end of what is stable, as the broker tells, minus the position whose verdicts are
// committed. librdkafka's own figure is of no use: it does not see positions committed in a transaction.
//
// In seconds: the age of the next record without a committed verdict. Once it was handed out its timestamp is
// known. Until then it is guessed from below by what lies before it: the timestamp of the last record with a
// verdict, and the moment when nothing was waiting. Without the second, the first record after a quiet night
// would look a night old.
//
//   verdicts committed │ handed out │ waiting at the broker │
//   ───────────────────┼────────────┼───────────────────────┤
//              committed       polled                      end
//
// Threads: one caller.
#pragma once

#include <algorithm>
#include <cstdint>

namespace neardup {

class PartitionLag {
 public:
  static constexpr std::int64_t kUnknown = -1;

  // `next`: the position to begin at, or kUnknown for the beginning.
  explicit PartitionLag(std::int64_t next = kUnknown) : committed_(next), polled_(next) {}

  // The position behind what was handed out.
  std::int64_t polled() const { return polled_; }

  // A record was handed out. Timestamps are milliseconds since the epoch, 0 where a record has none.
  void handed_out(std::int64_t offset, std::int64_t timestamp_ms) {
    if (in_hand_ms_ == 0) in_hand_ms_ = timestamp_ms;
    polled_ms_ = timestamp_ms;
    polled_ = offset + 1;
  }
  // The end was reached there: control records may lie between the last record and it.
  void reached_end(std::int64_t offset) {
    polled_ = std::max(polled_, offset);
    end_ = std::max(end_, offset);
  }
  // The broker told the last stable offset.
  void end_is(std::int64_t offset) { end_ = offset; }

  // Verdicts of all that was handed out are committed.
  void committed() {
    committed_ = polled_;
    committed_ms_ = polled_ms_;
    in_hand_ms_ = 0;
  }

  bool end_known() const { return end_ >= 0; }
  std::int64_t records() const {
    return end_known() ? std::max<std::int64_t>(0, end_ - std::max<std::int64_t>(0, committed_)) : 0;
  }

  // REQUIRES: called from time to time, so that it sees when nothing waits.
  double seconds(std::int64_t now_ms) {
    if (records() == 0) {
      if (end_known()) nothing_waited_ms_ = now_ms;
      return 0;
    }
    const std::int64_t since = in_hand_ms_ > 0 ? in_hand_ms_ : std::max(committed_ms_, nothing_waited_ms_);
    return since > 0 ? static_cast<double>(std::max<std::int64_t>(0, now_ms - since)) / 1000 : 0;
  }

 private:
  std::int64_t committed_;
  std::int64_t polled_;
  std::int64_t end_ = kUnknown;
  std::int64_t in_hand_ms_ = 0;         // of the first record handed out and not committed
  std::int64_t polled_ms_ = 0;          // of the last record handed out
  std::int64_t committed_ms_ = 0;       // of the last record committed
  std::int64_t nothing_waited_ms_ = 0;  // when that was last seen
};

}  // namespace neardup
