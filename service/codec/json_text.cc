#include "service/codec/json_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/text/utf8.h"

namespace neardup {
namespace {

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Bit 7 of each byte that is no printable ASCII, or a quote or a backslash.
std::uint64_t not_plain(const char* eight) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kLow = 0x7F * kEach;  // no sum of these spills into the next byte
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const auto is = [](std::uint64_t all, char c) {
    const std::uint64_t differing = all ^ static_cast<unsigned char>(c) * kEach;
    return ~(((differing & kLow) + kLow) | differing);
  };
  const std::uint64_t low = bytes & kLow;
  const std::uint64_t control = ~(low + 0x60 * kEach) | (low + kEach);  // below 0x20, or 0x7F
  return (bytes | control | is(bytes, '"') | is(bytes, '\\')) & 0x80 * kEach;
}

// Printable ASCII that stands for itself: what ids and urls nearly always are.
bool is_plain(std::string_view text) {
  if (text.size() < 8) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  }
  std::uint64_t found = not_plain(text.data() + text.size() - 8);
  for (std::size_t i = 0; i + 8 <= text.size(); i += 8) found |= not_plain(text.data() + i);
  return found == 0;
}

// How many bytes of a character stand at the front of `text`; 0 where there is none.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= std::min(text.size(), std::size_t{4}); ++size) {
    const std::string_view front = text.substr(0, size);
    if (is_utf8(front)) return size;
  }
  return 0;
}

// One U+FFFD for each byte that belongs to no character.
std::string as_utf8(std::string_view text) {
  std::string mended;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    mended.append(size > 0 ? text.substr(0, size) : "\xEF\xBF\xBD");
    text.remove_prefix(std::max(size, std::size_t{1}));
  }
  return mended;
}

}  // namespace

void JsonText::escape(char c) {
  switch (c) {
    case '"':
      text("\\\"");
      break;
    case '\\':
      text("\\\\");
      break;
    case '\n':
      text("\\n");
      break;
    case '\r':
      text("\\r");
      break;
    case '\t':
      text("\\t");
      break;
    default:
      text("\\u00");
      character("0123456789abcdef"[static_cast<unsigned char>(c) >> 4]);
      character("0123456789abcdef"[static_cast<unsigned char>(c) & 0xF]);
  }
}

void JsonText::escaped(std::string_view utf8) {
  while (!utf8.empty()) {
    const auto end = std::ranges::find_if(utf8, needs_escape);
    const auto size = static_cast<std::size_t>(end - utf8.begin());
    text(utf8.substr(0, size));
    if (end == utf8.end()) return;
    escape(*end);
    utf8.remove_prefix(size + 1);
  }
}

JsonText& JsonText::string(std::string_view bytes) {
  character('"');
  if (is_plain(bytes)) {
    text(bytes);
  } else if (is_utf8(bytes)) {
    escaped(bytes);
  } else {
    escaped(as_utf8(bytes));
  }
  return character('"');
}

}  // namespace neardup
