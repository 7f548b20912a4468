#include <cstddef>
#include <cstdint>

#include "core/fingerprint/short_kernels.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
#include "core/base/compress_avx512.inc"
namespace {

__m512i words_at(const char32_t* text) {
  return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)));
}

__m256i hashes_of(__m512i words) {
  __m512i x = _mm512_mullo_epi64(words, _mm512_set1_epi64(static_cast<std::int64_t>(kGramMultiplier1)));
  x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
  x = _mm512_mullo_epi64(x, _mm512_set1_epi64(static_cast<std::int64_t>(kGramMultiplier2)));
  return _mm512_cvtepi64_epi32(_mm512_srli_epi64(x, 32));
}

std::size_t append(std::uint32_t* out, __mmask8 wanted, __m256i hashes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), compress_32(wanted, hashes));
  return static_cast<std::size_t>(_mm_popcnt_u32(wanted));
}

// Eight kinds at once, as bits.
struct Kinds {
  __mmask8 syllabic;
  __mmask8 not_spaced;
};
Kinds kinds_at(const ScriptKind* kinds) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kinds));
  const __m128i syllabic = _mm_set1_epi8(static_cast<char>(ScriptKind::kSyllabic));
  return {static_cast<__mmask8>(_mm_cmpeq_epi8_mask(bytes, syllabic)),
          static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes))};
}

__mmask8 first_of(std::size_t count) { return static_cast<__mmask8>(count < 8 ? (1U << count) - 1 : 0xFF); }

std::size_t grams_avx512(const char32_t* text, const ScriptKind* kinds, std::size_t count,
                         std::uint32_t* out) {
  const std::size_t pairs = count - 1;  // places with one character behind them
  std::size_t written = 0;
  bool any_syllabic = false;
  for (std::size_t i = 0; i < pairs; i += 8) {
    const Kinds here = kinds_at(kinds + i);
    const Kinds next = kinds_at(kinds + i + 1);
    const __mmask8 inside = first_of(pairs - i);
    const __mmask8 with_third = first_of(pairs - i - 1);
    const auto bigram = static_cast<__mmask8>(here.not_spaced | next.syllabic);
    any_syllabic |= here.syllabic != 0;
    const __m512i two = _mm512_or_si512(words_at(text + i), _mm512_slli_epi64(words_at(text + i + 1), 21));
    const __m512i third = _mm512_slli_epi64(words_at(text + i + 2), 42);
    const __m512i words = _mm512_mask_or_epi64(two, static_cast<__mmask8>(~bigram), two, third);
    const auto wanted = static_cast<__mmask8>(inside & (bigram | with_third));
    written += append(out + written, wanted, hashes_of(words));
  }
  if (!any_syllabic) return written;
  for (std::size_t i = 0; i < pairs; i += 8) {
    const auto wanted = static_cast<__mmask8>(kinds_at(kinds + i).syllabic & first_of(pairs - i));
    if (wanted != 0) written += append(out + written, wanted, hashes_of(words_at(text + i)));
  }
  return written;
}

// Forty functions are two and a half registers.
void minima_avx512(const std::uint32_t* features, std::size_t count, ShortMinima& out) {
  static_assert(kShortMinima == 40);
  const __m512i offset0 = _mm512_load_si512(&kShortHashes.offset[0]);
  const __m512i offset1 = _mm512_load_si512(&kShortHashes.offset[16]);
  const __m256i offset2 = _mm256_load_si256(reinterpret_cast<const __m256i*>(&kShortHashes.offset[32]));
  const __m512i factor0 = _mm512_load_si512(&kShortHashes.factor[0]);
  const __m512i factor1 = _mm512_load_si512(&kShortHashes.factor[16]);
  const __m256i factor2 = _mm256_load_si256(reinterpret_cast<const __m256i*>(&kShortHashes.factor[32]));
  const __m512i last = _mm512_set1_epi32(static_cast<int>(kMinimumMultiplier));
  __m512i first0 = _mm512_set1_epi32(-1);
  __m512i second0 = first0;
  __m512i first1 = first0;
  __m512i second1 = first0;
  __m256i first2 = _mm256_set1_epi32(-1);
  __m256i second2 = first2;
  for (std::size_t i = 0; i < count; ++i) {
    const __m512i feature = _mm512_set1_epi32(static_cast<int>(features[i]));
    __m512i a = _mm512_mullo_epi32(_mm512_xor_si512(feature, offset0), factor0);
    __m512i b = _mm512_mullo_epi32(_mm512_xor_si512(feature, offset1), factor1);
    __m256i c = _mm256_mullo_epi32(_mm256_xor_si256(_mm512_castsi512_si256(feature), offset2), factor2);
    a = _mm512_mullo_epi32(_mm512_xor_si512(a, _mm512_srli_epi32(a, kMinimumShift)), last);
    b = _mm512_mullo_epi32(_mm512_xor_si512(b, _mm512_srli_epi32(b, kMinimumShift)), last);
    c = _mm256_mullo_epi32(_mm256_xor_si256(c, _mm256_srli_epi32(c, kMinimumShift)),
                           _mm512_castsi512_si256(last));
    second0 = _mm512_min_epu32(second0, _mm512_max_epu32(first0, a));
    second1 = _mm512_min_epu32(second1, _mm512_max_epu32(first1, b));
    second2 = _mm256_min_epu32(second2, _mm256_max_epu32(first2, c));
    first0 = _mm512_min_epu32(first0, a);
    first1 = _mm512_min_epu32(first1, b);
    first2 = _mm256_min_epu32(first2, c);
  }
  _mm512_store_si512(&out.first[0], first0);
  _mm512_store_si512(&out.first[16], first1);
  _mm256_store_si256(reinterpret_cast<__m256i*>(&out.first[32]), first2);
  _mm512_store_si512(&out.second[0], second0);
  _mm512_store_si512(&out.second[16], second1);
  _mm256_store_si256(reinterpret_cast<__m256i*>(&out.second[32]), second2);
}

}  // namespace

const ShortKernels kShortAvx512 = {grams_avx512, minima_avx512};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
