// What is counted in a text, and what 64 bits stand for it?
//
// A feature is a word, one token character (of a script written without spaces, see core/text/tokenizer.h),
// or two token characters side by side. Its hash is made of 64-bit words:
//
//   word       its UTF-8 bytes, 8 to a word, little-endian, the last word padded with zeros
//   character  0xFE in the top byte, the code point below
//   bigram     0xFF in the top byte, the first code point at bit 21, the second at bit 0
//
// and every step of the hash can be undone, so no two inputs of one 64-bit word share a hash. 0xFE and 0xFF
// never occur in UTF-8: hence no character equals a bigram, and neither equals a word of up to 8 bytes.
// Longer words meet others with the chance of any 64-bit hash. The padding would confuse "a" with "a\0", but
// canonical text holds no NUL.
//
// Multiplications, shifts and additions only: the same bits on every CPU, and eight at a time in vectors.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

// REQUIRES: UTF-8 without NUL.
std::uint64_t word_feature(std::string_view word);

// REQUIRES: code points, < 2^21.
std::uint64_t character_feature(char32_t character);
std::uint64_t bigram_feature(char32_t first, char32_t second);

}  // namespace neardup
