// Do so many numbers of two short texts differ that they cannot be the same text, whatever else they share?
//
// Two fillings of one form nearly always differ in several numbers (replaced_tokens.h), and the numbers of a
// text are found in a fraction of the time that it takes to count its edits or all of its tokens. So texts
// are asked this first. Both figures err on the side of "may be the same"; who passes is asked the rest.
//
//   numbers replaced, at least   of those that are ASCII digits alone; what only shares a bit of the table
//                                with another, or is there more often in one text, counts as shared
//   tokens, at most              each character from U+0E00 on counts as one, be it part of a word or not
//
// The characters are told apart sixteen at a time, into a bit each; the rest is done with words of bits.
//
// Cost:    some 40 ns for a text of 100 characters; nothing where the pattern has no two numbers.
// Threads: the const functions may run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/detector/replaced_tokens.h"

namespace neardup {

// The numbers of one text that others are compared with.
class NumberPattern {
 public:
  // REQUIRES: the characters of a canonical text, at most TokenPattern::kTokensMax.
  void set(std::span<const char32_t> text);

  // Of what TokenPattern::compare() finds: as many `numbers` or less, as many `tokens` or more, and nothing
  // else. So if is_same_filling() refuses this, it refuses that. REQUIRES: as set().
  ReplacedTokens least_replaced(std::span<const char32_t> other) const;

 private:
  static constexpr unsigned kSlotBits = 10;

  bool has(std::uint64_t number) const;

  std::array<std::uint64_t, (1U << kSlotBits) / 64> slots_{};  // a bit each: by the number's hash
  unsigned numbers_ = 0;
  unsigned tokens_ = 0;
};

}  // namespace neardup
