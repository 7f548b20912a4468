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

constexpr std::size_t kOpeningBytesMax = 16;  // "WARC/1.1" and the line's end take ten
constexpr std::size_t kBehindBytesMax = 64;   // how far behind a block the next record is looked for

enum class Opens : std::uint8_t { kNo, kYes, kMayYet };

// A record, at the front of `bytes`: more may come behind them.
Opens opens_record(std::string_view bytes) {
  if (!kWarcOpening.starts_with(bytes.substr(0, kWarcOpening.size()))) return Opens::kNo;
  std::string_view behind = bytes.substr(0, kOpeningBytesMax);
  if (const auto line = take_line(behind)) return opens_warc_record(*line) ? Opens::kYes : Opens::kNo;
  return bytes.size() < kOpeningBytesMax ? Opens::kMayYet : Opens::kNo;
}

// Where a record is opened, or may yet be, at the earliest; else behind the last byte.
std::size_t find_opening(std::string_view bytes) {
  std::size_t at = 0;
  while ((at = bytes.find(kWarcOpening.front(), at)) != std::string_view::npos) {
    if (opens_record(bytes.substr(at)) != Opens::kNo) return at;
    ++at;
  }
  return bytes.size();
}

}  // namespace

Piece WarcRecords::take(std::string_view& unread) {
  if (kept_at_ > kept_.size() / 2) kept_.erase(0, std::exchange(kept_at_, 0));
  for (;;) {
    if (takes_end(unread.size())) return {"", true};
    if (is_in_doubt_) {
      const Doubt doubt = this->doubt();
      if (doubt == Doubt::kStays && unread.empty()) return {};
      if (doubt == Doubt::kStays) kept_ += std::exchange(unread, {});
      settle(doubt);
      continue;
    }
    std::string_view again = kept();
    const bool is_again = !again.empty();
    std::string_view& bytes = is_again ? again : unread;
    if (bytes.empty()) return {};
    Piece piece = take_from(bytes);
    if (is_again) kept_at_ = kept_.size() - again.size();
    piece.ends = takes_end(unread.size());
    if (piece.ends || !piece.bytes.empty()) return piece;
  }
}

// The end that is due comes now: nothing in front of it is in doubt, or the next record opens.
bool WarcRecords::takes_end(std::size_t unread) {
  if (!is_end_due_ || (in_ == In::kNothing && !is_proven(unread))) return false;
  is_end_due_ = false;
  return true;
}

Piece WarcRecords::take_from(std::string_view& bytes) {
  if (in_ == In::kNothing || in_ == In::kHead) {
    gather_line(bytes);
    return {std::exchange(is_head_due_, false) ? head_ : std::string_view{}};
  }
  std::string_view block = bytes.substr(0, block_left_);
  if (!is_block_sure_) {
    // Its last line may go on behind it, as far as a head was taken for the rest of the block.
    const std::size_t opening =
        std::min(find_opening(bytes.substr(0, block.size() + kOpeningBytesMax)), block.size());
    is_in_doubt_ = opening < block.size();
    block = block.substr(0, opening);
  }
  bytes.remove_prefix(block.size());
  block_left_ -= block.size();
  const bool is_page = in_ == In::kBlock;
  if (block_left_ == 0) end_block();
  return {is_page ? block : std::string_view{}};
}

void WarcRecords::end_block() { is_end_due_ = std::exchange(in_, In::kNothing) == In::kBlock; }

// What is in doubt: whether the block goes on where a line in it may open the next record.
WarcRecords::Doubt WarcRecords::doubt() const {
  const std::string_view bytes = kept();
  const bool is_all =
      is_ending_ || (bytes.size() >= block_left_ && bytes.size() - block_left_ >= kBehindBytesMax);
  const Doubt unless_it_ends = is_all ? Doubt::kBlockGoesOn : Doubt::kStays;
  switch (opens_record(bytes)) {
    case Opens::kNo:
      return Doubt::kNoRecord;
    case Opens::kMayYet:
      return unless_it_ends;
    case Opens::kYes:
      break;
  }
  if (block_left_ > kept_bytes_max_) return Doubt::kBlockEnded;
  if (bytes.size() < block_left_) {
    if (!is_ending_) return Doubt::kStays;
    return is_proven(0) ? Doubt::kBlockEnded : Doubt::kBlockGoesOn;
  }
  const std::string_view behind = trimmed(bytes.substr(block_left_, kBehindBytesMax), "\r\n");
  if (behind.size() >= kWarcOpening.size())
    return behind.starts_with(kWarcOpening) ? Doubt::kBlockGoesOn : Doubt::kBlockEnded;
  return kWarcOpening.starts_with(behind) ? unless_it_ends : Doubt::kBlockEnded;
}

void WarcRecords::settle(Doubt doubt) {
  is_in_doubt_ = doubt == Doubt::kStays;
  is_block_sure_ = doubt == Doubt::kBlockGoesOn;
  if (doubt != Doubt::kBlockEnded) return;
  if (cut_short_++ == 0) cut_short_first_ = name_;
  end_block();
}

bool WarcRecords::end() {
  is_ending_ = true;
  if (has_more()) return false;
  is_ending_ = false;
  if (is_end_due_ || in_ == In::kBlock || in_ == In::kOtherBlock)
    count_not_whole(head_bytes_ + block_bytes_ - block_left_);
  std::string_view text = line_;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (!text.empty()) end_line(text);
  line_.clear();
  if (in_ == In::kHead) count_not_whole(head_.size());
  in_ = In::kNothing;
  is_end_due_ = false;
  return true;
}

void WarcRecords::count_not_whole(std::uint64_t bytes) {
  ++not_whole_;
  not_whole_bytes_ += bytes;
}

void WarcRecords::gather_line(std::string_view& unread) {
  const std::string_view part = unread.substr(0, unread.find('\n') + 1);  // all of it, if there is none
  line_ += part.empty() ? unread : part;
  unread.remove_prefix(part.empty() ? unread.size() : part.size());
  std::string_view rest = line_;
  const auto text = take_line(rest);
  if (line_.size() > kHeadBytesMax && (!text || in_ == In::kHead)) {
    drop_head();
    // Its end may be the beginning of what opens a record.
    const std::size_t kept = text ? 0 : kOpeningBytesMax;
    damaged_bytes_ += line_.size() - kept;
    line_.erase(0, line_.size() - kept);
  } else if (text) {
    end_line(*text);
    line_.clear();
  }
}

// `text`: line_ without its end.
void WarcRecords::end_line(std::string_view text) {
  // Of what is no record the last line may have no end.
  const std::size_t opening = in_ == In::kHead ? 0 : std::min(text.rfind(kWarcOpening), text.size());
  const std::string_view opened = text.substr(opening);
  if (opens_warc_record(opened)) {
    drop_head();
    damaged_bytes_ += opening;
    in_ = In::kHead;
    head_ = line_.substr(opening);
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
  head_bytes_ = head_.size();
  block_bytes_ = block_left_ = *head->block_bytes;
  const bool is_page = holds_page(*head);
  in_ = block_left_ == 0 ? In::kNothing : is_page ? In::kBlock : In::kOtherBlock;
  is_block_sure_ = false;
  is_head_due_ = is_page;
  is_end_due_ = is_page && block_left_ == 0;
  if (!is_page) ++passed_over_;
  name_ = head->uri.empty() ? head->record_id : head->uri;
  time_ms_ = parse_time_ms(head->date);
  is_response_ = equals_ignoring_case(head->type, "response");
}

void WarcRecords::drop_head() {
  if (in_ == In::kHead) damaged_bytes_ += head_.size();
  in_ = In::kNothing;
}

}  // namespace neardup
