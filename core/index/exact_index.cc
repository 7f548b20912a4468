#include "core/index/exact_index.h"

#include "core/base/check.h"

namespace neardup {

ExactIndex::ExactIndex(const DigestColumn& digests)
    : digests_(digests), tags_(kSlotsMin), ordinals_(kSlotsMin) {}

std::optional<Sequence> ExactIndex::find(Digest128 digest) const {
  const std::size_t mask = tags_.size() - 1;
  const Tag tag = tag_of(digest);
  // A quarter of the slots is empty, so this ends.
  for (std::size_t slot = digest.low & mask; tags_[slot] != kEmpty; slot = (slot + 1) & mask) {
    if (tags_[slot] == tag && digests_[ordinals_[slot]] == digest) return ordinals_[slot];
  }
  return std::nullopt;
}

void ExactIndex::insert_next() {
  DCHECK(size_ < digests_.size());
  if ((size_ + 1) * 4 > tags_.size() * 3) grow();
  place(static_cast<std::uint32_t>(size_));
  ++size_;
}

void ExactIndex::place(std::uint32_t ordinal) {
  const std::size_t mask = tags_.size() - 1;
  const Digest128 digest = digests_[ordinal];
  std::size_t slot = digest.low & mask;
  while (tags_[slot] != kEmpty) slot = (slot + 1) & mask;
  tags_[slot] = tag_of(digest);
  ordinals_[slot] = ordinal;
}

// The old slots are not needed to fill the new ones, so they are given back first: the peak is the new table.
void ExactIndex::grow() {
  const std::size_t slots = tags_.size() * 2;
  tags_ = std::vector<Tag>();
  ordinals_ = std::vector<std::uint32_t>();
  tags_.resize(slots, kEmpty);
  ordinals_.resize(slots);
  for (std::uint64_t ordinal = 0; ordinal < size_; ++ordinal) place(static_cast<std::uint32_t>(ordinal));
}

}  // namespace neardup
