// How does the service talk to its operator?
//
// Lines on stderr: text on a terminal, one JSON object {"ts","level","msg"} a line elsewhere. Lines are
// sentences about the service, never about one document: nothing here is called on the hot path. What came
// from outside may stand in a line; control characters are escaped, so it can forge no second line.
//
// Threads: any thread may log; configure_log is called once, before the others start. Room for a line is
// waited for a second, and no more until somebody reads again, who is told how many lines are lost: no thread
// stands still for the log, least of all one that is to end the process.
#pragma once

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service/config.h"

namespace neardup {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
inline constexpr std::array<std::string_view, 4> kLogLevelNames = {"debug", "info", "warning", "error"};
enum class LogFormat : std::uint8_t { kAuto, kText, kJson };
inline constexpr std::array<std::string_view, 3> kLogFormatNames = {"auto", "text", "json"};

// Before this is called, lines of level info and above are written in the format `auto`.
// REQUIRES: of a configuration that load_config() took.
void configure_log(const LogConfig& config);

bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view message);

template <class... Args>
void log_at(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kDebug, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kWarning, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kError, format, std::forward<Args>(args)...);
}

// Which of many equal lines are worth writing?
//
// Per key one line each `interval`, which says how many were left out since the one before. A broker that is
// away for an hour then costs six lines a minute for what its clients say, and not thousands.
class LogLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LogLimiter(std::chrono::seconds interval = std::chrono::seconds(10)) : interval_(interval) {}

  // How many lines of this key were left out since its last; nullopt: leave this one out too.
  std::optional<std::uint64_t> admit(std::string_view key, Clock::time_point now = Clock::now());

  template <class... Args>
  void log(LogLevel level, std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    if (!log_enabled(level)) return;
    const std::optional<std::uint64_t> left_out = admit(key);
    if (!left_out) return;
    std::string line = fmt::format(format, std::forward<Args>(args)...);
    if (*left_out > 0) line += fmt::format(" ({} more like this were left out)", *left_out);
    log_line(level, line);
  }

  // Keys beyond this many share one, so that keys made of outside words cannot grow without bound.
  static constexpr std::size_t kKeysMax = 256;

 private:
  struct Entry {
    Clock::time_point last;
    std::uint64_t left_out = 0;
  };

  std::chrono::seconds interval_;
  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
};

namespace internal {
// One line of each format, without its end.
std::string log_json(LogLevel level, std::chrono::system_clock::time_point when, std::string_view message);
std::string log_text(LogLevel level, std::chrono::system_clock::time_point when, std::string_view message);
}  // namespace internal

}  // namespace neardup
