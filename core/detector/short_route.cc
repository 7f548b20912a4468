#include "core/detector/short_route.h"

#include <algorithm>
#include <span>

#include "core/base/check.h"

namespace neardup {

static_assert(kShortStoredUnitsMax <= EditPattern::kLengthMax);
static_assert(kShortStoredUnitsMax <= TextStore::kTextMax);
static_assert(kShortStoredUnitsMax <= TokenPattern::kTokensMax);

namespace {

ShortMatch match_of(Sequence sequence, unsigned edits, std::size_t longer) {
  return {sequence, edits, static_cast<unsigned>((longer - edits) * 1000 / longer)};
}

}  // namespace

ShortRoute::ShortRoute(ShortOptions options) : options_(options) {
  CHECK(options.threshold_permille >= 500 && options.threshold_permille <= 1000, "a threshold of .5 to 1");
  CHECK(options.replacement.tokens_permille <= 1000 && options.replacement.numbers_permille <= 1000,
        "limits are shares");
}

std::optional<ShortMatch> ShortRoute::find(const ShortSignature& signature, ShortWork& work) const {
  work.compared_ = 0;
  work.tokens_are_set_ = false;
  index_.find(signature, options_.threshold_permille, work.search_);
  if (work.search_.candidates().empty()) return std::nullopt;
  work.numbers_.set(signature.text);
  work.pattern_.set(signature.text);
  for (const Row row : work.search_.candidates()) {
    const std::size_t length = index_.length(row);
    index_.text(row, work.other_.data());
    const std::span<const char32_t> other(work.other_.data(), length);
    const std::size_t longer = std::max(length, signature.text.size());
    ++work.compared_;
    if (!is_same_filling(work.numbers_.least_replaced(other), options_.replacement)) continue;
    const auto edits = work.pattern_.distance(other, edits_max(longer, options_.threshold_permille));
    if (edits && tokens_pass(signature, other, work)) return match_of(index_.sequence(row), *edits, longer);
  }
  return std::nullopt;
}

std::optional<ShortMatch> ShortRoute::compare(const ShortSignature& a, const ShortSignature& b,
                                              ShortWork& work) const {
  const std::size_t longer = std::max(a.text.size(), b.text.size());
  work.tokens_are_set_ = false;
  work.pattern_.set(a.text);
  const auto edits = work.pattern_.distance(b.text, edits_max(longer, options_.threshold_permille));
  if (!edits || !tokens_pass(a, b.text, work)) return std::nullopt;
  return match_of(0, *edits, longer);
}

bool ShortRoute::tokens_pass(const ShortSignature& signature, std::span<const char32_t> other,
                             ShortWork& work) const {
  if (!work.tokens_are_set_) work.tokens_.set(signature.text);
  work.tokens_are_set_ = true;
  return is_same_filling(work.tokens_.compare(other, options_.replacement), options_.replacement);
}

}  // namespace neardup
