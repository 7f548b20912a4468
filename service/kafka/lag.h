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
//   verdicts committed │ handed out, in batches │ waiting at the broker │
//   ───────────────────┼───────────┬────────────┼───────────────────────┤
//              committed                   polled                      end
//
// Behind that end may lie records of transactions that have not ended. Who reads committed records cannot
// read them: they are no lag, and are counted apart. One that hangs stops the partition, and lag stays 0.
//
// Threads: one caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace neardup {

class PartitionLag {
 public:
  static constexpr std::int64_t kUnknown = -1;

  // `next`: the position to begin at, or kUnknown for the beginning.
  explicit PartitionLag(std::int64_t next = kUnknown) : committed_(next), polled_(next) {}

  // Who is to begin at the beginning was told it lies there. That counts for the lag alone: another leader
  // may have records before it.
  void begins_at(std::int64_t offset) { committed_ = offset; }

  // The position behind what was handed out.
  std::int64_t polled() const { return polled_; }

  // A record was handed out. Timestamps are milliseconds since the epoch, 0 where a record has none.
  void handed_out(std::int64_t offset, std::int64_t timestamp_ms) {
    if (open_first_ms_ == 0) open_first_ms_ = timestamp_ms;
    open_ = true;
    polled_ms_ = timestamp_ms;
    polled_ = offset + 1;
  }
  // The end was reached there: control records may lie between the last record and it.
  void reached_end(std::int64_t offset) {
    polled_ = std::max(polled_, offset);
    end_ = std::max(end_, offset);
    if (!in_hand()) committed_is(polled_);
  }
  // The last stable offset, as the last fetch told it. While nothing is fetched it is told over and over,
  // and grows old.
  void end_is(std::int64_t offset) {
    if (offset == fetched_end_) return;
    end_ = fetched_end_ = offset;
  }
  // The same, of a leader that was asked. A fetch may know more by now; and only a fetch takes back what a
  // truncated log has lost.
  void end_is_at_least(std::int64_t offset) { end_ = std::max(end_, offset); }

  // The high watermark, as the last fetch told it.
  void high_watermark_is(std::int64_t offset) { high_watermark_ = offset; }

  // What was handed out since the last call is batch `number`; it may hold nothing of this partition.
  void close_batch(std::uint64_t number) {
    batches_.push_back({number, open_first_ms_, polled_, polled_ms_});
    open_ = false;
    open_first_ms_ = 0;
  }
  // Verdicts of all batches up to `number` are committed.
  void committed(std::uint64_t number) {
    for (; !batches_.empty() && batches_.front().number <= number; batches_.pop_front()) {
      committed_is(batches_.front().next);
      committed_ms_ = batches_.front().last_ms;
    }
    if (!in_hand()) committed_is(polled_);  // the end may have been reached since
  }

  bool end_known() const { return end_ >= 0; }
  std::int64_t records() const {
    return end_known() ? std::max<std::int64_t>(0, end_ - std::max<std::int64_t>(0, committed_)) : 0;
  }

  // Records behind the last stable offset.
  std::int64_t unstable() const {
    return end_known() ? std::max<std::int64_t>(0, high_watermark_ - end_) : 0;
  }

  // REQUIRES: called from time to time, so that it sees when nothing waits.
  double seconds(std::int64_t now_ms) {
    if (records() == 0) {
      if (end_known()) nothing_waited_ms_ = now_ms;
      return 0;
    }
    const std::int64_t in_hand = first_in_hand_ms();
    const std::int64_t since = in_hand > 0 ? in_hand : std::max(committed_ms_, nothing_waited_ms_);
    return since > 0 ? static_cast<double>(std::max<std::int64_t>(0, now_ms - since)) / 1000 : 0;
  }

 private:
  struct Batch {
    std::uint64_t number;
    std::int64_t first_ms;  // of its first record of this partition; 0 if it has none
    std::int64_t next;      // the position behind it
    std::int64_t last_ms;   // of its last record
  };

  void committed_is(std::int64_t next) {
    if (next != kUnknown) committed_ = next;
  }
  bool in_hand() const { return open_ || !batches_.empty(); }

  // Of the first record handed out and not committed; 0 when unknown.
  std::int64_t first_in_hand_ms() const {
    for (const Batch& batch : batches_) {
      if (batch.first_ms > 0) return batch.first_ms;
    }
    return open_first_ms_;
  }

  std::int64_t committed_;
  std::int64_t polled_;
  std::int64_t end_ = kUnknown;
  std::int64_t fetched_end_ = kUnknown;
  std::int64_t high_watermark_ = kUnknown;
  std::deque<Batch> batches_;           // closed and not committed
  bool open_ = false;                   // records were handed out since the last was closed
  std::int64_t open_first_ms_ = 0;      // of the first of these
  std::int64_t polled_ms_ = 0;          // of the last record handed out
  std::int64_t committed_ms_ = 0;       // of the last record committed
  std::int64_t nothing_waited_ms_ = 0;  // when that was last seen
};

}  // namespace neardup
