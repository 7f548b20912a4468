#include "service/commands/watchdog.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace neardup {

Watchdog::Watchdog(const StateBoard& board, std::chrono::nanoseconds silence_max, std::function<void()> bite)
    : thread_([&board, silence_max, bite = std::move(bite)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          const std::chrono::nanoseconds left = silence_max - board.since_beat();
          if (left < std::chrono::nanoseconds::zero()) return bite();
          // Not all at once: a beat in between moves the end.
          never.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(left, std::chrono::seconds(1)),
                         [] { return false; });
        }
      }) {}

}  // namespace neardup
