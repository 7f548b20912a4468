#include "service/commands/watchdog.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/commands/exit_code.h"

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

TEST(WatchdogDeathTest, ends_the_process_with_70_and_says_what_was_under_way) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // none but the child has its thread
  EXPECT_EXIT(
      {
        StateBoard board;
        board.set(State::kStarting, "opening snapshot /mnt/away");
        const Watchdog watchdog(board, 1s);
        std::this_thread::sleep_for(60s);
      },
      testing::ExitedWithCode(kExitInternal),
      R"(no life for 1 s \(starting: opening snapshot /mnt/away\): ending at once)");
}

// A process that was stopped, or a machine that was, does not hear the worker's next beat before its own wait
// is over.
TEST(Watchdog, does_not_lay_on_the_worker_what_was_a_pause_of_all) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    StateBoard board;
    const Watchdog watchdog(board, 1s, [] { _exit(1); });
    StateBoard::Clock::time_point last = StateBoard::Clock::now();
    for (const auto end = last + 6s; last < end; last = StateBoard::Clock::now()) {
      std::this_thread::sleep_for(100ms);
      if (StateBoard::Clock::now() - last > 1s)
        std::this_thread::sleep_for(300ms);  // the watchdog looks first
      board.beat();
    }
    _exit(0);
  }
  std::this_thread::sleep_for(500ms);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(kill(child, SIGSTOP), 0);
    std::this_thread::sleep_for(2s);
    ASSERT_EQ(kill(child, SIGCONT), 0);
    std::this_thread::sleep_for(200ms);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Those of the alert's own test and of the chart's golden files are compared with the chart's.
TEST(Watchdog, texts_for_operators_tell_its_times) {
  const auto leaves = StateBoard::kBeatMax.count();
  const auto ends = Watchdog::kSilenceMax.count();
  for (const auto& [file, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"service/DESIGN.md", fmt::format("when the worker has not moved for {} s", ends)},
           {"service/DESIGN.md", fmt::format("the watchdog ends the process after {} s (exit 70)", ends)},
           {"service/DESIGN.md",
            fmt::format("it leaves the election after {} s and the process ends after {} s", leaves, ends)},
           {"docs/runbooks/NeardupSnapshotFailing.md",
            fmt::format("the watchdog ends the process after {} s (exit 70)", ends)},
           {"docs/runbooks/NeardupWorkerStuck.md",
            fmt::format(
                "At {} s `/livez` fails and the instance leaves the election; at {} s the process ends",
                leaves, ends)},
           {"docs/runbooks/NeardupWorkerStuck.md",
            fmt::format("`the worker has shown no life for {} s`", ends)},
           {"charts/neardup/files/alerts.yaml",
            fmt::format("after {} s without a beat the process ends itself", ends)},
           {"charts/neardup/files/alerts.yaml", fmt::format("; after {} s the process ends itself", ends)}}) {
    std::ifstream in(std::string(NEARDUP_SOURCE_DIR "/") + file);
    std::string text;
    for (std::string word; in >> word;) text += word + ' ';  // wherever lines are broken
    EXPECT_THAT(text, ::testing::HasSubstr(sentence)) << file;
  }
}

}  // namespace
}  // namespace neardup
