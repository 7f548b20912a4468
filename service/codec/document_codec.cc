#include "service/codec/document_codec.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/limits.h"
#include "service/codec/base64.h"
#include "service/codec/json_mend.h"
#include "service/codec/timestamp.h"

namespace neardup {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view text, std::string_view lowercase) {
  return text.size() >= lowercase.size() &&
         std::equal(lowercase.begin(), lowercase.end(), text.begin(),
                    [](char expected, char c) { return lower(c) == expected; });
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lowercase) {
  return text.size() >= lowercase.size() &&
         starts_with_ignoring_case(text.substr(text.size() - lowercase.size()), lowercase);
}

bool opens_like_a_page(std::string_view body) {
  static constexpr std::array<std::string_view, 5> kOpenings = {"<!doctype", "<html", "<?xml", "<head",
                                                                "<body"};
  body = without_mark(body);
  body.remove_prefix(std::min(body.find_first_not_of(" \t\r\n\f"), body.size()));
  return std::ranges::any_of(
      kOpenings, [&](std::string_view opening) { return starts_with_ignoring_case(body, opening); });
}

bool is_named_like_a_page(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kEndings = {".html", ".htm", ".xhtml"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return ends_with_ignoring_case(name, ending); });
}

// Plain words decode as base64 too ("page" does), but hardly ever into something that people could read.
bool is_plainly_a_page(std::string_view decoded) {
  if (opens_like_a_page(decoded)) return true;  // whatever its charset
  const bool has_controls = std::ranges::any_of(decoded, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
  return !has_controls && simdjson::validate_utf8(decoded.data(), decoded.size());
}

// The value itself, or the first element where a producer sends every field as an array.
element first_of(element value) {
  simdjson::dom::array array;
  element first;
  if (value.get(array) == simdjson::SUCCESS && array.at(0).get(first) == simdjson::SUCCESS) return first;
  return value;
}

// Calls `use` with the value at each pointer that is there, until it says true.
template <typename Use>
bool first_usable(element root, const std::vector<std::string>& pointers, Use use) {
  return std::ranges::any_of(pointers, [&](const std::string& pointer) {
    element value;
    return root.at_pointer(pointer).get(value) == simdjson::SUCCESS && use(first_of(value));
  });
}

bool read_name(element value, std::string& name) {
  std::array<char, 20> digits{};
  const auto decimal = [&](auto number) {
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    name.assign(digits.data(), end);
    return true;
  };
  switch (value.type()) {
    case element_type::STRING:
      name.assign(value.get_string().value_unsafe());
      return !name.empty();
    case element_type::INT64:
      return decimal(value.get_int64().value_unsafe());
    case element_type::UINT64:
      return decimal(value.get_uint64().value_unsafe());
    default:
      return false;
  }
}

bool read_time(element value, std::int64_t& time_ms) {
  std::optional<std::int64_t> read;
  std::string_view text;
  double count = 0;
  if (value.get(text) == simdjson::SUCCESS) {
    read = parse_time_ms(text);
  } else if (value.get(count) == simdjson::SUCCESS) {
    read = count_to_ms(count);
  }
  if (read) time_ms = *read;
  return read.has_value();
}

}  // namespace

struct DocumentCodec::State {
  Preset preset;
  std::size_t document_bytes_max;
  simdjson::dom::parser parser;
  std::string mended;

  std::optional<RejectReason> decode(const Record& record, Document& document);
  std::optional<RejectReason> decode_page(const Record& record, Document& document);
  std::optional<RejectReason> decode_json(const Record& record, Document& document);
  std::optional<RejectReason> parse(std::string_view json, element& root);
  simdjson::error_code parse_once(std::string_view json, element& root);
  std::optional<RejectReason> read_body(element root, Document& document) const;
  std::optional<RejectReason> read_id(element root, const Record& record, Document& document) const;
  std::optional<RejectReason> fill_body(std::string_view text, Document& document) const;
  bool is_failure_notice(std::string_view value) const;
  void name_by_key(const Record& record, Document& document) const;
};

std::optional<RejectReason> DocumentCodec::State::decode(const Record& record, Document& document) {
  document.id.clear();
  document.url.clear();
  document.body.clear();
  document.format = Document::Format::kText;
  const bool timed = record.timestamp_ms > 0 && record.timestamp_ms <= kTimeMaxMs;
  document.event_time_ms = timed ? record.timestamp_ms : 0;
  document.source = record.source;

  const auto unread = [&](RejectReason reason) {
    name_by_key(record, document);
    return reason;
  };
  if (!record.value) return unread(RejectReason::kNullValue);
  // A body is never longer than the record it comes from: escapes and base64 only shrink. One bound holds
  // both.
  if (record.value->size() > document_bytes_max) return unread(RejectReason::kTooLarge);
  if (is_failure_notice(*record.value)) return unread(RejectReason::kProducerError);
  return preset.value_is_page ? decode_page(record, document) : decode_json(record, document);
}

std::optional<RejectReason> DocumentCodec::State::decode_page(const Record& record, Document& document) {
  const std::string_view key = record.key.value_or("");
  if (key.size() <= kUrlBytesMax) document.url = key;
  if (key.empty()) return RejectReason::kMissingId;
  if (key.size() > kIdBytesMax) return RejectReason::kIdTooLong;
  document.id = key;
  if (auto reason = fill_body(*record.value, document)) return reason;
  if (is_named_like_a_page(key)) document.format = Document::Format::kHtml;
  return std::nullopt;
}

std::optional<RejectReason> DocumentCodec::State::decode_json(const Record& record, Document& document) {
  element root;
  if (auto reason = parse(without_mark(*record.value), root)) {
    name_by_key(record, document);
    return reason;
  }

  first_usable(root, preset.fields.url, [&](element value) {
    std::string_view url;
    if (value.get(url) != simdjson::SUCCESS || url.empty() || url.size() > kUrlBytesMax) return false;
    document.url = url;
    return true;
  });
  first_usable(root, preset.fields.time,
               [&](element value) { return read_time(value, document.event_time_ms); });
  const std::optional<RejectReason> unnamed = read_id(root, record, document);
  if (auto reason = read_body(root, document)) return reason;
  return unnamed;
}

// The whole record is parsed, fields that nobody asked for too: a record is accepted or refused whole.
std::optional<RejectReason> DocumentCodec::State::parse(std::string_view json, element& root) {
  simdjson::error_code error = parse_once(json, root);
  const bool may_be_mended = error == simdjson::STRING_ERROR || error == simdjson::NUMBER_ERROR;
  if (may_be_mended && mend_json(json, mended)) error = parse_once(mended, root);
  if (error == simdjson::DEPTH_ERROR) return RejectReason::kTooDeep;
  if (error != simdjson::SUCCESS || !root.is_object()) return RejectReason::kNotJson;
  return std::nullopt;
}

simdjson::error_code DocumentCodec::State::parse_once(std::string_view json, element& root) {
  // Grown in powers of two, or every record a little longer than the last would allocate anew.
  if (parser.capacity() < json.size() || parser.max_depth() != kJsonDepthMax) {
    const std::size_t capacity = std::bit_ceil(std::max(json.size(), std::size_t{4096}));
    CHECK(parser.allocate(capacity, kJsonDepthMax) == simdjson::SUCCESS &&
              parser.doc.allocate(capacity) == simdjson::SUCCESS,
          "out of memory for a record within input.document_bytes_max");
  }
  return parser.parse(json.data(), json.size()).get(root);
}

std::optional<RejectReason> DocumentCodec::State::read_id(element root, const Record& record,
                                                          Document& document) const {
  for (const IdFrom from : preset.id_from) {
    switch (from) {
      case IdFrom::kField:
        if (!first_usable(root, preset.fields.id,
                          [&](element value) { return read_name(value, document.id); })) {
          document.id.clear();
        }
        break;
      case IdFrom::kKey:
        document.id = record.key.value_or("");
        break;
      case IdFrom::kUrl:
        document.id = document.url;
        break;
    }
    if (document.id.size() > kIdBytesMax) {
      document.id.clear();
      return RejectReason::kIdTooLong;
    }
    if (!document.id.empty()) return std::nullopt;
  }
  return RejectReason::kMissingId;
}

std::optional<RejectReason> DocumentCodec::State::read_body(element root, Document& document) const {
  bool empty_seen = false;
  std::string_view body;
  const auto usable = [&](element value) {
    if (value.get(body) != simdjson::SUCCESS) return false;
    empty_seen |= body.empty();
    return !body.empty();
  };
  if (first_usable(root, preset.fields.text, usable)) return fill_body(body, document);
  if (first_usable(root, preset.fields.html, usable)) {
    auto reason = fill_body(body, document);
    document.format = Document::Format::kHtml;
    return reason;
  }
  if (empty_seen) return std::nullopt;  // a page without a word: the signer will say so
  return RejectReason::kMissingText;
}

std::optional<RejectReason> DocumentCodec::State::fill_body(std::string_view text, Document& document) const {
  const bool decoded = preset.base64 != Base64::kNever && decode_base64(text, document.body);
  if (preset.base64 == Base64::kAlways && !decoded) {
    document.body.clear();
    return RejectReason::kInvalidBase64;
  }
  const bool keep_decoded = decoded && (preset.base64 == Base64::kAlways || is_plainly_a_page(document.body));
  if (!keep_decoded) document.body = text;
  document.format = opens_like_a_page(document.body) ? Document::Format::kHtml : Document::Format::kText;
  return std::nullopt;
}

// The bare words, or the same as a JSON string: both are how a producer may write them.
bool DocumentCodec::State::is_failure_notice(std::string_view value) const {
  const std::string_view notice = preset.failure_notice;
  if (notice.empty()) return false;
  if (value.size() == notice.size() + 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, notice.size());
  }
  return value == notice;
}

void DocumentCodec::State::name_by_key(const Record& record, Document& document) const {
  const bool keys_are_ids = std::ranges::find(preset.id_from, IdFrom::kKey) != preset.id_from.end();
  if (keys_are_ids && record.key && record.key->size() <= kIdBytesMax) document.id = *record.key;
}

DocumentCodec::DocumentCodec(const Preset& preset, const InputConfig& input)
    : state_(std::make_unique<State>()) {
  state_->preset = preset;
  state_->document_bytes_max = input.document_bytes_max;
}

DocumentCodec::~DocumentCodec() = default;
DocumentCodec::DocumentCodec(DocumentCodec&&) noexcept = default;
DocumentCodec& DocumentCodec::operator=(DocumentCodec&&) noexcept = default;

std::optional<RejectReason> DocumentCodec::decode(const Record& record, Document& document) {
  auto reason = state_->decode(record, document);
  if (record.value && record.value->size() > kRecordBytesUsual) {
    state_->parser = simdjson::dom::parser();
    state_->mended = std::string();
  }
  return reason;
}

}  // namespace neardup
