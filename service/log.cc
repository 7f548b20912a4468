#include "service/log.h"

#include <fmt/chrono.h>
#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "service/choice.h"

namespace neardup {
namespace {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

constexpr spdlog::level::level_enum kSpdlogLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                       spdlog::level::warn, spdlog::level::err};

std::string_view name(LogLevel level) { return kLogLevelNames[static_cast<std::size_t>(level)]; }

LogLevel level_of(spdlog::level::level_enum level) {
  if (level <= spdlog::level::debug) return LogLevel::kDebug;
  if (level == spdlog::level::info) return LogLevel::kInfo;
  return level == spdlog::level::warn ? LogLevel::kWarning : LogLevel::kError;
}

std::string timestamp(std::chrono::system_clock::time_point when) {
  const auto since = std::chrono::floor<Milliseconds>(when.time_since_epoch());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(when)),
                     (since % Seconds(1)).count());
}

// The bytes of the well-formed UTF-8 character at the front of `text`, or 0: no overlong form, no surrogate.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool good =
        tail(1) && tail(2) && !(lead == 0xE0 && byte(1) < 0xA0) && !(lead == 0xED && byte(1) > 0x9F);
    return good ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool good = tail(1) && tail(2) && tail(3) && !(lead == 0xF0 && byte(1) < 0x90) &&
                      !(lead == 0xF4 && byte(1) > 0x8F);
    return good ? 4 : 0;
  }
  return 0;
}

// Well-formed UTF-8 without control characters; `special` characters get a backslash.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else if (bytes == 1 && special.find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (bytes == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (bytes == 2 && c == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(text[1])));  // C1
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(bool json) : json_(json) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    const LogLevel level = level_of(message.level);
    const std::string line =
        json_ ? internal::log_json(level, message.time, text) : internal::log_text(level, message.time, text);
    out.append(line);
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<LineFormatter>(json_); }

 private:
  bool json_;
};

// Standard error, where nobody may read any more: a pipe is full then, and a write would never return. With
// it would stand the batch, the election, the watchdog and the thread that hears SIGTERM.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!deliver()) {
      ++lost_;
      return;
    }
    if (lost_ > 0) {
      const std::string told =
          fmt::format("{} lines before this one are lost: nobody read them from standard error", lost_);
      append(spdlog::details::log_msg(message.logger_name, spdlog::level::warn, told));
      lost_ = 0;
    }
    append(message);
    (void)deliver();
  }
  void flush_() override {}

 private:
  static constexpr int kPatienceMs = 1000;

  void append(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    unsent_.append(line.data(), line.size());
  }

  // False: nobody takes the rest of it. That is waited for once, and no more until somebody reads again.
  bool deliver() {
    while (!unsent_.empty()) {
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      const int ready = ::poll(&room, 1, is_stuck_ ? 0 : kPatienceMs);
      if (ready < 0 && errno == EINTR) continue;
      is_stuck_ = ready == 0;
      if (is_stuck_) return false;
      // A pipe that has room has it for so many bytes.
      const ssize_t written =
          ::write(STDERR_FILENO, unsent_.data(), std::min<std::size_t>(unsent_.size(), PIPE_BUF));
      if (written >= 0) {
        unsent_.erase(0, static_cast<std::size_t>(written));
      } else if (errno != EINTR && errno != EAGAIN) {
        unsent_.clear();  // it leads nowhere
      }
    }
    return true;
  }

  std::string unsent_;  // of the last line that was begun
  std::uint64_t lost_ = 0;
  bool is_stuck_ = false;
};

spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    // Never destroyed: a thread may still log while the process ends.
    auto* const made = new spdlog::logger("neardup", std::make_shared<StderrSink>());
    made->set_formatter(std::make_unique<LineFormatter>(isatty(STDERR_FILENO) == 0));
    return made;
  }();
  return *instance;
}

}  // namespace

namespace internal {

std::string log_json(LogLevel level, std::chrono::system_clock::time_point when, std::string_view message) {
  return fmt::format(R"({{"ts":"{}","level":"{}","msg":"{}"}})", timestamp(when), name(level),
                     escaped(message, "\"\\"));
}

std::string log_text(LogLevel level, std::chrono::system_clock::time_point when, std::string_view message) {
  return fmt::format("{} {:<7} {}", timestamp(when), name(level), escaped(message, ""));
}

}  // namespace internal

void configure_log(const LogConfig& config) {
  const auto format = choice<LogFormat>(kLogFormatNames, config.format);
  const bool json = format == LogFormat::kJson || (format == LogFormat::kAuto && isatty(STDERR_FILENO) == 0);
  logger().set_formatter(std::make_unique<LineFormatter>(json));
  logger().set_level(kSpdlogLevels[choice<std::size_t>(kLogLevelNames, config.level)]);
}

bool log_enabled(LogLevel level) {
  return logger().should_log(kSpdlogLevels[static_cast<std::size_t>(level)]);
}

void log_line(LogLevel level, std::string_view message) {
  logger().log(kSpdlogLevels[static_cast<std::size_t>(level)],
               spdlog::string_view_t(message.data(), message.size()));
}

std::optional<std::uint64_t> LogLimiter::admit(std::string_view key, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end() && entries_.size() >= kKeysMax) {
    std::erase_if(entries_, [&](const auto& entry) {
      return entry.second.left_out == 0 && now - entry.second.last >= interval_;
    });
    if (entries_.size() >= kKeysMax) found = entries_.find("");
  }
  if (found == entries_.end()) {
    bool is_new = false;
    const std::string_view shared;
    std::tie(found, is_new) =
        entries_.try_emplace(std::string(entries_.size() + 1 < kKeysMax ? key : shared), Entry{now, 0});
    if (is_new) return 0;
  }
  Entry& entry = found->second;
  if (now - entry.last < interval_) {
    ++entry.left_out;
    return std::nullopt;
  }
  entry.last = now;
  return std::exchange(entry.left_out, 0);
}

}  // namespace neardup
