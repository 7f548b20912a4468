#include "service/codec/verdict_codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "service/codec/json_text.h"
#include "service/codec/timestamp.h"

namespace neardup {
namespace {

constexpr std::string_view kOurHeaderPrefix = "neardup-";
constexpr std::string_view kReasonHeaderName = "neardup-reason";
constexpr std::string_view kTopicHeaderName = "neardup-topic";
constexpr std::string_view kPartitionHeaderName = "neardup-partition";
constexpr std::string_view kOffsetHeaderName = "neardup-offset";

// The longest that a place, the names in a header, or the fields of a verdict but for its strings, can be.
constexpr std::size_t kPlaceBytesMax = 128;
constexpr std::size_t kNamesBytesMax = 128;
constexpr std::size_t kFieldsBytesMax = 768;

// Three decimals, always: 0.995, 1.000.
void write_permille(int permille, JsonText& out) {
  out.character(static_cast<char>('0' + permille / 1000));
  out.character('.');
  out.character(static_cast<char>('0' + permille / 100 % 10));
  out.character(static_cast<char>('0' + permille / 10 % 10));
  out.character(static_cast<char>('0' + permille % 10));
}

std::string_view topic_name(const Source& source, std::span<const std::string> topic_names) {
  CHECK(source.topic < topic_names.size(), "a source's topic must have a name");
  return topic_names[source.topic];
}

void write_source(const Source& source, std::span<const std::string> topic_names, JsonText& out) {
  out.text("\"source\":{\"topic\":").string(topic_name(source, topic_names));
  out.text(",\"partition\":").integer(source.partition);
  out.text(",\"offset\":").integer(source.offset).character('}');
}
std::size_t source_bytes_max(const Source& source, std::span<const std::string> topic_names) {
  return kPlaceBytesMax + JsonText::string_bytes_max(topic_name(source, topic_names).size());
}

// pages-3@18211
void write_place(const Source& source, std::span<const std::string> topic_names, JsonText& out) {
  out.text(topic_name(source, topic_names)).character('-').integer(source.partition);
  out.character('@').integer(source.offset);
}
std::size_t place_bytes_max(const Source& source, std::span<const std::string> topic_names) {
  return kPlaceBytesMax + topic_name(source, topic_names).size();
}

// Appends what `write` writes, of at most so many bytes.
template <class Write>
void append(std::size_t bytes_max, std::string& to, Write write) {
  const std::size_t before = to.size();
  to.resize(before + bytes_max);
  const char* const end = write(to.data() + before);
  DCHECK(end <= to.data() + to.size());
  to.resize(static_cast<std::size_t>(end - to.data()));
}

void write_unique(const Unique& unique, std::span<const std::string> topic_names, JsonText& out) {
  out.text(R"({"id":)").string(unique.id);
  if (!unique.url.empty()) out.text(",\"url\":").string(unique.url);
  out.character(',');
  write_source(unique.source, topic_names, out);
  out.character('}');
}
std::size_t unique_bytes_max(const Unique* unique, std::span<const std::string> topic_names) {
  if (unique == nullptr) return 0;
  return JsonText::string_bytes_max(unique->id.size()) + JsonText::string_bytes_max(unique->url.size()) +
         source_bytes_max(unique->source, topic_names);
}

void write_evidence(const VerdictRecord& record, std::span<const std::string> topic_names, JsonText& out) {
  const Decision& decision = record.decision;
  if (decision.verdict == Verdict::kDuplicate) {
    CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
    out.text(R"(,"kind":")").text(name(decision.kind)).text(R"(","duplicate_of":)");
    write_unique(*record.leader, topic_names, out);
    out.text(",\"distance\":").integer(decision.distance);
    out.text(",\"similarity\":");
    write_permille(decision.similarity_permille, out);
  }
  if (decision.relation != Relation::kOther) {
    out.text(R"(,"relation":")").text(name(decision.relation)).character('"');
  }
  if (decision.previous) {
    CHECK(record.previous != nullptr, "a version must name the one before");
    out.text(",\"previous\":");
    write_unique(*record.previous, topic_names, out);
  }
  if (decision.verdict == Verdict::kDuplicate) {
    out.text(",\"cluster\":{\"id\":").integer(decision.sequence);
    out.text(",\"size\":").integer(record.cluster.size).character('}');
    if (record.cluster.representative) {
      out.text(",\"representative\":{");
      write_source(record.cluster.representative->source, topic_names, out);
      out.character('}');
    }
  } else {
    out.text(",\"seq\":").integer(decision.sequence);
  }
  out.text(",\"signature\":\"").hex(record.signature.fingerprint.bits).character('"');
}

}  // namespace

std::size_t verdict_json_bytes_max(const VerdictRecord& record, std::span<const std::string> topic_names) {
  std::size_t bytes =
      kFieldsBytesMax + JsonText::string_bytes_max(record.id.size()) +
      JsonText::string_bytes_max(record.url.size()) + source_bytes_max(record.source, topic_names) +
      unique_bytes_max(record.leader, topic_names) + unique_bytes_max(record.previous, topic_names);
  if (record.cluster.representative) {
    bytes += source_bytes_max(record.cluster.representative->source, topic_names);
  }
  return bytes;
}

char* write_verdict_json(const VerdictRecord& record, std::span<const std::string> topic_names, char* to) {
  JsonText out(to);
  out.character('{');
  if (!record.id.empty()) out.text("\"id\":").string(record.id).character(',');
  out.text(R"("verdict":")").text(name(record.verdict())).character('"');
  if (record.forgotten) {
    out.text(",\"forgotten\":").integer(*record.forgotten);
  } else if (!record.reason) {
    write_evidence(record, topic_names, out);
  }
  if (!record.url.empty()) out.text(",\"url\":").string(record.url);
  out.character(',');
  write_source(record.source, topic_names, out);
  if (record.event_time_ms > 0) {
    out.text(",\"event_time\":\"");
    write_time(record.event_time_ms, out.room(kTimeBytes));
    out.character('"');
  }
  if (record.reason) out.text(R"(,"reason":")").text(name(*record.reason)).character('"');
  return out.character('}').end();
}

void append_verdict_json(const VerdictRecord& record, std::span<const std::string> topic_names,
                         std::string& to) {
  append(verdict_json_bytes_max(record, topic_names), to,
         [&](char* begin) { return write_verdict_json(record, topic_names, begin); });
}

std::size_t verdict_header_bytes_max(const VerdictRecord& record, std::span<const std::string> topic_names) {
  return kNamesBytesMax +
         (record.leader != nullptr ? place_bytes_max(record.leader->source, topic_names) : 0);
}

char* write_verdict_header(const VerdictRecord& record, std::span<const std::string> topic_names, char* to) {
  JsonText out(to);
  out.text(name(record.verdict()));
  switch (record.verdict()) {
    case Verdict::kUnique:
    case Verdict::kDeleted:
      break;
    case Verdict::kDuplicate:
      CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
      out.character(';').text(name(record.decision.kind)).text(";of=");
      write_place(record.leader->source, topic_names, out);
      break;
    case Verdict::kRejected:
      out.character(';').text(name(*record.reason));
      break;
  }
  return out.end();
}

void verdict_headers(const VerdictRecord& record, std::span<const std::string> topic_names,
                     std::vector<NamedValue>& out) {
  out.clear();
  const auto add = [&out](std::string_view header) -> std::string& {
    return out.emplace_back(NamedValue{header, {}}).value;
  };
  add("neardup-verdict") = name(record.verdict());
  if (record.reason) {
    add(kReasonHeaderName) = name(*record.reason);
    return;
  }
  if (record.forgotten) return;
  if (record.decision.verdict == Verdict::kDuplicate) {
    CHECK(record.leader != nullptr, "a duplicate must name what it duplicates");
    add("neardup-kind") = name(record.decision.kind);
    append(place_bytes_max(record.leader->source, topic_names), add("neardup-of"), [&](char* begin) {
      JsonText of(begin);
      write_place(record.leader->source, topic_names, of);
      return of.end();
    });
    add("neardup-distance") = std::to_string(record.decision.distance);
  } else {
    add("neardup-seq") = std::to_string(record.decision.sequence);
  }
  append(JsonText::kHexBytes, add("neardup-signature"),
         [&](char* begin) { return JsonText(begin).hex(record.signature.fingerprint.bits).end(); });
}

void place_headers(const Source& source, std::span<const std::string> topic_names,
                   std::vector<NamedValue>& out) {
  out.clear();
  out.push_back({kTopicHeaderName, std::string(topic_name(source, topic_names))});
  out.push_back({kPartitionHeaderName, std::to_string(source.partition)});
  out.push_back({kOffsetHeaderName, std::to_string(source.offset)});
}

void dead_letter_headers(RejectReason reason, const Source& source, std::span<const std::string> topic_names,
                         std::vector<NamedValue>& out) {
  place_headers(source, topic_names, out);
  out.insert(out.begin(), {kReasonHeaderName, std::string(name(reason))});
}

std::optional<ParsedVerdict::Place> place_in(std::span<const Header> headers) {
  const auto number = [](std::string_view digits, auto& to) {
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, to);
    return result.ec == std::errc() && result.ptr == end;
  };
  ParsedVerdict::Place place;
  unsigned found = 0;
  for (const Header& header : headers) {
    const std::string_view value = header.value.value_or("");
    if (header.name == kTopicHeaderName) {
      place.topic = value;
      found |= 1;
    } else if (header.name == kPartitionHeaderName && number(value, place.partition)) {
      found |= 2;
    } else if (header.name == kOffsetHeaderName && number(value, place.offset)) {
      found |= 4;
    }
  }
  return found == 7 ? std::optional(place) : std::nullopt;
}

bool is_dead_letter_header(std::string_view name) {
  return name == kReasonHeaderName || name == kTopicHeaderName || name == kPartitionHeaderName ||
         name == kOffsetHeaderName || name == kTruncatedHeaderName;
}

bool is_our_header(std::string_view name) {
  return name == kVerdictHeaderName || name.starts_with(kOurHeaderPrefix);
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
