// What may this process have of its machine?
//
// The kernel counts by control group: a container's or a unit's, and those around it, of which the tightest
// rules. Inside a container the group is mounted at its root; outside, /proc/self/cgroup names its folder
// ("0::/system.slice/neardup.service"; before version 2 "4:memory:/..." and "3:cpu,cpuacct:/...").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

// Past it the kernel ends the process: the limit of its control groups, or the machine's memory. 0: unknown.
double memory_limit_bytes();

// As many threads as can run at once: the cores that the process may run on, but no more than its CPU limit
// comes to, for more would only be throttled. At least 1.
int usable_cores();

// ---- What the two are made of. Pure: the tests need no control group. ----

// Where the limits of `controller` may lie, by what /proc/self/cgroup says: the group's folder, those around
// it, and the roots.
std::vector<std::string> control_group_folders(std::string_view self, std::string_view controller);

// Cores that a file cpu.max grants: "150000 100000" is 1.5 of them. Nothing: "max", or none of such.
std::optional<double> quota_of_cpu_max(std::string_view text);

// The same before version 2, of cpu.cfs_quota_us, -1 without a limit, and cpu.cfs_period_us.
std::optional<double> quota_of_cfs(std::string_view quota_us, std::string_view period_us);

int cores_within(int cores, std::optional<double> quota);

}  // namespace neardup
