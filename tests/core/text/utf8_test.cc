#include "core/text/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

TEST(Utf8, every_code_point_is_read_back_as_written) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char bytes[4];
    const auto size = static_cast<std::size_t>(encode_utf8(c, bytes) - bytes);
    const DecodedCodePoint decoded = decode_utf8({bytes, size});
    ASSERT_EQ(decoded.code_point, c);
    ASSERT_EQ(decoded.size, size);
    for (std::size_t cut = 1; cut < size; ++cut) {
      ASSERT_EQ(decode_utf8({bytes, cut}).code_point, kNotUtf8);
      ASSERT_EQ(decode_utf8({bytes, cut}).size, cut);
    }
  }
}

TEST(Utf8, a_whole_text_is_judged_as_its_code_points_are) {
  constexpr std::uint64_t kSeed = 20261123;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  static const std::vector<std::string> kPieces = {
      "a",
      "plain text of more than one register, for sixty-four bytes and a bit more of it",
      "é",
      "中",
      "😀",
      "\xC3",
      "\x80",
      "\xE4\xB8",
      "\xED\xA0\x80",
      "\xF0\x9F\x98",
      "\xC0\xAF",
      "\xF4\x90\x80\x80"};
  std::mt19937_64 random(kSeed);
  std::size_t valid = 0;
  constexpr std::size_t kTexts = 100'000;
  for (std::size_t i = 0; i < kTexts; ++i) {
    std::string text;
    const std::size_t kinds = random() % 2 == 0 ? 5 : kPieces.size();
    for (std::size_t count = random() % 12; count > 0; --count) text += kPieces[random() % kinds];
    bool expected = true;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(decode_utf8(rest).size)) {
      expected &= decode_utf8(rest).code_point != kNotUtf8;
    }
    ASSERT_EQ(is_utf8(text), expected) << text;
    valid += expected ? 1 : 0;
  }
  EXPECT_GT(valid, kTexts / 3);
  EXPECT_LT(valid, kTexts * 2 / 3);
}

// The examples of the Unicode Standard, tables 3-8 to 3-11: how many bytes each error takes.
TEST(Utf8, an_error_takes_the_maximal_subpart) {
  const struct {
    std::string_view bytes;
    std::string_view sizes;
  } cases[] = {
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "111111111"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "111111111"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "111111111"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "21321"},
  };
  for (const auto& each : cases) {
    std::string_view rest = each.bytes;
    for (const char size : each.sizes) {
      ASSERT_FALSE(rest.empty());
      const DecodedCodePoint decoded = decode_utf8(rest);
      EXPECT_EQ(decoded.size, static_cast<std::uint32_t>(size - '0'));
      rest.remove_prefix(decoded.size);
    }
    EXPECT_TRUE(rest.empty());
  }
}

}  // namespace
}  // namespace neardup
