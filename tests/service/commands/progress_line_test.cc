#include "service/commands/progress_line.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/service/commands/terminal.h"

namespace neardup {
namespace {

TEST(ProgressLine, is_written_over_itself_and_taken_away) {
  Terminal terminal;
  {
    ProgressLine line(terminal.fd());
    line.show([] { return "at once"; });
    EXPECT_EQ(terminal.read(), "") << "short works say nothing";
    std::this_thread::sleep_for(ProgressLine::kEvery);
    line.show([] { return "1 of 3"; });
    line.show([] { return "2 of 3"; });
    EXPECT_EQ(terminal.read(), "\r\x1b[K1 of 3") << "and not each step";
    line.clear();
    line.clear();
    EXPECT_EQ(terminal.read(), "\r\x1b[K");
    std::this_thread::sleep_for(ProgressLine::kEvery);
    line.show([] { return "3 of 3"; });
  }
  EXPECT_EQ(terminal.read(), "\r\x1b[K3 of 3\r\x1b[K");
}

TEST(ProgressLine, nothing_is_written_that_nobody_wants) {
  Terminal terminal;
  {
    ProgressLine line(terminal.fd(), false);
    std::this_thread::sleep_for(ProgressLine::kEvery);
    line.show([] { return "1 of 3"; });
  }
  EXPECT_EQ(terminal.read(), "");
}

}  // namespace
}  // namespace neardup
