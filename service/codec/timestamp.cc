#include "service/codec/timestamp.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include "core/base/check.h"

namespace neardup {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr double kSecondsMax = 1e11;             // a larger count is milliseconds
constexpr double kCountMinMs = 631'152'000'000;  // 1990

// Takes what it reads off the front. The first failure makes it fail for good, so that one look at the end
// tells.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int digits(int width) {
    int value = 0;
    for (int i = 0; i < width; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  bool accept(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept({&c, 1})) ok_ = false;
  }

  void fail() { ok_ = false; }

  bool next_is_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool done() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Milliseconds east of UTC: nothing or Z, +hh, +hhmm, +hh:mm.
std::int64_t scan_zone(Scanner& scan) {
  if (scan.accept("Zz")) return 0;
  const bool west = scan.accept("-");
  if (!west && !scan.accept("+")) return 0;
  const int hours = scan.digits(2);
  int minutes = 0;
  if (scan.accept(":") || scan.next_is_digit()) minutes = scan.digits(2);
  if (hours > 23 || minutes > 59) scan.fail();
  const std::int64_t east_ms = (hours * 60 + minutes) * std::int64_t{60'000};
  return west ? -east_ms : east_ms;
}

// Of a second, cut off at milliseconds.
int scan_fraction_ms(Scanner& scan) {
  int fraction_ms = scan.digits(1) * 100;
  if (scan.next_is_digit()) fraction_ms += scan.digits(1) * 10;
  if (scan.next_is_digit()) fraction_ms += scan.digits(1);
  while (scan.next_is_digit()) scan.digits(1);
  return fraction_ms;
}

// Of UTC; nothing where there is no such second.
std::optional<std::int64_t> civil_to_ms(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;  // 60: a leap second
  const std::int64_t in_day_s = (hour * 60 + minute) * 60 + second;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDayMs + in_day_s * 1000;
}

// A number that shows a second or a day of 1970 to 2099 by its digits, YYYYMMDDhhmmss or YYYYMMDD.
std::optional<std::int64_t> shown_to_ms(double number) {
  if (number < 2100e4) number *= 1e6;  // the day's first second
  if (number < 1970e10 || number >= 2100e10 || number != std::floor(number)) return std::nullopt;
  auto digits = static_cast<std::int64_t>(number);
  const auto take_two = [&digits] {
    const auto two = static_cast<int>(digits % 100);
    digits /= 100;
    return two;
  };
  const int second = take_two();
  const int minute = take_two();
  const int hour = take_two();
  const int day = take_two();
  const int month = take_two();
  return civil_to_ms(static_cast<int>(digits), month, day, hour, minute, second);
}

bool all_digits(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::optional<std::int64_t> count_to_ms(double count) {
  if (!(count > 0)) return std::nullopt;  // also not-a-number
  std::optional<std::int64_t> time_ms = shown_to_ms(count);
  if (!time_ms) {
    const double ms = count < kSecondsMax ? count * 1000 : count;
    if (ms < kCountMinMs || ms > static_cast<double>(kTimeMaxMs)) return std::nullopt;
    time_ms = std::llround(ms);
  }
  if (*time_ms == 0) return std::nullopt;  // would hide a better time
  return time_ms;
}

std::optional<std::int64_t> parse_time_ms(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (all_digits(text)) {
    double count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return count_to_ms(count);
  }

  Scanner scan(text);
  const int year = scan.digits(4);
  scan.expect('-');
  const int month = scan.digits(2);
  scan.expect('-');
  const int day = scan.digits(2);
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction_ms = 0;
  std::int64_t east_ms = 0;
  if (!scan.done()) {
    if (!scan.accept("Tt ")) return std::nullopt;
    hour = scan.digits(2);
    scan.expect(':');
    minute = scan.digits(2);
    if (scan.accept(":")) {
      second = scan.digits(2);
      if (scan.accept(".,")) fraction_ms = scan_fraction_ms(scan);
    }
    east_ms = scan_zone(scan);
  }
  if (!scan.ok() || !scan.done()) return std::nullopt;

  const auto second_ms = civil_to_ms(year, month, day, hour, minute, second);
  if (!second_ms) return std::nullopt;
  const std::int64_t time_ms = *second_ms + fraction_ms - east_ms;
  if (time_ms <= 0 || time_ms > kTimeMaxMs) return std::nullopt;
  return time_ms;
}

void write_time(std::int64_t time_ms, char* at) {
  DCHECK(time_ms >= 0 && time_ms <= kTimeMaxMs);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(time_ms / kDayMs))};
  const auto in_day_ms = static_cast<unsigned>(time_ms % kDayMs);
  const auto digits = [&at](unsigned value, int width, char after) {
    for (int i = width; i-- > 0; value /= 10) at[i] = static_cast<char>('0' + value % 10);
    at += width;
    *at++ = after;
  };
  digits(static_cast<unsigned>(static_cast<int>(date.year())), 4, '-');
  digits(static_cast<unsigned>(date.month()), 2, '-');
  digits(static_cast<unsigned>(date.day()), 2, 'T');
  digits(in_day_ms / 3'600'000, 2, ':');
  digits(in_day_ms / 60'000 % 60, 2, ':');
  digits(in_day_ms / 1000 % 60, 2, '.');
  digits(in_day_ms % 1000, 3, 'Z');
}

}  // namespace neardup
