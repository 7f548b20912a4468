#include "core/fingerprint/shingle.h"

#include <algorithm>
#include <array>

#include "core/fingerprint/sketch_kernels.h"

namespace neardup {

std::size_t code_point_count(std::string_view canonical) {
  return internal::sketch_kernels().count_code_points(canonical.data(), canonical.size());
}

std::size_t hash_characters(std::string_view canonical, std::uint64_t* hashes) {
  return internal::sketch_kernels().hash_characters(canonical.data(), canonical.size(), hashes);
}

void hash_shingles(ShingleKind kind, std::span<const std::uint64_t> units, std::uint64_t* shingles) {
  const internal::SketchKernels& kernels = internal::sketch_kernels();
  const auto hash = kind == ShingleKind::kWords ? kernels.hash_triples : kernels.hash_quintuples;
  const std::size_t width = shingle_width(kind);
  if (units.size() >= width) {
    hash(units.data(), units.size() - width + 1, shingles);
  } else if (!units.empty()) {  // all of the text, as if what is missing had the hash 0
    std::array<std::uint64_t, 5> whole{};
    std::copy(units.begin(), units.end(), whole.begin());
    hash(whole.data(), 1, shingles);
  }
}

}  // namespace neardup
