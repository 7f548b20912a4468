#include "service/kafka/settings_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Counted final : Probe {
  void wrong_topic_settings(std::uint64_t problems) override { wrong = problems; }
  std::uint64_t wrong = 99;
};

class SettingsWatchTest : public ::testing::Test {
 protected:
  // The log of a look so long after the last one.
  std::string look(std::chrono::seconds after = SettingsWatch::kInterval) {
    ::testing::internal::CaptureStderr();
    watch_->look(now_ += after);
    return ::testing::internal::GetCapturedStderr();
  }

  SettingsWatch::Clock::time_point now_ = SettingsWatch::Clock::now();
  Result<SettingsWatch::Topics> answer_ = SettingsWatch::Topics{};
  std::vector<TopicProblem> problems_;
  int asked_ = 0;
  Counted probe_;
  StateBoard board_;
  std::optional<SettingsWatch> watch_{std::in_place,
                                      [this] {
                                        ++asked_;
                                        return answer_;
                                      },
                                      [this](const SettingsWatch::Topics&) { return problems_; }, probe_,
                                      board_};
  const TopicProblem retention_{"journal", "retention.ms is 1000, it must be -1", "topics create --alter"};
};

TEST_F(SettingsWatchTest, what_is_wrong_twice_in_a_row_is_told_once_until_it_is_right) {
  EXPECT_EQ(probe_.wrong, 0U);
  EXPECT_EQ(look(), "");
  problems_ = {retention_};
  EXPECT_EQ(look(), "") << "one broker may not know it yet";
  EXPECT_EQ(board_.warning(), "");
  EXPECT_THAT(look(5s), AllOf(HasSubstr("topic journal: retention.ms is 1000, it must be -1"),
                              HasSubstr("Mend it: topics create --alter")))
      << "not after another interval";
  EXPECT_EQ(board_.warning(), "topic settings: topic journal: retention.ms is 1000, it must be -1");
  EXPECT_EQ(probe_.wrong, 1U);
  EXPECT_EQ(look(), "");
  problems_.clear();
  EXPECT_EQ(look(), "");
  EXPECT_EQ(probe_.wrong, 1U) << "as little is taken back because of one broker";
  EXPECT_THAT(look(5s), HasSubstr("right again"));
  EXPECT_EQ(board_.warning(), "");
  EXPECT_EQ(probe_.wrong, 0U);
}

TEST_F(SettingsWatchTest, asks_each_interval_and_no_answer_changes_nothing) {
  problems_ = {retention_};
  look();
  look();
  EXPECT_EQ(asked_, 2);
  look(1s);
  EXPECT_EQ(asked_, 2) << "not due";
  answer_ = Error{ErrorCode::kUnavailable, "Kafka is away"};
  EXPECT_EQ(look(), "");
  EXPECT_EQ(asked_, 3);
  EXPECT_EQ(probe_.wrong, 1U);
  watch_.reset();
  EXPECT_EQ(probe_.wrong, 0U) << "whoever is elected looks anew";
  EXPECT_EQ(board_.warning(), "");
}

}  // namespace
}  // namespace neardup
