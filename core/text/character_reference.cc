#include "core/text/character_reference.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/ascii.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

using internal::NamedReference;

// What windows-1252 has at 0x80 .. 0x9F; its five holes are the control characters themselves.
constexpr char16_t kWindows1252[32] = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                       0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

// The value of a digit of base 10 or 16, or -1.
int digit_value(char c, int base) {
  if (is_ascii_digit(c)) return c - '0';
  const char letter = ascii_lower(c);
  return base == 16 && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

char32_t meant_by(char32_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return 0xFFFD;
  if (number >= 0x80 && number <= 0x9F) return kWindows1252[number - 0x80];
  return number;
}

// bytes = "#" digits [";"] or "#x" hexadecimal digits [";"].
CharacterReference read_number(std::string_view bytes) {
  CharacterReference reference;
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
  if (at == digits) return reference;
  if (at < bytes.size() && bytes[at] == ';') ++at;
  reference.length = at;
  reference.size = static_cast<std::size_t>(encode_utf8(meant_by(number), reference.text) - reference.text);
  return reference;
}

// Every name's place in the table, by hash; open addressing, at most a third full.
class NameIndex {
 public:
  NameIndex() {
    for (std::size_t i = 0; i < internal::kNamedReferenceCount; ++i) {
      std::size_t slot = first_slot(internal::kNamedReferences[i].name);
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  const NamedReference* find(std::string_view name) const {
    for (std::size_t slot = first_slot(name); slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const NamedReference& reference = internal::kNamedReferences[slots_[slot] - 1];
      if (reference.name == name) return &reference;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = 8192;

  static std::size_t first_slot(std::string_view name) {
    std::uint32_t hash = 2166136261;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return (hash ^ hash >> 15) % kSlots;
  }

  std::array<std::uint16_t, kSlots> slots_{};  // 1 + the place of a name; 0: empty
};

const NamedReference* find_name(std::string_view name) {
  static const NameIndex index;
  return index.find(name);
}

// The reference with the longest name that `bytes` start with. Every name is letters and digits, then perhaps
// ';', so it is the whole run of them with its ';', or one of the short names without.
const NamedReference* longest_name(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, internal::kReferenceNameMax);
  std::size_t run = 0;
  while (run < start.size() && (is_ascii_letter(start[run]) || is_ascii_digit(start[run]))) ++run;
  if (run < start.size() && start[run] == ';') {
    if (const NamedReference* const found = find_name(start.substr(0, run + 1))) return found;
  }
  for (std::size_t size = std::min(run, internal::kBareReferenceNameMax); size > 1; --size) {
    if (const NamedReference* const found = find_name(start.substr(0, size))) return found;
  }
  return nullptr;
}

}  // namespace

CharacterReference read_character_reference(std::string_view bytes) {
  CharacterReference reference;
  const std::string_view rest = bytes.substr(1);
  if (rest.empty()) return reference;
  if (rest[0] == '#') {
    reference = read_number(rest);
    if (reference.length > 0) ++reference.length;
    return reference;
  }
  const NamedReference* const found = is_ascii_letter(rest[0]) ? longest_name(rest) : nullptr;
  if (found == nullptr) return reference;
  reference.length = 1 + found->name.size();
  reference.size = std::min(found->text.size(), sizeof reference.text);  // none is longer: a test looks
  std::copy_n(found->text.begin(), reference.size, reference.text);
  return reference;
}

}  // namespace neardup
