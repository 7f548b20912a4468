// How long ago, and what time is it? For figures and logs, and for a time ahead of now, which ages nothing
// (core/retention.h). No other decision hangs on a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace neardup {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Since the epoch.
inline double wall_clock_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The same as Kafka stamps records.
inline std::int64_t wall_clock_ms() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

}  // namespace neardup
