// Is what was committed right?
//
// Checks a whole cluster, as simulation.h says, without a line of the worker: transactions are what the
// cluster saw, the journal is decoded and chained anew, and one more detector decides every document again in
// the journal's order. Those that say the same are counted from its decisions alone, one by one. What time it
// is, and what is to be forgotten by then, is told by the documents, not by the journal.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/hash.h"
#include "core/detector.h"
#include "core/retention.h"
#include "tests/simulation/cluster.h"

namespace neardup {

struct Findings {
  std::string violation;       // "": none
  std::uint64_t verdicts = 0;  // checked
  Digest128 state;             // of the detector that decided again
  Digest128 committed;         // of all bytes that were committed, in order
};

// `options`, `retention`: of the service, in all its lives. REQUIRES: clusters.keep is kFirst or kLongest;
// retention.bytes_max == 0, for of memory only who decided knows; documents tell no time but their records'.
Findings check_committed(const Cluster& cluster, const DetectorOptions& options,
                         const RetentionOptions& retention);

}  // namespace neardup
