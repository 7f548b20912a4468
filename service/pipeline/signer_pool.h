// How are many records signed at once?
//
// Decoding and signing are pure functions of one record, so they run on all cores in any order; the slot of
// record i has the answer to record i, whoever made it, so it does not hang on the number of threads.
//
//   begin ─► jobs, in order ─► runs of kRecordsPerTake ─► threads take them ─► codec, signer ─► slots
//                                     ▲                                                          │
//                                     └──────── advance: who decides is done with a run ◄────────┘
//
// A signed document is 8 KB, so a batch of them passes any cache: signed as a whole and decided afterwards it
// cost a quarter more. A job therefore has few slots, used in turns, and the threads are never further ahead
// of the one who decides than these. That one works too when what it waits for is not signed. The others
// sleep while nothing may be taken, and end with the pool.
//
// Cost:    a lock for each run; a wake-up of the sleepers for each job, and when half of its slots are free
//          again. Each thread keeps one codec, one signer and one body buffer: memory follows the threads,
//          not the batch, nor the oddest page they ever met (kHeldBytesMax).
// Threads: any may begin; one at a time may advance, cancel or run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/arrival.h"
#include "core/base/prefetch_line.h"
#include "core/decision.h"
#include "core/document.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/signer_options.h"
#include "core/signature.h"
#include "service/codec/preset.h"
#include "service/codec/record.h"
#include "service/config.h"

namespace neardup {

// So much is asked for of what is read or written in a row: what lies behind, the processor has foreseen.
inline constexpr std::size_t kForeseenBehind = 4096;

// One record, ready for the detector, or rejected.
struct Signed {
  Document document;    // without its body, which only signing needed
  Signature signature;  // of a document that is not rejected
  std::optional<RejectReason> reason;
  bool fell_back = false;  // as Signer::fell_back
  RouteSignature route;

  // Who signed it may have it in the cache of another core: all that is read of a page with one signature.
  void prefetch() const { prefetch_lines(this, usual_bytes()); }

  // And who read it, when the next page is signed into the same slot: all that is written of one; and, once
  // that is here, the memory of its sample, where that of the page after it will be
  // (ShingleSigner::take_shingles).
  void prefetch_to_write() const { prefetch_lines_to_write(this, usual_bytes()); }
  void prefetch_rest_to_write() const {
    const std::span<const std::uint64_t> sample = route.longs[0].sample;
    prefetch_lines_to_write(sample.data(), std::min(sample.size_bytes(), kForeseenBehind));
  }

  // As the detector takes it, if it was not rejected.
  Arrival arrival(const Source& source) const {
    return {.id = document.id,
            .url = document.url,
            .source = source,
            .event_time_ms = document.event_time_ms,
            .signature = signature,
            .route = &route};
  }

 private:
  // Up to the bands that every layout has: where they are narrow there are more.
  std::size_t usual_bytes() const {
    const Band* const end = &route.longs[0].bands[kMinimaBins / kBandMinima];
    return static_cast<std::size_t>(reinterpret_cast<const char*>(end) - reinterpret_cast<const char*>(this));
  }
};

// Records to be signed, each into its slot. Must stay where it is, with all it views, from begin until all of
// it is signed or it is cancelled. Slots may be used again: their strings keep their capacity.
struct SigningJob {
  std::span<const Record> records;
  std::span<Signed> slots;  // as many as records, or fewer, which are used in turns: SignerPool::slots()

  Signed& slot(std::size_t i) const { return slots[i % slots.size()]; }
  // What became of record i. REQUIRES: it is signed, and not done.
  const Signed& signed_record(std::size_t i) const { return slot(i); }

  // The pool's, under its lock. Counts of records from the first on, but the last.
  std::size_t done = 0;     // their slots are free
  std::size_t signed_ = 0;  // all of them
  std::size_t taken = 0;    // by some thread
  std::vector<bool> signed_runs = {};
  std::size_t wanted = 0;  // somebody waits until so many are signed; 0: nobody does
};

class SignerPool {
 public:
  static constexpr std::size_t kRecordsPerTake = 16;

  // Of what a thread's signer grew to, no more stays for the next record. A page of 1 MB, the most that Kafka
  // takes by default, needs about 5 MB, so ordinary pages allocate nothing once warm; larger ones do, which
  // is little beside reading them. But an odd one of that size, nothing but tags or ligatures, needs tens of
  // MB, and each thread that met one would keep them from the index for good.
  static constexpr std::size_t kHeldBytesMax = std::size_t{8} << 20;

  // `threads` counts the one that finishes jobs. REQUIRES: threads >= 1.
  SignerPool(int threads, const Preset& preset, const InputConfig& input, const SignerOptions& options = {});
  ~SignerPool();
  SignerPool(const SignerPool&) = delete;
  SignerPool& operator=(const SignerPool&) = delete;

  // As many slots as keep all threads busy.
  std::size_t slots() const;

  // Has it signed behind the jobs begun before. REQUIRES: a job not begun yet; as many slots as records, or
  // slots().
  void begin(SigningJob& job);
  // Returns once all records before `end` are signed. The slots of those before `done` are used again.
  // REQUIRES: begun; all jobs before it are signed or cancelled; neither count below that of an earlier call;
  // end - done <= kAheadMax, or as many slots as records.
  static constexpr std::size_t kStep =
      4 * kRecordsPerTake;  // to go on by; less, and caches see too much change
  static constexpr std::size_t kAheadMax = kStep + kRecordsPerTake;
  void advance(SigningJob& job, std::size_t done, std::size_t end);
  // Nobody reads or writes what the job views any more; it need not be signed, nor begun.
  void cancel(SigningJob& job);

  // A job from begin to end. REQUIRES: no other one is under way; a slot for each record.
  void run(std::span<const Record> records, std::span<Signed> slots);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What pipeline.threads means here: 0 is one thread for each core that the process may use.
int signing_threads(const PipelineConfig& config);

}  // namespace neardup
