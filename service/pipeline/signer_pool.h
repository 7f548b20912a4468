// How are many records signed at once?
//
// Decoding and signing are pure functions of one record, so they run on all cores in any order; slot i of the
// answer belongs to record i, whoever made it, so the answer does not hang on the number of threads.
//
//   run ─► records ─► cut into runs of kRecordsPerTake ─► threads take them ─► codec, signer ─► signed slots
//
// The caller's thread works too. The others sleep between batches and end with the pool.
//
// Cost:    one wake-up per thread and batch; a batch of one take is done by the caller alone. Each thread
// keeps
//          one codec, one signer and one body buffer: memory follows the threads, not the batch.
// Threads: one caller at a time.
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

class SignerPool {
 public:
  static constexpr std::size_t kRecordsPerTake = 16;

  // `threads` counts the caller's. REQUIRES: threads >= 1.
  SignerPool(int threads, const Preset& preset, const InputConfig& input, const SignerOptions& options = {});
  ~SignerPool();
  SignerPool(const SignerPool&) = delete;
  SignerPool& operator=(const SignerPool&) = delete;

  // Replaces out[i] with records[i], signed. Slots may be used again: their strings keep their capacity.
  // REQUIRES: out.size() == records.size(); no other call of run is under way.
  void run(std::span<const Record> records, std::span<Signed> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What pipeline.threads means here: 0 is one thread per core.
int signing_threads(const PipelineConfig& config);

}  // namespace neardup
