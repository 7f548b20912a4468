#include "service/commands/warc_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/ascii.h"
#include "service/codec/message_head.h"
#include "service/codec/timestamp.h"

namespace neardup {
namespace {

struct WarcHead {
  std::string_view type;
  std::string_view uri;
  std::string_view record_id;
  std::string_view date;
  std::optional<std::uint64_t> block_bytes;
};

std::optional<std::uint64_t> read_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// Nothing: it is no head, or says not how long its record is.
std::optional<WarcHead> read_warc_head(std::string_view bytes) {
  MessageHead head(bytes);
  WarcHead read;
  while (const auto header = head.next()) {
    const auto is = [&](std::string_view name) { return equals_ignoring_case(header->name, name); };
    if (is("warc-type")) read.type = header->value;
    if (is("warc-target-uri")) read.uri = trimmed(header->value, "<>");  // wget writes it so
    if (is("warc-record-id")) read.record_id = trimmed(header->value, "<>");
    if (is("warc-date")) read.date = header->value;
    if (is("content-length")) read.block_bytes = read_number(header->value);
  }
  if (!head.behind() || !read.block_bytes) return std::nullopt;
  return read;
}

bool holds_page(const WarcHead& head) {
  static constexpr std::array<std::string_view, 3> kTypes = {"response", "resource", "conversion"};
  return std::ranges::any_of(kTypes,
                             [&](std::string_view type) { return equals_ignoring_case(head.type, type); }) &&
         !starts_with_ignoring_case(head.uri, "dns:") && !starts_with_ignoring_case(head.uri, "urn:");
}

}  // namespace

Piece WarcRecords::take(std::string_view& unread) {
  while (!unread.empty()) {
    if (in_ == In::kNothing || in_ == In::kHead) {
      gather_line(unread);
      if (std::exchange(is_head_due_, false)) return {head_, in_ == In::kNothing};
      continue;
    }
    const bool is_page = in_ == In::kBlock;
    const std::string_view block = unread.substr(0, block_left_);
    unread.remove_prefix(block.size());
    block_left_ -= block.size();
    if (block_left_ == 0) in_ = In::kNothing;
    if (is_page) return {block, block_left_ == 0};
  }
  return {};
}

bool WarcRecords::end() {
  if (line_.ends_with('\r')) line_.pop_back();
  if (!line_.empty()) end_line(line_);
  line_.clear();
  return in_ != In::kNothing;
}

void WarcRecords::gather_line(std::string_view& unread) {
  const std::string_view part = unread.substr(0, unread.find('\n') + 1);  // all of it, if there is none
  line_ += part.empty() ? unread : part;
  unread.remove_prefix(part.empty() ? unread.size() : part.size());
  if (line_.size() > kHeadBytesMax) {
    drop_head();
    damaged_bytes_ += line_.size();
    line_.clear();
  } else if (std::string_view rest = line_; const auto text = take_line(rest)) {
    end_line(*text);
    line_.clear();
  }
}

// `text`: line_ without its end.
void WarcRecords::end_line(std::string_view text) {
  if (text.starts_with(kWarcOpening) && opens_head(text)) {
    drop_head();
    in_ = In::kHead;
    head_ = line_;
  } else if (in_ == In::kHead) {
    head_ += line_;
    if (text.empty()) {
      end_head();
    } else if (head_.size() > kHeadBytesMax) {
      drop_head();
    }
  } else if (!text.empty()) {
    damaged_bytes_ += line_.size();
  }
}

void WarcRecords::end_head() {
  const std::optional<WarcHead> head = read_warc_head(head_);
  if (!head) return drop_head();
  ++number_;
  block_left_ = *head->block_bytes;
  const bool is_page = holds_page(*head);
  in_ = block_left_ == 0 ? In::kNothing : is_page ? In::kBlock : In::kOtherBlock;
  is_head_due_ = is_page;
  if (!is_page) {
    ++passed_over_;
    return;
  }
  name_ = head->uri.empty() ? head->record_id : head->uri;
  time_ms_ = parse_time_ms(head->date);
}

void WarcRecords::drop_head() {
  if (in_ == In::kHead) damaged_bytes_ += head_.size();
  in_ = In::kNothing;
}

}  // namespace neardup
