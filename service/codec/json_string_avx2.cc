// The end of a string is searched 64 bytes a step, in two halves, escapes or not. What a string says is
// copied 32 bytes a step up to the next escape; escapes are taken one by one.
#include <cstdint>
#include <cstring>

#include "core/base/isa.h"
#include "core/text/utf8.h"
#include "service/codec/json_escapes.h"
#include "service/codec/json_string.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2

namespace neardup::internal {
namespace {

constexpr std::ptrdiff_t kStep = 64;
constexpr std::ptrdiff_t kHalf = 32;

struct Block {
  __m256i low;
  __m256i high;
};

std::uint64_t bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
}

__m256i load_half(const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

// The rest of the record, at most half a step or one step of it, zeros behind.
__m256i load_half(const char* at, const char* end) {
  if (end - at >= kHalf) return load_half(at);
  char rest[kHalf] = {};
  std::memcpy(rest, at, static_cast<std::size_t>(end - at));
  return load_half(rest);
}

Block load(const char* at, const char* end) {
  if (end - at >= kStep) return {load_half(at), load_half(at + kHalf)};
  char rest[kStep] = {};
  std::memcpy(rest, at, static_cast<std::size_t>(end - at));
  return {load_half(rest), load_half(rest + kHalf)};
}

std::uint64_t equal(const Block& block, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  return bits(_mm256_cmpeq_epi8(block.low, wanted), _mm256_cmpeq_epi8(block.high, wanted));
}

// Each byte's classes: those of its low half byte that are also those of its high one.
//   bit 0  0-9        3x           bit 3  \\          5C
//   bit 1  A-F a-f    4x 6x        bit 4  b f n      62 66 6E
//   bit 2  " /        22 2F        bit 5  r t u      72 74 75
__m256i classes(__m256i bytes) {
  const __m256i of_low = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(1, 3, 1 + 2 + 4 + 16 + 32, 3, 3 + 32, 3 + 32, 3 + 16, 1, 1, 1, 0, 0, 8, 0, 16, 4));
  const __m256i of_high =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 4, 1, 2, 8, 2 + 16, 32, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  return _mm256_and_si256(
      _mm256_shuffle_epi8(of_low, _mm256_and_si256(bytes, nibble)),
      _mm256_shuffle_epi8(of_high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

std::uint64_t in_class(__m256i low, __m256i high, char class_bits) {
  const __m256i mask = _mm256_set1_epi8(class_bits);
  const __m256i zero = _mm256_setzero_si256();
  return ~bits(_mm256_cmpeq_epi8(_mm256_and_si256(low, mask), zero),
               _mm256_cmpeq_epi8(_mm256_and_si256(high, mask), zero));
}

}  // namespace

JsonString find_string_end_avx2(const char* begin, const char* end) {
  const __m256i last_control = _mm256_set1_epi8(0x1F);
  std::uint64_t escaped = 0;  // backslashes before the stop, if any
  std::uint64_t beyond_ascii = 0;
  EscapeState state;
  for (const char* at = begin; at < end; at += kStep) {
    const Block block = load(at, end);
    StringBytes bytes;
    bytes.backslashes = equal(block, '\\');
    bytes.quotes = equal(block, '"');
    // The zeros behind the end are controls too, so an open string stops there.
    bytes.controls = bits(_mm256_cmpeq_epi8(_mm256_min_epu8(block.low, last_control), block.low),
                          _mm256_cmpeq_epi8(_mm256_min_epu8(block.high, last_control), block.high));
    const std::uint64_t high = bits(block.low, block.high);
    EscapeCheck check{bytes.quotes | bytes.controls, 0};
    if ((bytes.backslashes | state.first_is_escaped | state.digits_due) != 0) {
      const __m256i of_low = classes(block.low);
      const __m256i of_high = classes(block.high);
      EscapeBytes escape;
      escape.escapable = in_class(of_low, of_high, 4 + 8 + 16 + 32);
      escape.u = equal(block, 'u');
      escape.hex = in_class(of_low, of_high, 1 + 2);
      check = check_escapes(bytes, escape, state);
    }
    if (check.stops != 0) {
      const std::uint64_t up_to_stop = check.stops ^ (check.stops - 1);
      const int stop = __builtin_ctzll(check.stops);
      escaped |= bytes.backslashes & up_to_stop;
      beyond_ascii |= high & up_to_stop;
      const bool closed = (bytes.quotes >> stop & 1) != 0 && (check.wrong & up_to_stop) == 0;
      return {closed ? at + stop : nullptr, escaped != 0, beyond_ascii == 0};
    }
    if (check.wrong != 0) break;
    escaped |= bytes.backslashes;
    beyond_ascii |= high;
  }
  return {};
}

char* unescape_avx2(std::string_view raw, char* out) {
  const __m256i backslash = _mm256_set1_epi8('\\');
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (end - at >= kHalf) {
    const __m256i block = load_half(at);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), block);
    const auto found = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block, backslash)));
    if (found == 0) {
      at += kHalf;
      out += kHalf;
      continue;
    }
    const int plain = __builtin_ctz(found);
    at += plain;
    out += plain;
    do {
      const char meaning = kShortEscapes[static_cast<unsigned char>(at[1])];
      if (meaning != 0) {
        *out++ = meaning;
        at += 2;
      } else {
        take_escape(at, end, out);
      }
    } while (at < end && *at == '\\');
  }
  return unescape_scalar({at, static_cast<std::size_t>(end - at)}, out);
}

JsonReading read_string_avx2(const char* begin, const char* end, char* out) {
  const __m256i last_control = _mm256_set1_epi8(0x1F);
  unsigned beyond_ascii = 0;
  for (const char* at = begin; at < end;) {
    const __m256i block = load_half(at, end);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), block);
    // The zeros behind the end are controls too, so an open string stops there.
    const __m256i stops = _mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('"')),
                                          _mm256_cmpeq_epi8(_mm256_min_epu8(block, last_control), block));
    const __m256i special = _mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\')), stops);
    const auto found = static_cast<unsigned>(_mm256_movemask_epi8(special));
    const auto high = static_cast<unsigned>(_mm256_movemask_epi8(block));
    if (found == 0) {
      beyond_ascii |= high;
      at += kHalf;
      out += kHalf;
      continue;
    }
    const int plain = __builtin_ctz(found);
    beyond_ascii |= high & (found ^ (found - 1));
    at += plain;
    out += plain;
    if (at == end) break;
    if (*at == '"') return {at, out, beyond_ascii == 0 || is_utf8({begin, at})};
    do {
      if (*at != '\\' || !is_escape(at, end)) return {};
      take_escape(at, end, out);
    } while (at < end && *at == '\\');
  }
  return {};
}

}  // namespace neardup::internal

NEARDUP_END_TARGET
#endif
