// 64 characters a step, in two halves: a character's sextet is the character and an offset, which hangs on
// the range it is in; then two multiply-adds join four sextets to 24 bits, and a shuffle puts these in order.
#include "core/base/isa.h"
#include "service/codec/base64.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2

namespace neardup::internal {
namespace {

struct Half {
  __m256i sextets;
  __m256i standard;
  __m256i url;
  bool valid;
};

__m256i between(__m256i block, char first, char last) {  // bytes of 0x80 and above are negative: never
  return _mm256_and_si256(_mm256_cmpgt_epi8(block, _mm256_set1_epi8(static_cast<char>(first - 1))),
                          _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(last + 1)), block));
}

__m256i where(__m256i mask, int offset) {
  return _mm256_and_si256(mask, _mm256_set1_epi8(static_cast<char>(offset)));
}

Half translate(const char* at) {
  const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i upper = between(block, 'A', 'Z');
  const __m256i lower = between(block, 'a', 'z');
  const __m256i digit = between(block, '0', '9');
  const __m256i plus = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('+'));
  const __m256i slash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('/'));
  const __m256i minus = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('-'));
  const __m256i underscore = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('_'));

  __m256i offset = _mm256_or_si256(where(upper, -'A'), where(lower, 26 - 'a'));
  offset = _mm256_or_si256(offset, where(digit, 52 - '0'));
  offset = _mm256_or_si256(offset, _mm256_or_si256(where(plus, 62 - '+'), where(slash, 63 - '/')));
  offset = _mm256_or_si256(offset, _mm256_or_si256(where(minus, 62 - '-'), where(underscore, 63 - '_')));

  Half half{};
  half.sextets = _mm256_add_epi8(block, offset);
  half.standard = _mm256_or_si256(plus, slash);
  half.url = _mm256_or_si256(minus, underscore);
  const __m256i known = _mm256_or_si256(_mm256_or_si256(_mm256_or_si256(upper, lower), digit),
                                        _mm256_or_si256(half.standard, half.url));
  half.valid = _mm256_movemask_epi8(known) == -1;
  return half;
}

// Writes 32 bytes, of which 24 count.
void join(__m256i sextets, char* out) {
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,  //
                                         2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i twelve = _mm256_maddubs_epi16(sextets, _mm256_set1_epi32(0x01400140));  // first * 64 + second
  const __m256i whole = _mm256_madd_epi16(twelve, _mm256_set1_epi32(0x00011000));
  const __m256i bytes = _mm256_shuffle_epi8(whole, order);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7)));
}

}  // namespace

Base64Run decode_base64_avx2(std::string_view text, char* out) {
  Base64Run run;
  __m256i standard = _mm256_setzero_si256();
  __m256i url = _mm256_setzero_si256();
  while (text.size() - run.taken >= kBase64Step) {
    const Half first = translate(text.data() + run.taken);
    const Half second = translate(text.data() + run.taken + kBase64Step / 2);
    if (!first.valid || !second.valid) break;
    standard = _mm256_or_si256(standard, _mm256_or_si256(first.standard, second.standard));
    url = _mm256_or_si256(url, _mm256_or_si256(first.url, second.url));
    join(first.sextets, out + run.written);
    join(second.sextets, out + run.written + 24);
    run.taken += kBase64Step;
    run.written += 48;
  }
  run.standard = _mm256_testz_si256(standard, standard) == 0;
  run.url = _mm256_testz_si256(url, url) == 0;
  return run;
}

}  // namespace neardup::internal

NEARDUP_END_TARGET
#endif
