// What does a running service say of itself at /metrics?
//
// One look, read as PromQL would read it: a gauge, or a quantile of a histogram. Only those without labels.
#pragma once

#include <string>

#include "tests/support/child_process.h"

namespace neardup {

class ServiceMetrics {
 public:
  // Of a `neardup serve` whose log tells where it listens. Throws when it does not, or does not answer.
  explicit ServiceMetrics(const ChildProcess& serve);

  // Both throw when there is no such metric.
  double gauge(const std::string& name) const;
  // As histogram_quantile(). Throws too when it lies above all bounds.
  double quantile(const std::string& name, double quantile) const;

 private:
  std::string exposition_;
};

}  // namespace neardup
