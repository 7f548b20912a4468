// Where does a JSON string end, and what does it say?
//
// Nearly all bytes of a record are one string, its text, so these two questions are what reading it costs.
// The first is asked of every string of a record and checks all that RFC 8259 says of one; the second only of
// those that are wanted, and therefore has nothing left to check.
//
//   "caf\u00e9 \"x\" \ud83d"     ──►  café "x" �
//
// Half of a surrogate pair alone (Python's encoder writes it wherever a page was cut in the middle of a
// character) is the replacement character, so that it does not cost the page.
//
// Three tiers (core/base/isa.h), the same bytes. Nothing is read outside of the string's own bounds, so a
// record may end where a page of memory ends, and nothing has to be padded.
//
// Cost:    linear, whatever the escapes; with AVX-512 64 bytes a step, see json_string_avx512.cc.
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace neardup {

struct JsonString {
  const char*
      end;       // its closing quote; nullptr: it is none (not closed, a control character, a wrong escape)
  bool escaped;  // it holds at least one escape
};

// The string whose first character is at `begin`, behind the opening quote; `end` ends the record. That its
// bytes are UTF-8 is not looked at.
JsonString find_string_end(const char* begin, const char* end);

// Writes what the string between the quotes says to `out`; returns the end of it.
// REQUIRES: find_string_end found this string; there is room for raw.size() + kUnescapeSlack bytes at `out`.
char* unescape(std::string_view raw, char* out);
inline constexpr std::size_t kUnescapeSlack = 64;  // whole registers are stored, also where a part is used

namespace internal {

JsonString find_string_end_scalar(const char* begin, const char* end);
JsonString find_string_end_avx2(const char* begin, const char* end);
JsonString find_string_end_avx512(const char* begin, const char* end);
char* unescape_scalar(std::string_view raw, char* out);
char* unescape_avx2(std::string_view raw, char* out);
char* unescape_avx512(std::string_view raw, char* out);

// What a character behind a backslash means; 0 where that is no escape, and for u.
extern const std::array<char, 256> kShortEscapes;

// Takes one escape (of a surrogate pair, both) from `at` and writes it. REQUIRES: it is one.
void take_escape(const char*& at, const char* end, char*& out);

}  // namespace internal
}  // namespace neardup
