// How do the records of a journal become memory again, on two threads or more?
//
//   caller's thread    decode ─► chain ─► decode and sign what was kept ─┐   portion n + 1, n + 2
//   a thread inside                                                      └► remember, expire   portion n
//
// A third of the work is done before memory is touched, and memory is changed in the journal's order by the
// thread inside, which has others help it where there are cores for them (Detector::restore_on): so it is the
// same as if one did it all. What waits between the two is bounded: a few portions, and their records. A
// record is a portion, unless it is a large one: what its uniques are signed to is up to thirty times what it
// has of them (core/returning.h), and the index may leave little room beside itself.
//
// Errors:  of decoding (kCorrupt, kUnsupportedVersion), of the chain (kContradiction), of what the detector
//          kept (kCorrupt), and of deletions that it cannot follow (kContradiction).
// Threads: one caller, and the one inside with its helpers. The chain is the caller's; detector and
//          retention are the other's until finish() returns.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/result.h"
#include "core/detector.h"
#include "core/retention.h"
#include "core/returning.h"
#include "service/journal/chain.h"
#include "service/journal/record.h"

namespace neardup {

// A record that its chain has accepted, and a copy of its bytes, which it views.
struct AcceptedRecord {
  std::string bytes;
  JournalRecord record;
};
Result<std::shared_ptr<const AcceptedRecord>> accept_record(std::string_view bytes, JournalChain& chain);

// Uniques of a record, some in a row, as far as they can be understood without the memory that they change.
class RecordPortion {
 public:
  static constexpr std::size_t kCountMax = 4096;
  static constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;  // or one unique more

  explicit RecordPortion(const DetectorOptions& options) : returning_(options) {}

  // Those from `begin` on. The last portion of a record has what else it says; it may have no uniques.
  Status prepare(std::shared_ptr<const AcceptedRecord> record, std::size_t begin);
  std::size_t end() const { return end_; }  // where the next one begins
  bool is_last() const { return end_ == record_->record.uniques.size(); }

  // REQUIRES: what comes before it in the journal is remembered.
  Status remember(Detector& detector, Retention& retention) const;

 private:
  Status restore_uniques(Detector& detector) const;

  std::shared_ptr<const AcceptedRecord> record_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Returning returning_;
};

// All of a record, one portion after the other: in `portion`, whose memory is used again.
Status remember_record(const std::shared_ptr<const AcceptedRecord>& record, RecordPortion& portion,
                       Detector& detector, Retention& retention);

// How many should remember, where so many threads may be busy? One of them reads and prepares. Of those who
// remember one has more to do than the others together (core/DESIGN.md), so a third would save nothing.
inline int remembering_threads(int threads) { return std::clamp(threads - 1, 1, 2); }

class Rebuilding {
 public:
  // `threads`: that remember.
  Rebuilding(JournalChain& chain, Detector& detector, Retention& retention, int threads = 1);
  ~Rebuilding() { static_cast<void>(finish()); }
  Rebuilding(const Rebuilding&) = delete;
  Rebuilding& operator=(const Rebuilding&) = delete;

  // The next record. The chain has accepted it when this returns. An error is of this one, or of one before.
  Status take(std::string_view bytes);

  // All that was taken is remembered, up to the first error. Nothing is taken afterwards.
  Status finish();

 private:
  static constexpr std::uint64_t kPortions = 3;

  Status take(const std::shared_ptr<const AcceptedRecord>& record);
  void run();

  JournalChain& chain_;
  Detector& detector_;
  Retention& retention_;
  std::deque<RecordPortion> portions_;  // a ring

  std::mutex mutex_;  // of what follows
  std::condition_variable taken_changed_;
  std::condition_variable remembered_changed_;
  std::uint64_t taken_ = 0;
  std::uint64_t remembered_ = 0;
  bool is_last_ = false;  // no more will be taken
  Status status_;
  std::thread thread_;
};

}  // namespace neardup
