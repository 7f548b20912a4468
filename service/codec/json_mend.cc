#include "service/codec/json_mend.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace neardup {
namespace {

constexpr std::size_t kEscapeSize = 6;  // \uXXXX

// The code unit that an escape at `at` names; -1 where there is none.
int code_unit(std::string_view json, std::size_t at) {
  if (at + kEscapeSize > json.size() || json[at] != '\\' || json[at + 1] != 'u') return -1;
  const char* digits = json.data() + at + 2;
  int value = 0;
  const auto [end, error] = std::from_chars(digits, digits + 4, value, 16);
  return error == std::errc() && end == digits + 4 && *digits != '-' ? value : -1;
}

bool is_high(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

// By the grammar of RFC 8259: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
bool is_number(std::string_view token) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < token.size() && token[at] >= '0' && token[at] <= '9') ++at;
    return at - start;
  };
  if (at < token.size() && token[at] == '-') ++at;
  const bool zero = at < token.size() && token[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at < token.size() && token[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
    ++at;
    if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == token.size();
}

bool is_beyond_64_bits(std::string_view token) {
  const char* begin = token.data();
  const char* end = begin + token.size();
  if (token.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t whole = 0;
    std::uint64_t natural = 0;
    return std::from_chars(begin, end, whole).ec != std::errc() &&
           std::from_chars(begin, end, natural).ec != std::errc();
  }
  double value = 0;
  return std::from_chars(begin, end, value).ec != std::errc();
}

}  // namespace

bool mend_json(std::string_view json, std::string& out) {
  out.clear();
  out.reserve(json.size() + 64);
  bool mended = false;
  bool in_string = false;
  std::size_t at = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (in_string) {
      if (c == '\\') {
        const int unit = code_unit(json, at);
        if (is_high(unit) && is_low(code_unit(json, at + kEscapeSize))) {
          out.append(json, at, 2 * kEscapeSize);
          at += 2 * kEscapeSize;
        } else if (is_high(unit) || is_low(unit)) {
          out.append("\\ufffd");
          at += kEscapeSize;
          mended = true;
        } else {  // any other escape; both its characters, so that \" does not end the string
          out.append(json, at, 2);
          at += 2;
        }
        continue;
      }
      in_string = c != '"';
      out.push_back(c);
      ++at;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      std::size_t end = json.find_first_not_of("+-.0123456789Ee", at);
      if (end == std::string_view::npos) end = json.size();
      const std::string_view token = json.substr(at, end - at);
      if (is_number(token) && is_beyond_64_bits(token)) {
        out.append("\"").append(token).append("\"");
        mended = true;
      } else {
        out.append(token);
      }
      at = end;
    } else {
      in_string = c == '"';
      out.push_back(c);
      ++at;
    }
  }
  return mended;
}

}  // namespace neardup
