// What is counted in a text, and what 64 bits stand for it?
//
// A feature is a token (a word, or one character of a script written without spaces, see
// core/text/tokenizer.h), or a bigram: two token characters side by side.
//
//   token    its UTF-8 bytes less 32, 16 at a time, the last of them filled up with zeros: each 16 change a
//            state of as many, which three rounds of AES (aes_round.h) then mix; its first half is the hash
//   bigram   the features of its two tokens, multiplied and folded
//
// No byte of a token is 32 or below: so a space behind it is as the zeros it is filled up with, and vectors
// need not know whether one is there. (Nor are n-grams confused that end with one: they are hashed likewise,
// but all have as many characters.)
//
// After two rounds every byte of the state hangs on every other, after three no longer byte by byte. Half of
// the state is enough: two tokens meet with the chance of any 64-bit hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup {

// REQUIRES: canonical text, not empty.
std::uint64_t token_feature(std::string_view token);

// Of two characters side by side, given their token_feature().
std::uint64_t bigram_feature(std::uint64_t first, std::uint64_t second);

// 64 more bits of a feature, for fingerprints of 128.
std::uint64_t wide_feature(std::uint64_t feature);

namespace internal {

// The keys of the three rounds, lower half first: fraction bits of pi, 448 bits behind the point. Over one
// set of texts the luck of the keys makes five times as many false pairs, or as few, whatever the hash is; of
// the first twelve places in pi this one had the fewest over a year of news.
inline constexpr std::array<std::array<std::uint64_t, 2>, 3> kRoundKeys = {{
    {0x3F84D5B5B5470917, 0x9216D5D98979FB1B},
    {0xD1310BA698DFB5AC, 0x2FFD72DBD01ADFB7},
    {0xB8E1AFED6A267E96, 0xBA7C9045F12C7F99},
}};
inline constexpr std::size_t kTokenBlock = 16;       // bytes of a token that are mixed at once
inline constexpr std::uint8_t kTokenByteLeast = 32;  // is taken from each of them

// Odd, so that multiplying can be undone. The first is 2^64 / golden ratio (Fibonacci hashing), the second is
// from the degski64 mixer, the third from MurmurHash3: known to spread bits well.
inline constexpr std::uint64_t kFirstMultiplier = 0x9E3779B97F4A7C15;  // of wide_feature()
inline constexpr std::uint64_t kNextMultiplier = 0xD6E8FEB86659FD93;   // of bigrams
inline constexpr std::uint64_t kLastMultiplier = 0xFF51AFD7ED558CCD;   // of wide_feature()

}  // namespace internal
}  // namespace neardup
