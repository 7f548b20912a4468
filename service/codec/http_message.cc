#include "service/codec/http_message.h"

#include <algorithm>
#include <charconv>

#include "core/base/ascii.h"

namespace neardup {
namespace {

constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kHttp = "HTTP/";
constexpr std::string_view kWarc = "WARC/";

// Takes a line from the front of `bytes`, without its end. Nothing: it has none.
std::optional<std::string_view> take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  bytes.remove_prefix(end + 1);
  return line;
}

// "HTTP/1.1 200 OK", "HTTP/2 200", "WARC/1.0". REQUIRES: it begins with one of these two words.
bool opens_head(std::string_view line) {
  const bool is_warc = line.starts_with(kWarc);
  line.remove_prefix(is_warc ? kWarc.size() : kHttp.size());
  const std::size_t version = std::min(line.find_first_not_of("0123456789."), line.size());
  if (version == 0) return false;
  line.remove_prefix(version);
  if (is_warc) return line.empty();
  const bool has_status =
      line.size() >= 4 && line[0] == ' ' && std::ranges::all_of(line.substr(1, 3), is_ascii_digit);
  return has_status && (line.size() == 4 || line[4] == ' ');
}

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

void note(std::string_view name, std::string_view value, HttpMessage& message) {
  if (equals_ignoring_case(name, "content-type")) message.content_type = value;
  if (equals_ignoring_case(name, "transfer-encoding"))
    message.is_chunked = ends_with_ignoring_case(value, "chunked");
  if (equals_ignoring_case(name, "content-encoding")) {
    message.is_packed =
        !value.empty() && !equals_ignoring_case(value, "identity") && !ends_with_ignoring_case(value, "gzip");
  }
}

std::optional<HttpMessage> read_head(std::string_view bytes) {
  if (!bytes.starts_with(kHttp) && !bytes.starts_with(kWarc)) return std::nullopt;
  std::string_view head = bytes.substr(0, kHeadBytesMax);
  std::optional<std::string_view> line = take_line(head);
  if (!line || !opens_head(*line)) return std::nullopt;
  HttpMessage message;
  while ((line = take_line(head))) {
    if (line->empty()) {
      message.body = bytes.substr(static_cast<std::size_t>(head.data() - bytes.data()));
      return message;
    }
    if (kBlanks.find(line->front()) != std::string_view::npos) continue;  // goes on with the header before
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos || !is_name(line->substr(0, colon))) return std::nullopt;
    note(line->substr(0, colon), trimmed(line->substr(colon + 1), kBlanks), message);
  }
  return std::nullopt;
}

}  // namespace

std::optional<HttpMessage> read_http_message(std::string_view bytes) {
  std::optional<HttpMessage> message = read_head(bytes);
  while (message) {
    const std::optional<HttpMessage> inner = read_head(message->body);
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
    is_any = true;
    if (size == 0) break;
    out += body.substr(0, size);
    body.remove_prefix(std::min(size, body.size()));
    const std::optional<std::string_view> behind = take_line(body);
    if (!behind || !behind->empty()) break;
  }
  return is_any;
}

}  // namespace neardup
