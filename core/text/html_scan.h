// Where in a page are the few bytes that mean something, and what is a run of its text without needless
// spaces?
//
// Markup is cut by eight kinds of bytes. For every 64 bytes of a page `classify` leaves eight words, one for
// each kind, bit i for byte i; so the tokenizer asks "where is the next '<' or '&'" by counting zeros and is
// itself free of vector code, and what it does cannot differ between CPUs.
//
//   page     <p class="a b">Tom  &amp; ...
//   kLess    1....................... ...          drawn with byte 0 at the left
//   kSpace   ..1.......1........11... ...
//
// Three kernels, each in three tiers with the same bits (see core/base/isa.h).
#pragma once

#include <cstddef>
#include <cstdint>

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

// White space of HTML: tab, line feed, form feed, carriage return, space.
constexpr bool is_html_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

// One cache line for 64 bytes of page.
struct HtmlMasks {
  std::uint64_t of[kHtmlBytes];
};

struct HtmlKernels {
  // Fills ceil(size / 64) masks. Bits behind the last byte are 0.
  void (*classify)(const char* bytes, std::size_t size, HtmlMasks* masks);

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
