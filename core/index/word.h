// What is a fingerprint to the index?
//
// A word of 32, 64 or 128 bits, and nothing else: where the bits come from plays no part. This file has the
// few operations that all widths share, so that the index is written once. Bit 0 is the lowest.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <type_traits>

namespace neardup {

struct Word128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend constexpr Word128 operator^(Word128 a, Word128 b) { return {a.low ^ b.low, a.high ^ b.high}; }
  friend constexpr Word128 operator&(Word128 a, Word128 b) { return {a.low & b.low, a.high & b.high}; }
  friend constexpr Word128 operator|(Word128 a, Word128 b) { return {a.low | b.low, a.high | b.high}; }
  friend constexpr Word128 operator~(Word128 a) { return {~a.low, ~a.high}; }
  friend constexpr auto operator<=>(const Word128&, const Word128&) = default;
};

// WordOf<64> is std::uint64_t, and so on.
template <int kWidth>
using WordOf =
    std::conditional_t<kWidth == 32, std::uint32_t, std::conditional_t<kWidth == 64, std::uint64_t, Word128>>;

template <class Word>
inline constexpr int kWidthOf = static_cast<int>(8 * sizeof(Word));

constexpr int count_bits(std::uint32_t word) { return std::popcount(word); }
constexpr int count_bits(std::uint64_t word) { return std::popcount(word); }
constexpr int count_bits(Word128 word) { return std::popcount(word.low) + std::popcount(word.high); }

// In how many bits two words differ.
template <class Word>
constexpr int differing_bits(Word a, Word b) {
  return count_bits(a ^ b);
}

// Thirty-two bits, in no more of which two words differ than as a whole.
constexpr std::uint32_t fold(std::uint32_t word) { return word; }
constexpr std::uint32_t fold(std::uint64_t word) { return static_cast<std::uint32_t>(word ^ word >> 32); }
constexpr std::uint32_t fold(Word128 word) { return fold(word.low ^ word.high); }

// A word as limbs of 64 bits, the lowest first.
template <class Word>
inline constexpr int kLimbsOf = sizeof(Word) > 8 ? 2 : 1;

template <class Word>
constexpr std::uint64_t limb(Word word, int index) {
  if constexpr (kLimbsOf<Word> == 2) {
    return index == 0 ? word.low : word.high;
  } else {
    static_cast<void>(index);
    return word;
  }
}

template <class Word>
constexpr Word word_of(std::uint64_t low, std::uint64_t high = 0) {
  if constexpr (kLimbsOf<Word> == 2) {
    return {low, high};
  } else {
    static_cast<void>(high);
    return static_cast<Word>(low);
  }
}

// The word that has only this bit. REQUIRES: 0 <= bit < width.
template <class Word>
constexpr Word one_bit(int bit) {
  return bit < 64 ? word_of<Word>(std::uint64_t{1} << bit) : word_of<Word>(0, std::uint64_t{1} << (bit - 64));
}

template <class Word>
constexpr bool has_bit(Word word, int bit) {
  return (limb(word, bit / 64) >> (bit % 64) & 1) != 0;
}

}  // namespace neardup
