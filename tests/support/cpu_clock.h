// How much CPU time has this thread used? What benchmarks count: it stands still while others use the
// machine.
#pragma once

#include <time.h>

namespace neardup {

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double cpu_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace neardup
