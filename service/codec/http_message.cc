#include "service/codec/http_message.h"

#include <algorithm>
#include <charconv>

#include "core/base/ascii.h"
#include "service/codec/message_head.h"

namespace neardup {
namespace {

constexpr std::string_view kBlanks = " \t";

// "gzip, br" is packed twice, and so it is if the header stands twice.
void note_codings(std::string_view list, std::vector<std::string_view>& codings) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view coding = trimmed(list.substr(0, end), kBlanks);
    if (!coding.empty() && !equals_ignoring_case(coding, "identity")) codings.push_back(coding);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

void note(std::string_view name, std::string_view value, HttpMessage& message) {
  if (equals_ignoring_case(name, "content-type")) message.content_type = value;
  if (equals_ignoring_case(name, "transfer-encoding"))
    message.is_chunked = ends_with_ignoring_case(value, "chunked");
  if (equals_ignoring_case(name, "content-encoding")) note_codings(value, message.codings);
}

std::optional<HttpMessage> read_one(std::string_view bytes) {
  MessageHead head(bytes);
  HttpMessage message;
  while (const auto header = head.next()) note(header->name, header->value, message);
  if (!head.behind()) return std::nullopt;
  message.body = *head.behind();
  return message;
}

// Takes what ends a chunk; it may be cut off there.
bool take_chunk_end(std::string_view& body) {
  const std::optional<std::string_view> line = take_line(body);
  return line ? line->empty() : body.empty() || body == "\r";
}

}  // namespace

std::optional<HttpMessage> read_http_message(std::string_view bytes) {
  std::optional<HttpMessage> message = read_one(bytes);
  while (message) {
    const std::optional<HttpMessage> inner = read_one(message->body);
    if (!inner) break;
    message = inner;
  }
  return message;
}

bool join_chunks(std::string_view body, std::string& out) {
  out.clear();
  bool is_any = false;
  while (const std::optional<std::string_view> line = take_line(body)) {
    std::size_t size = 0;
    const std::string_view digits = line->substr(0, line->find(';'));  // behind it stand extensions
    const std::string_view number = trimmed(digits, kBlanks);
    const auto read = std::from_chars(number.data(), number.data() + number.size(), size, 16);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size()) break;
    // A short body that was joined before, and begins with a number; who sends chunks ends lines with CR LF.
    if (!is_any && size > body.size() && line->data()[line->size()] != '\r') break;
    out += body.substr(0, size);
    body.remove_prefix(std::min(size, body.size()));
    if (size > 0 && !take_chunk_end(body)) break;
    is_any = true;
    if (size == 0) break;
  }
  return is_any;
}

}  // namespace neardup
