#include "core/index/hot_set.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/base/bytes.h"

namespace neardup {

void HotSet::make_slots(std::size_t slots) {
  slots_ = std::vector<Slot>(slots);
  bits_ = std::vector<std::uint64_t>(slots * kBitsPerSlot / 64);
  mark(kNoFeature);
}

void HotSet::rebuild() {
  const std::vector<Slot> before = std::move(slots_);
  used_ = static_cast<std::size_t>(
      std::ranges::count_if(before, [this](const Slot& slot) { return is_member(slot); }));
  make_slots(std::max(kSlotsMin, std::bit_ceil(3 * (used_ + 1))));  // room for half as many to come
  for (const Slot& slot : before) {
    if (!is_member(slot)) continue;
    slots_[slot_of(slot.feature)] = slot;
    mark(slot.feature);
  }
  swept_to_ = oldest_;
}

void HotSet::mark(Feature feature) {
  const std::size_t bit = hash_of(feature) & (slots_.size() * kBitsPerSlot - 1);
  bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

bool HotSet::add(Feature feature, std::uint64_t last) {
  if (feature == kNoFeature) return false;
  std::size_t at = slot_of(feature);
  if (slots_[at].feature == kNoFeature) {
    if (2 * (used_ + 1) > slots_.size()) {
      rebuild();
      at = slot_of(feature);
    }
    ++used_;
    mark(feature);
  }
  Slot& slot = slots_[at];
  const bool is_new = !is_member(slot);
  slot = {feature, is_new ? last : std::max(slot.last, last)};
  changes_ += is_new ? 1 : 0;
  return is_new;
}

void HotSet::expire(std::uint64_t oldest) {
  if (oldest <= oldest_) return;
  oldest_ = oldest;
  if (used_ == 0) return;
  ++changes_;
  if (oldest_ - swept_to_ >= used_) rebuild();
}

// No answer hangs on where a member lies, nor on when others were swept out.
Digest128 HotSet::digest() const {
  std::vector<std::pair<Feature, std::uint64_t>> members;
  for (const Slot& slot : slots_) {
    if (is_member(slot)) members.emplace_back(slot.feature, slot.last);
  }
  std::ranges::sort(members);
  std::string bytes;
  ByteWriter writer(bytes);
  for (const auto& [feature, last] : members) {
    writer.u64(feature);
    writer.u64(last);
  }
  return digest128(bytes);
}

}  // namespace neardup
