#include "service/codec/json_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace neardup {
namespace {

std::string in_json(std::string_view text) {
  std::string out(JsonText::string_bytes_max(text.size()), '\0');
  const char* const end = JsonText(out.data()).string(text).end();
  return out.substr(0, static_cast<std::size_t>(end - out.data()));
}

TEST(JsonText, a_string_of_any_character_reads_back_as_it_was) {
  for (const std::string around : {"", "plain ", "a longer one, 24 bytes  ", "caf\u00e9 \u4e2d "}) {
    for (unsigned c = 1; c < 0x80; ++c) {
      const std::string text = around + static_cast<char>(c) + around;
      EXPECT_EQ(nlohmann::json::parse(in_json(text)), text);
      EXPECT_LE(in_json(text).size(), JsonText::string_bytes_max(text.size()));
    }
  }
  EXPECT_EQ(in_json(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonText, bytes_that_are_no_character_become_the_replacement_character) {
  EXPECT_EQ(in_json("a\xFF\xFF"), "\"a\uFFFD\uFFFD\"");
  EXPECT_EQ(in_json("\xE4\xB8 \"\u4e2d"), "\"\uFFFD\uFFFD \\\"\u4e2d\"");
}

TEST(JsonText, numbers_are_written_whole) {
  std::array<char, 100> out{};
  JsonText text(out.data());
  text.integer(std::numeric_limits<std::int64_t>::min()).character(' ');
  text.integer(std::numeric_limits<std::uint64_t>::max()).text(" = ");
  text.hex(0x0123456789ABCDEF);
  EXPECT_EQ(std::string_view(out.data(), text.end()),
            "-9223372036854775808 18446744073709551615 = 0123456789abcdef");
}

}  // namespace
}  // namespace neardup
