#include "core/explanation.h"

#include <algorithm>

#include "core/detector/edit_similarity.h"
#include "core/detector/gram_similarity.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/shingle.h"
#include "core/fingerprint/token_stream.h"
#include "core/index/short_index.h"

namespace neardup {
namespace {

constexpr std::array<ShingleKind, 2> kKinds = {ShingleKind::kWords, ShingleKind::kCharacters};

ShingleSet shingle_set(const CanonicalText& text, ShingleKind kind) {
  std::vector<std::uint64_t> units;
  if (kind == ShingleKind::kCharacters) {
    const std::size_t count = code_point_count(text.text);
    units.resize(count + kUnitSlack);
    hash_characters(text.text, units.data());
    units.resize(count);
  } else {
    TokenStream tokens;
    tokens.open(text.text, TokenStream::Use::kHashes);
    for (TokenBatch batch; tokens.next(batch);) {
      units.insert(units.end(), batch.hashes, batch.hashes + batch.size);
    }
  }
  ShingleSet set(shingle_count(kind, units.size()));
  hash_shingles(kind, units, set.data());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

const LongSignature* page_of(const RouteSignature& route, ShingleKind kind) {
  for (const LongSignature& page : route.long_span()) {
    if (page.kind == kind) return &page;
  }
  return nullptr;
}

MetBands met_bands(std::span<const Band> stored, std::span<const Band> asking) {
  MetBands met;
  for (std::size_t j = 0; j < asking.size(); ++j) {
    const Band& band = asking[j];
    if (band.key == stored[j].key) {
      met.same.push_back(j);
    } else if (std::count(band.variants.begin(), band.variants.begin() + band.width, stored[j].key) > 0) {
      met.by_second.push_back(j);
    }
  }
  return met;
}

// The kind that suits a text, whether or not it was signed by it.
ShingleKind suits(const ExplainedText& text) { return shingle_kind(text.signature.tokens, text.characters); }

int permille_in_common(std::size_t common, const ShingleSet& a, const ShingleSet& b) {
  const std::size_t all = a.size() + b.size() - common;
  return all == 0 ? 0 : static_cast<int>(common * 1000 / all);
}

PageComparison compare_pages(const ExplainedText& earlier, const ExplainedText& later, ShingleKind kind,
                             const DetectorOptions& options) {
  PageComparison pages;
  pages.kind = kind;
  pages.common = common_shingles(earlier.shingles(kind), later.shingles(kind));
  pages.jaccard_permille = permille_in_common(pages.common, earlier.shingles(kind), later.shingles(kind));
  const LongSignature* const stored = page_of(earlier.route, kind);
  const LongSignature* const asking = page_of(later.route, kind);
  pages.is_stored = stored != nullptr;
  pages.is_asked = asking != nullptr && later.route.asks_as_page();
  if (stored == nullptr || asking == nullptr) return pages;
  pages.estimate_permille = options.sketch == SketchSize::kStandard
                                ? similarity_permille(asking->standard, stored->standard)
                                : similarity_permille(asking->compact, stored->compact);
  pages.bands = met_bands(stored->band_span(), asking->band_span());
  return pages;
}

unsigned edits_between(std::span<const char32_t> a, std::span<const char32_t> b) {
  EditPattern pattern;
  pattern.set(a);
  const auto longer = static_cast<unsigned>(std::max(a.size(), b.size()));
  return pattern.distance(b, longer).value_or(longer);
}

unsigned edit_similarity(unsigned edits, std::size_t longer) {
  return static_cast<unsigned>((longer - edits) * 1000 / longer);
}

ShortComparison compare_short(const ShortSignature& stored, const ShortSignature& asking,
                              const DetectorOptions& options) {
  ShortComparison texts;
  texts.length_max = std::max(stored.text.size(), asking.text.size());
  texts.edits = edits_between(asking.text, stored.text);
  texts.edits_max = edits_max(texts.length_max, options.threshold_permille);
  texts.similarity_permille = edit_similarity(texts.edits, texts.length_max);
  TokenPattern tokens;
  tokens.set(asking.text);
  const ReplacementLimits limits{.tokens_permille = options.short_tokens_permille,
                                 .numbers_permille = options.short_numbers_permille};
  texts.replaced = tokens.compare(stored.text, limits);
  texts.is_same_filling = is_same_filling(texts.replaced, limits);
  if (stored.band_count == asking.band_count) {
    texts.bands = met_bands(stored.band_span(), asking.band_span());
  }
  for (const Key key : asking.tiny_span()) {
    texts.tiny_keys += static_cast<std::size_t>(std::ranges::count(stored.tiny_span(), key));
  }
  return texts;
}

MgramComparison compare_mgrams(const MgramSignature& stored, const MgramSignature& asking,
                               const DetectorOptions& options) {
  MgramComparison texts;
  texts.units_max = std::max(stored.units.size(), asking.units.size());
  texts.edits = edits_between(asking.units, stored.units);
  texts.is_cut = stored.is_cut || asking.is_cut;
  GramPattern pattern;
  pattern.set(asking.grams);
  std::vector<Key> keys;
  mgram_keys(options.gram_size, stored.units, keys);
  const GramOverlap overlap = pattern.compare(keys);
  texts.shared = overlap.shared;
  const auto set = [&](MgramMeasure measure, unsigned permille) {
    texts.permille[static_cast<std::size_t>(measure)] = permille;
  };
  set(MgramMeasure::kEdit, edit_similarity(texts.edits, texts.units_max));
  set(MgramMeasure::kJaccard, jaccard_permille(overlap.shared, asking.grams.size(), stored.grams.size()));
  set(MgramMeasure::kCosine, cosine_permille(overlap.dot, asking.norm, stored.norm));
  return texts;
}

// The first thing that stands against it is the reason, what the texts are before what chance made of them.
Reason reason_of_short(const ShortComparison& texts, const DetectorOptions& options) {
  if (texts.edits > edits_max(texts.length_max, options.threshold_permille)) return Reason::kTooManyEdits;
  if (!texts.is_same_filling) return Reason::kTokensReplaced;
  return texts.is_met() ? Reason::kShortAlike : Reason::kNothingShared;
}

Reason reason_of_mgrams(const MgramComparison& texts, const DetectorOptions& options) {
  if (texts.by(options.measure) < options.threshold_permille) return Reason::kMgramsDiffer;
  return texts.shared > 0 ? Reason::kMgramsAlike : Reason::kNothingShared;
}

Reason reason_of_pages(const std::vector<PageComparison>& pages, int estimate_min) {
  Reason reason = Reason::kOtherRoute;
  for (const PageComparison& page : pages) {
    if (!page.meets()) continue;
    if (*page.estimate_permille < estimate_min) {
      if (reason == Reason::kOtherRoute) reason = Reason::kSketchesDiffer;
    } else if (page.bands.any()) {
      return Reason::kPageAlike;
    } else {
      reason = Reason::kNothingShared;
    }
  }
  return reason;
}

// Whatever makes it a duplicate, in the detector's order; else that the texts are alike and did not meet;
// else what stands against the page, if there is one to ask for.
Reason reason_of_texts(const Explanation& found, const RouteSignature& asking,
                       const DetectorOptions& options) {
  const Reason of_pages = asking.asks_as_page()
                              ? reason_of_pages(found.pages, estimate_min(options.threshold_permille))
                              : Reason::kOtherRoute;
  const Reason of_short = asking.asks_as_short() && found.short_text
                              ? reason_of_short(*found.short_text, options)
                              : Reason::kOtherRoute;
  if (is_duplicate(of_pages)) return of_pages;
  if (is_duplicate(of_short) || of_short == Reason::kNothingShared) return of_short;
  return of_pages == Reason::kOtherRoute ? of_short : of_pages;
}

Reason reason_of_fingerprints(const Explanation& found, const DetectorOptions& options) {
  if (found.distance > options.distance) return Reason::kFingerprintsFar;
  if (!options.verify_sketch) return Reason::kFingerprintsNear;
  const PageComparison* const best = found.best_page();
  if (best == nullptr) return Reason::kOtherRoute;
  return *best->estimate_permille >= estimate_min(options.threshold_permille) ? Reason::kFingerprintsNear
                                                                              : Reason::kSketchesDiffer;
}

}  // namespace

std::optional<RejectReason> sign_to_explain(Signer& signer, const Document& document, ExplainedText& text) {
  if (const auto reason = signer.sign(document, text.signature, text.route)) return reason;
  text.producers_digest = document.format == Document::Format::kDigest ? document.body : "";
  const CanonicalText& canonical = signer.canonical();
  text.canonical = canonical.text.view();
  text.characters = canonical.characters;
  text.fell_back = signer.fell_back();
  for (const ShingleKind kind : kKinds) {
    text.shingle_sets[static_cast<std::size_t>(kind)] = shingle_set(canonical, kind);
  }
  return std::nullopt;
}

std::size_t common_shingles(const ShingleSet& a, const ShingleSet& b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t x = a[i];
    const std::uint64_t y = b[j];
    common += x == y;
    i += x <= y;
    j += y <= x;
  }
  return common;
}

int jaccard_permille(const ShingleSet& a, const ShingleSet& b) {
  return permille_in_common(common_shingles(a, b), a, b);
}

const PageComparison* Explanation::best_page() const {
  const PageComparison* best = nullptr;
  for (const PageComparison& page : pages) {
    if (page.meets() && (best == nullptr || page.estimate_permille > best->estimate_permille)) best = &page;
  }
  return best;
}

Explanation explain(const ExplainedText& earlier, const ExplainedText& later,
                    const DetectorOptions& options) {
  Explanation found;
  found.is_same_text = earlier.signature.exact == later.signature.exact;
  found.distance = hamming_distance(earlier.signature.fingerprint, later.signature.fingerprint);
  if (!earlier.producers_digest.empty() || !later.producers_digest.empty()) {
    found.reason = found.is_same_text ? Reason::kSameText : Reason::kNoText;
    return found;
  }
  for (const ShingleKind kind : kKinds) {
    const bool counts = kind == suits(earlier) || kind == suits(later) ||
                        page_of(earlier.route, kind) != nullptr || page_of(later.route, kind) != nullptr;
    if (counts) found.pages.push_back(compare_pages(earlier, later, kind, options));
  }
  if (earlier.route.has_short && later.route.has_short) {
    found.short_text = compare_short(earlier.route.short_text, later.route.short_text, options);
  }
  if (earlier.route.has_mgrams && later.route.has_mgrams) {
    found.mgrams = compare_mgrams(earlier.route.mgrams, later.route.mgrams, options);
  }
  found.reason = reason_of(found, later, options);
  return found;
}

Reason reason_of(const Explanation& found, const ExplainedText& later, const DetectorOptions& options) {
  if (found.is_same_text) return Reason::kSameText;
  if (options.mode == DetectorMode::kMgram) return reason_of_mgrams(*found.mgrams, options);
  if (options.mode == DetectorMode::kSimhash) return reason_of_fingerprints(found, options);
  return reason_of_texts(found, later.route, options);
}

int exact_similarity_permille(const ExplainedText& earlier, const ExplainedText& later,
                              const DetectorOptions& options) {
  if (options.mode == DetectorMode::kMgram) {
    const MgramComparison texts = compare_mgrams(earlier.route.mgrams, later.route.mgrams, options);
    return static_cast<int>(texts.by(options.measure));
  }
  int best = 0;
  if (later.route.asks_as_short() && earlier.route.has_short) {
    const ShortSignature& a = earlier.route.short_text;
    const ShortSignature& b = later.route.short_text;
    best = static_cast<int>(
        edit_similarity(edits_between(b.text, a.text), std::max(a.text.size(), b.text.size())));
    if (!later.route.asks_as_page() || earlier.route.long_count == 0) return best;
  }
  for (const ShingleKind kind : kKinds) {
    const bool counts = kind == suits(later) || page_of(later.route, kind) != nullptr;
    if (counts) best = std::max(best, jaccard_permille(earlier.shingles(kind), later.shingles(kind)));
  }
  return best;
}

}  // namespace neardup
