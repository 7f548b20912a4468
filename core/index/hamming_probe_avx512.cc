// A whole line of tags, or eight fingerprints of 64 bits, at a time; PEXT and PDEP, which are fast on every
// CPU of this tier.
#include <array>

#include "core/base/isa.h"
#include "core/index/bucket_lanes.h"
#include "core/index/hamming_probe.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
namespace probe_avx512 {
namespace {  // so that the linker gives none of it to others

#include "core/index/bit_choice_pext.inl"

template <class Number>
__m512i lane(const std::array<Number, BucketLanes::kSize>& values) {
  return _mm512_load_si512(static_cast<const void*>(values.data()));
}

[[gnu::always_inline]] inline void locate_lanes(const BucketLanes& lanes, const std::uint64_t* chosen,
                                                const std::uint64_t* rest, std::uint64_t* keys,
                                                std::uint32_t* tags, const std::uint32_t** heads) {
  const __m512i mix_shift = lane(lanes.mix_shift);
  __m512i key = _mm512_load_si512(chosen);
  key = _mm512_xor_si512(key, _mm512_srlv_epi64(key, mix_shift));
  key = _mm512_mullo_epi64(key, _mm512_set1_epi64(static_cast<long long>(KeyMix::kFactor)));
  key = _mm512_and_si512(key, lane(lanes.mix_mask));
  key = _mm512_xor_si512(key, _mm512_srlv_epi64(key, mix_shift));
  _mm512_storeu_si512(keys, key);
  const __m512i tag = _mm512_or_si512(_mm512_srlv_epi64(key, lane(lanes.level_min)),
                                      _mm512_sllv_epi64(_mm512_load_si512(rest), lane(lanes.unused)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(tags), _mm512_cvtepi64_epi32(tag));
  const __mmask8 is_split =
      _mm512_cmplt_epu64_mask(_mm512_and_si512(key, lane(lanes.split_mask)), lane(lanes.split));
  const auto of_region = [&](const auto& values) {
    return _mm512_mask_mov_epi64(lane(values[0]), is_split, lane(values[1]));
  };
  const __m512i row = _mm512_and_si512(key, of_region(lanes.mask));
  const __m512i run = _mm512_mul_epu32(_mm512_srli_epi64(row, HeadRows::kRunShift), of_region(lanes.stride));
  const __m512i in_run = _mm512_sllv_epi64(_mm512_and_si512(row, _mm512_set1_epi64(HeadRows::kRunRows - 1)),
                                           of_region(lanes.shift));
  _mm512_storeu_si512(static_cast<void*>(heads),
                      _mm512_add_epi64(_mm512_add_epi64(of_region(lanes.heads), run), in_run));
}

inline std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance,
                               std::uint32_t equal) {
  const __m512i differing =
      _mm512_xor_si512(_mm512_loadu_si512(line), _mm512_set1_epi32(static_cast<int>(tag)));
  const __mmask16 same = _mm512_testn_epi32_mask(differing, _mm512_set1_epi32(static_cast<int>(equal)));
  return _mm512_mask_cmple_epi32_mask(same, _mm512_popcnt_epi32(differing), _mm512_set1_epi32(distance));
}

template <class Word>
constexpr std::size_t kLanes = sizeof(Word) == 4 ? 16 : 64 / sizeof(Word);

template <class Word>
__m512i vector_of(Word word) {
  if constexpr (sizeof(Word) == 4) {
    return _mm512_set1_epi32(static_cast<int>(word));
  } else if constexpr (sizeof(Word) == 8) {
    return _mm512_set1_epi64(static_cast<long long>(word));
  } else {
    return _mm512_broadcast_i32x4(
        _mm_set_epi64x(static_cast<long long>(word.high), static_cast<long long>(word.low)));
  }
}

// The words of which `wanted` has a bit; 0 for all others.
template <class Word>
__m512i load_words(const Word* words, std::uint32_t wanted) {
  if constexpr (sizeof(Word) == 4) {
    return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(wanted), words);
  } else if constexpr (sizeof(Word) == 8) {
    return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(wanted), words);
  } else {
    return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(_pdep_u32(wanted, 0x55) * 3), words);
  }
}

// In how many bits each word differs from the query: in lanes of 64 bits, of long words in both of theirs; of
// short ones in lanes of 32.
template <class Word>
__m512i differing_counts(__m512i words, __m512i query) {
  const __m512i differing = _mm512_xor_si512(words, query);
  if constexpr (sizeof(Word) == 4) return _mm512_popcnt_epi32(differing);
  __m512i bits = _mm512_popcnt_epi64(differing);
  if constexpr (sizeof(Word) == 16) {
    bits = _mm512_add_epi64(bits, _mm512_shuffle_epi32(bits, _MM_PERM_BADC));  // the other limb's
  }
  return bits;
}

// Which words differ in so many bits at most.
template <class Word>
std::uint32_t words_within(__m512i counts, int distance) {
  if constexpr (sizeof(Word) == 4) {
    return _mm512_cmple_epi32_mask(counts, _mm512_set1_epi32(distance));
  } else {
    const std::uint32_t near = _mm512_cmple_epi64_mask(counts, _mm512_set1_epi64(distance));
    return sizeof(Word) == 8 ? near : _pext_u32(near, 0x55);
  }
}

template <class Word>
std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance) {
  const std::uint32_t wanted = count < kLanes<Word> ? (1U << count) - 1 : (1U << kLanes<Word>)-1;
  const __m512i counts = differing_counts<Word>(load_words(words, wanted), vector_of(query));
  return words_within<Word>(counts, distance) & wanted;
}

// The least count of each lane is kept, so that nothing is asked before the end.
template <class Word>
bool has_near(const Word* words, std::size_t count, Word query, int distance) {
  const __m512i q = vector_of(query);
  __m512i least = _mm512_set1_epi32(kWidthOf<Word> + 1);
  std::size_t at = 0;
  for (; at + kLanes<Word> <= count; at += kLanes<Word>) {
    const __m512i counts = differing_counts<Word>(_mm512_loadu_si512(words + at), q);
    least = _mm512_min_epu32(least, counts);
  }
  return words_within<Word>(least, distance) != 0 || near_words(words + at, count - at, query, distance) != 0;
}

// A vector holds sixteen folds, and half as many words or fewer.
template <class Word>
constexpr bool kFoldsPay = sizeof(Word) > sizeof(std::uint32_t);

template <class Word>
void fold_words(const Word* words, std::size_t count, std::uint32_t* folds) {
  std::size_t at = 0;
  if constexpr (sizeof(Word) == 8) {
    for (; at + 8 <= count; at += 8) {
      const __m512i eight = _mm512_loadu_si512(words + at);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(folds + at),
                          _mm512_cvtepi64_epi32(_mm512_xor_si512(eight, _mm512_srli_epi64(eight, 32))));
    }
  }
  for (; at < count; ++at) folds[at] = fold(words[at]);
}

#include "core/index/hamming_probe.inl"

}  // namespace
}  // namespace probe_avx512

template <class Word>
const ProbeKernels<Word>& probe_kernels_avx512() {
  return probe_avx512::kKernels<Word>;
}
template const ProbeKernels<std::uint32_t>& probe_kernels_avx512();
template const ProbeKernels<std::uint64_t>& probe_kernels_avx512();
template const ProbeKernels<Word128>& probe_kernels_avx512();

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
