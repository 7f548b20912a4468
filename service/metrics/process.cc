#include "service/metrics/process.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace neardup {
namespace {

// Seconds since the epoch at which the machine started: "btime" of /proc/stat.
double boot_time_seconds() {
  std::ifstream in("/proc/stat");
  std::string word;
  double value = 0;
  while (in >> word) {
    if (word == "btime" && in >> value) return value;
  }
  return 0;
}

double count_open_fds() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr) return 0;
  int entries = 0;
  while (readdir(folder.get()) != nullptr) ++entries;
  return entries - 3;  // ".", ".." and the folder itself, which is open
}

// The first number of a file, if it holds one: a control group without a limit says "max".
std::optional<double> number_in(const std::string& path) {
  std::ifstream in(path);
  double value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

// "MemTotal" of /proc/meminfo.
double machine_memory_bytes() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  double kilobytes = 0;
  while (in >> word) {
    if (word == "MemTotal:" && in >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// Past it the kernel ends the process. Inside a container the control group is mounted at its root; outside,
// /proc/self/cgroup names its folder ("0::/system.slice/neardup.service"; before version 2 "4:memory:/...").
double memory_limit_bytes() {
  double limit = machine_memory_bytes();
  const auto take = [&limit](const std::string& path) {
    if (const std::optional<double> found = number_in(path)) limit = std::min(limit, *found);
  };
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string folder = line.substr(second + 1);
    if (controllers.empty()) take("/sys/fs/cgroup" + folder + "/memory.max");
    if (controllers == "memory") take("/sys/fs/cgroup/memory" + folder + "/memory.limit_in_bytes");
  }
  take("/sys/fs/cgroup/memory.max");
  take("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  return limit;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage usage;
  std::ifstream in("/proc/self/stat");
  std::string stat;
  std::getline(in, stat);
  // The name, in parentheses, may hold anything; what follows the last ')' is fields 3, 4, ... of proc(5).
  const std::size_t name_end = stat.rfind(')');
  if (name_end != std::string::npos) {
    std::istringstream fields(stat.substr(name_end + 1));
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    std::string skipped;
    double value = 0;
    fields >> skipped;  // field 3, the state, is the only one that is no number
    for (int field = 4; field <= 24 && fields >> value; ++field) {
      if (field == 14 || field == 15) usage.cpu_seconds += value * tick;
      if (field == 20) usage.threads = value;
      if (field == 22) usage.start_time_seconds = boot_time_seconds() + value * tick;
      if (field == 23) usage.virtual_bytes = value;
      if (field == 24) usage.resident_bytes = value * static_cast<double>(sysconf(_SC_PAGESIZE));
    }
  }
  usage.open_fds = count_open_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) usage.max_fds = static_cast<double>(limit.rlim_cur);
  usage.memory_limit_bytes = memory_limit_bytes();
  return usage;
}

}  // namespace neardup
