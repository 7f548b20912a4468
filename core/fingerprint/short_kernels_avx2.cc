#include <cstddef>
#include <cstdint>

#include "core/fingerprint/short_kernels.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
namespace {

__m256i words_at(const char32_t* text) {
  return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text)));
}

// The low 64 bits of the products.
__m256i multiply(__m256i a, std::uint64_t factor) {
  const __m256i low = _mm256_set1_epi64x(static_cast<std::int64_t>(factor));
  const __m256i high = _mm256_set1_epi64x(static_cast<std::int64_t>(factor >> 32));
  const __m256i cross =
      _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
  return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(cross, 32));
}

// The hashes of four words are stored where the words were: out[i] of words[i].
void store_hashes(std::uint32_t* out, __m256i words) {
  __m256i x = multiply(words, kGramMultiplier1);
  x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 32)), kGramMultiplier2);
  const __m256i odd_lanes = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(odd_lanes));
}

// Four at a time, then those wanted are kept one by one: writing all and stepping by 0 or 1 has no branch.
std::size_t grams_avx2(const char32_t* text, const ScriptKind* kinds, std::size_t count, std::uint32_t* out) {
  const std::size_t pairs = count - 1;  // places with one character behind them
  std::size_t written = 0;
  alignas(16) std::uint32_t hashes[4];
  for (std::size_t i = 0; i < pairs; i += 4) {
    const __m256i two = _mm256_or_si256(words_at(text + i), _mm256_slli_epi64(words_at(text + i + 1), 21));
    const __m256i third = _mm256_slli_epi64(words_at(text + i + 2), 42);
    std::int64_t has_third[4];
    bool wanted[4];
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_bigram = kinds[i + k] != ScriptKind::kSpaced || kinds[i + k + 1] == ScriptKind::kSyllabic;
      has_third[k] = is_bigram ? 0 : -1;
      wanted[k] = i + k < pairs && (is_bigram || i + k + 1 < pairs);
    }
    const __m256i mask = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(has_third));
    store_hashes(hashes, _mm256_or_si256(two, _mm256_and_si256(third, mask)));
    for (std::size_t k = 0; k < 4; ++k) {
      out[written] = hashes[k];
      written += wanted[k];
    }
  }
  for (std::size_t i = 0; i < pairs; i += 4) {
    store_hashes(hashes, words_at(text + i));
    for (std::size_t k = 0; k < 4; ++k) {
      out[written] = hashes[k];
      written += i + k < pairs && kinds[i + k] == ScriptKind::kSyllabic;
    }
  }
  return written;
}

void minima_avx2(const std::uint32_t* features, std::size_t count, ShortMinima& out) {
  static_assert(kShortMinima % 8 == 0);
  const __m256i last = _mm256_set1_epi32(static_cast<int>(kMinimumMultiplier));
  for (std::size_t function = 0; function < kShortMinima; function += 8) {
    const __m256i offset =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(&kShortHashes.offset[function]));
    const __m256i factor =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(&kShortHashes.factor[function]));
    __m256i first = _mm256_set1_epi32(-1);
    __m256i second = first;
    for (std::size_t i = 0; i < count; ++i) {
      const __m256i feature = _mm256_set1_epi32(static_cast<int>(features[i]));
      __m256i x = _mm256_mullo_epi32(_mm256_xor_si256(feature, offset), factor);
      x = _mm256_mullo_epi32(_mm256_xor_si256(x, _mm256_srli_epi32(x, kMinimumShift)), last);
      second = _mm256_min_epu32(second, _mm256_max_epu32(first, x));
      first = _mm256_min_epu32(first, x);
    }
    _mm256_store_si256(reinterpret_cast<__m256i*>(&out.first[function]), first);
    _mm256_store_si256(reinterpret_cast<__m256i*>(&out.second[function]), second);
  }
}

}  // namespace

const ShortKernels kShortAvx2 = {grams_avx2, minima_avx2};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
