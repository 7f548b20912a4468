// The bytes of golden inputs that JSON cannot carry. REQUIRES: base64 as Python writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace neardup {

inline std::string from_base64(std::string_view encoded) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : encoded.substr(0, encoded.find('='))) {
    bits = bits << 6 | static_cast<std::uint32_t>(kAlphabet.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count));
    }
  }
  return bytes;
}

}  // namespace neardup
