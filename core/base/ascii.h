// Of which case and kind is a character that ASCII has?
//
// Names of tags, hosts, charsets, files and settings are the same in any case, and that is the case of the
// letters of ASCII alone, in every locale. All other bytes are what they are: neither letters nor digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace neardup {

constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_ascii_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// What is a space in HTML, HTTP and their kin: without the vertical tab.
inline constexpr std::string_view kAsciiWhitespace = " \n\t\r\f";

constexpr bool is_ascii_whitespace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

// Without what it begins and ends with of `blanks`.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kAsciiWhitespace) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

inline std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), ascii_lower);
  return lowered;
}

// Both in any case.
constexpr bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

// `text` in any case; `lowercase` in lower case.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lowercase) {
  return std::ranges::equal(text, lowercase, {}, ascii_lower);
}

constexpr bool starts_with_ignoring_case(std::string_view text, std::string_view lowercase) {
  return equals_ignoring_case(text.substr(0, lowercase.size()), lowercase);
}

constexpr bool ends_with_ignoring_case(std::string_view text, std::string_view lowercase) {
  return text.size() >= lowercase.size() &&
         equals_ignoring_case(text.substr(text.size() - lowercase.size()), lowercase);
}

}  // namespace neardup
