// Does it come to that? For what another thread or another process does in its own time.
#pragma once

#include <chrono>
#include <thread>

namespace neardup {

// Whether is_so() is true within half a minute; it is asked every few milliseconds.
template <class Condition>
bool eventually(const Condition& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace neardup
