// Eight tags, or four fingerprints of 64 bits, at a time. AVX2 counts no bits: a table of 16 counts, looked
// up for each half of each byte (Mula), and sums. PEXT is left alone: Zen 1 and 2 are of this tier and take
// hundreds of cycles for it.
#include <algorithm>
#include <array>
#include <bit>

#include "core/base/isa.h"
#include "core/index/bucket_lanes.h"
#include "core/index/covering.h"
#include "core/index/hamming_probe.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
namespace probe_avx2 {
namespace {  // so that the linker gives none of it to others

template <class Word>
std::uint64_t gather(const BitChoice<Word>& choice, Word word) {
  return choice.gather(word);
}
template <class Word>
Word scatter(const BitChoice<Word>& choice, std::uint64_t number) {
  return choice.scatter(number);
}

inline void locate_lanes(const BucketLanes& lanes, const std::uint64_t* chosen, const std::uint64_t* rest,
                         std::uint64_t* keys, std::uint32_t* tags, const std::uint32_t** heads) {
  locate_buckets(lanes, chosen, rest, keys, tags, heads);
}

inline __m256i byte_counts(__m256i v) {
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(0xF);
  return _mm256_add_epi8(_mm256_shuffle_epi8(counts, _mm256_and_si256(v, half)),
                         _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));
}

inline std::uint32_t near_8(const std::uint32_t* words, __m256i query, __m256i above) {
  const __m256i v = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)), query);
  const __m256i pairs = _mm256_maddubs_epi16(byte_counts(v), _mm256_set1_epi8(1));
  const __m256i bits = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(above, bits))));
}

inline std::uint32_t equal_8(const std::uint32_t* words, __m256i query, __m256i mask) {
  const __m256i v = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)), query);
  const __m256i same = _mm256_cmpeq_epi32(_mm256_and_si256(v, mask), _mm256_setzero_si256());
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
}

inline std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance,
                               std::uint32_t equal) {
  const __m256i query = _mm256_set1_epi32(static_cast<int>(tag));
  const __m256i above = _mm256_set1_epi32(distance + 1);
  const __m256i mask = _mm256_set1_epi32(static_cast<int>(equal));
  return (near_8(line, query, above) & equal_8(line, query, mask)) |
         (near_8(line + 8, query, above) & equal_8(line + 8, query, mask)) << 8;
}

template <class Word>
constexpr std::size_t kLanes = 32 / sizeof(Word);

template <class Word>
std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance) {
  if (count < kLanes<Word>) {
    std::uint32_t near = 0;
    for (std::size_t i = 0; i < count; ++i) {
      near |= (differing_bits(words[i], query) <= distance ? 1U : 0U) << i;
    }
    return near;
  }
  if constexpr (sizeof(Word) == 4) {
    return near_8(words, _mm256_set1_epi32(static_cast<int>(query)), _mm256_set1_epi32(distance + 1));
  } else {
    const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    __m256i q;
    if constexpr (sizeof(Word) == 8) {
      q = _mm256_set1_epi64x(static_cast<long long>(query));
    } else {
      q = _mm256_setr_epi64x(static_cast<long long>(query.low), static_cast<long long>(query.high),
                             static_cast<long long>(query.low), static_cast<long long>(query.high));
    }
    __m256i bits = _mm256_sad_epu8(byte_counts(_mm256_xor_si256(loaded, q)), _mm256_setzero_si256());
    if constexpr (sizeof(Word) == 16) {
      bits = _mm256_add_epi64(bits, _mm256_shuffle_epi32(bits, 0x4E));  // the other limb's
    }
    const auto near = static_cast<std::uint32_t>(
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_set1_epi64x(distance + 1), bits))));
    if constexpr (sizeof(Word) == 16) {
      return (near & 1) | (near >> 1 & 2);
    } else {
      return near;
    }
  }
}

#include "core/index/hamming_probe.inl"

}  // namespace
}  // namespace probe_avx2

template <class Word>
const ProbeKernels<Word>& probe_kernels_avx2() {
  return probe_avx2::kKernels<Word>;
}
template const ProbeKernels<std::uint32_t>& probe_kernels_avx2();
template const ProbeKernels<std::uint64_t>& probe_kernels_avx2();
template const ProbeKernels<Word128>& probe_kernels_avx2();

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
