#include "core/detector/mgram_route.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/index/short_index.h"
#include "core/limits.h"

namespace neardup {

static_assert(kMgramTextMax <= EditPattern::kLengthMax);

namespace {

MgramSizes sizes_of(const MgramSignature& signature) {
  return {static_cast<std::uint32_t>(signature.units.size()),
          static_cast<std::uint32_t>(signature.grams.size()), signature.norm};
}

}  // namespace

MgramRoute::MgramRoute(MgramRouteOptions options) : options_(options) {
  CHECK(options.m >= 1 && options.m <= kMgramSizeMax, "the size of a gram");
  CHECK(options.threshold_permille >= 1 && options.threshold_permille <= 1000, "a threshold in permille");
}

std::optional<MgramMatch> MgramRoute::find(const MgramSignature& signature, MgramWork& work) const {
  const MgramSizes sizes = sizes_of(signature);
  work.compared_ = 0;
  index_.find(signature, work.search_, [&](MgramSizes other, std::uint32_t most_shared) {
    return may_match(sizes, other, most_shared);
  });
  if (work.search_.candidates().empty()) return std::nullopt;
  set(signature, work);
  for (const Ordinal row : work.search_.candidates()) {
    index_.text(row, work.text_);
    mgram_units(options_.over, work.text_, work.units_);
    ++work.compared_;
    const auto permille = similarity(signature, work.units_, index_.sizes(row), work);
    if (permille) return MgramMatch{index_.sequence(row), *permille};
  }
  return std::nullopt;
}

std::optional<MgramMatch> MgramRoute::compare(const MgramSignature& a, const MgramSignature& b,
                                              MgramWork& work) const {
  set(a, work);
  const auto permille = similarity(a, b.units, sizes_of(b), work);
  if (!permille) return std::nullopt;
  return MgramMatch{0, *permille};
}

// An edit destroys m grams at most, so texts within e edits share all grams of either but for m e.
bool MgramRoute::may_match(MgramSizes a, MgramSizes b, std::uint32_t most_shared) const {
  switch (options_.measure) {
    case MgramMeasure::kEdit: {
      const std::uint32_t longer = std::max(a.units, b.units);
      const std::uint32_t edits = edits_max(longer, options_.threshold_permille);
      return longer - std::min(a.units, b.units) <= edits &&
             most_shared + options_.m * edits >= std::max(a.grams, b.grams);
    }
    case MgramMeasure::kJaccard: {
      const std::uint32_t shared = std::min({most_shared, a.grams, b.grams});
      return jaccard_permille(shared, a.grams, b.grams) >= options_.threshold_permille;
    }
    case MgramMeasure::kCosine:
      break;
  }
  return true;
}

void MgramRoute::set(const MgramSignature& signature, MgramWork& work) const {
  if (options_.measure == MgramMeasure::kEdit) {
    work.edits_.set(signature.units);
  } else {
    work.grams_.set(signature.grams);
  }
}

std::optional<unsigned> MgramRoute::similarity(const MgramSignature& signature,
                                               const std::vector<char32_t>& units, MgramSizes sizes,
                                               MgramWork& work) const {
  unsigned permille = 0;
  if (options_.measure == MgramMeasure::kEdit) {
    const std::size_t longer = std::max(signature.units.size(), units.size());
    const auto edits = work.edits_.distance(units, edits_max(longer, options_.threshold_permille));
    if (!edits) return std::nullopt;
    permille = static_cast<unsigned>((longer - *edits) * 1000 / longer);
  } else {
    mgram_keys(options_.m, units, work.keys_);
    const GramOverlap overlap = work.grams_.compare(work.keys_);
    permille = options_.measure == MgramMeasure::kJaccard
                   ? jaccard_permille(overlap.shared, signature.grams.size(), sizes.grams)
                   : cosine_permille(overlap.dot, signature.norm, sizes.norm);
  }
  if (permille < options_.threshold_permille) return std::nullopt;
  return permille;
}

}  // namespace neardup
