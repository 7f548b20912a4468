#include "tests/bench/service_metrics.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/support/loopback_client.h"

namespace neardup {
namespace {

constexpr std::string_view kListens = "metrics and health at http://127.0.0.1:";

}  // namespace

ServiceMetrics::ServiceMetrics(const ChildProcess& serve) {
  const std::string log = serve.log();
  const std::size_t at = log.find(kListens);
  if (at == std::string::npos) throw std::runtime_error("serve does not say where it listens:\n" + log);
  exposition_ = http_get(std::atoi(&log[at + kListens.size()]), "/metrics");
}

double ServiceMetrics::gauge(const std::string& name) const {
  const std::size_t at = exposition_.find('\n' + name + ' ');
  if (at == std::string::npos) throw std::runtime_error("/metrics has no " + name);
  return std::strtod(&exposition_[at + name.size() + 2], nullptr);
}

double ServiceMetrics::quantile(const std::string& name, double quantile) const {
  struct Bucket {
    double bound = 0;
    double count = 0;  // up to the bound
  };
  std::vector<Bucket> buckets;
  const std::string start = name + "_bucket{le=\"";
  for (std::size_t at = exposition_.find(start); at != std::string::npos; at = exposition_.find(start, at)) {
    at += start.size();
    const std::size_t count = exposition_.find("} ", at) + 2;
    buckets.push_back({std::strtod(&exposition_[at], nullptr), std::strtod(&exposition_[count], nullptr)});
  }
  if (buckets.empty() || buckets.back().count == 0) throw std::runtime_error("/metrics has no " + name);
  const double rank = quantile * buckets.back().count;
  Bucket below;
  for (const Bucket& bucket : buckets) {
    if (bucket.count >= rank && std::isfinite(bucket.bound)) {
      return below.bound + (bucket.bound - below.bound) * (rank - below.count) / (bucket.count - below.count);
    }
    below = bucket;
  }
  throw std::runtime_error(name + " has values above all its bounds");
}

}  // namespace neardup
