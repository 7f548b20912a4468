#include "core/detector/gram_similarity.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace neardup {

static_assert(kMgramTextMax <= 1024, "the squared dot product times a million is below 2^63");

void GramPattern::set(std::span<const Mgram> grams) {
  DCHECK(grams.size() <= kMgramTextMax);
  slots_.assign(std::bit_ceil(2 * grams.size() + 1), {});
  comparison_ = 0;
  for (const Mgram& gram : grams) slots_[slot_of(gram.key)] = {gram.key, gram.count, 0};
}

std::size_t GramPattern::slot_of(Key key) const {
  std::size_t at = key & (slots_.size() - 1);
  while (slots_[at].count != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return at;
}

GramOverlap GramPattern::compare(std::span<const Key> keys) {
  GramOverlap overlap;
  ++comparison_;
  for (const Key key : keys) {
    Slot& slot = slots_[slot_of(key)];
    if (slot.count == 0) continue;
    overlap.dot += slot.count;
    overlap.shared += slot.comparison != comparison_;
    slot.comparison = comparison_;
  }
  return overlap;
}

unsigned jaccard_permille(std::uint32_t shared, std::uint64_t grams, std::uint64_t other_grams) {
  return static_cast<unsigned>(shared * 1000ULL / (grams + other_grams - shared));
}

// The whole root of a quotient is the whole root of its whole part.
unsigned cosine_permille(std::uint64_t dot, std::uint64_t norm, std::uint64_t other_norm) {
  const std::uint64_t square = dot * dot * 1'000'000 / (norm * other_norm);
  unsigned root = 0;
  for (unsigned step = 512; step > 0; step /= 2) {
    if (std::uint64_t{root + step} * (root + step) <= square) root += step;
  }
  return std::min(root, 1000U);
}

}  // namespace neardup
