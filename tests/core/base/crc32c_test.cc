#include "core/base/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace neardup {
namespace {

TEST(Crc32c, gives_the_check_value_of_rfc_3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Crc32c, the_instruction_equals_the_table_on_every_length_and_alignment) {
  if (!internal::crc32c_has_sse42()) GTEST_SKIP() << "this CPU has no SSE4.2";
  std::mt19937_64 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
      const std::string_view part = std::string_view(bytes).substr(begin, size);
      ASSERT_EQ(internal::crc32c_sse42(part), internal::crc32c_scalar(part)) << begin << "+" << size;
    }
  }
}

TEST(Crc32c, the_instruction_equals_the_table_where_it_reads_three_runs_at_a_time) {
  if (!internal::crc32c_has_sse42()) GTEST_SKIP() << "this CPU has no SSE4.2";
  std::mt19937_64 random(2);
  std::string bytes(20'000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (std::size_t size = 3'000; size <= bytes.size(); size += size % 3'072 < 10 ? 1 : 61) {
    const std::string_view part = std::string_view(bytes).substr(0, size);
    ASSERT_EQ(internal::crc32c_sse42(part), internal::crc32c_scalar(part)) << size;
  }
}

}  // namespace
}  // namespace neardup
