#include "core/text/html_scan.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <cstring>

#include "core/base/prefetch_line.h"

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
namespace {

constexpr std::size_t kWidth = 32;

std::uint32_t equal(__m256i bytes, char c) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))));
}

// White space, looked up by its low nibble: the entry is the one white space with that nibble, if there is
// one.
__m256i spaces(__m256i bytes) {
  const __m256i by_nibble =
      _mm256_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f', '\r', -1, -1, ' ', -1, -1,
                       -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f', '\r', -1, -1);
  return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_nibble, bytes), bytes);
}

std::uint32_t space_mask(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(spaces(bytes)));
}

__m256i load(const char* bytes) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)); }

std::uint64_t both(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

void classify_block(const char* bytes, HtmlMasks& masks, std::size_t block) {
  const __m256i low = load(bytes);
  const __m256i high = load(bytes + kWidth);
  masks.of[kLess][block] = both(equal(low, '<'), equal(high, '<'));
  masks.of[kAmpersand][block] = both(equal(low, '&'), equal(high, '&'));
  masks.of[kGreater][block] = both(equal(low, '>'), equal(high, '>'));
  masks.of[kDoubleQuote][block] = both(equal(low, '"'), equal(high, '"'));
  masks.of[kSingleQuote][block] = both(equal(low, '\''), equal(high, '\''));
  masks.of[kSpace][block] = both(space_mask(low), space_mask(high));
  masks.of[kSlash][block] = both(equal(low, '/'), equal(high, '/'));
  masks.of[kEquals][block] = both(equal(low, '='), equal(high, '='));
}

void classify(const char* bytes, std::size_t size, HtmlMasks& masks) {
  std::size_t block = 0;
  for (; size >= 64; size -= 64, bytes += 64) {
    prefetch_line(bytes + kHtmlScanAhead);
    classify_block(bytes, masks, block++);
  }
  if (size > 0) {
    alignas(kWidth) char rest[64] = {};
    std::memcpy(rest, bytes, size);
    classify_block(rest, masks, block++);
  }
  for (std::uint64_t(&row)[HtmlMasks::kWords] : masks.of) row[block] = 0;
}

char* fold(const char* bytes, std::size_t size, std::size_t readable, char* out) {
  std::size_t i = 0;
  while (i < size && readable - i >= kWidth) {
    const __m256i chunk = load(bytes + i);
    const __m256i space = spaces(chunk);
    const auto is_space = static_cast<std::uint32_t>(_mm256_movemask_epi8(space));
    const std::uint32_t after_space = out[-1] == ' ' || out[-1] == '\n' ? 1 : 0;
    const std::size_t left = size - i < kWidth ? size - i : kWidth;
    // Up to the first space behind a space the chunk goes over as it is; then all spaces there are skipped.
    const std::uint32_t surplus = is_space & (is_space << 1 | after_space);
    const std::size_t whole = surplus == 0 ? kWidth : static_cast<std::size_t>(__builtin_ctz(surplus));
    const std::size_t taken = whole < left ? whole : left;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_blendv_epi8(chunk, _mm256_set1_epi8(' '), space));
    out += taken;
    i += taken;
    if (whole >= left) continue;
    const std::uint32_t words = ~is_space >> whole;
    i += words == 0 ? kWidth - whole : static_cast<std::size_t>(__builtin_ctz(words));
  }
  return i < size ? fold_spaces_scalar(bytes + i, size - i, size - i, out) : out;
}

std::uint32_t commas(const char* text, std::size_t size) {
  std::uint32_t count = 0;
  std::size_t i = 0;
  for (; i + kWidth + 2 <= size; i += kWidth) {
    const __m256i first = load(text + i);
    count += static_cast<std::uint32_t>(__builtin_popcount(equal(first, ',')));
    const std::uint32_t e3 = equal(first, '\xE3');
    const std::uint32_t ef = equal(first, '\xEF');
    const std::uint32_t d8 = equal(first, '\xD8');
    if ((e3 | ef | d8) == 0) continue;
    const __m256i second = load(text + i + 1);
    const __m256i third = load(text + i + 2);
    const std::uint32_t x81 = equal(third, '\x81');
    const std::uint32_t wide = (e3 & equal(second, '\x80') & (x81 | equal(third, '\x82'))) |
                               (ef & equal(second, '\xBC') &
                                (x81 | equal(third, '\x8C') | equal(third, '\x9B') | equal(third, '\x9F'))) |
                               (d8 & equal(second, '\x8C'));
    count += static_cast<std::uint32_t>(__builtin_popcount(wide));
  }
  return count + count_commas_scalar(text + i, size - i);
}

}  // namespace

const HtmlKernels kHtmlKernelsAvx2 = {classify, fold, commas};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
