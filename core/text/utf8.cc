#include "core/text/utf8.h"

#include <simdjson.h>

namespace neardup {

DecodedCodePoint decode_utf8(std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(bytes[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};

  // What the lead byte promises: how many continuation bytes, and the range of the first of them, which is
  // where overlong forms (E0, F0), surrogates (ED) and values above U+10FFFF (F4) are refused.
  std::uint32_t more = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  char32_t code_point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    more = 1;
    code_point = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    more = 2;
    code_point = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    more = 3;
    code_point = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kNotUtf8, 1};
  }
  for (std::uint32_t i = 1; i <= more; ++i) {
    if (i == bytes.size() || byte(i) < low || byte(i) > high) return {kNotUtf8, i};
    code_point = code_point << 6 | (byte(i) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, more + 1};
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

}  // namespace neardup
