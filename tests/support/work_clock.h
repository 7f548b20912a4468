// How much CPU time does a piece of work take, whoever does it?
//
// Memory that grows is cleared by a thread of its own (core/index/growing_memory.h), and what names uniques
// is written by another one (core/index/cold_store.h). What they do is work of the index as much as the
// caller's, and others pay it in the measured thread, as page faults. They may still be at it when the call
// returns; so they are awaited, and that waiting is not counted.
//
// REQUIRES: no other thread of the process works meanwhile on something else.
#pragma once

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/cpu_clock.h"

namespace neardup {

// Of all threads but the one that asks.
inline double helpers_cpu_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_seconds(); }

// Whether every thread but the one that asks sleeps. One that waits for a processor does not.
inline bool helpers_sleep() {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return true;
  bool sleep = true;
  while (const dirent* const task = readdir(tasks)) {
    const std::string name = task->d_name;
    if (name[0] == '.' || std::atoi(name.c_str()) == gettid()) continue;
    std::ifstream file("/proc/self/task/" + name + "/stat");
    std::string line;
    std::getline(file, line);  // "17 (name) S ..."; a thread that has just ended has none
    const std::size_t end = line.rfind(") ");
    if (end != std::string::npos && line[end + 2] != 'S' && line[end + 2] != 'Z') sleep = false;
  }
  closedir(tasks);
  return sleep;
}

// Until they have nothing left to do.
inline void await_helpers() {
  while (!helpers_sleep()) {
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 200'000};
    nanosleep(&kPause, nullptr);
  }
}

// Of the helpers alone, where the caller's own work is measured in pieces.
class HelpersClock {
 public:
  // Seconds since it was made or asked last. Waits for them.
  double lap() {
    await_helpers();
    const double now = helpers_cpu_seconds();
    const double passed = now - last_;
    last_ = now;
    return passed;
  }

 private:
  double last_ = helpers_cpu_seconds();
};

// Of the caller and the helpers.
class WorkClock {
 public:
  // Seconds since it was made.
  double seconds() {
    const double own = cpu_seconds() - own_;
    return own + helpers_.lap();
  }

 private:
  HelpersClock helpers_;
  double own_ = cpu_seconds();
};

}  // namespace neardup
