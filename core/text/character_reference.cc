#include "core/text/character_reference.h"

#include <algorithm>
#include <cstdint>

#include "core/text/utf8.h"

namespace neardup {
namespace {

using internal::NamedReference;

// What windows-1252 has at 0x80 .. 0x9F; its five holes are the control characters themselves.
constexpr char16_t kWindows1252[32] = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                       0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The value of a digit of base 10 or 16, or -1.
int digit_value(char c, int base) {
  if (is_digit(c)) return c - '0';
  if (base == 16 && c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (base == 16 && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char32_t meant_by(char32_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return 0xFFFD;
  if (number >= 0x80 && number <= 0x9F) return kWindows1252[number - 0x80];
  return number;
}

// bytes = "#" digits [";"] or "#x" hexadecimal digits [";"]. Returns the length used, 0 if there is no digit.
std::size_t decode_number(std::string_view bytes, std::string& text) {
  std::size_t at = 1;
  const bool hexadecimal = at < bytes.size() && (bytes[at] == 'x' || bytes[at] == 'X');
  const int base = hexadecimal ? 16 : 10;
  if (hexadecimal) ++at;
  const std::size_t digits = at;
  char32_t number = 0;
  for (; at < bytes.size(); ++at) {
    const int value = digit_value(bytes[at], base);
    if (value < 0) break;
    number =
        std::min<char32_t>(number * static_cast<char32_t>(base) + static_cast<char32_t>(value), 0x110000);
  }
  if (at == digits) return 0;
  if (at < bytes.size() && bytes[at] == ';') ++at;
  char buffer[4];
  text.append(buffer, encode_utf8(meant_by(number), buffer));
  return at;
}

const NamedReference* find_name(std::string_view name) {
  const NamedReference* const end = internal::kNamedReferences + internal::kNamedReferenceCount;
  const NamedReference* const found = std::lower_bound(
      internal::kNamedReferences, end, name,
      [](const NamedReference& each, std::string_view wanted) { return each.name < wanted; });
  return found != end && found->name == name ? found : nullptr;
}

// The reference with the longest name that `bytes` start with. Every name is letters and digits, then perhaps
// ';', so it is the whole run of them with its ';', or one of the short names without.
const NamedReference* longest_name(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, internal::kReferenceNameMax);
  std::size_t run = 0;
  while (run < start.size() && (is_letter(start[run]) || is_digit(start[run]))) ++run;
  if (run < start.size() && start[run] == ';') {
    if (const NamedReference* const found = find_name(start.substr(0, run + 1))) return found;
  }
  for (std::size_t size = std::min(run, internal::kBareReferenceNameMax); size > 1; --size) {
    if (const NamedReference* const found = find_name(start.substr(0, size))) return found;
  }
  return nullptr;
}

}  // namespace

std::size_t decode_character_reference(std::string_view bytes, std::string& text) {
  const std::string_view rest = bytes.substr(1);
  if (rest.empty()) return 0;
  if (rest[0] == '#') {
    const std::size_t size = decode_number(rest, text);
    return size == 0 ? 0 : 1 + size;
  }
  const NamedReference* const reference = is_letter(rest[0]) ? longest_name(rest) : nullptr;
  if (reference == nullptr) return 0;
  text += reference->text;
  return 1 + reference->name.size();
}

}  // namespace neardup
