#include "service/codec/base64.h"

#include <array>
#include <cstdint>

#include "core/base/ascii.h"
#include "core/base/isa.h"

namespace neardup {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

namespace internal {
namespace {

constexpr std::uint8_t kLineEnd = 64;
constexpr std::uint8_t kPadding = 65;
constexpr std::uint8_t kForeign = 66;

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kForeign);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  table['-'] = 62;
  table['_'] = 63;
  table['\r'] = kLineEnd;
  table['\n'] = kLineEnd;
  table['='] = kPadding;
  return table;
}

constexpr std::array<std::uint8_t, 256> kTable = make_table();

}  // namespace

bool decode_base64_with(Base64Kernel kernel, std::string_view text, std::string& out) {
  text = trimmed(text, " \t");
  const std::size_t room = text.size() / 4 * 3 + 3 + kBase64Step;
  if (out.size() < room) out.resize(room);  // what it held costs less than zeros all over
  char* to = out.data();
  std::uint32_t group = 0;  // the sextets of the open group, newest lowest
  int sextets = 0;          // in the open group, 0 .. 3
  int paddings = 0;
  bool standard = false;
  bool url = false;
  std::size_t next_run = 0;  // where the kernel may try again
  for (std::size_t at = 0; at < text.size();) {
    if (kernel != nullptr && at >= next_run && sextets == 0 && paddings == 0) {
      const Base64Run run = kernel(text.substr(at), to);
      at += run.taken;
      to += run.written;
      standard |= run.standard;
      url |= run.url;
      next_run = at + kBase64Step;
      if (at == text.size()) break;
    }
    const char c = text[at++];
    const std::uint8_t code = kTable[static_cast<unsigned char>(c)];
    if (code < 64) {
      if (paddings > 0) return false;
      standard |= c == '+' || c == '/';
      url |= c == '-' || c == '_';
      group = (group << 6) | code;
      if (++sextets == 4) {
        *to++ = static_cast<char>(group >> 16);
        *to++ = static_cast<char>(group >> 8);
        *to++ = static_cast<char>(group);
        group = 0;
        sextets = 0;
      }
    } else if (code == kPadding) {
      if (++paddings > 2) return false;
    } else if (code == kLineEnd) {
      next_run = at;
    } else {
      return false;
    }
  }
  if (standard && url) return false;
  if (sextets == 0) {
    out.resize(static_cast<std::size_t>(to - out.data()));
    return paddings == 0;
  }
  if (sextets == 1 || (paddings > 0 && sextets + paddings != 4)) return false;
  if (sextets == 3) {  // 18 bits: two bytes and two unused bits
    *to++ = static_cast<char>(group >> 10);
    *to++ = static_cast<char>(group >> 2);
    out.resize(static_cast<std::size_t>(to - out.data()));
    return (group & 0x3) == 0;
  }
  *to++ = static_cast<char>(group >> 4);  // two of them, 12 bits: one byte and four unused bits
  out.resize(static_cast<std::size_t>(to - out.data()));
  return (group & 0xF) == 0;
}

}  // namespace internal

bool decode_base64(std::string_view text, std::string& out) {
#if NEARDUP_X86
  static const internal::Base64Kernel kernel = isa() == Isa::kAvx512 ? internal::decode_base64_avx512
                                               : isa() == Isa::kAvx2 ? internal::decode_base64_avx2
                                                                     : nullptr;
  return internal::decode_base64_with(kernel, text, out);
#else
  return internal::decode_base64_with(nullptr, text, out);
#endif
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j <= bytes.size() ? kAlphabet[group >> (18 - 6 * j) & 0x3F] : '=';
    }
  }
  return out;
}

}  // namespace neardup
