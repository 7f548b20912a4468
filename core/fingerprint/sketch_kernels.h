// The inner loops of shingles, minima, bands, odd sketch and MinHash, once per tier of core/base/isa.h.
//
// sketch_scalar.cc defines each in plain words; sketch_avx2.cc and sketch_avx512.cc give the same bits. They
// are reached through the functions of shingle.h, minima.h, long_signature.h, odd_sketch.h and minhash.h;
// tests reach them here, tier by tier.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/isa.h"
#include "core/fingerprint/band.h"
#include "core/fingerprint/minima.h"
#include "core/fingerprint/shingle.h"

namespace neardup::internal {

struct SketchKernels {
  std::size_t (*count_code_points)(const char* text, std::size_t bytes);

  // The hash of each code point of valid UTF-8; returns their number. Writes up to kUnitSlack places more.
  std::size_t (*hash_characters)(const char* text, std::size_t bytes, std::uint64_t* hashes);

  // The hashes of the shingles that begin at the first `count` units. REQUIRES: count + width - 1 units.
  void (*hash_triples)(const std::uint64_t* units, std::size_t count, std::uint64_t* shingles);
  void (*hash_quintuples)(const std::uint64_t* units, std::size_t count, std::uint64_t* shingles);

  // Lowers the two least distinct values of each bin by those of `shingles`: bins[i] holds the first minimum
  // in its low half, the second in its high half, all ones for none.
  void (*lower_minima)(const std::uint64_t* shingles, std::size_t count, std::uint64_t* bins);

  // Copies the shingles whose value is not above `ceiling`, in their order; returns their number. `out` has
  // room for `count` and 8 more, written without meaning. It may be `shingles` itself.
  std::size_t (*select_low)(const std::uint64_t* shingles, std::size_t count, std::uint32_t ceiling,
                            std::uint64_t* out);

  // Copies the shingles whose value is below the second minimum of its bin, of bins as lower_minima has them;
  // likewise.
  std::size_t (*select_below)(const std::uint64_t* shingles, std::size_t count, const std::uint64_t* bins,
                              std::uint64_t* out);

  // Makes the first `count` bands of `width` minima each, for shingles of one kind. REQUIRES: both arrays
  // have kBins minima, and count * width of them are asked for at most; 2 <= width <= kBandMinima.
  void (*make_bands)(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind,
                     std::size_t count, std::size_t width, Band* bands);

  // Sets the marks of the shingles whose value is not below `floor`. Of `marks` bits, mark i is bit i % 64 of
  // words[i / 64].
  void (*mark)(const std::uint64_t* shingles, std::size_t count, std::uint32_t floor, std::uint32_t marks,
               std::uint64_t* words);

  // Bit i of `bits` becomes the parity of the `marks_per_bit` (32, 64 or 128) marks from i * marks_per_bit
  // on. Returns how many marks were set and clears them. REQUIRES: bit_count is a multiple of 16.
  std::uint32_t (*collect)(std::uint64_t* words, std::uint32_t marks_per_bit, std::size_t bit_count,
                           std::uint8_t* bits);

  // In how many bits two strings of bytes differ. REQUIRES: bytes <= 128, a multiple of 4.
  std::uint32_t (*differing_bits)(const std::uint8_t* a, const std::uint8_t* b, std::size_t bytes);

  // Lowers the minimum of each of the 64 permutations of minhash.h.
  void (*lower_minhash)(const std::uint64_t* features, std::size_t count, std::uint32_t* minima);
};

extern const SketchKernels kSketchScalar;
#if NEARDUP_X86
extern const SketchKernels kSketchAvx2;
extern const SketchKernels kSketchAvx512;
#endif

// Those of a tier. REQUIRES: the CPU has it.
const SketchKernels& sketch_kernels(Isa tier);

// Those of the tier in use.
inline const SketchKernels& sketch_kernels() {
  static const SketchKernels& chosen = sketch_kernels(isa());
  return chosen;
}

// --- The definitions that all tiers share: shingles ------------------------------------------------------

// Odd primes that are known to spread bits well (xxHash), and 2^64 / golden ratio.
inline constexpr std::uint32_t kCharacterMultiplier = 0x9E3779B1;
inline constexpr std::uint32_t kLowMultiplier = 0x9E3779B1;
inline constexpr std::uint32_t kHighMultiplier = 0xC2B2AE3D;
inline constexpr std::uint64_t kSeedMultiplier = 0x9E3779B97F4A7C15;  // of small numbers that seed a table
inline constexpr int kUnitRotation = 24;                              // whole bytes, which vectors shuffle

// A bijection of 32 bits and its full square: no two code points share a hash, and a difference of two code
// points does not undo that of two others, as it would with products.
constexpr std::uint64_t hash_character(char32_t code_point) {
  const std::uint64_t mixed = static_cast<std::uint32_t>(code_point * kCharacterMultiplier);
  return mixed * mixed;
}

// Both halves times a constant, one product with its halves swapped: so that each half of the sum takes the
// low half of a product, which is a bijection of one half of the state, and the high half of the other
// product, which hangs on all of the other half.
constexpr std::uint64_t finish_shingle(std::uint64_t state) {
  const std::uint64_t low = (state & 0xFFFFFFFF) * kLowMultiplier;
  const std::uint64_t high = (state >> 32) * kHighMultiplier;
  const std::uint64_t sum = low + std::rotl(high, 32);
  return sum ^ sum >> 29;
}

constexpr std::uint32_t shingle_value(std::uint64_t shingle) { return static_cast<std::uint32_t>(shingle); }

// Which of `places` a shingle falls on.
constexpr std::uint32_t shingle_place(std::uint64_t shingle, std::uint32_t places) {
  return static_cast<std::uint32_t>((shingle >> 32) * places >> 32);
}

// --- minima -----------------------------------------------------------------------------------------------

inline constexpr std::uint32_t kBins = 24;

// Both minima of a bin in one word and no branch: the value lands before, between or behind them, or is one
// of them.
constexpr void lower_bin(std::uint64_t& bin, std::uint32_t value) {
  const auto first = static_cast<std::uint32_t>(bin);
  const auto second = static_cast<std::uint32_t>(bin >> 32);
  const std::uint32_t low = value < first ? value : first;
  const std::uint32_t high = value < first ? first : value;
  const std::uint32_t next = high < second ? high : second;
  bin = std::uint64_t{value == first ? second : next} << 32 | low;
}

// --- bands ------------------------------------------------------------------------------------------------

// Each minimum is mixed into what those before it made, so their order counts.
inline constexpr std::uint64_t kMinimumMultiplier64 = 0xD6E8FEB86659FD93;
inline constexpr std::uint64_t kKeyMultiplier = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t kKeyMultiplier2 = 0x165667B19E3779F9;

constexpr std::uint64_t begin_key(ShingleKind kind, std::uint64_t band) {
  return (static_cast<std::uint64_t>(kind) << 8 | band) * kSeedMultiplier;
}
constexpr std::uint64_t with_minimum(std::uint64_t key, std::uint32_t minimum) {
  const std::uint64_t product = (key ^ minimum) * kMinimumMultiplier64;
  return product ^ product >> 32;
}
constexpr Key finish_key(std::uint64_t key) {
  std::uint64_t x = key * kKeyMultiplier;
  x ^= x >> 29;
  x *= kKeyMultiplier2;
  return x ^ x >> 32;
}

// The definition, and what AVX2 uses, which has no product of 64 bits.
void make_bands(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind, std::size_t count,
                std::size_t width, Band* bands);

// --- MinHash ----------------------------------------------------------------------------------------------

inline constexpr std::size_t kPermutations = 64;

struct Permutations {  // of 32-bit values: value -> (value ^ mask) * multiplier
  std::uint32_t mask[kPermutations];
  std::uint32_t multiplier[kPermutations];
};

constexpr Permutations make_permutations() {
  Permutations result{};
  for (std::size_t i = 0; i < kPermutations; ++i) {
    const std::uint64_t seed = finish_shingle((i + 1) * kSeedMultiplier);
    result.mask[i] = static_cast<std::uint32_t>(seed >> 32);
    result.multiplier[i] = static_cast<std::uint32_t>(seed) | 1;
  }
  return result;
}

inline constexpr Permutations kPermutation = make_permutations();

}  // namespace neardup::internal
