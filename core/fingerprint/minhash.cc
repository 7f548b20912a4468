#include "core/fingerprint/minhash.h"

#include "core/fingerprint/sketch_kernels.h"

namespace neardup {

void MinHash::add(std::span<const std::uint64_t> features) {
  internal::sketch_kernels().lower_minhash(features.data(), features.size(), minima_.data());
}

// The bit of a minimum is mixed from all of it, by permutation: were it one bit of the feature's hash, the
// bits of a feature that comes first more than once would flip together.
Fingerprint MinHash::finish() const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < minima_.size(); ++i) {
    bits |= internal::finish_shingle(minima_[i] * internal::kSeedMultiplier) >> 63 << i;
  }
  return {bits};
}

}  // namespace neardup
