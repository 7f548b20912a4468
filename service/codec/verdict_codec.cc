#include "service/codec/verdict_codec.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "service/codec/timestamp.h"

namespace neardup {
namespace {

void append_integer(std::integral auto number, std::string& out) {
  std::array<char, 20> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_hex(Fingerprint fingerprint, std::string& out) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    out.push_back("0123456789abcdef"[(fingerprint.bits >> shift) & 0xF]);
  }
}

// Three decimals, always: 0.995, 1.000.
void append_permille(int permille, std::string& out) {
  out.push_back(static_cast<char>('0' + permille / 1000));
  out.push_back('.');
  out.push_back(static_cast<char>('0' + permille / 100 % 10));
  out.push_back(static_cast<char>('0' + permille / 10 % 10));
  out.push_back(static_cast<char>('0' + permille % 10));
}

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(char c, std::string& out) {
  switch (c) {
    case '"':
      out.append("\\\"");
      break;
    case '\\':
      out.append("\\\\");
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\t':
      out.append("\\t");
      break;
    default:
      out.append("\\u00");
      out.push_back("0123456789abcdef"[static_cast<unsigned char>(c) >> 4]);
      out.push_back("0123456789abcdef"[static_cast<unsigned char>(c) & 0xF]);
  }
}

// REQUIRES: `text` is UTF-8.
void append_escaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const auto end = std::ranges::find_if(text, needs_escape);
    out.append(text.begin(), end);
    if (end == text.end()) return;
    append_escape(*end, out);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()) + 1);
  }
}

// Printable ASCII that stands for itself: what ids and urls nearly always are.
bool is_plain(std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  return plain;
}

// How many bytes of a character stand at the front of `text`; 0 where there is none.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= std::min(text.size(), std::size_t{4}); ++size) {
    const std::string_view front = text.substr(0, size);
    if (simdjson::validate_utf8(front.data(), front.size())) return size;
  }
  return 0;
}

// One U+FFFD for each byte that belongs to no character.
std::string as_utf8(std::string_view text) {
  std::string mended;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    mended.append(size > 0 ? text.substr(0, size) : "\xEF\xBF\xBD");
    text.remove_prefix(std::max(size, std::size_t{1}));
  }
  return mended;
}

void append_string(std::string_view text, std::string& out) {
  out.push_back('"');
  if (is_plain(text)) {
    out.append(text);
  } else if (simdjson::validate_utf8(text.data(), text.size())) {
    append_escaped(text, out);
  } else {
    append_escaped(as_utf8(text), out);
  }
  out.push_back('"');
}

std::string_view topic_name(const Source& source, std::span<const std::string> topic_names) {
  CHECK(source.topic < topic_names.size(), "a source's topic must have a name");
  return topic_names[source.topic];
}

void append_source(const Source& source, std::span<const std::string> topic_names, std::string& out) {
  out.append("\"source\":{\"topic\":");
  append_string(topic_name(source, topic_names), out);
  out.append(",\"partition\":");
  append_integer(source.partition, out);
  out.append(",\"offset\":");
  append_integer(source.offset, out);
  out.push_back('}');
}

// pages-3@18211
void append_place(const Source& source, std::span<const std::string> topic_names, std::string& out) {
  out.append(topic_name(source, topic_names)).push_back('-');
  append_integer(source.partition, out);
  out.push_back('@');
  append_integer(source.offset, out);
}

void append_unique(const Unique& unique, std::span<const std::string> topic_names, std::string& out) {
  out.append(R"({"id":)");
  append_string(unique.id, out);
  if (!unique.url.empty()) {
    out.append(",\"url\":");
    append_string(unique.url, out);
  }
  out.push_back(',');
  append_source(unique.source, topic_names, out);
  out.push_back('}');
}

void append_evidence(const VerdictRecord& record, std::span<const std::string> topic_names,
                     std::string& out) {
  const Decision& decision = record.decision;
  if (decision.verdict == Verdict::kDuplicate) {
    CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
    out.append(R"(,"kind":")").append(name(decision.kind)).append(R"(","duplicate_of":)");
    append_unique(*record.leader, topic_names, out);
    out.append(",\"distance\":");
    append_integer(decision.distance, out);
    out.append(",\"similarity\":");
    append_permille(decision.similarity_permille, out);
  }
  if (decision.relation != Relation::kOther) {
    out.append(R"(,"relation":")").append(name(decision.relation)).push_back('"');
  }
  if (decision.previous) {
    CHECK(record.previous != nullptr, "a version must name the one before");
    out.append(",\"previous\":");
    append_unique(*record.previous, topic_names, out);
  }
  if (decision.verdict == Verdict::kDuplicate) {
    out.append(",\"cluster\":{\"id\":");
    append_integer(decision.sequence, out);
    out.append(",\"size\":");
    append_integer(record.cluster.size, out);
    out.push_back('}');
    if (record.cluster.representative) {
      out.append(",\"representative\":{");
      append_source(record.cluster.representative->source, topic_names, out);
      out.push_back('}');
    }
  } else {
    out.append(",\"seq\":");
    append_integer(decision.sequence, out);
  }
  out.append(",\"signature\":\"");
  append_hex(record.signature.fingerprint, out);
  out.push_back('"');
}

}  // namespace

void append_verdict_json(const VerdictRecord& record, std::span<const std::string> topic_names,
                         std::string& out) {
  out.push_back('{');
  if (!record.id.empty()) {
    out.append("\"id\":");
    append_string(record.id, out);
    out.push_back(',');
  }
  out.append(R"("verdict":")").append(name(record.verdict())).push_back('"');
  if (record.forgotten) {
    out.append(",\"forgotten\":");
    append_integer(*record.forgotten, out);
  } else if (!record.reason) {
    append_evidence(record, topic_names, out);
  }
  if (!record.url.empty()) {
    out.append(",\"url\":");
    append_string(record.url, out);
  }
  out.push_back(',');
  append_source(record.source, topic_names, out);
  if (record.event_time_ms > 0) {
    out.append(",\"event_time\":\"");
    append_time(record.event_time_ms, out);
    out.push_back('"');
  }
  if (record.reason) out.append(R"(,"reason":")").append(name(*record.reason)).push_back('"');
  out.push_back('}');
}

void append_verdict_header(const VerdictRecord& record, std::span<const std::string> topic_names,
                           std::string& out) {
  out.append(name(record.verdict()));
  switch (record.verdict()) {
    case Verdict::kUnique:
    case Verdict::kDeleted:
      break;
    case Verdict::kDuplicate:
      CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
      out.append(";").append(name(record.decision.kind)).append(";of=");
      append_place(record.leader->source, topic_names, out);
      break;
    case Verdict::kRejected:
      out.append(";").append(name(*record.reason));
      break;
  }
}

void verdict_headers(const VerdictRecord& record, std::span<const std::string> topic_names,
                     std::vector<NamedValue>& out) {
  out.clear();
  const auto add = [&out](std::string_view header) -> std::string& {
    return out.emplace_back(NamedValue{header, {}}).value;
  };
  add("neardup-verdict") = name(record.verdict());
  if (record.reason) {
    add("neardup-reason") = name(*record.reason);
    return;
  }
  if (record.forgotten) return;
  if (record.decision.verdict == Verdict::kDuplicate) {
    CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
    add("neardup-kind") = name(record.decision.kind);
    append_place(record.leader->source, topic_names, add("neardup-of"));
    append_integer(record.decision.distance, add("neardup-distance"));
  } else {
    append_integer(record.decision.sequence, add("neardup-seq"));
  }
  append_hex(record.signature.fingerprint, add("neardup-signature"));
}

void dead_letter_headers(RejectReason reason, const Source& source, std::span<const std::string> topic_names,
                         std::vector<NamedValue>& out) {
  out.clear();
  out.push_back({"neardup-reason", std::string(name(reason))});
  out.push_back({"neardup-topic", std::string(topic_name(source, topic_names))});
  out.push_back({"neardup-partition", std::to_string(source.partition)});
  out.push_back({"neardup-offset", std::to_string(source.offset)});
}

namespace {

using Json = nlohmann::json;

// Takes fields off one JSON object; the first wrong one is the error.
class FieldReader {
 public:
  FieldReader(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail("", "an object");
  }

  const Json* find(const char* field) const {
    const auto at = object_.find(field);
    return at == object_.end() ? nullptr : &*at;
  }
  bool has(const char* field) const { return find(field) != nullptr; }

  std::string string(const char* field) {
    const Json* value = find(field);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    fail(field, "a string");
    return {};
  }
  std::string string_if_there(const char* field) { return has(field) ? string(field) : std::string(); }

  template <std::integral T>
  T integer(const char* field) {
    const Json* value = find(field);
    if (value != nullptr && value->is_number_integer()) return value->get<T>();
    fail(field, "an integer");
    return {};
  }

  int permille(const char* field) {
    const Json* value = find(field);
    if (value != nullptr && value->is_number())
      return static_cast<int>(std::lround(value->get<double>() * 1000));
    fail(field, "a number");
    return 0;
  }

  // The ordinal of one of `names`.
  template <typename Enum, std::size_t N>
  Enum one_of(const char* field, const std::array<std::string_view, N>& names) {
    const auto at = std::ranges::find(names, string(field));
    if (at == names.end()) {
      fail(field, "one of the names of the contract");
      return {};
    }
    return static_cast<Enum>(at - names.begin());
  }

  Fingerprint fingerprint(const char* field) {
    const std::string digits = string(field);
    Fingerprint read;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, read.bits, 16);
    if (digits.size() != 16 || result.ptr != end) fail(field, "16 hex digits");
    return read;
  }

  ParsedVerdict::Place place(const char* field) {
    const Json* value = find(field);
    if (value == nullptr) {
      fail(field, "an object");
      return {};
    }
    FieldReader inner(*value, path_ + field + ".");
    ParsedVerdict::Place read{inner.string("topic"), inner.integer<std::int32_t>("partition"),
                              inner.integer<std::int64_t>("offset")};
    adopt(inner);
    return read;
  }

  ParsedVerdict::Leader leader(const char* field) {
    FieldReader inner(*find(field), path_ + field + ".");
    ParsedVerdict::Leader read{inner.string("id"), inner.string_if_there("url"), inner.place("source")};
    adopt(inner);
    return read;
  }

  ParsedVerdict::Group group(const char* field) {
    FieldReader inner(*find(field), path_ + field + ".");
    const ParsedVerdict::Group read{inner.integer<Sequence>("id"), inner.integer<std::uint32_t>("size")};
    adopt(inner);
    return read;
  }

  ParsedVerdict::Place place_within(const char* field) {
    FieldReader inner(*find(field), path_ + field + ".");
    ParsedVerdict::Place read = inner.place("source");
    adopt(inner);
    return read;
  }

  void fail(std::string_view field, std::string_view expected) {
    if (error_.empty()) {
      error_ = "verdict: " + path_ + std::string(field) + " is not " + std::string(expected);
    }
  }
  const std::string& error() const { return error_; }

 private:
  void adopt(const FieldReader& inner) {
    if (error_.empty()) error_ = inner.error_;
  }

  const Json& object_;
  std::string path_;
  std::string error_;
};

}  // namespace

Result<ParsedVerdict> parse_verdict_json(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return Error{ErrorCode::kInvalid, "verdict: not one JSON object"};

  FieldReader fields(parsed, "");
  ParsedVerdict verdict;
  verdict.id = fields.string_if_there("id");
  verdict.verdict = fields.one_of<Verdict>("verdict", kVerdictNames);
  if (fields.has("kind")) verdict.kind = fields.one_of<DuplicateKind>("kind", kDuplicateKindNames);
  if (fields.has("duplicate_of")) verdict.duplicate_of = fields.leader("duplicate_of");
  if (fields.has("previous")) verdict.previous = fields.leader("previous");
  if (fields.has("distance")) verdict.distance = fields.integer<int>("distance");
  if (fields.has("similarity")) verdict.similarity_permille = fields.permille("similarity");
  if (fields.has("relation")) verdict.relation = fields.one_of<Relation>("relation", kRelationNames);
  if (fields.has("cluster")) verdict.cluster = fields.group("cluster");
  if (fields.has("representative")) verdict.representative = fields.place_within("representative");
  if (fields.has("seq")) verdict.seq = fields.integer<Sequence>("seq");
  if (fields.has("signature")) verdict.signature = fields.fingerprint("signature");
  verdict.url = fields.string_if_there("url");
  verdict.source = fields.place("source");
  verdict.event_time = fields.string_if_there("event_time");
  if (fields.has("reason")) verdict.reason = fields.one_of<RejectReason>("reason", kRejectReasonNames);
  if (fields.has("forgotten")) verdict.forgotten = fields.integer<std::uint64_t>("forgotten");
  if (!fields.error().empty()) return Error{ErrorCode::kInvalid, fields.error()};
  return verdict;
}

}  // namespace neardup
