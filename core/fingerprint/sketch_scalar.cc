// The definition of every kernel, one item at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "core/fingerprint/sketch_kernels.h"
#include "core/text/utf8.h"

namespace neardup::internal {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t count_code_points(const char* text, std::size_t bytes) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bytes; ++i) count += continues(text[i]) ? 0U : 1U;
  return count;
}

std::size_t hash_characters(const char* text, std::size_t bytes, std::uint64_t* hashes) {
  std::size_t count = 0;
  for (std::string_view rest(text, bytes); !rest.empty();) {
    const DecodedCodePoint decoded = decode_utf8(rest);
    hashes[count++] = hash_character(decoded.code_point);
    rest.remove_prefix(decoded.size);
  }
  return count;
}

template <std::size_t kWidth>
void hash_windows(const std::uint64_t* units, std::size_t count, std::uint64_t* shingles) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t state = units[i];
    for (std::size_t unit = 1; unit < kWidth; ++unit) {
      state ^= std::rotl(units[i + unit], kUnitRotation * static_cast<int>(unit) % 64);
    }
    shingles[i] = finish_shingle(state);
  }
}

void lower_minima(const std::uint64_t* shingles, std::size_t count, std::uint64_t* bins) {
  for (std::size_t i = 0; i < count; ++i) {
    lower_bin(bins[shingle_place(shingles[i], kBins)], shingle_value(shingles[i]));
  }
}

std::size_t select_low(const std::uint64_t* shingles, std::size_t count, std::uint32_t ceiling,
                       std::uint64_t* out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t shingle = shingles[i];
    out[kept] = shingle;
    kept += shingle_value(shingle) <= ceiling ? 1U : 0U;
  }
  return kept;
}

std::size_t select_below(const std::uint64_t* shingles, std::size_t count, const std::uint64_t* bins,
                         std::uint64_t* out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t shingle = shingles[i];
    out[kept] = shingle;
    kept += shingle_value(shingle) < bins[shingle_place(shingle, kBins)] >> 32 ? 1U : 0U;
  }
  return kept;
}

void mark(const std::uint64_t* shingles, std::size_t count, std::uint32_t floor, std::uint32_t marks,
          std::uint64_t* words) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t place = shingle_place(shingles[i], marks);
    const std::uint64_t drawn = shingle_value(shingles[i]) >= floor ? 1 : 0;
    words[place / 64] |= drawn << (place % 64);
  }
}

std::uint32_t collect(std::uint64_t* words, std::uint32_t marks_per_bit, std::size_t bit_count,
                      std::uint8_t* bits) {
  constexpr std::size_t kStep = 32;
  const int bit_shift = std::countr_zero(marks_per_bit);
  std::uint32_t total = 0;
  std::fill_n(bits, bit_count / 8, std::uint8_t{0});
  for (std::size_t i = 0; i < bit_count * marks_per_bit / 64; ++i) {
    if (words[i] == 0) continue;
    for (std::size_t at = 0; at < 64; at += kStep) {
      const auto set = static_cast<std::uint32_t>(std::popcount(static_cast<std::uint32_t>(words[i] >> at)));
      const std::size_t bit = (64 * i + at) >> bit_shift;
      bits[bit / 8] = static_cast<std::uint8_t>(bits[bit / 8] ^ (set & 1) << (bit % 8));
      total += set;
    }
    words[i] = 0;
  }
  return total;
}

std::uint32_t differing_bits(const std::uint8_t* a, const std::uint8_t* b, std::size_t bytes) {
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint32_t)) {
    std::uint32_t x;
    std::uint32_t y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    result += static_cast<std::uint32_t>(std::popcount(x ^ y));
  }
  return result;
}

void lower_minhash(const std::uint64_t* features, std::size_t count, std::uint32_t* minima) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint32_t>(features[i]);
    for (std::size_t p = 0; p < kPermutations; ++p) {
      const std::uint32_t permuted = (value ^ kPermutation.mask[p]) * kPermutation.multiplier[p];
      if (permuted < minima[p]) minima[p] = permuted;
    }
  }
}

// With the width known, a band is made without a loop.
template <std::size_t kWidth>
void make_band(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind,
               std::uint64_t number, Band& band) {
  // A variant is hashed as the key is up to the minimum that is replaced.
  std::array<std::uint64_t, kWidth> variants;
  std::uint64_t whole = begin_key(kind, number);
#pragma GCC unroll 4
  for (std::size_t e = 0; e < kWidth; ++e) {
#pragma GCC unroll 4
    for (std::size_t before = 0; before < e; ++before)
      variants[before] = with_minimum(variants[before], first[e]);
    variants[e] = with_minimum(whole, second[e]);
    whole = with_minimum(whole, first[e]);
  }
  band.width = kWidth;
  band.key = finish_key(whole);
#pragma GCC unroll 4
  for (std::size_t e = 0; e < kWidth; ++e) {
    band.variants[e] = second[e] == kNoMinimum ? band.key : finish_key(variants[e]);
    band.features[e] = minimum_feature(kind, first[e]);
    band.second_features[e] = minimum_feature(kind, second[e]);
  }
}

}  // namespace

void make_bands(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind, std::size_t count,
                std::size_t width, Band* bands) {
  const auto make = width == 4 ? make_band<4> : width == 3 ? make_band<3> : make_band<2>;
  for (std::size_t j = 0; j < count; ++j) make(first + j * width, second + j * width, kind, j, bands[j]);
}

const SketchKernels kSketchScalar = {count_code_points, hash_characters, hash_windows<3>,
                                     hash_windows<5>,   lower_minima,    select_low,
                                     select_below,      make_bands,      mark,
                                     collect,           differing_bits,  lower_minhash};

const SketchKernels& sketch_kernels(Isa tier) {
#if NEARDUP_X86
  if (tier == Isa::kAvx512) return kSketchAvx512;
  if (tier == Isa::kAvx2) return kSketchAvx2;
#endif
  (void)tier;
  return kSketchScalar;
}

}  // namespace neardup::internal
