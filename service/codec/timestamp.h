// When was that, in milliseconds since the epoch, UTC?
//
// Producers write times as ISO 8601 with or without a zone (without one: UTC), or as a count since the epoch
// in seconds or milliseconds, told apart by size: below 10^11 a count means seconds (until the year 5138).
// Archives (CDX, WARC) write 20240501123000, in UTC: 14 digits that are a second of 1970 to 2099 are that,
// and no milliseconds, whose years would be 2594 to 2635. So are the 8 digits of a day, 20240501. What else
// would count to before 1990 is no time: there were no pages then, but there are years, and cut stamps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

// "2024-05-01", "2024-05-01T12:30:00", "2024-05-01 12:30:00.123456", "...Z", "...+02:00", or digits alone,
// which are a count. Nothing else, no zone of 24 hours or more, and nothing before 1970 or after 9999.
std::optional<std::int64_t> parse_time_ms(std::string_view text);

// A count since the epoch, seconds or milliseconds, or the 14 or 8 digits of an archive. Nothing for a count
// to before 1990, and for digits that come to 0 ms.
std::optional<std::int64_t> count_to_ms(double count);

// Writes 2024-05-01T12:30:00.123Z, kTimeBytes of it. REQUIRES: 0 <= time_ms <= kTimeMaxMs.
void write_time(std::int64_t time_ms, char* out);
inline constexpr std::size_t kTimeBytes = 24;
inline constexpr std::int64_t kTimeMaxMs = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

}  // namespace neardup
