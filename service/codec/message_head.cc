#include "service/codec/message_head.h"

#include <algorithm>
#include <charconv>

#include "core/base/ascii.h"

namespace neardup {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kHttpOpening = "HTTP/";
constexpr std::string_view kNameMarks = "-_.!#$%&'*+^`|~";

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || kNameMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool opens_head(std::string_view line) {
  const bool is_warc = line.starts_with(kWarcOpening);
  if (!is_warc && !line.starts_with(kHttpOpening)) return false;
  line.remove_prefix(is_warc ? kWarcOpening.size() : kHttpOpening.size());
  const std::size_t version = std::min(line.find_first_not_of("0123456789."), line.size());
  if (version == 0) return false;
  line.remove_prefix(version);
  if (is_warc) return line.empty();
  const bool has_status =
      line.size() >= 4 && line[0] == ' ' && std::ranges::all_of(line.substr(1, 3), is_ascii_digit);
  return has_status && (line.size() == 4 || line[4] == ' ');
}

std::optional<std::string_view> take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  bytes.remove_prefix(end + 1);
  return line;
}

MessageHead::MessageHead(std::string_view bytes) : bytes_(bytes) {
  if (!bytes.starts_with(kHttpOpening) && !bytes.starts_with(kWarcOpening)) return;  // nearly always
  unread_ = bytes.substr(0, kHeadBytesMax);
  const std::optional<std::string_view> line = take_line(unread_);
  if (!line || !opens_head(*line)) {
    unread_ = {};
  } else if (const std::size_t blank = line->find(' '); blank != std::string_view::npos) {
    int status = 0;
    std::from_chars(line->data() + blank + 1, line->data() + line->size(), status);
    status_ = status;
  }
}

std::optional<MessageHeader> MessageHead::next() {
  while (const std::optional<std::string_view> line = take_line(unread_)) {
    if (line->empty()) {
      if (strays_ <= headers_)
        behind_ = bytes_.substr(static_cast<std::size_t>(unread_.data() - bytes_.data()));
      break;
    }
    if (kBlanks.find(line->front()) != std::string_view::npos) continue;
    if (line->front() == '<') break;
    const std::size_t colon = line->find(':');
    const std::string_view name =
        trimmed(line->substr(0, colon), kBlanks);  // some servers write a blank there
    if (colon == std::string_view::npos || !is_name(name)) {
      ++strays_;
      continue;
    }
    ++headers_;
    return MessageHeader{name, trimmed(line->substr(colon + 1), kBlanks)};
  }
  unread_ = {};
  return std::nullopt;
}

}  // namespace neardup
