// Where does a JSON string end, and what does it say?
//
// Nearly all bytes of a record are one string, its text, so these two questions are what reading it costs.
// find_string_end answers the first, and checks all that RFC 8259 says of a string; unescape the second, of a
// string that was found, and has nothing left to check. read_string answers both in one pass, and whether the
// string is UTF-8: for one that is wanted before it is known where it ends.
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
  // Its closing quote; nullptr: it is none (not closed, a control character, a wrong escape), and nothing
  // else counts.
  const char* end = nullptr;
  bool escaped = false;   // it holds at least one escape
  bool is_ascii = false;  // as it is written; if not, whether its bytes are UTF-8 is for the caller to see
};

// The string whose first character is at `begin`, behind the opening quote; `end` ends the record.
JsonString find_string_end(const char* begin, const char* end);

struct JsonReading {
  const char* end = nullptr;  // as of JsonString
  char* said_end = nullptr;   // behind what it says
  bool is_utf8 = false;       // as it is written; if not, what it says means nothing
};

// The same, and writes what the string says to `out`, which does not overlap it. REQUIRES: there is room for
// end - begin + kUnescapeSlack bytes; what is in those behind the answer is anything.
JsonReading read_string(const char* begin, const char* end, char* out);

// Writes what the string between the quotes says to `out`; returns the end of it.
// REQUIRES: find_string_end found this string; there is room for raw.size() + kUnescapeSlack bytes at `out`.
char* unescape(std::string_view raw, char* out);
inline constexpr std::size_t kUnescapeSlack = 64;  // whole registers are stored, also where a part is used

namespace internal {

JsonString find_string_end_scalar(const char* begin, const char* end);
JsonString find_string_end_avx2(const char* begin, const char* end);
JsonString find_string_end_avx512(const char* begin, const char* end);
JsonReading read_string_scalar(const char* begin, const char* end, char* out);
JsonReading read_string_avx2(const char* begin, const char* end, char* out);
JsonReading read_string_avx512(const char* begin, const char* end, char* out);
char* unescape_scalar(std::string_view raw, char* out);
char* unescape_avx2(std::string_view raw, char* out);
char* unescape_avx512(std::string_view raw, char* out);

// What a character behind a backslash means; 0 where that is no escape, and for u.
extern const std::array<char, 256> kShortEscapes;

// Whether a whole escape stands at `at`, a backslash; and where a \uXXXX is followed by \u, two.
bool is_escape(const char* at, const char* end);

// Takes one escape (of a surrogate pair, both) from `at` and writes it. REQUIRES: is_escape.
void take_escape(const char*& at, const char* end, char*& out);

}  // namespace internal
}  // namespace neardup
