// How do the records of a journal become memory again, on two threads or more?
//
//   caller's thread    decode ─► chain ─► decode and sign what was kept ─┐   record n + 1, n + 2
//   a thread inside                                                      └► remember, expire   record n
//
// A third of the work is done before memory is touched, and memory is changed in the journal's order by the
// thread inside, which has others help it where there are cores for them (Detector::restore_on): so it is the
// same as if one did it all. What waits between the two is bounded: a few records.
//
// Errors:  of decoding (kCorrupt, kUnsupportedVersion), of the chain (kContradiction), of what the detector
//          kept (kCorrupt), and of deletions that it cannot follow (kContradiction).
// Threads: one caller, and the one inside with its helpers. The chain is the caller's; detector and
//          retention are the other's until finish() returns.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
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

// A record as far as it can be understood without the memory that it changes.
class PreparedRecord {
 public:
  explicit PreparedRecord(const DetectorOptions& options) : returning_(options) {}

  // The chain accepts it; `bytes` must outlive its use.
  Status prepare(std::string_view bytes, JournalChain& chain);
  Status remember(Detector& detector, Retention& retention) const;

 private:
  Status restore_uniques(Detector& detector) const;

  JournalRecord record_;
  Returning returning_;
};

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
  static constexpr std::uint64_t kSteps = 3;
  struct Step {
    explicit Step(const DetectorOptions& options) : record(options) {}
    std::string bytes;
    PreparedRecord record;
  };

  void run();

  JournalChain& chain_;
  Detector& detector_;
  Retention& retention_;
  std::deque<Step> steps_;  // a ring

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
