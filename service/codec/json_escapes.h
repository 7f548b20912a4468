// Which characters of a JSON string are escapes, 64 at a time?
//
// For the vector kernels of json_string.h: they turn 64 bytes into masks, bit i for byte i, and the rest is
// the same arithmetic for every instruction set. Always inlined, because a shared copy could be compiled for
// instructions that are not there.
#pragma once

#include <cstdint>

namespace neardup::internal {

#define NEARDUP_INLINE [[gnu::always_inline]] static inline

// In each run of backslashes the first begins an escape, the second ends it, the third begins one ... Marks
// every beginning, and the byte behind a run of odd length, which is escaped by its last. (Subtracting a run
// from the bit behind it, or from an odd bit in it, turns over all bits in between: those on odd or on even
// places, as the run began on an even or an odd one.)
NEARDUP_INLINE std::uint64_t escape_starts_and_ends(std::uint64_t backslashes) {
  constexpr std::uint64_t kOddBits = 0xAAAAAAAAAAAAAAAA;
  return (((backslashes << 1) | kOddBits) - backslashes) ^ kOddBits;
}

// The bytes of one block that matter in a string.
struct StringBytes {
  std::uint64_t backslashes = 0;
  std::uint64_t quotes = 0;
  std::uint64_t controls = 0;
};

// What stands behind backslashes.
struct EscapeBytes {
  std::uint64_t escapable = 0;  // " \ / b f n r t u
  std::uint64_t u = 0;
  std::uint64_t hex = 0;
};

// Carried from one block of a string to the next.
struct EscapeState {
  std::uint64_t first_is_escaped = 0;  // 1: the block before ended with the backslash of an escape
  std::uint64_t digits_due = 0;        // the first bytes that have to be digits of an escape begun earlier
};

struct EscapeCheck {
  std::uint64_t stops = 0;  // a quote or a control character: the string cannot go on
  std::uint64_t wrong = 0;  // what breaks an escape
};

NEARDUP_INLINE EscapeCheck check_escapes(const StringBytes& bytes, const EscapeBytes& escape,
                                         EscapeState& state) {
  const std::uint64_t both = escape_starts_and_ends(bytes.backslashes & ~state.first_is_escaped);
  const std::uint64_t escaped = both ^ (bytes.backslashes | state.first_is_escaped);
  EscapeCheck check{(bytes.quotes & ~escaped) | bytes.controls, escaped & ~escape.escapable};
  const std::uint64_t u = escaped & escape.u;
  state.first_is_escaped = (both & bytes.backslashes) >> 63;
  if ((u | state.digits_due) == 0) return check;  // most texts have none, the others nothing else
  const std::uint64_t due = (u << 1) | (u << 2) | (u << 3) | (u << 4) | state.digits_due;
  state.digits_due = (u >> 63) | (u >> 62) | (u >> 61) | (u >> 60);
  check.wrong |= due & ~escape.hex;
  return check;
}

#undef NEARDUP_INLINE

}  // namespace neardup::internal
