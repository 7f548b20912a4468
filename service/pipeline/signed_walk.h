// In which order does who decides meet what the others sign?
//
// One record after the other. Before each, all up to it are signed, and so are some behind it, whose look-ups
// the detector starts meanwhile: deciding reads memory at random.
//
//   for (std::size_t i = 0; i < records.size(); ++i) {
//     walk.reach(i);
//     ... job.signed_record(i) ...
//   }
//
// Cost:    that of SignerPool::advance for each of its steps. Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "core/base/prefetch_line.h"
#include "core/detector.h"
#include "service/pipeline/signer_pool.h"

namespace neardup {

class SignedWalk {
 public:
  // From record `begin` of a job that was begun. Those before are done.
  SignedWalk(SignerPool& pool, SigningJob& job, Detector& detector, std::size_t begin = 0)
      : pool_(pool), job_(job), detector_(detector), next_step_(begin) {}

  // Record i may be decided; those before it are done. True if it went on to the next step.
  // REQUIRES: `begin`, then one more each time.
  bool reach(std::size_t i) {
    const std::size_t end = job_.records.size();
    const bool is_due = i == next_step_;
    if (is_due) {
      const auto since = std::chrono::steady_clock::now();
      pool_.advance(job_, i, std::min(i + SignerPool::kStep + kSlotsAhead, end));
      waited_ += std::chrono::steady_clock::now() - since;
      next_step_ = i + SignerPool::kStep;
    }
    if (const std::size_t soon = i + kSlotsAhead; soon < end) {
      prefetch_lines(&job_.records[soon], sizeof(Record));
      job_.signed_record(soon).prefetch();
    }
    with_arrival(i + kAhead, [&](const Arrival& ahead) { detector_.prefetch(ahead); });
    with_arrival(i + 1, [&](const Arrival& next) { detector_.prefetch_rest(next); });
    return is_due;
  }

  // For others who sign, or at signing.
  std::chrono::steady_clock::duration waited() const { return waited_; }

 private:
  static constexpr std::size_t kAhead = 2;
  static constexpr std::size_t kSlotsAhead = 6;  // what the look-ups begin with
  static_assert(SignerPool::kStep + kSlotsAhead <= SignerPool::kAheadMax);

  // Of record i, if there is one that could be signed.
  template <class Use>
  void with_arrival(std::size_t i, Use use) {
    if (i >= job_.records.size()) return;
    if (const Signed& record = job_.signed_record(i); !record.reason)
      use(record.arrival(job_.records[i].source));
  }

  SignerPool& pool_;
  SigningJob& job_;
  Detector& detector_;
  std::size_t next_step_;
  std::chrono::steady_clock::duration waited_{};
};

}  // namespace neardup
