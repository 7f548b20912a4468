// 64 characters a step: line ends are compressed away, one table of 128 entries gives all sextets, two
// multiply-adds join four of them to 24 bits, and a permutation puts these in order.
#include <cstdint>

#include "core/base/isa.h"
#include "service/codec/base64.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX512

namespace neardup::internal {
#include "core/base/compress_avx512.inc"
namespace {

constexpr std::uint8_t kNoSextet = 0x80;

struct alignas(64) Tables {
  std::uint8_t sextets[128] = {};
  std::uint8_t order[64] = {};

  constexpr Tables() {
    for (std::uint8_t& sextet : sextets) sextet = kNoSextet;
    for (unsigned i = 0; i < 26; ++i) {
      sextets['A' + i] = static_cast<std::uint8_t>(i);
      sextets['a' + i] = static_cast<std::uint8_t>(26 + i);
    }
    for (unsigned i = 0; i < 10; ++i) sextets['0' + i] = static_cast<std::uint8_t>(52 + i);
    sextets['+'] = sextets['-'] = 62;
    sextets['/'] = sextets['_'] = 63;
    for (unsigned i = 0; i < 48; ++i) order[i] = static_cast<std::uint8_t>(i / 3 * 4 + 2 - i % 3);
  }
};

constexpr Tables kTables;

std::uint64_t equal(__m512i block, char c) { return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(c)); }

}  // namespace

Base64Run decode_base64_avx512(std::string_view text, char* out) {
  const __m512i sextets_low = _mm512_load_si512(kTables.sextets);
  const __m512i sextets_high = _mm512_load_si512(kTables.sextets + 64);
  const __m512i order = _mm512_load_si512(kTables.order);
  Base64Run run;
  std::uint64_t standard = 0;
  std::uint64_t url = 0;
  while (text.size() - run.taken >= kBase64Step) {
    const __m512i block = _mm512_loadu_si512(text.data() + run.taken);
    __m512i sextets = _mm512_permutex2var_epi8(sextets_low, block, sextets_high);
    const std::uint64_t others = _mm512_movepi8_mask(_mm512_or_si512(sextets, block));
    std::size_t taken = kBase64Step;
    std::size_t written = 48;
    if (others != 0) {
      if ((others & ~(equal(block, '\n') | equal(block, '\r'))) != 0) break;
      const std::uint64_t kept = ~others;
      const auto whole = static_cast<unsigned>(__builtin_popcountll(kept)) / 4 * 4;
      if (whole == 0) break;
      taken = static_cast<std::size_t>(__builtin_ctzll(_pdep_u64(std::uint64_t{1} << (whole - 1), kept))) + 1;
      written = whole / 4 * 3;
      sextets = compress_8(kept, sextets);
    }
    standard |= equal(block, '+') | equal(block, '/');
    url |= equal(block, '-') | equal(block, '_');
    const __m512i twelve =
        _mm512_maddubs_epi16(sextets, _mm512_set1_epi32(0x01400140));  // first * 64 + second
    const __m512i joined = _mm512_madd_epi16(twelve, _mm512_set1_epi32(0x00011000));
    _mm512_storeu_si512(out + run.written, _mm512_permutexvar_epi8(order, joined));
    run.taken += taken;
    run.written += written;
  }
  run.standard = standard != 0;
  run.url = url != 0;
  return run;
}

}  // namespace neardup::internal

NEARDUP_END_TARGET
#endif
