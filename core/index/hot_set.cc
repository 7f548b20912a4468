#include "core/index/hot_set.h"

#include <string>

#include "core/base/bytes.h"

namespace neardup {

void HotSet::make_slots(std::size_t slots) {
  slots_.assign(slots, kNoFeature);
  bits_.assign(slots * kBitsPerSlot / 64, 0);
  mark(kNoFeature);
}

void HotSet::put(Feature feature) {
  slots_[slot_of(feature)] = feature;
  mark(feature);
}

void HotSet::mark(Feature feature) {
  const std::size_t bit = hash_of(feature) & (slots_.size() * kBitsPerSlot - 1);
  bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

bool HotSet::add(Feature feature) {
  if (contains(feature)) return false;
  members_.push_back(feature);
  if (members_.size() * 2 > slots_.size()) {
    make_slots(slots_.size() * 2);
    for (const Feature member : members_) put(member);
  } else {
    put(feature);
  }
  return true;
}

Digest128 HotSet::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  for (const Feature member : members_) writer.u64(member);
  return digest128(bytes);
}

}  // namespace neardup
