// Where in a page are the few bytes that mean something, and what is a run of its text without needless
// spaces?
//
// Markup is cut by eight kinds of bytes. `classify` leaves a row of bits for each kind, bit i for byte i; so
// the tokenizer asks "where is the next '<' or '&'" by counting zeros and is itself free of vector code, and
// what it does cannot differ between CPUs.
//
//   page     <p class="a b">Tom  &amp; ...
//   kLess    1....................... ...          drawn with byte 0 at the left
//   kSpace   ..1.......1........11... ...
//
// Three kernels, each in three tiers with the same bits (see core/base/isa.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/bit_words.h"
#include "core/base/isa.h"

namespace neardup::internal {

enum HtmlByte : std::uint8_t {
  kLess,
  kAmpersand,
  kGreater,
  kDoubleQuote,
  kSingleQuote,
  kSpace,
  kSlash,
  kEquals
};
inline constexpr std::size_t kHtmlBytes = 8;

// Of up to kBytesMax bytes of a page.
struct HtmlMasks {
  static constexpr std::size_t kBytesMax = 4096 + 64;
  static constexpr std::size_t kWords = kBytesMax / 64 + 1;

  // Bit 0 is byte `at` rounded down to a multiple of eight; at least kBitsAhead bits from byte `at` on are
  // there.
  static constexpr std::size_t kBitsAhead = 57;
  std::uint64_t from(HtmlByte kind, std::size_t at) const {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t bits;
      std::memcpy(&bits, reinterpret_cast<const char*>(of[kind]) + at / 8, sizeof bits);
      return bits;
    } else {
      return bits_from(of[kind], at / 8 * 8);
    }
  }

  std::uint64_t of[kHtmlBytes][kWords];
};

// How far ahead of itself classify() asks memory for the page, in bytes: for the next window while this one
// is read. The CPU alone foresees no more than a page of 4 KiB, and each window would be waited for.
inline constexpr std::size_t kHtmlScanAhead = 4096;

struct HtmlKernels {
  // Fills ceil(size / 64) words of each row, and one more. Bits behind the last byte are 0.
  // REQUIRES: size <= HtmlMasks::kBytesMax.
  void (*classify)(const char* bytes, std::size_t size, HtmlMasks& masks);

  // Copies `size` bytes to `out`, every run of white space as one ' ', none at the start if out[-1] is ' ' or
  // '\n'. Returns the end of what it wrote; up to size + kFoldSlack bytes of `out` may be overwritten.
  // `readable` >= size: so many bytes may be read.
  char* (*fold)(const char* bytes, std::size_t size, std::size_t readable, char* out);

  // How many commas there are in the text, and marks that stand for a pause as a comma does where commas are
  // rare: , and the ideographic comma and stop, the full-width comma, semicolon, question and exclamation
  // mark, the Arabic comma.
  std::uint32_t (*commas)(const char* text, std::size_t size);
};

inline constexpr std::size_t kFoldSlack = 64;

const HtmlKernels& html_kernels(Isa isa);

// The tiers, for html_kernels() and for tests to compare.
extern const HtmlKernels kHtmlKernelsScalar;
#if NEARDUP_X86
extern const HtmlKernels kHtmlKernelsAvx2;
extern const HtmlKernels kHtmlKernelsAvx512;
#endif

// The definition of commas(), which the vector tiers use for what is left at the end.
std::uint32_t count_commas_scalar(const char* text, std::size_t size);
char* fold_spaces_scalar(const char* bytes, std::size_t size, std::size_t readable, char* out);

}  // namespace neardup::internal
