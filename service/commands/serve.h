// `neardup serve`: the long-running consumer.
#pragma once

#include "service/config.h"
#include "service/pipeline/input_plan.h"

namespace neardup {

struct ServeOptions {
  bool fail_fast = false;  // leave with EX_UNAVAILABLE when Kafka cannot be reached at start
  Accepted accepted;       // contradictions that a person has settled
};

// Blocks SIGTERM, SIGINT, SIGQUIT and SIGHUP for the process and works until one of them comes: the first
// finishes the batch in hand, the second ends at once. Its last word is the log's last line. Returns an exit
// code (exit_code.h).
int run_serve(const LoadedConfig& config, const ServeOptions& options);

}  // namespace neardup
