#include "core/text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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
      ASSERT_EQ(decode_utf8({bytes, cut}).code_point, kInvalid);
      ASSERT_EQ(decode_utf8({bytes, cut}).size, cut);
    }
  }
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
