// The loops of short_signature.cc that run over every gram of a text: what each is, and who does it.
//
// One scalar definition, and AVX2 and AVX-512 versions with the same answers (see core/base/isa.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/isa.h"
#include "core/fingerprint/short_signature.h"

namespace neardup::internal {

// How the characters of a script are cut into grams.
enum class ScriptKind : std::uint8_t {
  kSpaced,    // trigrams
  kUnspaced,  // Thai and its kin: bigrams
  kSyllabic,  // Han, kana, Hangul: characters and bigrams
};

inline constexpr std::uint64_t kGramMultiplier1 = 0x9E3779B97F4A7C15;
inline constexpr std::uint64_t kGramMultiplier2 = 0xD6E8FEB86659FD93;
inline constexpr std::uint32_t kMinimumMultiplier = 0x846CA68B;
inline constexpr int kMinimumShift = 15;

// Characters are less than 2^21; the places after a short gram's last are 0.
constexpr std::uint64_t gram_word(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  return first | second << 21 | third << 42;
}

constexpr std::uint32_t gram_hash(std::uint64_t word) {
  std::uint64_t x = word * kGramMultiplier1;
  x ^= x >> 32;
  return static_cast<std::uint32_t>(x * kGramMultiplier2 >> 32);
}

// Of each hash function: a word to combine a feature with, and an odd factor. 64 bits of SplitMix64, its
// output number 2i and 2i + 1 from state 0.
struct ShortHashes {
  alignas(64) std::array<std::uint32_t, kShortMinima> offset;
  alignas(64) std::array<std::uint32_t, kShortMinima> factor;
};

constexpr std::uint64_t split_mix(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

constexpr ShortHashes make_short_hashes() {
  ShortHashes hashes{};
  for (std::size_t i = 0; i < kShortMinima; ++i) {
    hashes.offset[i] = static_cast<std::uint32_t>(split_mix(2 * i) >> 32);
    hashes.factor[i] = static_cast<std::uint32_t>(split_mix(2 * i + 1) >> 32) | 1;
  }
  return hashes;
}
inline constexpr ShortHashes kShortHashes = make_short_hashes();

constexpr std::uint32_t short_hash(std::uint32_t feature, std::size_t function) {
  std::uint32_t x = (feature ^ kShortHashes.offset[function]) * kShortHashes.factor[function];
  x ^= x >> kMinimumShift;
  return x * kMinimumMultiplier;
}

// What the vector versions may read beyond the count, and write beyond it.
inline constexpr std::size_t kShortSlack = 16;

struct ShortKernels {
  // Writes the hashes of all grams, the longer ones first, then the single characters; returns how many.
  // `text` are `count` characters with the marks of begin and end at their ends; `kinds` theirs, that of
  // the first being what comes after it if that is kUnspaced.
  std::size_t (*grams)(const char32_t* text, const ScriptKind* kinds, std::size_t count, std::uint32_t* out);

  // The least two hashes of the features under each hash function; kNoMinimum where there is none.
  void (*minima)(const std::uint32_t* features, std::size_t count, ShortMinima& out);
};

extern const ShortKernels kShortScalar;
#if NEARDUP_X86
extern const ShortKernels kShortAvx2;
extern const ShortKernels kShortAvx512;
#endif

const ShortKernels& short_kernels();  // those of isa()

}  // namespace neardup::internal
