// What comes out?
//
// The detector's answer for one document, and the names under which the world sees it. The names are written
// here once: verdict records, metrics labels, `scan`, config and docs all take them from these tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

enum class Verdict : std::uint8_t {
  kUnique,
  kDuplicate,
  kRejected,
  kDeleted,  // no document, but the wish to forget one
};
inline constexpr std::array<std::string_view, 4> kVerdictNames = {"unique", "duplicate", "rejected",
                                                                  "deleted"};

enum class DuplicateKind : std::uint8_t {
  kExact,  // the same canonical text
  kNear,   // a page like it: by its sketch, or by fingerprints within the configured distance
  kShort,  // a short text like it, by edit distance; in mode mgram any text, by the configured measure
};
inline constexpr std::array<std::string_view, 3> kDuplicateKindNames = {"exact", "near", "short"};

// What a duplicate is to its leader as the world knows the two: by id, url and host.
enum class Relation : std::uint8_t {
  kOther,     // another document
  kSelf,      // the very record: same topic, partition and offset
  kRecrawl,   // the same id or url, the same text
  kRevision,  // the same id or url, another text; of a unique: an earlier one has its id
  kMirror,    // another host
};
inline constexpr std::array<std::string_view, 5> kRelationNames = {"other", "self", "recrawl", "revision",
                                                                   "mirror"};

// Why a record got no decision. Bad input is data: it never stops the service and is never lost.
enum class RejectReason : std::uint8_t {
  kNullValue,      // the record has no value, and index.by_id is off: with it, a deletion
  kNotJson,        // the value is not one JSON object
  kTooDeep,        // nested deeper than kJsonDepthMax
  kMissingText,    // no configured text or html field is there, or it is not a string
  kMissingId,      // no configured source of an id gave one: field, key or url
  kIdTooLong,      // longer than kIdBytesMax
  kInvalidBase64,  // a field declared base64 does not decode
  kTooLarge,       // record or text above input.document_bytes_max, or more headers than anybody reads
  kNoTokens,       // text without one letter or digit: nothing to compare
  kProducerError,  // the producer's own failure notice in place of a page ("json failed to parse")
  kNotText,        // a file of another kind (PDF, image, script), or what does not unpack
};
inline constexpr std::array<std::string_view, 11> kRejectReasonNames = {
    "null_value",     "not_json",  "too_deep",  "missing_text",   "missing_id", "id_too_long",
    "invalid_base64", "too_large", "no_tokens", "producer_error", "not_text"};

constexpr std::string_view name(Verdict v) { return kVerdictNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(DuplicateKind k) { return kDuplicateKindNames[static_cast<std::size_t>(k)]; }
constexpr std::string_view name(Relation r) { return kRelationNames[static_cast<std::size_t>(r)]; }
constexpr std::string_view name(RejectReason r) { return kRejectReasonNames[static_cast<std::size_t>(r)]; }

// The position of a unique in the index: 0, 1, 2, ... in the order of decision, without a hole or a repeat.
using Sequence = std::uint64_t;

struct Decision {
  Verdict verdict = Verdict::kUnique;          // kUnique or kDuplicate: it is about a document
  DuplicateKind kind = DuplicateKind::kExact;  // of a duplicate
  Sequence sequence = 0;                       // of a unique: its own number; of a duplicate: its leader's
  int distance = 0;  // of a duplicate: Hamming distance of the fingerprints, 0 .. 64
  // Of a duplicate. kExact: 1000. kNear: the Jaccard similarity of the shingles as the sketches estimate it,
  // or of fingerprints alone the cosine, 1000 x cos(pi * distance / 64). kShort: 1000 x (1 - edits / length),
  // or by another measure of mode mgram (core/detector/README.md).
  int similarity_permille = 1000;
  Relation relation = Relation::kOther;  // of a duplicate to its leader; of a unique: kRevision or kOther
  // Where documents are known by their ids (DetectorOptions::by_id): the latest unique that has this one's
  // id, unless it is the leader.
  std::optional<Sequence> previous = {};

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace neardup
