// How are 64 bits read that begin anywhere in a row of words?
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup {

// Bit `at` of the row is the lowest of what is returned. REQUIRES: the row has a word behind that of `at`.
inline std::uint64_t bits_from(const std::uint64_t* words, std::size_t at) {
  const std::size_t word = at / 64;
  const std::size_t bit = at % 64;
  // Shifted twice, for a shift by 64 is none.
  return words[word] >> bit | words[word + 1] << 1 << (63 - bit);
}

}  // namespace neardup
