#include "service/commands/array_items.h"

#include <algorithm>

namespace neardup {

Piece ArrayItems::take(std::string_view& unread) {
  if (in_ == In::kNothing) {
    unread.remove_prefix(std::min(unread.find_first_not_of(" \t\r\n,[]}"), unread.size()));
    if (unread.empty()) return {};
    in_ = In::kValue;
  }
  for (std::size_t at = 0; at < unread.size();) {
    if (in_ == In::kString) {
      at = pass_string(unread, at);
      if (at < unread.size() && unread[at] == '\n' && in_ == In::kString) return end_at(at, unread);
      continue;
    }
    const char byte = unread[at];
    const bool closes = byte == '}' || byte == ']';
    if (depth_ == 0 && (byte == ',' || byte == '\n' || closes)) return end_at(at, unread);
    ++at;
    if (byte == '"') in_ = In::kString;
    if (byte == '{' || byte == '[') ++depth_;
    if (closes && --depth_ == 0) return end_at(at, unread);
  }
  const Piece rest = {unread, false};
  unread = {};
  return rest;
}

Piece ArrayItems::end_at(std::size_t at, std::string_view& unread) {
  const Piece piece = {unread.substr(0, at), true};
  unread.remove_prefix(at);
  *this = {};
  return piece;
}

// Where the string that `at` is in goes on behind its end; at the line's end if it has none; or at the end of
// the bytes.
std::size_t ArrayItems::pass_string(std::string_view bytes, std::size_t at) {
  while (at < bytes.size()) {
    const std::size_t quote = std::min(bytes.find('"', at), bytes.size());
    if (const std::size_t line_end = bytes.substr(0, quote).find('\n', at);
        line_end != std::string_view::npos) {
      return line_end;
    }
    std::size_t backslashes = 0;
    while (backslashes < quote - at && bytes[quote - 1 - backslashes] == '\\') ++backslashes;
    const bool continues_escape = backslashes == quote - at && escapes_;
    const bool is_escaped = (backslashes % 2 == 1) != continues_escape;
    escapes_ = quote == bytes.size() && is_escaped;
    at = std::min(quote + 1, bytes.size());
    if (quote < bytes.size() && !is_escaped) {
      in_ = In::kValue;
      break;
    }
  }
  return at;
}

}  // namespace neardup
