// Which code points do these bytes hold?
//
// Decodes any bytes, valid or not: what is not UTF-8 (a stray or missing continuation byte, an overlong form,
// a surrogate, a value above U+10FFFF) is reported as kNotUtf8, one report for each maximal subpart, as the
// Unicode Standard (3.9, U+FFFD Substitution of Maximal Subparts) and the WHATWG decoder do it. So every
// decoder that follows them counts the same number of errors.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

inline constexpr char32_t kNotUtf8 = 0xFFFFFFFF;

struct DecodedCodePoint {
  char32_t code_point;  // kNotUtf8 for a sequence that is not UTF-8
  std::uint32_t size;   // bytes used, >= 1
};

// The code point at the start of `bytes`. REQUIRES: !bytes.empty().
DecodedCodePoint decode_utf8(std::string_view bytes);

// Whether decode_utf8() would find nothing invalid; many bytes at a time.
bool is_utf8(std::string_view bytes);

// What many programs put before UTF-8; it is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

// Writes 1 to 4 bytes at `out`, returns the end. REQUIRES: code_point <= U+10FFFF and no surrogate.
inline char* encode_utf8(char32_t code_point, char* out) {
  if (code_point < 0x80) {
    *out++ = static_cast<char>(code_point);
    return out;
  }
  if (code_point < 0x800) {
    *out++ = static_cast<char>(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      *out++ = static_cast<char>(0xE0 | code_point >> 12);
    } else {
      *out++ = static_cast<char>(0xF0 | code_point >> 18);
      *out++ = static_cast<char>(0x80 | (code_point >> 12 & 0x3F));
    }
    *out++ = static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
  }
  *out++ = static_cast<char>(0x80 | (code_point & 0x3F));
  return out;
}

}  // namespace neardup
