#include "service/metrics/state.h"

#include <utility>

#include "core/base/clauses.h"

namespace neardup {

void StateBoard::set(State state, std::string detail) {
  const std::lock_guard lock(mutex_);
  detail_ = std::move(detail);
  progress_.clear();
  state_.store(state, std::memory_order_release);
}

void StateBoard::set_progress(std::string progress) {
  const std::lock_guard lock(mutex_);
  progress_ = std::move(progress);
}

std::string StateBoard::detail() const {
  const std::lock_guard lock(mutex_);
  std::string detail = detail_;
  if (!progress_.empty()) add_clause(detail, progress_);
  return detail;
}

void StateBoard::warn(std::string_view part, const std::string& warning) {
  const std::lock_guard lock(mutex_);
  if (!warning.empty()) {
    warnings_.insert_or_assign(std::string(part), warning);
  } else if (const auto known = warnings_.find(part); known != warnings_.end()) {
    warnings_.erase(known);
  }
}

std::string StateBoard::warning() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& [part, warning] : warnings_) add_clause(all, part + ": " + warning);
  return all;
}

}  // namespace neardup
