#include "service/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <string>

namespace neardup {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::chrono::system_clock::time_point kWhen{1700000000123ms};

std::string message_of_json(std::string_view message) {
  const std::string line = internal::log_json(LogLevel::kInfo, kWhen, message);
  const std::string head = R"({"ts":"2023-11-14T22:13:20.123Z","level":"info","msg":")";
  EXPECT_TRUE(line.starts_with(head)) << line;
  EXPECT_TRUE(line.ends_with("\"}")) << line;
  return line.substr(head.size(), line.size() - head.size() - 2);
}

TEST(Log, json_escapes_what_json_cannot_hold) {
  EXPECT_EQ(message_of_json("plain"), "plain");
  EXPECT_EQ(message_of_json("a \"b\" \\ c"), R"(a \"b\" \\ c)");
  EXPECT_EQ(message_of_json("a\nb\tc\rd"), R"(a\nb\tc\rd)");
  EXPECT_EQ(message_of_json(std::string_view("\x00\x1b[31m\x7f", 7)), R"(\u0000\u001b[31m\u007f)");
  EXPECT_EQ(message_of_json("Füße 文档 😀"), "Füße 文档 😀");
}

TEST(Log, bytes_that_are_not_utf8_become_replacement_characters) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(message_of_json("a\xFFz"), "a" + r + "z");
  EXPECT_EQ(message_of_json("\xC0\xAF"), r + r);                  // overlong
  EXPECT_EQ(message_of_json("\xED\xA0\x80"), r + r + r);          // surrogate
  EXPECT_EQ(message_of_json("\xF4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(message_of_json("\xE6\x96"), r + r);                  // cut off
}

TEST(Log, text_can_forge_no_second_line_and_no_colour) {
  const std::string line = internal::log_text(LogLevel::kError, kWhen, "topic\n2023 error \x1b[2J \"x\" \\");
  EXPECT_EQ(line, "2023-11-14T22:13:20.123Z error   topic\\n2023 error \\u001b[2J \"x\" \\");
}

TEST(Log, controls_of_two_bytes_are_controls) {
  EXPECT_EQ(message_of_json("a\xC2\x9B"
                            "2Jb\xC2\x80\xC2\x9F"),
            R"(a\u009b2Jb\u0080\u009f)");
  EXPECT_EQ(message_of_json("\xC2\xA0\xC3\x9B\xC2\xAD"), "\xC2\xA0\xC3\x9B\xC2\xAD");
  EXPECT_THAT(internal::log_text(LogLevel::kError, kWhen,
                                 "\xC2\x9B"
                                 "2J"),
              EndsWith("error   \\u009b2J"));
}

TEST(Log, lines_below_the_level_are_not_written) {
  LogConfig config;
  config.level = "warning";
  config.format = "json";
  configure_log(config);
  testing::internal::CaptureStderr();
  log_info("{} is quiet", 1);
  log_warning("{} is heard", 2);
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_THAT(out, AllOf(HasSubstr(R"("level":"warning","msg":"2 is heard"})"), Not(HasSubstr("quiet")),
                         EndsWith("\n")));
  config.format = "text";
  configure_log(config);
  testing::internal::CaptureStderr();
  log_error("text");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), EndsWith("Z error   text\n"));
  configure_log(LogConfig{});
}

// It stopped whoever had something to say for ever, and all who came after.
TEST(Log, who_does_not_read_costs_a_second_once_and_is_told_what_is_lost) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  std::string page(PIPE_BUF, 'x');
  while (::write(ends[1], page.data(), page.size()) > 0) {
  }
  ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);  // who writes to it waits now
  const auto received = [&] {
    std::string all;
    for (ssize_t got = 0; (got = ::read(ends[0], page.data(), page.size())) > 0;)
      all.append(page, 0, static_cast<std::size_t>(got));
    return all;
  };
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) log_warning("line {}.", i);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_THAT(received(), Not(HasSubstr("line")));
  log_warning("somebody reads again");
  dup2(before, STDERR_FILENO);
  close(before);
  EXPECT_LT(took, 20s);
  EXPECT_THAT(received(), AllOf(HasSubstr("line 0."), HasSubstr("99 lines before this one are lost"),
                                HasSubstr("somebody reads again"), Not(HasSubstr("line 1."))));
  for (const int end : ends) close(end);
}

TEST(LogLimiter, one_line_an_interval_tells_how_many_were_left_out) {
  LogLimiter limiter(10s);
  const LogLimiter::Clock::time_point start{};
  EXPECT_EQ(limiter.admit("broker", start), 0U);
  EXPECT_EQ(limiter.admit("broker", start + 1s), std::nullopt);
  EXPECT_EQ(limiter.admit("broker", start + 9s), std::nullopt);
  EXPECT_EQ(limiter.admit("other", start + 9s), 0U);
  EXPECT_EQ(limiter.admit("broker", start + 10s), 2U);
  EXPECT_EQ(limiter.admit("broker", start + 11s), std::nullopt);
  EXPECT_EQ(limiter.admit("broker", start + 30s), 1U);
  EXPECT_EQ(limiter.admit("broker", start + 60s), 0U);
}

TEST(LogLimiter, many_keys_share_one_place) {
  LogLimiter limiter(10s);
  const LogLimiter::Clock::time_point start{};
  int written = 0;
  for (int i = 0; i < 10000; ++i) written += limiter.admit("key " + std::to_string(i), start) ? 1 : 0;
  EXPECT_EQ(written, static_cast<int>(LogLimiter::kKeysMax));
}

TEST(LogLimiter, old_keys_make_room_for_new_ones) {
  LogLimiter limiter(10s);
  const LogLimiter::Clock::time_point start{};
  for (int i = 0; i < 10000; ++i) limiter.admit("key " + std::to_string(i), start);
  EXPECT_EQ(limiter.admit("a", start + 11s), 0U);
  EXPECT_EQ(limiter.admit("b", start + 11s), 0U) << "not in the place that is shared";
}

// It still has to tell of what it left out, so it stays when old keys go.
TEST(LogLimiter, a_key_that_finds_the_shared_place_taken_is_limited_by_it) {
  LogLimiter limiter(10s);
  const LogLimiter::Clock::time_point start{};
  for (int i = 0; i < 300; ++i) limiter.admit("key " + std::to_string(i), start);
  for (std::size_t i = 2; i < LogLimiter::kKeysMax; ++i)
    limiter.admit("new " + std::to_string(i), start + 1h);
  int written = 0;
  for (int i = 0; i < 1000; ++i) written += limiter.admit("flood", start + 1h) ? 1 : 0;
  EXPECT_EQ(written, 1);
}

TEST(LogLimiter, the_line_itself_says_so) {
  configure_log(LogConfig{});
  LogLimiter limiter(0s);
  testing::internal::CaptureStderr();
  limiter.log(LogLevel::kWarning, "k", "broker {} is away", 3);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("broker 3 is away"));
}

}  // namespace
}  // namespace neardup
