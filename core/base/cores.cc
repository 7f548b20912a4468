#include "core/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace neardup {

int allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  // More than the set has room for.
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

}  // namespace neardup
