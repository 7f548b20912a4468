// How is this process doing?
#pragma once

namespace neardup {

// As Linux tells in /proc/self; 0 where it does not.
struct ProcessUsage {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double anonymous_bytes = 0;  // resident and no page of a file: what the kernel can only swap, not take back
  double virtual_bytes = 0;
  double start_time_seconds = 0;  // since the epoch
  double threads = 0;
  double open_fds = 0;
  double max_fds = 0;
  double memory_limit_bytes = 0;  // memory_limit_bytes()
};

ProcessUsage process_usage();

}  // namespace neardup
