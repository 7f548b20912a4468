#include "service/metrics/state.h"

#include <utility>

namespace neardup {

void StateBoard::set(State state, std::string detail) {
  const std::lock_guard lock(mutex_);
  detail_ = std::move(detail);
  state_.store(state, std::memory_order_release);
}

std::string StateBoard::detail() const {
  const std::lock_guard lock(mutex_);
  return detail_;
}

void StateBoard::warn(std::string warning) {
  const std::lock_guard lock(mutex_);
  warning_ = std::move(warning);
}

std::string StateBoard::warning() const {
  const std::lock_guard lock(mutex_);
  return warning_;
}

}  // namespace neardup
