#include "service/commands/watchdog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace neardup {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, bites_once_when_the_worker_is_silent) {
  StateBoard board;
  std::atomic<int> bites{0};
  const Watchdog watchdog(board, 20ms, [&] { ++bites; });
  for (int i = 0; i < 1000 && bites == 0; ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(bites, 1);
}

TEST(Watchdog, leaves_a_worker_alone_that_beats) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kSilence = 300ms;
  Clock::time_point last = Clock::now();
  StateBoard board;
  std::atomic<int> bites{0};
  Clock::duration longest{};  // silence, as a machine makes it that stands still
  {
    const Watchdog watchdog(board, kSilence, [&] { ++bites; });
    for (int i = 0; i < 100; ++i) {  // for several times that silence
      const Clock::time_point before = Clock::now();
      board.beat();
      longest = std::max(longest, Clock::now() - std::exchange(last, before));
      std::this_thread::sleep_for(10ms);
    }
  }
  longest = std::max(longest, Clock::now() - last);
  EXPECT_TRUE(bites == 0 || longest > kSilence) << longest.count() << " ns";
}

}  // namespace
}  // namespace neardup
