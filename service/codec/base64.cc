#include "service/codec/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace neardup {
namespace {

constexpr std::uint8_t kLineEnd = 64;
constexpr std::uint8_t kPadding = 65;
constexpr std::uint8_t kForeign = 66;

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kForeign);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  table['\r'] = kLineEnd;
  table['\n'] = kLineEnd;
  table['='] = kPadding;
  return table;
}

constexpr std::array<std::uint8_t, 256> kTable = make_table();

}  // namespace

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;  // the sextets of the open group, newest lowest
  int sextets = 0;          // in the open group, 0 .. 3
  int paddings = 0;
  for (const char c : text) {
    const std::uint8_t code = kTable[static_cast<unsigned char>(c)];
    if (code < 64) {
      if (paddings > 0) return false;
      group = (group << 6) | code;
      if (++sextets == 4) {
        out.push_back(static_cast<char>(group >> 16));
        out.push_back(static_cast<char>(group >> 8));
        out.push_back(static_cast<char>(group));
        group = 0;
        sextets = 0;
      }
    } else if (code == kPadding) {
      ++paddings;
    } else if (code == kForeign) {
      return false;
    }
  }
  if (sextets == 0) return paddings == 0;
  if (sextets + paddings != 4) return false;
  if (sextets == 3) {  // 18 bits: two bytes and two unused bits
    out.push_back(static_cast<char>(group >> 10));
    out.push_back(static_cast<char>(group >> 2));
    return (group & 0x3) == 0;
  }
  if (sextets == 2) {  // 12 bits: one byte and four unused bits
    out.push_back(static_cast<char>(group >> 4));
    return (group & 0xF) == 0;
  }
  return false;  // one sextet is less than a byte
}

}  // namespace neardup
