#include "service/codec/verdict_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kTopics = {"pages", "news", "odd \"topic\""};

const Unique kLeader{"leader/1", "http://leader/", {0, 3, 18211}, 0, {}, {}};
const Unique kPrevious{"doc-1", "http://a/?x=1&y=\"1\"", {0, 3, 18200}, 0, {}, {}};
const Unique kLeaderWithoutUrl{"leader/2", "", {1, 0, 0}, 0, {}, {}};

VerdictRecord base() {
  VerdictRecord record;
  record.id = "doc-1";
  record.url = "http://a/?x=1&y=\"2\"";
  record.source = {0, 3, 18212};
  record.event_time_ms = 1714566645123;
  record.signature.fingerprint.bits = 0x0F0C5E2D7B41A860;
  return record;
}

VerdictRecord unique() {
  VerdictRecord record = base();
  record.decision.sequence = 4'294'967'295;
  return record;
}

VerdictRecord duplicate(DuplicateKind kind, const Unique& leader) {
  VerdictRecord record = base();
  const bool exact = kind == DuplicateKind::kExact;
  record.decision = {Verdict::kDuplicate,
                     kind,
                     17,
                     exact ? 0 : 2,
                     exact ? 1000 : 995,
                     exact ? Relation::kMirror : Relation::kOther};
  record.leader = &leader;
  record.cluster.size = 2;
  return record;
}

VerdictRecord rejected(RejectReason reason) {
  VerdictRecord record = base();
  record.reason = reason;
  return record;
}

// Another version of a document that is known by its id.
VerdictRecord revision(VerdictRecord record) {
  record.decision.previous = 3;
  record.previous = &kPrevious;
  if (record.verdict() == Verdict::kUnique) record.decision.relation = Relation::kRevision;
  return record;
}

VerdictRecord deleted(std::uint64_t forgotten) {
  VerdictRecord record = base();
  record.url = "";
  record.forgotten = forgotten;
  return record;
}

std::string json(const VerdictRecord& record) {
  std::string out;
  append_verdict_json(record, kTopics, out);
  return out;
}

// One of each shape; their lines are the contract.
std::vector<VerdictRecord> every_shape() {
  std::vector<VerdictRecord> records = {unique(),
                                        duplicate(DuplicateKind::kExact, kLeader),
                                        duplicate(DuplicateKind::kNear, kLeader),
                                        duplicate(DuplicateKind::kNear, kLeaderWithoutUrl),
                                        duplicate(DuplicateKind::kShort, kLeader),
                                        rejected(RejectReason::kNoTokens)};
  VerdictRecord represented = duplicate(DuplicateKind::kNear, kLeader);
  represented.cluster = {.size = 4'294'967'295, .representative = Representative{{1, 7, 90}, -5}};
  records.push_back(represented);
  VerdictRecord bare = unique();
  bare.url = "";
  bare.event_time_ms = 0;
  bare.decision.sequence = 0;
  bare.source = {2, 0, 0};
  records.push_back(bare);
  VerdictRecord unnamed = rejected(RejectReason::kNotJson);
  unnamed.id = "";
  unnamed.url = "";
  unnamed.event_time_ms = 0;
  records.push_back(unnamed);
  VerdictRecord hostile = unique();
  static constexpr char kHostile[] = "a\"\\/\b\f\n\r\t\x01\x1F\x7F\0z é 北 😀";
  hostile.id = std::string_view(kHostile, sizeof kHostile - 1);
  records.push_back(hostile);
  VerdictRecord not_utf8 = unique();
  not_utf8.id = "a\xFF\xC3\xA9\xC3z\xED\xA0\x80\xF0\x9F\x98";
  records.push_back(not_utf8);
  records.push_back(revision(unique()));
  records.push_back(revision(duplicate(DuplicateKind::kExact, kLeader)));
  records.push_back(deleted(0));
  records.push_back(deleted(4'294'967'296));
  return records;
}

TEST(VerdictCodec, writes_the_golden_lines) {
  std::ifstream in(NEARDUP_SOURCE_DIR "/tests/golden/verdicts.jsonl", std::ios::binary);
  const std::string expected((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string got;
  for (const VerdictRecord& record : every_shape()) {
    append_verdict_json(record, kTopics, got);
    got.push_back('\n');
  }
  EXPECT_EQ(got, expected);
}

TEST(VerdictCodec, every_shape_is_read_back) {
  for (const VerdictRecord& record : every_shape()) {
    const Result<ParsedVerdict> parsed = parse_verdict_json(json(record));
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->verdict, record.verdict());
    EXPECT_EQ(parsed->source.topic, kTopics[record.source.topic]);
    EXPECT_EQ(parsed->source.offset, record.source.offset);
    EXPECT_EQ(parsed->url, record.url);
    EXPECT_EQ(parsed->reason, record.reason);
    EXPECT_EQ(parsed->event_time, record.event_time_ms == 0 ? "" : "2024-05-01T12:30:45.123Z");
    EXPECT_EQ(parsed->seq.has_value(), record.verdict() == Verdict::kUnique);
    EXPECT_EQ(parsed->signature.has_value(), !record.reason && !record.forgotten);
    EXPECT_EQ(parsed->forgotten, record.forgotten);
    EXPECT_EQ(parsed->relation, record.decision.relation);
    ASSERT_EQ(parsed->previous.has_value(), record.previous != nullptr);
    if (record.previous != nullptr) {
      EXPECT_EQ(parsed->previous->id, record.previous->id);
      EXPECT_EQ(parsed->previous->source.offset, record.previous->source.offset);
    }
    EXPECT_EQ(parsed->kind.has_value(), record.leader != nullptr);
    EXPECT_EQ(parsed->distance.has_value(), record.leader != nullptr);
    EXPECT_EQ(parsed->cluster.has_value(), record.leader != nullptr);
    EXPECT_EQ(parsed->duplicate_of.has_value(), record.leader != nullptr);
    if (record.leader != nullptr) {
      EXPECT_EQ(parsed->kind, record.decision.kind);
      EXPECT_EQ(parsed->duplicate_of->id, record.leader->id);
      EXPECT_EQ(parsed->duplicate_of->url, record.leader->url);
      EXPECT_EQ(parsed->duplicate_of->source.partition, record.leader->source.partition);
      EXPECT_EQ(parsed->similarity_permille, record.decision.similarity_permille);
      EXPECT_EQ(parsed->cluster, (ParsedVerdict::Group{record.decision.sequence, record.cluster.size}));
    }
    ASSERT_EQ(parsed->representative.has_value(), record.cluster.representative.has_value());
    if (parsed->representative) {
      const Source& source = record.cluster.representative->source;
      EXPECT_EQ(*parsed->representative,
                (ParsedVerdict::Place{kTopics[source.topic], source.partition, source.offset}));
    }
  }
}

TEST(VerdictCodec, ids_of_any_bytes_are_read_back_or_replaced) {
  VerdictRecord record = unique();
  for (int byte = 1; byte < 0x80; ++byte) {
    const std::string id(3, static_cast<char>(byte));
    record.id = id;
    EXPECT_EQ(parse_verdict_json(json(record))->id, id) << byte;
  }
  record.id = "a\xC3(";
  EXPECT_EQ(parse_verdict_json(json(record))->id, "a\uFFFD(");
}

TEST(VerdictCodec, packs_one_header) {
  const auto header = [](const VerdictRecord& record) {
    std::string out;
    out.resize(verdict_header_bytes_max(record, kTopics));
    out.resize(static_cast<std::size_t>(write_verdict_header(record, kTopics, out.data()) - out.data()));
    return out;
  };
  EXPECT_EQ(header(unique()), "unique");
  EXPECT_EQ(header(duplicate(DuplicateKind::kNear, kLeader)), "duplicate;near;of=pages-3@18211");
  EXPECT_EQ(header(duplicate(DuplicateKind::kExact, kLeaderWithoutUrl)), "duplicate;exact;of=news-0@0");
  EXPECT_EQ(header(rejected(RejectReason::kNotJson)), "rejected;not_json");
  EXPECT_EQ(header(revision(unique())), "unique");
  EXPECT_EQ(header(deleted(2)), "deleted");
}

TEST(VerdictCodec, spells_out_the_single_headers) {
  std::vector<NamedValue> headers = {{"left-over", "from before"}};
  verdict_headers(unique(), kTopics, headers);
  EXPECT_THAT(headers,
              ElementsAre(NamedValue{"neardup-verdict", "unique"}, NamedValue{"neardup-seq", "4294967295"},
                          NamedValue{"neardup-signature", "0f0c5e2d7b41a860"}));
  verdict_headers(duplicate(DuplicateKind::kNear, kLeader), kTopics, headers);
  EXPECT_THAT(headers,
              ElementsAre(NamedValue{"neardup-verdict", "duplicate"}, NamedValue{"neardup-kind", "near"},
                          NamedValue{"neardup-of", "pages-3@18211"}, NamedValue{"neardup-distance", "2"},
                          NamedValue{"neardup-signature", "0f0c5e2d7b41a860"}));
  verdict_headers(rejected(RejectReason::kTooDeep), kTopics, headers);
  EXPECT_THAT(headers, ElementsAre(NamedValue{"neardup-verdict", "rejected"},
                                   NamedValue{"neardup-reason", "too_deep"}));
  verdict_headers(deleted(2), kTopics, headers);
  EXPECT_THAT(headers, ElementsAre(NamedValue{"neardup-verdict", "deleted"}));
}

TEST(VerdictCodec, a_dead_letter_tells_where_it_lay) {
  std::vector<NamedValue> headers;
  dead_letter_headers(RejectReason::kInvalidBase64, {1, 7, 99}, kTopics, headers);
  EXPECT_THAT(headers,
              ElementsAre(NamedValue{"neardup-reason", "invalid_base64"}, NamedValue{"neardup-topic", "news"},
                          NamedValue{"neardup-partition", "7"}, NamedValue{"neardup-offset", "99"}));

  std::vector<Header> read;
  for (const NamedValue& header : headers) read.push_back({header.name, header.value});
  EXPECT_EQ(place_in(read), (ParsedVerdict::Place{"news", 7, 99}));
  read[3].value = "99x";
  EXPECT_EQ(place_in(read), std::nullopt);
  read.pop_back();
  EXPECT_EQ(place_in(read), std::nullopt);
}

TEST(VerdictCodec, whatever_it_sets_is_known_as_its_own) {
  std::vector<NamedValue> headers;
  dead_letter_headers(RejectReason::kInvalidBase64, {1, 7, 99}, kTopics, headers);
  for (const NamedValue& header : headers) EXPECT_TRUE(is_our_header(header.name)) << header.name;
  verdict_headers(rejected(RejectReason::kTooDeep), kTopics, headers);
  for (const NamedValue& header : headers) EXPECT_TRUE(is_our_header(header.name)) << header.name;
  for (const std::string_view name : {kVerdictHeaderName, kTruncatedHeaderName})
    EXPECT_TRUE(is_our_header(name));
  for (const std::string_view name : {"", "traceparent", "neardups", "Neardup"})
    EXPECT_FALSE(is_our_header(name));
}

TEST(VerdictCodec, what_is_no_verdict_is_refused_by_field) {
  const auto refusal = [](std::string_view text) {
    const Result<ParsedVerdict> parsed = parse_verdict_json(text);
    return parsed.ok() ? "accepted" : parsed.error().message;
  };
  EXPECT_EQ(refusal("{"), "verdict: not one JSON object");
  EXPECT_EQ(refusal("[]"), "verdict: not one JSON object");
  EXPECT_EQ(refusal("{}"), "verdict: verdict is not a string");
  EXPECT_THAT(refusal(R"({"verdict":"maybe"})"), HasSubstr("verdict is not one of the names"));
  EXPECT_EQ(refusal(R"({"verdict":"unique"})"), "verdict: source is not an object");
  EXPECT_EQ(refusal(R"({"verdict":"unique","source":{"topic":"t","partition":"0","offset":1}})"),
            "verdict: source.partition is not an integer");
  EXPECT_EQ(refusal(R"({"verdict":"unique","signature":"0f"})"), "verdict: signature is not 16 hex digits");
  EXPECT_EQ(refusal(R"({"verdict":"duplicate","duplicate_of":7})"),
            "verdict: duplicate_of. is not an object");
}

}  // namespace
}  // namespace neardup
