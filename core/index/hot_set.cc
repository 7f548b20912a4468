#include "core/index/hot_set.h"

#include <string>

#include "core/base/bytes.h"

namespace neardup {

bool HotSet::add(Feature feature) {
  if (contains(feature)) return false;
  members_.push_back(feature);
  if (members_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, kNoFeature);
    for (const Feature member : members_) slots_[slot_of(member)] = member;
  } else {
    slots_[slot_of(feature)] = feature;
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
