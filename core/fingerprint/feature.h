// What is counted in a text, and what 64 bits stand for it?
//
// A feature is a token (a word, or one character of a script written without spaces, see
// core/text/tokenizer.h), or a bigram: two token characters side by side.
//
//   token    its UTF-8 bytes, 8 to a word, little-endian, the last word padded with zeros: each word is added
//            to a state that is multiplied and folded; at least two words, the second one zero if need be
//   bigram   the features of its two tokens, mixed once more
//
// Every step of a token's hash can be undone, so no two tokens of up to 8 bytes share one. Longer ones and
// bigrams meet others with the chance of any 64-bit hash. The padding would confuse "a" with "a\0", but
// canonical text holds no NUL.
//
// Multiplications, shifts, additions and exclusive ors only: the same bits on every CPU, and eight at a time
// in vectors.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

// REQUIRES: UTF-8 without NUL, not empty.
std::uint64_t token_feature(std::string_view token);

// Of two characters side by side, given their token_feature().
std::uint64_t bigram_feature(std::uint64_t first, std::uint64_t second);

// 64 more bits of a feature, for fingerprints of 128.
std::uint64_t wide_feature(std::uint64_t feature);

namespace internal {

// Odd, so that multiplying can be undone. The first is 2^64 / golden ratio (Fibonacci hashing), the second is
// from the degski64 mixer, the third from MurmurHash3: known to spread bits well.
inline constexpr std::uint64_t kFirstMultiplier = 0x9E3779B97F4A7C15;
inline constexpr std::uint64_t kNextMultiplier = 0xD6E8FEB86659FD93;
inline constexpr std::uint64_t kLastMultiplier = 0xFF51AFD7ED558CCD;

}  // namespace internal
}  // namespace neardup
