#include "service/codec/message_head.h"

#include <algorithm>
#include <charconv>

#include "core/base/ascii.h"

namespace neardup {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kHttpOpening = "http/";
constexpr std::size_t kStatusDigits = 3;
constexpr std::string_view kNameMarks = "-_.!#$%&'*+^`|~";

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || kNameMarks.find(c) != std::string_view::npos;
  });
}

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// "HTTP/1.1 200 OK"; some servers write small letters, or more blanks.
std::optional<int> status_of_http(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !starts_with_ignoring_case(line, kHttpOpening) ||
      !is_version(line.substr(kHttpOpening.size(), blank - kHttpOpening.size())))
    return std::nullopt;
  const std::string_view behind = trimmed(line.substr(blank), kBlanks);
  const std::string_view digits = behind.substr(0, behind.find(' '));
  if (digits.size() != kStatusDigits || !std::ranges::all_of(digits, is_ascii_digit)) return std::nullopt;
  int status = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), status);
  return status;
}

}  // namespace

bool opens_warc_record(std::string_view line) {
  return line.starts_with(kWarcOpening) && is_version(line.substr(kWarcOpening.size()));
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
  if (!starts_with_ignoring_case(bytes, kHttpOpening) && !bytes.starts_with(kWarcOpening))
    return;  // nearly always
  unread_ = bytes.substr(0, kHeadBytesMax);
  const std::optional<std::string_view> line = take_line(unread_);
  if (line) status_ = status_of_http(*line);
  if (!line || !(status_ || opens_warc_record(*line))) unread_ = {};
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
