#include "service/commands/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>

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
  StateBoard board;
  std::atomic<int> bites{0};
  {
    const Watchdog watchdog(board, 300ms, [&] { ++bites; });
    for (int i = 0; i < 100; ++i) {  // for several times that silence
      board.beat();
      std::this_thread::sleep_for(10ms);
    }
  }
  EXPECT_EQ(bites, 0);
}

}  // namespace
}  // namespace neardup
