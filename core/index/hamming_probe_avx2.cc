// Eight tags, or four fingerprints of 64 bits, at a time. AVX2 counts no bits: a table of 16 counts, looked
// up for each half of each byte (Mula), and sums. Compiled twice, with PEXT and without: Zen 1 and 2 are of
// this tier as well, and take hundreds of cycles for it.
#include <algorithm>

#include "core/base/isa.h"
#include "core/index/bucket_lanes.h"
#include "core/index/hamming_probe.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
namespace probe_avx2 {
namespace {  // so that the linker gives none of it to others

template <class Number>
__m256i half_lane(const std::array<Number, BucketLanes::kSize>& values, std::size_t from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(values.data() + from));
}

// Four tables at a time. A product is cut to the bits of a key, so that the lowest 32 of it are enough; the
// number of a run and a stride have fewer themselves.
[[gnu::always_inline]] inline void locate_lanes(const BucketLanes& lanes, const std::uint64_t* chosen,
                                                const std::uint64_t* rest, std::uint64_t* keys,
                                                std::uint32_t* tags, const std::uint32_t** heads) {
  static_assert(HammingTable<std::uint64_t>::kKeyBitsMax <= 32);
  const __m256i factor = _mm256_set1_epi64x(static_cast<long long>(KeyMix::kFactor));
  const __m256i last_of_run = _mm256_set1_epi64x(HeadRows::kRunRows - 1);
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  for (std::size_t from = 0; from < BucketLanes::kSize; from += 4) {
    const __m256i mix_shift = half_lane(lanes.mix_shift, from);
    __m256i key = _mm256_load_si256(reinterpret_cast<const __m256i*>(chosen + from));
    key = _mm256_xor_si256(key, _mm256_srlv_epi64(key, mix_shift));
    key = _mm256_and_si256(_mm256_mul_epu32(key, factor), half_lane(lanes.mix_mask, from));
    key = _mm256_xor_si256(key, _mm256_srlv_epi64(key, mix_shift));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + from), key);
    const __m256i tag_rest = _mm256_load_si256(reinterpret_cast<const __m256i*>(rest + from));
    const __m256i tag = _mm256_or_si256(_mm256_srlv_epi64(key, half_lane(lanes.level_min, from)),
                                        _mm256_sllv_epi64(tag_rest, half_lane(lanes.unused, from)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tags + from),
                     _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(tag, low_halves)));
    const __m256i is_split = _mm256_cmpgt_epi64(half_lane(lanes.split, from),
                                                _mm256_and_si256(key, half_lane(lanes.split_mask, from)));
    const auto of_region = [&](const auto& values) {
      return _mm256_blendv_epi8(half_lane(values[0], from), half_lane(values[1], from), is_split);
    };
    const __m256i row = _mm256_and_si256(key, of_region(lanes.mask));
    const __m256i run =
        _mm256_mul_epu32(_mm256_srli_epi64(row, HeadRows::kRunShift), of_region(lanes.stride));
    const __m256i in_run = _mm256_sllv_epi64(_mm256_and_si256(row, last_of_run), of_region(lanes.shift));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(heads + from),
                        _mm256_add_epi64(_mm256_add_epi64(of_region(lanes.heads), run), in_run));
  }
}

inline __m256i byte_counts(__m256i v) {
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(0xF);
  return _mm256_add_epi8(_mm256_shuffle_epi8(counts, _mm256_and_si256(v, half)),
                         _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));
}

inline __m256i differing_8(const std::uint32_t* words, __m256i query) {
  return _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)), query);
}

// All ones where fewer than `above` bits differ.
inline __m256i near_8(__m256i differing, __m256i above) {
  const __m256i pairs = _mm256_maddubs_epi16(byte_counts(differing), _mm256_set1_epi8(1));
  return _mm256_cmpgt_epi32(above, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

inline std::uint32_t lanes_of(__m256i ones) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(ones)));
}

inline std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance,
                               std::uint32_t equal) {
  const __m256i query = _mm256_set1_epi32(static_cast<int>(tag));
  const __m256i above = _mm256_set1_epi32(distance + 1);
  const __m256i mask = _mm256_set1_epi32(static_cast<int>(equal));
  const auto near = [&](const std::uint32_t* words) {
    const __m256i differing = differing_8(words, query);
    const __m256i same = _mm256_cmpeq_epi32(_mm256_and_si256(differing, mask), _mm256_setzero_si256());
    return lanes_of(_mm256_and_si256(near_8(differing, above), same));
  };
  return near(line) | near(line + 8) << 8;
}

template <class Word>
constexpr std::size_t kVectorWords = 32 / sizeof(Word);
template <class Word>
constexpr std::size_t kLanes = 4 * kVectorWords<Word>;

template <class Word>
__m256i vector_of(Word word) {
  if constexpr (sizeof(Word) == 4) {
    return _mm256_set1_epi32(static_cast<int>(word));
  } else if constexpr (sizeof(Word) == 8) {
    return _mm256_set1_epi64x(static_cast<long long>(word));
  } else {
    return _mm256_setr_epi64x(static_cast<long long>(word.low), static_cast<long long>(word.high),
                              static_cast<long long>(word.low), static_cast<long long>(word.high));
  }
}

template <class Word>
__m256i load_words(const Word* words) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

// Those of one vector.
template <class Word>
std::uint32_t near_in_vector(const Word* words, __m256i query, int distance) {
  const __m256i differing = _mm256_xor_si256(load_words(words), query);
  if constexpr (sizeof(Word) == 4) {
    return lanes_of(near_8(differing, _mm256_set1_epi32(distance + 1)));
  } else {
    __m256i bits = _mm256_sad_epu8(byte_counts(differing), _mm256_setzero_si256());
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

// Words that differ in fewer bits than they have places of sixteen bits are the same at one of them.
template <class Word>
constexpr int kPlaces = sizeof(Word) / 2;

// Is one of the words the same as the query at one of its places? Of those that are not near hardly any is,
// and to ask costs a quarter of counting. REQUIRES: count is a multiple of kVectorWords.
template <class Word>
bool may_be_near(const Word* words, std::size_t count, __m256i query) {
  __m256i same = _mm256_setzero_si256();
  for (std::size_t at = 0; at < count; at += kVectorWords<Word>) {
    same = _mm256_or_si256(same, _mm256_cmpeq_epi16(load_words(words + at), query));
  }
  return _mm256_testz_si256(same, same) == 0;
}

template <class Word>
std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance) {
  const __m256i q = vector_of(query);
  count = std::min(count, kLanes<Word>);
  if (count == kLanes<Word> && distance < kPlaces<Word> && !may_be_near(words, count, q)) [[likely]]
    return 0;
  std::uint32_t near = 0;
  std::size_t at = 0;
  for (; at + kVectorWords<Word> <= count; at += kVectorWords<Word>) {
    near |= near_in_vector(words + at, q, distance) << at;
  }
  for (; at < count; ++at) near |= (differing_bits(words[at], query) <= distance ? 1U : 0U) << at;
  return near;
}

template <class Word>
bool has_near(const Word* words, std::size_t count, Word query, int distance) {
  std::size_t at = 0;
  if (distance < kPlaces<Word>) {
    const std::size_t whole = count / kVectorWords<Word> * kVectorWords<Word>;
    if (!may_be_near(words, whole, vector_of(query))) at = whole;
  }
  for (; at < count; at += kLanes<Word>) {
    if (near_words(words + at, count - at, query, distance) != 0) return true;
  }
  return false;
}

// has_near() already compares less than whole words.
template <class Word>
constexpr bool kFoldsPay = false;

namespace by_pext {
#include "core/index/bit_choice_pext.inl"
#include "core/index/hamming_probe.inl"
}  // namespace by_pext

namespace by_runs {
#include "core/index/bit_choice_runs.inl"
#include "core/index/hamming_probe.inl"
}  // namespace by_runs

}  // namespace
}  // namespace probe_avx2

template <class Word>
const ProbeKernels<Word>& probe_kernels_avx2(bool pext_is_fast) {
  return pext_is_fast ? probe_avx2::by_pext::kKernels<Word> : probe_avx2::by_runs::kKernels<Word>;
}
template const ProbeKernels<std::uint32_t>& probe_kernels_avx2(bool);
template const ProbeKernels<std::uint64_t>& probe_kernels_avx2(bool);
template const ProbeKernels<Word128>& probe_kernels_avx2(bool);

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
