// The fault points of the test build (service/fault_point.h). The environment says what they do:
//
//   CHAOS_FAULT=committed:3:kill    at its third passing of `committed` the process kills itself;
//   CHAOS_FAULT=committed:3:stop    it stops, until somebody sends it SIGCONT
//   CHAOS_LIMIT_commit_ms=2000       a limit of time, named in the call of fault_limit
#include "service/fault_point.h"

#include <signal.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace neardup {
namespace {

struct Plan {
  std::string point;
  int passing = 0;  // 1: the first
  int signal = 0;

  Plan() {
    const char* const text = std::getenv("CHAOS_FAULT");
    if (text == nullptr) return;
    char name[32];
    char act[8];
    if (std::sscanf(text, "%31[^:]:%d:%7s", name, &passing, act) != 3) {
      std::fprintf(stderr, "CHAOS_FAULT=%s is not POINT:NUMBER:kill|stop\n", text);
      std::abort();
    }
    point = name;
    signal = std::string(act) == "stop" ? SIGSTOP : SIGKILL;
  }
};

}  // namespace

void pass_fault_point(FaultPoint point) {
  static const Plan plan;
  static std::atomic<int> passed{0};
  if (plan.point != kFaultPointNames[static_cast<std::size_t>(point)]) return;
  if (++passed == plan.passing) raise(plan.signal);
}

int fault_limit(const char* name, int value) {
  const char* const text = std::getenv((std::string("CHAOS_LIMIT_") + name).c_str());
  return text == nullptr ? value : std::atoi(text);
}

}  // namespace neardup
