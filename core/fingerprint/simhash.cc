#include "core/fingerprint/simhash.h"

namespace neardup {

void SimHash::add(std::uint64_t feature) {
  std::uint8_t& seen = seen_[feature >> (64 - kSlotBits)];
  if (seen == kWeightMax) return;
  ++seen;
  votes_.add(feature, 1);
}

Fingerprint SimHash::finish() const { return {votes_.majority(kTieBits).to_ullong()}; }

}  // namespace neardup
