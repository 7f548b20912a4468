// What if the worker hangs?
//
// Some calls of a Kafka client can wait for ever after a fatal error. The election notices the silence and
// leaves, so that another instance goes on; the watchdog then ends this process, so that its supervisor makes
// a new one. Nothing is lost: what was not committed is decided again.
//
// Threads: one of its own, which calls `bite`.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "service/metrics/state.h"

namespace neardup {

class Watchdog {
 public:
  // A little later than the election leaves, so that another instance is on its way. The texts that tell
  // operators are named in the test.
  static constexpr std::chrono::seconds kSilenceMax = StateBoard::kBeatMax + std::chrono::seconds(10);

  // Says what was under way when the board has had no beat for `silence_max`, and ends the process at once,
  // with kExitInternal.
  explicit Watchdog(const StateBoard& board, std::chrono::nanoseconds silence_max = kSilenceMax);
  // Calls `bite` once when the board has had no beat for `silence_max`.
  Watchdog(const StateBoard& board, std::chrono::nanoseconds silence_max, std::function<void()> bite);
  ~Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace neardup
