#include "service/codec/document_codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/free_memory.h"
#include "core/limits.h"
#include "core/text/charset_decoder.h"
#include "core/text/utf8.h"
#include "service/codec/base64.h"
#include "service/codec/file_kind.h"
#include "service/codec/http_message.h"
#include "service/codec/json_fields.h"
#include "service/codec/json_string.h"
#include "service/codec/page_opening.h"
#include "service/codec/timestamp.h"
#include "service/codec/unpacking.h"

namespace neardup {
namespace {

constexpr std::size_t kEscapeBytesMax = 6;  // \u0041: more bytes than that a byte is never written with
constexpr std::size_t kTimeBytesMax = 1024;
constexpr std::size_t kContentTypeBytesMax = 1024;
constexpr std::string_view kContentType = "content-type";
constexpr std::size_t kCodingsMax = 4;  // of a body: nobody packs it more often, but who wants to do harm
// So many random bytes without a control character are an accident of one in a million millions.
constexpr std::size_t kTextBytesSure = 256;
// Nor do so many look like UTF-16.
constexpr std::size_t kUtf16BytesSure = 16;
// Nor are so many without a control UTF-8, but in one of thousands.
constexpr std::size_t kUtf8BytesSure = 9;

// Of a string as it is written: none but spaces, as they do who found no text.
bool is_blank(std::string_view raw) {
  while (!raw.empty()) {
    const bool escaped = raw.size() >= 2 && raw[0] == '\\';
    if (!(escaped ? raw[1] == 'n' || raw[1] == 'r' || raw[1] == 't' : raw[0] == ' ')) return false;
    raw.remove_prefix(escaped ? 2 : 1);
  }
  return true;
}

bool is_named_like_a_page(std::string_view name) {
  name = without_packed_ending(name);
  static constexpr std::array<std::string_view, 3> kEndings = {".html", ".htm", ".xhtml"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return ends_with_ignoring_case(name, ending); });
}

// Plain words decode as base64 too ("page" does), but hardly ever into something that people could read. In
// which charset they could is not tried: a text has no controls in any, while a few random bytes would do in
// most. So without markup it takes many bytes, and a producer who says that they are in a charset; or UTF-8,
// which a few bytes are by chance ("binding" decodes to some), but not many, nor behind padding.
bool is_plainly_a_page(std::string_view decoded, std::optional<Charset> declared, bool is_padded) {
  if (opens_with_markup(decoded) || read_http_message(decoded)) return true;  // whatever its charset
  if (begins_with_utf16_mark(decoded)) return true;
  const auto utf16 = utf16_by_zeros(decoded, declared);
  if (utf16 && decoded.size() >= kUtf16BytesSure && has_halves_of_utf16(decoded, *utf16)) return true;
  if (decoded.size() >= kTextBytesSure && is_utf16(declared)) return true;
  const bool has_controls = std::ranges::any_of(decoded, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
  if (has_controls) return false;
  if (is_utf8(decoded) && (is_padded || decoded.size() >= kUtf8BytesSure)) return true;
  return declared && decoded.size() >= kTextBytesSure;
}

// Replaces `out` with what a JSON string says, which may be what `out` begins with.
void assign_string(const JsonField& field, std::string& out) {
  if (field.said.data() == out.data()) {
    out.resize(field.said.size());
    return;
  }
  if (field.said.data() != nullptr) {
    out = field.said;
    return;
  }
  if (!field.escaped) {
    out = field.raw;
    return;
  }
  out.resize(field.raw.size() + kUnescapeSlack);
  out.resize(static_cast<std::size_t>(unescape(field.raw, out.data()) - out.data()));
}

// The same with the strings that stand behind it in its array.
void assign_strings(const JsonField& field, std::string& out) {
  assign_string(field, out);
  append_strings(field.rest, out);
}

// A number names a document if it is whole; however long, it is one by the digits it is written with.
bool read_name(const JsonField& field, std::string& name) {
  switch (field.kind) {
    case JsonField::Kind::kString:
      assign_string(field, name);
      return !name.empty();
    case JsonField::Kind::kNumber:
      if (field.raw.find_first_of(".eE") != std::string_view::npos) return false;
      name = field.raw == "-0" ? "0" : field.raw;
      return true;
    default:
      return false;
  }
}

// What is known of bytes before they are read.
struct BodyHints {
  std::optional<Charset> charset = std::nullopt;
  bool html = false;
  bool no_text = false;

  // `content_type` is that of HTTP. The charset is told by the first who names one, what the bytes are by who
  // is nearest to them.
  void hear(std::string_view content_type) {
    content_type = content_type.substr(0, kContentTypeBytesMax);
    if (!charset) charset = charset_declared(content_type);
    const std::string type = lower_case(trimmed(content_type.substr(0, content_type.find(';'))));
    if (type.empty()) return;
    static constexpr std::array<std::string_view, 2> kHtml = {"text/html", "application/xhtml+xml"};
    static constexpr std::array<std::string_view, 4> kCode = {
        "text/css", "text/javascript", "application/javascript", "application/x-javascript"};
    static constexpr std::array<std::string_view, 4> kMedia = {"image/", "audio/", "video/", "font/"};
    if (std::ranges::find(kHtml, type) != kHtml.end()) html = true;
    if (type == "text/plain") html = false;  // though its name ends like a page's
    no_text = std::ranges::find(kCode, type) != kCode.end() ||
              std::ranges::any_of(kMedia, [&](std::string_view media) { return type.starts_with(media); });
  }
};

// What the producer says of a raw value, in the header that HTTP has for it.
std::string_view content_type_of(std::span<const Header> headers) {
  for (const Header& header : headers) {
    if (equals_ignoring_case(header.name, kContentType) && header.value) return *header.value;
  }
  return "";
}

// The body is there, as characters. Takes off the head that it came with, and tells what it is: html, plain
// words, or bytes that never were any.
std::optional<RejectReason> finish_body(BodyHints hints, Document& document) {
  if (const auto message = read_http_message(document.body)) {
    hints.hear(message->content_type);
    document.body.erase(0, document.body.size() - message->body.size());
  }
  if (hints.no_text || is_no_page(document.body)) return RejectReason::kNotText;
  document.format =
      hints.html || opens_like_a_page(document.body) ? Document::Format::kHtml : Document::Format::kText;
  return std::nullopt;
}

// The pointers of a preset in a row, and where in it each kind of them is.
struct Pointers {
  explicit Pointers(const InputFields& fields)
      : ids(add(fields.id)),
        urls(add(fields.url)),
        texts(add(fields.text)),
        htmls(add(fields.html)),
        digests(add(fields.digest)),
        times(add(fields.time)),
        charsets(add(fields.charset)) {}

  JsonPlaces pages() const { return {texts.begin, htmls.end}; }

  std::vector<std::string> all;
  JsonPlaces ids, urls, texts, htmls, digests, times, charsets;

 private:
  JsonPlaces add(const std::vector<std::string>& pointers) {
    const std::size_t begin = all.size();
    all.insert(all.end(), pointers.begin(), pointers.end());
    return {begin, all.size()};
  }
};

}  // namespace

struct DocumentCodec::State {
  State(const Preset& the_preset, const InputConfig& input)
      : preset(the_preset),
        document_bytes_max(input.document_bytes_max),
        pointers(the_preset.fields),
        // What base64 holds is no page until it is unwrapped.
        fields(pointers.all, the_preset.base64 == Base64::kNever ? pointers.pages() : JsonPlaces{}) {
    if (preset.value_is_page || preset.base64 != Base64::kNever) charset_decoder.emplace();
  }

  Preset preset;
  std::size_t document_bytes_max;
  Pointers pointers;
  JsonFields fields;
  std::string unescaped;                          // a string that is not kept as it is
  std::string unwrapped;                          // what base64 held
  std::string unpacked;                           // what was packed as a whole
  std::string joined;                             // what the chunks of a body held
  std::array<std::string, 2> inflated;            // what was packed as a body, and again, in turn
  std::optional<CharsetDecoder> charset_decoder;  // where bodies can be bytes of any charset

  std::optional<RejectReason> decode(const Record& record, Document& document);
  std::optional<RejectReason> decode_page(const Record& record, Document& document);
  std::optional<RejectReason> decode_json(const Record& record, Document& document);
  bool read_url(const JsonField& field, std::string& out);
  bool read_time(const JsonField& field, std::int64_t& time_ms);
  std::optional<RejectReason> read_id(const Record& record, Document& document);
  bool are_blank(std::string_view rest);
  std::optional<RejectReason> read_body(Document& document);
  std::optional<RejectReason> fill_body(const JsonField& field, bool html, Document& document);
  std::optional<RejectReason> fill_from_base64(std::string_view text, const BodyHints& hints,
                                               Document& document);
  std::optional<RejectReason> fill_from_bytes(std::string_view bytes, BodyHints hints, Document& document);
  std::optional<RejectReason> unpack_by(Packing packing, std::string_view& bytes, std::string& room) const;
  std::optional<RejectReason> unpack_body(std::span<const std::string_view> codings, std::string_view& bytes);
  std::optional<Charset> read_charset();
  bool is_failure_notice(std::string_view value) const;
  void name_by_key(const Record& record, Document& document) const;

  // Calls `use` with the values of a list in their order, until it says true.
  template <typename Use>
  bool first_usable(JsonPlaces list, Use use) const {
    for (std::size_t i = list.begin; i < list.end; ++i) {
      if (use(fields[i])) return true;
    }
    return false;
  }
};

std::optional<RejectReason> DocumentCodec::State::decode(const Record& record, Document& document) {
  document.id.clear();
  document.url.clear();
  document.format = Document::Format::kText;
  const bool timed = record.timestamp_ms > 0 && record.timestamp_ms <= kTimeMaxMs;
  document.event_time_ms = timed ? record.timestamp_ms : 0;
  document.source = record.source;

  const auto unread = [&](RejectReason reason) {
    name_by_key(record, document);
    return reason;
  };
  if (!record.value) return unread(RejectReason::kNullValue);
  // The bound of a body too: escapes and base64 only shrink. Only a charset and unpacking can make it longer.
  if (record.value->size() > document_bytes_max || record.has_too_many_headers)
    return unread(RejectReason::kTooLarge);
  if (is_failure_notice(*record.value)) return unread(RejectReason::kProducerError);
  return preset.value_is_page ? decode_page(record, document) : decode_json(record, document);
}

std::optional<RejectReason> DocumentCodec::State::decode_page(const Record& record, Document& document) {
  const std::string_view key = record.key.value_or("");
  if (key.size() <= kUrlBytesMax) document.url = key;
  if (key.empty()) return RejectReason::kMissingId;
  if (key.size() > kIdBytesMax) return RejectReason::kIdTooLong;
  document.id = key;
  BodyHints hints{.html = is_named_like_a_page(key)};
  hints.hear(content_type_of(record.headers));
  return preset.base64 == Base64::kNever ? fill_from_bytes(*record.value, hints, document)
                                         : fill_from_base64(*record.value, hints, document);
}

std::optional<RejectReason> DocumentCodec::State::decode_json(const Record& record, Document& document) {
  // The page is read where it is wanted, over what the document had before.
  if (auto reason = fields.read(without_mark(*record.value), &document.body)) {
    name_by_key(record, document);
    return reason;
  }
  first_usable(pointers.urls, [&](const JsonField& field) { return read_url(field, document.url); });
  first_usable(pointers.times,
               [&](const JsonField& field) { return read_time(field, document.event_time_ms); });
  const std::optional<RejectReason> unnamed = read_id(record, document);
  if (auto reason = read_body(document)) return reason;
  return unnamed;
}

bool DocumentCodec::State::read_url(const JsonField& field, std::string& out) {
  if (field.kind != JsonField::Kind::kString || field.raw.size() > kEscapeBytesMax * kUrlBytesMax)
    return false;
  assign_string(field, unescaped);
  if (unescaped.empty() || unescaped.size() > kUrlBytesMax) return false;
  out = unescaped;
  return true;
}

bool DocumentCodec::State::read_time(const JsonField& field, std::int64_t& time_ms) {
  std::optional<std::int64_t> read;
  if (field.kind == JsonField::Kind::kString && field.raw.size() <= kTimeBytesMax) {
    assign_string(field, unescaped);
    read = parse_time_ms(unescaped);
  } else if (field.kind == JsonField::Kind::kNumber) {
    double count = 0;
    const auto parsed = std::from_chars(field.raw.data(), field.raw.data() + field.raw.size(), count);
    if (parsed.ec == std::errc()) read = count_to_ms(count);
  }
  if (read) time_ms = *read;
  return read.has_value();
}

std::optional<RejectReason> DocumentCodec::State::read_id(const Record& record, Document& document) {
  for (const IdFrom from : preset.id_from) {
    switch (from) {
      case IdFrom::kField:
        if (!first_usable(pointers.ids,
                          [&](const JsonField& field) { return read_name(field, document.id); })) {
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
      free_memory(document.id);  // a huge one keeps no memory
      return RejectReason::kIdTooLong;
    }
    if (!document.id.empty()) return std::nullopt;
  }
  return RejectReason::kMissingId;
}

// Of the strings behind the first one in an array.
bool DocumentCodec::State::are_blank(std::string_view rest) {
  unescaped.clear();
  append_strings(rest, unescaped);
  return std::ranges::all_of(unescaped, is_ascii_whitespace);
}

std::optional<RejectReason> DocumentCodec::State::read_body(Document& document) {
  bool blank_seen = false;
  const JsonField* body = nullptr;
  const auto usable = [&](const JsonField& field) {
    if (field.kind != JsonField::Kind::kString) return false;
    const bool blank = is_blank(field.raw) && are_blank(field.rest);
    blank_seen |= blank;
    body = &field;
    return !blank;
  };
  if (first_usable(pointers.texts, usable)) return fill_body(*body, false, document);
  if (first_usable(pointers.htmls, usable)) return fill_body(*body, true, document);
  const auto is_digest = [&](const JsonField& field) {
    if (field.kind != JsonField::Kind::kString || field.raw.empty()) return false;
    body = &field;
    return true;
  };
  if (first_usable(pointers.digests, is_digest)) {
    assign_string(*body, document.body);
    document.format = Document::Format::kDigest;
    return std::nullopt;
  }
  if (!blank_seen) return RejectReason::kMissingText;
  document.body.clear();  // a page without a word: the signer will say so
  return std::nullopt;
}

std::optional<RejectReason> DocumentCodec::State::fill_body(const JsonField& field, bool html,
                                                            Document& document) {
  if (preset.base64 == Base64::kNever) {
    assign_strings(field, document.body);
    return finish_body({.html = html}, document);
  }
  const BodyHints hints{.charset = read_charset(), .html = html};
  if (!field.escaped && field.rest.empty()) return fill_from_base64(field.raw, hints, document);
  assign_strings(field, unescaped);  // PHP's encoder writes \/ for a slash
  return fill_from_base64(unescaped, hints, document);
}

std::optional<RejectReason> DocumentCodec::State::fill_from_base64(std::string_view text,
                                                                   const BodyHints& hints,
                                                                   Document& document) {
  const bool decoded = decode_base64(text, unwrapped);
  if (decoded && (preset.base64 == Base64::kAlways || is_no_page(unwrapped) ||
                  is_plainly_a_page(unwrapped, hints.charset, trimmed(text).ends_with('=')))) {
    return fill_from_bytes(unwrapped, hints, document);
  }
  if (preset.base64 == Base64::kAlways) return RejectReason::kInvalidBase64;
  if (preset.value_is_page) return fill_from_bytes(text, hints, document);
  document.body = text;  // of a JSON string: Unicode already
  return finish_body(hints, document);
}

std::optional<RejectReason> DocumentCodec::State::fill_from_bytes(std::string_view bytes, BodyHints hints,
                                                                  Document& document) {
  if (const auto packing = packing_of(bytes)) {
    if (const auto reason = unpack_by(*packing, bytes, unpacked)) return reason;
  }
  if (const auto message = read_http_message(bytes)) {
    bytes = message->body;
    hints.hear(message->content_type);
    if (message->is_chunked && join_chunks(bytes, joined)) bytes = joined;
    if (const auto reason = unpack_body(message->codings, bytes)) return reason;
  }
  if (hints.no_text || is_no_page(bytes)) return RejectReason::kNotText;
  const CharsetHints told{hints.charset, hints.html || opens_with_markup(bytes)};
  const DecodedText decoded = charset_decoder->decode(bytes, told, document.body);
  const bool is_unicode = decoded.charset == Charset::kUtf8 || is_utf16(decoded.charset);
  if (!is_unicode && has_controls_of_no_text(bytes)) return RejectReason::kNotText;
  if (document.body.size() > document_bytes_max) return RejectReason::kTooLarge;
  return finish_body(hints, document);
}

// Where all is well `bytes` become what they held, which is written to `room`.
std::optional<RejectReason> DocumentCodec::State::unpack_by(Packing packing, std::string_view& bytes,
                                                            std::string& room) const {
  const UnpackOutcome outcome = unpack(packing, bytes, document_bytes_max, room);
  if (outcome == UnpackOutcome::kTooLarge) return RejectReason::kTooLarge;
  if (outcome == UnpackOutcome::kDamaged) return RejectReason::kNotText;
  bytes = room;
  return std::nullopt;
}

// Many who store a body unpack it, and keep the head as it was: then it is what it is.
std::optional<RejectReason> DocumentCodec::State::unpack_body(std::span<const std::string_view> codings,
                                                              std::string_view& bytes) {
  const auto packed = packing_of(bytes);
  if (codings.empty()) return packed ? unpack_by(*packed, bytes, inflated[0]) : std::nullopt;
  const bool is_bounded = codings.size() <= kCodingsMax;
  std::size_t unpackings = 0;
  for (const std::string_view coding : codings | std::views::reverse) {
    const auto shown = packing_of(bytes);
    const auto named = packing_named(coding);
    if (!shown && (named == Packing::kGzip || named == Packing::kZstd)) continue;
    const auto packing = shown ? shown : named;
    std::string& room = inflated[unpackings++ % inflated.size()];  // the bytes may lie in the other
    const auto reason = packing && is_bounded ? unpack_by(*packing, bytes, room) : RejectReason::kNotText;
    if (reason) return !shown && (opens_with_markup(bytes) || is_utf8(bytes)) ? std::nullopt : reason;
  }
  return std::nullopt;
}

std::optional<Charset> DocumentCodec::State::read_charset() {
  std::optional<Charset> charset;
  first_usable(pointers.charsets, [&](const JsonField& field) {
    if (field.kind != JsonField::Kind::kString || field.raw.size() > kContentTypeBytesMax) return false;
    assign_string(field, unescaped);
    charset = charset_declared(unescaped);
    return charset.has_value();
  });
  return charset;
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

std::optional<RejectReason> read_deletion(const Record& record, std::string_view& id) {
  id = record.key.value_or("");
  if (id.empty()) return RejectReason::kMissingId;
  if (id.size() > kIdBytesMax) return RejectReason::kIdTooLong;
  return std::nullopt;
}

DocumentCodec::DocumentCodec(const Preset& preset, const InputConfig& input)
    : state_(std::make_unique<State>(preset, input)) {}

DocumentCodec::~DocumentCodec() = default;
DocumentCodec::DocumentCodec(DocumentCodec&&) noexcept = default;
DocumentCodec& DocumentCodec::operator=(DocumentCodec&&) noexcept = default;

std::optional<RejectReason> DocumentCodec::decode(const Record& record, Document& document) {
  auto reason = state_->decode(record, document);
  if (reason) document.body.clear();
  if (record.value && record.value->size() > kRecordBytesUsual) {
    free_memory(state_->unescaped);
    free_memory(state_->unwrapped);
    free_memory(state_->joined);
  }
  for (std::string* const room : {&state_->unpacked, &state_->inflated[0], &state_->inflated[1]}) {
    if (room->capacity() > kRecordBytesUsual) free_memory(*room);
  }
  return reason;
}

}  // namespace neardup
