// How does the world read a decision?
//
// As one line of JSON, the value of a verdict record and a line of `scan`; fields that do not apply are left
// out:
//
//   {"id":"a","verdict":"duplicate","kind":"near",
//    "duplicate_of":{"id":"b","url":"http://b/","source":{"topic":"pages","partition":3,"offset":18211}},
//    "distance":2,"similarity":0.995,"relation":"mirror",
//    "cluster":{"id":12,"size":4},"representative":{"source":{"topic":"pages","partition":1,"offset":90}},
//    "seq":17,"signature":"9f0c5e2d7b41a860","url":"http://a/",
//    "source":{"topic":"pages","partition":0,"offset":7},"event_time":"2024-05-01T12:30:00.000Z",
//    "reason":"..."}
//
//   kind, duplicate_of,   of a duplicate
//   distance, similarity
//   relation              of a duplicate that is no stranger to its original; of a unique "revision", if an
//                         earlier one had its id (index.by_id)
//   previous              with index.by_id: the latest unique that had this id before, as duplicate_of has
//                         its original; left out if it is the original
//   cluster               of a duplicate: the sequence number of its original, and how many say the same by
//                         now, the original and this one counted
//   representative        where the document lay that clusters.keep prefers to the original by now: it may be
//                         this very one
//   seq                   of a unique
//   signature             of both, 16 hex digits
//   reason                of a rejected document
//   forgotten             of a deletion: how many uniques had this id
//
//   {"id":"a","verdict":"deleted","forgotten":2,"source":{"topic":"pages","partition":0,"offset":9},
//    "event_time":"2024-05-01T12:30:00.000Z"}
//
// And as Kafka headers, for consumers that filter without parsing: one packed header, or a set of single
// ones. The bytes are part of the contract: the same verdict is the same line, for ever
// (tests/golden/verdicts.jsonl).
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrival.h"
#include "core/base/result.h"
#include "core/cluster.h"
#include "core/decision.h"
#include "core/document.h"
#include "core/signature.h"
#include "service/codec/record.h"

namespace neardup {

// All that a verdict tells. Views need to live only as long as the call.
struct VerdictRecord {
  std::string_view id = {};   // empty: could not be read; of a rejected document only
  std::string_view url = {};  // empty: unknown
  Source source = {};
  std::int64_t event_time_ms = 0;    // 0: unknown
  Decision decision = {};            // of a document that is not rejected
  Signature signature = {};          // of a document that is not rejected
  const Unique* leader = nullptr;    // of a duplicate: what it duplicates
  const Unique* previous = nullptr;  // what decision.previous names
  ClusterState cluster = {};         // of a duplicate: with it
  std::optional<RejectReason> reason = {};
  std::optional<std::uint64_t> forgotten = {};  // of a deletion: uniques

  Verdict verdict() const {
    if (reason) return Verdict::kRejected;
    return forgotten ? Verdict::kDeleted : decision.verdict;
  }
};

// `topic_names` translates Source::topic. REQUIRES, of all that follow: every source's topic is in it; a
// duplicate has a leader.

// One JSON object, no line end, written to `out`, where there is room for as much as it may be; where it ends
// is the answer. Bytes of id and url that are not UTF-8 come out as U+FFFD.
std::size_t verdict_json_bytes_max(const VerdictRecord& record, std::span<const std::string> topic_names);
char* write_verdict_json(const VerdictRecord& record, std::span<const std::string> topic_names, char* out);
void append_verdict_json(const VerdictRecord& record, std::span<const std::string> topic_names,
                         std::string& out);

// The same of the value of the header `neardup`: "unique", "duplicate;near;of=pages-3@18211",
// "rejected;not_json", "deleted".
inline constexpr std::string_view kVerdictHeaderName = "neardup";
std::size_t verdict_header_bytes_max(const VerdictRecord& record, std::span<const std::string> topic_names);
char* write_verdict_header(const VerdictRecord& record, std::span<const std::string> topic_names, char* out);

struct NamedValue {
  std::string_view name;  // a literal
  std::string value;

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

// Replaces `out` with the single headers: neardup-verdict, and as they apply -kind, -of, -distance,
// -signature, -seq, -reason.
void verdict_headers(const VerdictRecord& record, std::span<const std::string> topic_names,
                     std::vector<NamedValue>& out);

// On a dead letter that was cut, or has lost its headers, and on a verdict in the place of a record that does
// not fit: the size in bytes of the value as it came.
inline constexpr std::string_view kTruncatedHeaderName = "neardup-truncated-from";

// Replaces `out` with where a record lay that is passed on as it came: neardup-topic, -partition, -offset.
void place_headers(const Source& source, std::span<const std::string> topic_names,
                   std::vector<NamedValue>& out);

// The same of a dead letter, and neardup-reason before.
void dead_letter_headers(RejectReason reason, const Source& source, std::span<const std::string> topic_names,
                         std::vector<NamedValue>& out);

// A verdict as a consumer reads it, for tests and tools.
struct ParsedVerdict {
  struct Place {
    std::string topic;
    std::int32_t partition = 0;
    std::int64_t offset = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Leader {
    std::string id;
    std::string url;
    Place source;

    friend bool operator==(const Leader&, const Leader&) = default;
  };
  struct Group {
    Sequence id = 0;
    std::uint32_t size = 0;

    friend bool operator==(const Group&, const Group&) = default;
  };

  std::string id;
  Verdict verdict = Verdict::kUnique;
  std::optional<DuplicateKind> kind;
  std::optional<Leader> duplicate_of;
  std::optional<Leader> previous;
  std::optional<int> distance;
  std::optional<int> similarity_permille;
  Relation relation = Relation::kOther;
  std::optional<Group> cluster;
  std::optional<Place> representative;
  std::optional<Sequence> seq;
  std::optional<Fingerprint> signature;
  std::string url;
  Place source;
  std::string event_time;
  std::optional<RejectReason> reason;
  std::optional<std::uint64_t> forgotten;

  friend bool operator==(const ParsedVerdict&, const ParsedVerdict&) = default;
};

// Fails with kInvalid, naming the field, where `json` is not a verdict of this contract.
Result<ParsedVerdict> parse_verdict_json(std::string_view json);

// What place_headers() said; nullopt: they are of no record that was passed on.
std::optional<ParsedVerdict::Place> place_in(std::span<const Header> headers);

// Whether a header's name is one of those that say what a dead letter is.
bool is_dead_letter_header(std::string_view name);

// Whether it is one of all that we set: whoever passes for us must not be believed.
bool is_our_header(std::string_view name);

}  // namespace neardup
