#include "service/codec/json_string.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "core/base/isa.h"
#include "core/text/utf8.h"

namespace neardup {
namespace internal {
namespace {

constexpr std::uint8_t kNoDigit = 0x80;

constexpr std::array<std::uint8_t, 256> make_hex_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i) {
    values['a' + i] = static_cast<std::uint8_t>(10 + i);
    values['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kHexValues = make_hex_values();

constexpr std::array<char, 256> make_short_escapes() {
  std::array<char, 256> meanings{};
  meanings['"'] = '"';
  meanings['\\'] = '\\';
  meanings['/'] = '/';
  meanings['b'] = '\b';
  meanings['f'] = '\f';
  meanings['n'] = '\n';
  meanings['r'] = '\r';
  meanings['t'] = '\t';
  return meanings;
}

constexpr std::size_t kUnicodeEscapeSize = 6;  // \uXXXX

unsigned hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

// The code unit of the \uXXXX at `at`. REQUIRES: it is one.
char32_t code_unit(const char* at) {
  return hex_value(at[2]) << 12 | hex_value(at[3]) << 8 | hex_value(at[4]) << 4 | hex_value(at[5]);
}

bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The size of the escape at `at`, which is a backslash; 0 where it is none.
std::size_t escape_size(const char* at, const char* end) {
  if (end - at < 2) return 0;
  if (at[1] != 'u') return kShortEscapes[static_cast<unsigned char>(at[1])] != 0 ? 2 : 0;
  if (static_cast<std::size_t>(end - at) < kUnicodeEscapeSize) return 0;
  const unsigned digits = hex_value(at[2]) | hex_value(at[3]) | hex_value(at[4]) | hex_value(at[5]);
  return digits < kNoDigit ? kUnicodeEscapeSize : 0;
}

}  // namespace

constinit const std::array<char, 256> kShortEscapes = make_short_escapes();

bool is_escape(const char* at, const char* end) {
  const std::size_t size = escape_size(at, end);
  if (size != kUnicodeEscapeSize) return size != 0;
  const char* const next = at + size;
  const bool unicode_follows = end - next > 1 && next[0] == '\\' && next[1] == 'u';
  return !unicode_follows || escape_size(next, end) != 0;
}

void take_escape(const char*& at, const char* end, char*& out) {
  if (at[1] != 'u') {
    *out++ = kShortEscapes[static_cast<unsigned char>(at[1])];
    at += 2;
    return;
  }
  char32_t code_point = code_unit(at);
  at += kUnicodeEscapeSize;
  if (code_point >= 0xD800 && code_point < 0xE000) {
    // Another escape behind it is a whole one, so two characters tell whether it is \uXXXX.
    const bool escape_follows = end - at > 1 && at[0] == '\\' && at[1] == 'u';
    const char32_t low = escape_follows ? code_unit(at) : 0;
    if (code_point < 0xDC00 && is_low_surrogate(low)) {
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
      at += kUnicodeEscapeSize;
    } else {
      code_point = 0xFFFD;
    }
  }
  out = encode_utf8(code_point, out);
}

JsonString find_string_end_scalar(const char* begin, const char* end) {
  JsonString found{.is_ascii = true};
  for (const char* at = begin; at < end;) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte == '"') {
      found.end = at;
      return found;
    }
    if (byte < 0x20) break;
    if (byte >= 0x80) found.is_ascii = false;
    std::size_t size = 1;
    if (byte == '\\') {
      found.escaped = true;
      size = escape_size(at, end);
      if (size == 0) break;
    }
    at += size;
  }
  return {};
}

JsonReading read_string_scalar(const char* begin, const char* end, char* out) {
  const JsonString found = find_string_end_scalar(begin, end);
  if (found.end == nullptr) return {};
  const std::string_view raw(begin, static_cast<std::size_t>(found.end - begin));
  return {found.end, unescape_scalar(raw, out), found.is_ascii || is_utf8(raw)};
}

char* unescape_scalar(std::string_view raw, char* out) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at < end) {
    const void* const found = std::memchr(at, '\\', static_cast<std::size_t>(end - at));
    const char* const plain_end = found != nullptr ? static_cast<const char*>(found) : end;
    const auto plain = static_cast<std::size_t>(plain_end - at);
    std::memcpy(out, at, plain);
    out += plain;
    at = plain_end;
    while (at < end && *at == '\\') take_escape(at, end, out);
  }
  return out;
}

}  // namespace internal

JsonString find_string_end(const char* begin, const char* end) {
#if NEARDUP_X86
  static const auto kernel = isa() == Isa::kAvx512 ? internal::find_string_end_avx512
                             : isa() == Isa::kAvx2 ? internal::find_string_end_avx2
                                                   : internal::find_string_end_scalar;
  return kernel(begin, end);
#else
  return internal::find_string_end_scalar(begin, end);
#endif
}

JsonReading read_string(const char* begin, const char* end, char* out) {
#if NEARDUP_X86
  static const auto kernel = isa() == Isa::kAvx512 ? internal::read_string_avx512
                             : isa() == Isa::kAvx2 ? internal::read_string_avx2
                                                   : internal::read_string_scalar;
  return kernel(begin, end, out);
#else
  return internal::read_string_scalar(begin, end, out);
#endif
}

char* unescape(std::string_view raw, char* out) {
#if NEARDUP_X86
  static const auto kernel = isa() == Isa::kAvx512 ? internal::unescape_avx512
                             : isa() == Isa::kAvx2 ? internal::unescape_avx2
                                                   : internal::unescape_scalar;
  return kernel(raw, out);
#else
  return internal::unescape_scalar(raw, out);
#endif
}

}  // namespace neardup
