#include "service/commands/array_items.h"

#include <algorithm>

namespace neardup {
namespace {

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

}  // namespace

Piece ArrayItems::take(std::string_view& unread) {
  if (item_.in == In::kNothing) {
    skip_to_item(unread);
    if (unread.empty()) return {};
    item_.in = In::kValue;
  }
  for (std::size_t at = 0; at < unread.size();) {
    if (item_.in == In::kString) {
      at = pass_string(unread, at);
      if (at < unread.size() && unread[at] == '\n' && item_.in == In::kString) return end_at(at, unread);
      continue;
    }
    const char byte = unread[at];
    const bool opens = byte == '{' || byte == '[';
    const bool closes = byte == '}' || byte == ']';
    if (item_.depth == 0 && (byte == ',' || byte == '\n' || closes)) return end_at(at, unread);
    const bool is_no_key = byte == '{' && is_in(true) && (item_.before == ',' || item_.before == '{');
    const bool closes_another = closes && is_in(byte == ']');
    if (is_no_key || closes_another) return end_at(at, unread);
    ++at;
    if (!is_blank(byte)) item_.before = byte;
    if (byte == '"') item_.in = In::kString;
    if (opens) {
      if (item_.depth < kKindsMax) item_.is_object[item_.depth] = byte == '{';
      ++item_.depth;
    }
    if (closes && --item_.depth == 0) return end_at(at, unread);
  }
  const Piece rest = {unread, false};
  unread = {};
  return rest;
}

// Of an item whose brackets are not right what closes it may be left.
void ArrayItems::skip_to_item(std::string_view& unread) {
  std::size_t at = 0;
  for (; at < unread.size(); ++at) {
    const char byte = unread[at];
    if (byte == '[' || byte == ']') {
      is_open_ = byte == '[';
    } else if (!is_blank(byte) && byte != ',' && byte != '}') {
      break;
    }
  }
  unread.remove_prefix(at);
}

// Whether what is open last is known to be an object, or to be an array.
bool ArrayItems::is_in(bool object) const {
  return item_.depth > 0 && item_.depth <= kKindsMax && item_.is_object[item_.depth - 1] == object;
}

Piece ArrayItems::end_at(std::size_t at, std::string_view& unread) {
  const Piece piece = {unread.substr(0, at), true};
  unread.remove_prefix(at);
  item_ = {};
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
    const bool continues_escape = backslashes == quote - at && item_.escapes;
    const bool is_escaped = (backslashes % 2 == 1) != continues_escape;
    item_.escapes = quote == bytes.size() && is_escaped;
    at = std::min(quote + 1, bytes.size());
    if (quote < bytes.size() && !is_escaped) {
      item_.in = In::kValue;
      break;
    }
  }
  return at;
}

}  // namespace neardup
