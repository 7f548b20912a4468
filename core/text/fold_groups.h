// What does a vector kernel read instead of the fold table?
//
// A group holds the canonical form of 128 code points that follow each other, which is what one vector
// look-up reaches: the last seven bits of a code point are its place, the rest is the group's number. In
// UTF-8 those are the last bit of the byte before the last one, and six bits of the last. Only what does not
// hang on neighbours, and is no longer than it was, is in a group. The rest, and whatever is not UTF-8, is
// kByDefinition: the kernel stops before it, and the scalar definition does it.
//
// Groups are made from the fold table at first use, so that there is one truth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/text/folder.h"

namespace neardup::internal {

// What becomes of one character, in a byte: ASCII is a character of a word (or '0' .. '9'), in its stead. Of
// several bytes: the flags.
inline constexpr std::uint8_t kVanishes = 0;
inline constexpr std::uint8_t kSeparates = ' ';
inline constexpr std::uint8_t kStays = 0x80;  // set for all of the following
inline constexpr std::uint8_t kStaysCharacter = 0x01;
inline constexpr std::uint8_t kStaysHangul = 0x02;
inline constexpr std::uint8_t kRewritten = 0x04;  // FoldGroup::bytes are written in its stead
inline constexpr std::uint8_t kOrdered = 0x08;    // a kept mark; bytes[0] is its canonical combining class
inline constexpr std::uint8_t kByDefinition = 0xFF;

struct alignas(64) FoldGroup {
  static constexpr std::size_t kSize = 128;

  std::uint8_t action[kSize];
  std::uint8_t bytes[3][kSize];  // of what is rewritten; 0 where it is shorter
  bool rewrites = false;         // one of them at least
  bool orders = false;
};

inline constexpr std::uint8_t kAmong2000 = 1, kAmong3000 = 2, kAmongFf00 = 4;

struct FoldGroups {
  static constexpr std::size_t kCount = 0x10000 / FoldGroup::kSize;

  // Of what almost every text has some, at hand: ASCII; quotes and dashes; what stands among ideographs.
  FoldGroup ascii, latin_0080, punctuation_2000, punctuation_3000, kana_3080;
  // kSeparates for the second bytes behind E2 whose 64 characters all separate: arrows, boxes, symbols.
  alignas(64) std::array<std::uint8_t, 64> symbols_e2;
  // What separates of U+2000, U+3000 and U+FF00 and the 63 behind each: kAmong2000 and so on, by the last six
  // bits.
  alignas(64) std::array<std::uint8_t, 64> separators;
  // The same by the last four bits, for look-ups of 16: bit i where the two bits before are i, of U+2000 and,
  // as bit 4 + i, of U+3000; then of U+FF00.
  alignas(16) std::array<std::uint8_t, 16> separators_2000_3000{};
  alignas(16) std::array<std::uint8_t, 16> separators_ff00{};
  bool ideographs_stay;  // U+4E00 to U+9FFF all stay what they are

  std::vector<FoldGroup> groups;  // all that differ
  std::array<std::uint16_t, kCount> index;

  const FoldGroup& operator[](std::size_t number) const { return groups[index[number]]; }
};

const FoldGroups& fold_groups(FoldOptions options);

}  // namespace neardup::internal
