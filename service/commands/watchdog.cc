#include "service/commands/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>

#include "service/commands/exit_code.h"
#include "service/log.h"

namespace neardup {

using Clock = StateBoard::Clock;

Watchdog::Watchdog(const StateBoard& board, std::chrono::nanoseconds silence_max)
    : Watchdog(board, silence_max, [&board, silence_max] {
        const std::string detail = board.detail();
        log_error("the worker has shown no life for {} s ({}{}): ending at once, for a new life",
                  std::chrono::round<std::chrono::seconds>(silence_max).count(), name(board.state()),
                  detail.empty() ? "" : ": " + detail);
        _exit(kExitInternal);
      }) {}

Watchdog::Watchdog(const StateBoard& board, std::chrono::nanoseconds silence_max, std::function<void()> bite)
    : thread_([&board, silence_max, bite = std::move(bite)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        Clock::time_point begin = Clock::now();  // of what can be laid on the worker
        while (!stop.stop_requested()) {
          const Clock::time_point now = Clock::now();
          const auto left = silence_max - std::min<std::chrono::nanoseconds>(board.since_beat(), now - begin);
          if (left < std::chrono::nanoseconds::zero()) return bite();
          // Not all at once: a beat in between moves the end.
          const auto wait = std::min<std::chrono::nanoseconds>(left, std::chrono::seconds(1));
          never.wait_for(lock, stop, wait, [] { return false; });
          // The whole process was stopped, or its machine: nobody could beat.
          if (const Clock::time_point woken = Clock::now(); woken - now > wait + silence_max / 10)
            begin = woken;
        }
      }) {}

}  // namespace neardup
