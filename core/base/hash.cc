#include "core/base/hash.h"

#include <xxhash.h>

#include <random>

#include "core/base/isa.h"

#if NEARDUP_X86
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#endif

namespace neardup {
namespace {

// xxHash's functions are compiled for any CPU; those that choose the CPU's vectors are others, and twice as
// fast on a page.
XXH128_hash_t hash128(std::string_view bytes) {
#if NEARDUP_X86
  static const bool vectors = isa() != Isa::kScalar;
  if (vectors) return XXH3_128bits_dispatch(bytes.data(), bytes.size());
#endif
  return XXH3_128bits(bytes.data(), bytes.size());
}

}  // namespace

Digest128 digest128(std::string_view bytes) {
  const XXH128_hash_t hash = hash128(bytes);
  return {hash.high64, hash.low64};
}

std::uint64_t digest64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t seeded64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t secret_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace neardup
