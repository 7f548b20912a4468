// Is what was committed right?
//
// Checks a whole cluster, as simulation.h says, without a line of the worker: transactions are what the
// cluster saw, the journal is decoded and chained anew, and one more detector decides every document again in
// the journal's order. Those that say the same are counted from its decisions alone, one by one.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/hash.h"
#include "core/detector.h"
#include "tests/simulation/cluster.h"

namespace neardup {

struct Findings {
  std::string violation;       // "": none
  std::uint64_t verdicts = 0;  // checked
  Digest128 state;             // of the detector that decided again
  Digest128 committed;         // of all bytes that were committed, in order
};

// `options`: of the service's detector. `uniques_max`: that may be remembered behind a batch; 0: no bound.
// REQUIRES: clusters.keep is kFirst or kLongest.
Findings check_committed(const Cluster& cluster, const DetectorOptions& options, std::uint64_t uniques_max);

}  // namespace neardup
