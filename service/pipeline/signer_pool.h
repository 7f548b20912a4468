// How are many records signed at once?
//
// Decoding and signing are pure functions of one record, so they run on all cores in any order; slot i of the
// answer belongs to record i, whoever made it, so the answer does not hang on the number of threads.
//
//   begin ─► jobs, in order ─► cut into runs of kRecordsPerTake ─► threads take them ─► codec, signer ─►
//   slots
//
// The thread that waits for a job to be finished works on it too. The others sleep while there is no job, and
// end with the pool.
//
// Cost:    a lock for each run; a wake-up of the sleepers for each job. Each thread keeps one codec, one
//          signer and one body buffer: memory follows the threads, not the batch.
// Threads: any may begin; one at a time may finish, cancel or run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "core/arrival.h"
#include "core/decision.h"
#include "core/document.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/signer_options.h"
#include "core/signature.h"
#include "service/codec/preset.h"
#include "service/codec/record.h"
#include "service/config.h"

namespace neardup {

// One record, ready for the detector, or rejected.
struct Signed {
  Document document;    // without its body, which only signing needed
  Signature signature;  // of a document that is not rejected
  RouteSignature route;
  std::optional<RejectReason> reason;

  // As the detector takes it, if it was not rejected.
  Arrival arrival(const Source& source) const {
    return {.id = document.id,
            .url = document.url,
            .source = source,
            .event_time_ms = document.event_time_ms,
            .signature = signature,
            .route = &route};
  }
};

// Records to be signed: out[i] becomes records[i], signed. Must stay where it is, with all it views, from
// begin until it is finished or cancelled. Slots may be used again: their strings keep their capacity.
struct SigningJob {
  std::span<const Record> records;
  std::span<Signed> out;

  // The pool's, under its lock.
  std::size_t taken = 0;  // by some thread
  std::size_t signed_ = 0;
};

class SignerPool {
 public:
  static constexpr std::size_t kRecordsPerTake = 16;

  // `threads` counts the one that finishes jobs. REQUIRES: threads >= 1.
  SignerPool(int threads, const Preset& preset, const InputConfig& input, const SignerOptions& options = {});
  ~SignerPool();
  SignerPool(const SignerPool&) = delete;
  SignerPool& operator=(const SignerPool&) = delete;

  // Has it signed behind the jobs begun before. REQUIRES: out.size() == records.size(); a job not begun yet.
  void begin(SigningJob& job);
  // Returns once all of it is signed. REQUIRES: begun, and all before it are finished or cancelled.
  void finish(SigningJob& job);
  // Nobody reads or writes what the job views any more; it need not be signed, nor begun.
  void cancel(SigningJob& job);

  // A job from begin to end. REQUIRES: no other one is under way.
  void run(std::span<const Record> records, std::span<Signed> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What pipeline.threads means here: 0 is one thread per core.
int signing_threads(const PipelineConfig& config);

}  // namespace neardup
