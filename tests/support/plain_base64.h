// Base64 in plain words, for bytes that a test cannot write down: of golden inputs that JSON cannot carry, of
// pages in old charsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace neardup {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// REQUIRES: as Python writes it.
inline std::string from_base64(std::string_view encoded) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : encoded.substr(0, encoded.find('='))) {
    bits = bits << 6 | static_cast<std::uint32_t>(kBase64Digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count));
    }
  }
  return bytes;
}

}  // namespace neardup
