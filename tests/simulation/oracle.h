// Is what was committed right?
//
// Checks a whole cluster, as simulation.h says, without a line of the worker: transactions are what the
// cluster saw, the journal is decoded and chained anew, and one more detector decides every document again in
// the journal's order.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/hash.h"
#include "tests/simulation/cluster.h"

namespace neardup {

struct Findings {
  std::string violation;       // "": none
  std::uint64_t verdicts = 0;  // checked
  Digest128 state;             // of the detector that decided again
  Digest128 committed;         // of all bytes that were committed, in order
};

// `uniques_max`: that may be remembered behind a batch; 0: no bound.
Findings check_committed(const Cluster& cluster, std::uint64_t uniques_max);

}  // namespace neardup
