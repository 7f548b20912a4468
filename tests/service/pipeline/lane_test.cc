#include "service/pipeline/lane.h"

#include <gtest/gtest.h>

#include <thread>

namespace neardup {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60000};  // nothing here takes it

TEST(Lane, gives_out_first_what_came_first) {
  Lane<int> lane;
  lane.push(1);
  lane.push(2);
  EXPECT_EQ(lane.pop({}, milliseconds(0)), 1);
  EXPECT_EQ(lane.pop({}, milliseconds(0)), 2);
  EXPECT_EQ(lane.pop({}, milliseconds(0)), std::nullopt);
  EXPECT_FALSE(lane.ended());
}

TEST(Lane, ends_behind_its_last_piece) {
  Lane<int> lane;
  lane.push(7);
  lane.close();
  EXPECT_FALSE(lane.ended());
  EXPECT_EQ(lane.pop({}, kLong), 7);
  EXPECT_TRUE(lane.ended());
  EXPECT_EQ(lane.pop({}, kLong), std::nullopt);
}

TEST(Lane, who_is_halted_gets_nothing_even_if_something_is_there) {
  Lane<int> lane;
  lane.push(1);
  std::stop_source halt;
  halt.request_stop();
  EXPECT_EQ(lane.pop(halt.get_token(), kLong), std::nullopt);
}

TEST(Lane, wakes_who_waits_for_a_piece_for_the_end_and_for_a_halt) {
  Lane<int> lane;
  {
    const std::jthread giver([&] { lane.push(3); });
    EXPECT_EQ(lane.pop({}, kLong), 3);
  }
  {
    std::jthread taker([&](const std::stop_token& halt) { EXPECT_EQ(lane.pop(halt, kLong), std::nullopt); });
    taker.request_stop();
  }
  const std::jthread closer([&] { lane.close(); });
  EXPECT_EQ(lane.pop({}, kLong), std::nullopt);
  EXPECT_TRUE(lane.ended());
}

}  // namespace
}  // namespace neardup
