#include "service/metrics/control_group.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/cores.h"

namespace neardup {
namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";

// "" if it cannot be read: there is no such limit.
std::string content_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The first number of a text, if it begins with one: a control group without a limit says "max".
std::optional<double> number_in(std::string_view text) {
  std::istringstream in{std::string(text)};
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

// `controllers` are divided by commas.
bool names(std::string_view controllers, std::string_view controller) {
  const auto between_commas = [](std::string_view text) { return "," + std::string(text) + ","; };
  return between_commas(controllers).find(between_commas(controller)) != std::string::npos;
}

std::vector<std::string> own_folders(std::string_view controller) {
  return control_group_folders(content_of("/proc/self/cgroup"), controller);
}

}  // namespace

std::vector<std::string> control_group_folders(std::string_view self, std::string_view controller) {
  const std::string before(std::string(kRoot) + "/" + std::string(controller));  // version 2
  std::vector<std::string> folders;
  const auto add = [&folders](const std::string& root, std::string_view folder) {
    for (; folder.size() > 1; folder = folder.substr(0, folder.rfind('/')))
      folders.push_back(root + std::string(folder));
  };
  std::istringstream in{std::string(self)};
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line[second + 1] != '/') continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const std::string_view folder = std::string_view(line).substr(second + 1);
    if (controllers.empty()) add(std::string(kRoot), folder);
    if (names(controllers, controller)) add(before, folder);
  }
  folders.emplace_back(kRoot);
  folders.push_back(before);
  return folders;
}

std::optional<double> quota_of_cpu_max(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return quota_of_cfs(text.substr(0, space), text.substr(space + 1));
}

std::optional<double> quota_of_cfs(std::string_view quota_us, std::string_view period_us) {
  const std::optional<double> quota = number_in(quota_us);
  const std::optional<double> period = number_in(period_us);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

int cores_within(int cores, std::optional<double> quota) {
  if (quota && std::ceil(*quota) < cores) cores = static_cast<int>(std::ceil(*quota));
  return std::max(cores, 1);
}

double memory_limit_bytes() {
  double limit = machine_memory_bytes();
  for (const std::string& folder : own_folders("memory")) {
    for (const char* const file : {"/memory.max", "/memory.limit_in_bytes"}) {
      if (const std::optional<double> found = number_in(content_of(folder + file)))
        limit = limit > 0 ? std::min(limit, *found) : *found;  // 0: unknown
    }
  }
  return limit;
}

int usable_cores() {
  int cores = allowed_cores();
  for (const std::string& folder : own_folders("cpu")) {
    cores = cores_within(cores, quota_of_cpu_max(content_of(folder + "/cpu.max")));
    cores = cores_within(cores, quota_of_cfs(content_of(folder + "/cpu.cfs_quota_us"),
                                             content_of(folder + "/cpu.cfs_period_us")));
  }
  return cores;
}

}  // namespace neardup
