#include "service/metrics/process.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "service/metrics/control_group.h"

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

// "RssAnon" and "RssShmem" of /proc/self/status. `resident_bytes` where they are not told apart: too much is
// the safe error of a limit.
double anonymous_bytes(double resident_bytes) {
  std::ifstream in("/proc/self/status");
  std::string word;
  double value = 0;
  double kilobytes = 0;
  while (in >> word) {
    if ((word == "RssAnon:" || word == "RssShmem:") && in >> value) kilobytes += value;
  }
  return kilobytes > 0 ? kilobytes * 1024 : resident_bytes;
}

double count_open_fds() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr) return 0;
  int entries = 0;
  while (readdir(folder.get()) != nullptr) ++entries;
  return entries - 3;  // ".", ".." and the folder itself, which is open
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
  usage.anonymous_bytes = anonymous_bytes(usage.resident_bytes);
  usage.open_fds = count_open_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) usage.max_fds = static_cast<double>(limit.rlim_cur);
  usage.memory_limit_bytes = memory_limit_bytes();
  return usage;
}

}  // namespace neardup
