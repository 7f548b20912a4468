#include "core/base/hash.h"

#include <xxhash.h>

namespace neardup {

Digest128 digest128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t digest64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace neardup
