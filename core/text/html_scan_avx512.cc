#include "core/text/html_scan.h"

#if NEARDUP_X86
#include <immintrin.h>

#include "core/base/prefetch_line.h"

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
#include "core/base/compress_avx512.inc"
namespace {

constexpr std::size_t kWidth = 64;

std::uint64_t equal(__m512i bytes, char c) { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c)); }

// White space, looked up by its low nibble: the entry is the one white space with that nibble, if there is
// one.
std::uint64_t spaces(__m512i bytes) {
  const __m512i by_nibble = _mm512_broadcast_i32x4(
      _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f', '\r', -1, -1));
  return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(by_nibble, bytes), bytes);
}

// The first `size` bytes, zero behind them; nothing else is read.
__m512i load(const char* bytes, std::size_t size) {
  if (size >= kWidth) return _mm512_loadu_si512(bytes);
  return _mm512_maskz_loadu_epi8((std::uint64_t{1} << size) - 1, bytes);
}

void classify(const char* bytes, std::size_t size, HtmlMasks& masks) {
  for (std::size_t block = 0; block * kWidth < size + kWidth; ++block) {
    const std::size_t i = block * kWidth;
    prefetch_line(bytes + i + kHtmlScanAhead);
    const __m512i chunk = i < size ? load(bytes + i, size - i) : _mm512_setzero_si512();
    masks.of[kLess][block] = equal(chunk, '<');
    masks.of[kAmpersand][block] = equal(chunk, '&');
    masks.of[kGreater][block] = equal(chunk, '>');
    masks.of[kDoubleQuote][block] = equal(chunk, '"');
    masks.of[kSingleQuote][block] = equal(chunk, '\'');
    masks.of[kSpace][block] = spaces(chunk);
    masks.of[kSlash][block] = equal(chunk, '/');
    masks.of[kEquals][block] = equal(chunk, '=');
  }
}

char* fold(const char* bytes, std::size_t size, std::size_t /*readable*/, char* out) {
  std::uint64_t after_space = out[-1] == ' ' || out[-1] == '\n' ? 1 : 0;
  for (std::size_t i = 0; i < size; i += kWidth) {
    const std::size_t left = size - i;
    const __m512i chunk = load(bytes + i, left);
    const std::uint64_t space = spaces(chunk);
    const std::uint64_t there = left >= kWidth ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    const std::uint64_t kept = there & ~(space & (space << 1 | after_space));
    const __m512i text = _mm512_mask_blend_epi8(space, chunk, _mm512_set1_epi8(' '));
    _mm512_storeu_si512(out, compress_8(kept, text));
    out += __builtin_popcountll(kept);
    after_space = space >> 63;
  }
  return out;
}

std::uint32_t commas(const char* text, std::size_t size) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < size; i += kWidth) {
    const std::size_t left = size - i;
    const __m512i first = load(text + i, left);
    count += static_cast<std::uint64_t>(__builtin_popcountll(equal(first, ',')));
    const std::uint64_t e3 = equal(first, '\xE3');
    const std::uint64_t ef = equal(first, '\xEF');
    const std::uint64_t d8 = equal(first, '\xD8');
    if ((e3 | ef | d8) == 0 || left < 2) continue;
    const __m512i second = load(text + i + 1, left - 1);
    const __m512i third = load(text + i + 2, left - 2);
    const std::uint64_t x81 = equal(third, '\x81');
    const std::uint64_t wide = (e3 & equal(second, '\x80') & (x81 | equal(third, '\x82'))) |
                               (ef & equal(second, '\xBC') &
                                (x81 | equal(third, '\x8C') | equal(third, '\x9B') | equal(third, '\x9F'))) |
                               (d8 & equal(second, '\x8C'));
    count += static_cast<std::uint64_t>(__builtin_popcountll(wide));
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

const HtmlKernels kHtmlKernelsAvx512 = {classify, fold, commas};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
