// Why is one text called a duplicate of another, or not?
//
// The detector looks for an answer among millions and stops at the first; this takes two texts and measures
// everything between them that any of its rules asks for, the exact value beside the estimate, and names the
// rule that decided. It is the detector's own answer: a detector that knows the first text alone says of the
// second what `is_duplicate` says (the tests hold them to each other).
//
//   the same digest ─► mode hybrid:  short text: edits ─► replaced tokens ─► a key shared
//                                    page:       sketches ─► a band shared
//                                    by both if it asks as both
//                      mode simhash: distance ─► sketches, if they are to agree
//                      mode mgram:   the configured measure ─► a run shared
//
// Of a document that is known by its producer's digest alone there is nothing to measure: only the first rule
// can ask.
//
// What it cannot know is company: in an index, crowded keys are extended (band_postings.h), and an earlier
// text may be the leader.
//
// Cost:    linear in the texts, and some allocations: for questions, not for streams.
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/detector/replaced_tokens.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/signer.h"

namespace neardup {

using ShingleSet = std::vector<std::uint64_t>;  // hashes of shingles, each once, ascending

// A text as deciding knows it, and what it was made from.
struct ExplainedText {
  std::string producers_digest;  // empty: there is a text
  std::string canonical;
  std::uint32_t characters = 0;            // of signature.tokens, those that are characters
  bool fell_back = false;                  // as Signer::fell_back
  std::array<ShingleSet, 2> shingle_sets;  // by ShingleKind
  Signature signature;
  RouteSignature route;

  const ShingleSet& shingles(ShingleKind kind) const { return shingle_sets[static_cast<std::size_t>(kind)]; }
};

// Fills `text`, or says why the document has no signature.
[[nodiscard]] std::optional<RejectReason> sign_to_explain(Signer& signer, const Document& document,
                                                          ExplainedText& text);

// The number of shingles that both have; the similarity of the sets in permille, rounded down, 0 if empty.
std::size_t common_shingles(const ShingleSet& a, const ShingleSet& b);
int jaccard_permille(const ShingleSet& a, const ShingleSet& b);

// The bands by which a text is met that asks after another, by their numbers.
struct MetBands {
  std::vector<std::size_t> same;       // the same minima
  std::vector<std::size_t> by_second;  // with one second minimum of the asking text

  bool any() const { return !same.empty() || !by_second.empty(); }
};

// How alike two pages are by one kind of shingle.
struct PageComparison {
  ShingleKind kind = ShingleKind::kWords;
  bool is_stored = false;  // the earlier text has a sketch of it
  bool is_asked = false;   // the later one asks by it
  std::size_t common = 0;  // shingles
  int jaccard_permille = 0;
  std::optional<int> estimate_permille;  // if both have a sketch of it
  MetBands bands;                        // the same

  bool meets() const { return is_stored && is_asked; }
};

// How alike two short texts are.
struct ShortComparison {
  std::size_t length_max = 0;  // characters of the longer one
  unsigned edits = 0;
  unsigned edits_max = 0;  // by the threshold
  unsigned similarity_permille = 0;
  ReplacedTokens replaced;
  bool is_same_filling = true;  // `replaced` is within the limits
  MetBands bands;
  std::size_t tiny_keys = 0;  // one-deletion keys shared

  bool is_met() const { return bands.any() || tiny_keys > 0; }
};

// How alike two texts are by runs of units, and by all measures of mode mgram.
struct MgramComparison {
  std::size_t units_max = 0;  // of the longer one
  unsigned edits = 0;
  std::size_t shared = 0;  // grams that both have, each counted once
  std::array<unsigned, kMgramMeasureNames.size()> permille{};
  bool is_cut = false;  // of one of them only the beginning is known

  unsigned by(MgramMeasure measure) const { return permille[static_cast<std::size_t>(measure)]; }
};

// The rule that decided.
enum class Reason : std::uint8_t {
  // It is a duplicate:
  kSameText,
  kShortAlike,
  kPageAlike,
  kMgramsAlike,
  kFingerprintsNear,
  // It is not:
  kOtherRoute,      // the earlier text is stored as nothing that the later one asks for
  kTooManyEdits,    // short texts
  kTokensReplaced,  // short texts of the same form
  kSketchesDiffer,  // pages; or fingerprints were near
  kMgramsDiffer,    // by the configured measure
  kNothingShared,   // alike, but no band, key or run brings them together
  kFingerprintsFar,
  kNoText,  // one of them is known by its producer's digest alone
};
inline constexpr std::array<std::string_view, 13> kReasonNames = {
    "same_text",      "short_alike",      "page_alike",      "mgrams_alike",    "fingerprints_near",
    "other_route",    "too_many_edits",   "tokens_replaced", "sketches_differ", "mgrams_differ",
    "nothing_shared", "fingerprints_far", "no_text"};
constexpr std::string_view name(Reason r) { return kReasonNames[static_cast<std::size_t>(r)]; }
constexpr bool is_duplicate(Reason r) { return r <= Reason::kFingerprintsNear; }

struct Explanation {
  Reason reason = Reason::kSameText;
  bool is_same_text = false;
  int distance = 0;                           // of the fingerprints; without a text it tells nothing
  std::vector<PageComparison> pages;          // by each kind that one of the two is signed by, or suits it
  std::optional<ShortComparison> short_text;  // if both are short enough
  std::optional<MgramComparison> mgrams;      // if both were signed by them

  // Of the pages' comparisons that count, the one of the highest estimate; null if there is none.
  const PageComparison* best_page() const;
};

// What a detector with these options says of `later` if it knows `earlier`.
// REQUIRES: both signed with options.routes(), options.sketch, options.layout() and options.mgrams().
Explanation explain(const ExplainedText& earlier, const ExplainedText& later, const DetectorOptions& options);

// The rule that decides what was measured if the threshold is another one: `found` is explain() of a text and
// `later` by options that differ from these in threshold_permille alone, and have the same layout().
Reason reason_of(const Explanation& found, const ExplainedText& later, const DetectorOptions& options);

// How alike the two are by the measure that suits them, exactly, in permille: edit similarity if the later
// one asks as a short text and the earlier one is stored as one, else the similarity of their shingle sets;
// the higher of the two if it asks by both and the earlier one is stored as both; in mode mgram the
// configured measure.
// REQUIRES: both signed with options.routes(), which is kBoth or kMgrams, and options.mgrams().
int exact_similarity_permille(const ExplainedText& earlier, const ExplainedText& later,
                              const DetectorOptions& options);

}  // namespace neardup
