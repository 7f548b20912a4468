// On how many cores may the calling thread run?
//
// By its affinity, which it has from who started it, and which is also where a cpuset shows. What a quota
// leaves of them is another question (service/metrics/control_group.h).
#pragma once

namespace neardup {

// At least one.
int allowed_cores();

}  // namespace neardup
