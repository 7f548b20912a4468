#include "service/codec/timestamp.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace neardup {
namespace {

std::string read(std::string_view text) {
  const std::optional<std::int64_t> time_ms = parse_time_ms(text);
  if (!time_ms) return "(unknown)";
  std::string out(kTimeBytes, '\0');
  write_time(*time_ms, out.data());
  return out;
}

TEST(Timestamp, reads_iso_8601_and_takes_a_missing_zone_for_utc) {
  EXPECT_EQ(read("2024-05-01"), "2024-05-01T00:00:00.000Z");
  EXPECT_EQ(read("2024-05-01T12:30"), "2024-05-01T12:30:00.000Z");
  EXPECT_EQ(read("2024-05-01T12:30:45"), "2024-05-01T12:30:45.000Z");
  EXPECT_EQ(read("2024-05-01 12:30:45.123456"), "2024-05-01T12:30:45.123Z");
  EXPECT_EQ(read("2024-05-01T12:30:45.5Z"), "2024-05-01T12:30:45.500Z");
  EXPECT_EQ(read("2024-02-29T00:00:00+08:00"), "2024-02-28T16:00:00.000Z");
  EXPECT_EQ(read("2023-12-31T23:30:00-0130"), "2024-01-01T01:00:00.000Z");
  EXPECT_EQ(read("2023-12-31T23:30:00-01"), "2024-01-01T00:30:00.000Z");
  EXPECT_EQ(read("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999Z");
}

TEST(Timestamp, a_zone_is_less_than_a_day_and_its_minutes_than_an_hour) {
  EXPECT_EQ(read("2024-05-02T12:29:00+23:59"), "2024-05-01T12:30:00.000Z");
  for (const std::string_view zone : {"+24:00", "+02:60", "-9999", "+99"})
    EXPECT_EQ(read("2024-05-01T12:30:45" + std::string(zone)), "(unknown)") << zone;
}

TEST(Timestamp, reads_counts_in_seconds_and_milliseconds) {
  EXPECT_EQ(read("1714566645"), "2024-05-01T12:30:45.000Z");
  EXPECT_EQ(read("1714566645.25"), "2024-05-01T12:30:45.250Z");
  EXPECT_EQ(read("1714566645123"), "2024-05-01T12:30:45.123Z");
  EXPECT_EQ(count_to_ms(1714566645.123), 1714566645123);
  EXPECT_EQ(count_to_ms(1714566645123.0), 1714566645123);
}

TEST(Timestamp, reads_the_digits_of_an_archive) {
  EXPECT_EQ(read("20240501123000"), "2024-05-01T12:30:00.000Z");
  EXPECT_EQ(read("19990228235959"), "1999-02-28T23:59:59.000Z");
  EXPECT_EQ(read("20991231235959"), "2099-12-31T23:59:59.000Z");
  EXPECT_EQ(count_to_ms(20240501123000.0), 1714566600000) << "a number like a string";
  EXPECT_EQ(read("20240501"), "2024-05-01T00:00:00.000Z");
  EXPECT_EQ(count_to_ms(20991231.0), 4102358400000);
  // These are no such second, and milliseconds of a far year as they always were.
  for (const std::int64_t count : {20241301123000, 20230229000000, 20240501240000, 20240501126000,
                                   19691231235959, 21000101000000, 20240501123}) {
    EXPECT_EQ(count_to_ms(static_cast<double>(count)), count < 100'000'000'000 ? count * 1000 : count);
  }
  EXPECT_EQ(count_to_ms(20240501123000.5), 20240501123001);
}

// Read as a count, each of them would be a time of the seventies, and stand before the record's own.
TEST(Timestamp, no_count_comes_to_before_the_web) {
  for (const std::string_view digits : {"2024", "202405", "20241301", "20230229", "21000101", "19691231",
                                        "202405011230", "631151999", "631151999999"}) {
    EXPECT_EQ(read(digits), "(unknown)") << digits;
  }
  EXPECT_EQ(read("631152000"), "1990-01-01T00:00:00.000Z");
  EXPECT_EQ(read("631152000000"), "1990-01-01T00:00:00.000Z");
}

TEST(Timestamp, what_is_no_time_is_unknown) {
  for (const std::string_view bad : {"",
                                     "now",
                                     "-1",
                                     "0",
                                     "2024-13-01",
                                     "2023-02-29",
                                     "2024-05-01T",
                                     "2024-05-01T24:00:00",
                                     "2024-05-01T12:60:00",
                                     "2024-05-01T12:30:45.",
                                     "2024-05-01T12:30.5Z",
                                     "2024-05-01T12:30:45+",
                                     "2024-05-01T12:30:45Zulu",
                                     "2024-5-1",
                                     "Wed, 01 May 2024 12:30:45 GMT",
                                     "1969-12-31T23:59:59Z",
                                     "9999-12-31T23:59:59-01:00",
                                     "99999999999999999999999999",
                                     "1.2.3",
                                     "."}) {
    EXPECT_EQ(read(bad), "(unknown)") << bad;
  }
  EXPECT_EQ(count_to_ms(-1), std::nullopt);
  EXPECT_EQ(count_to_ms(0.0001), std::nullopt) << "comes to nothing";
  EXPECT_EQ(read("19700101000000"), "(unknown)");
  EXPECT_EQ(count_to_ms(1e308), std::nullopt);
  EXPECT_EQ(count_to_ms(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

}  // namespace
}  // namespace neardup
