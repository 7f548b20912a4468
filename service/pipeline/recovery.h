// How does a new writer come to know what the journal says?
//
// `restore` reads the journal to its end into the chain and the detector: memory is then exactly what the
// last writer had when it committed its last batch. `follow` reads on while another instance writes: a
// standby that follows has little left to restore. Input is never read again to rebuild state.
#pragma once

#include <chrono>

#include "core/base/result.h"
#include "core/detector.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"

namespace neardup {

// Errors: those of the log, of decoding (kCorrupt, kUnsupportedVersion) and of the chain (kContradiction).
Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Probe& probe, StateBoard& board);

// Takes the records that are there now, waiting up to `wait` for the first. The same errors.
Status follow(JournalLog& log, JournalChain& chain, Detector& detector, std::chrono::milliseconds wait,
              Probe& probe, StateBoard& board);

}  // namespace neardup
