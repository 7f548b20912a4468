#include "core/index/hot_set.h"

#include <string>

#include "core/base/bytes.h"

namespace neardup {

bool HotSet::add(Feature feature) {
  if (contains(feature)) return false;
  members_.push_back(feature);
  if (members_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t number = 1; number < members_.size(); ++number) place(number);
  }
  place(static_cast<std::uint32_t>(members_.size()));
  return true;
}

void HotSet::place(std::uint32_t number) {
  std::size_t at = slot_of(members_[number - 1]);
  while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = number;
}

Digest128 HotSet::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  for (const Feature member : members_) writer.u64(member);
  return digest128(bytes);
}

}  // namespace neardup
