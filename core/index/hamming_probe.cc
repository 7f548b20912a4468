#include "core/index/hamming_probe.h"

#include <algorithm>
#include <bit>

#include "core/base/isa.h"
#include "core/index/bucket_lanes.h"

namespace neardup {
namespace internal {
namespace probe_scalar {

#include "core/index/bit_choice_runs.inl"

void locate_lanes(const BucketLanes& lanes, const std::uint64_t* chosen, const std::uint64_t* rest,
                  std::uint64_t* keys, std::uint32_t* tags, const std::uint32_t** heads) {
  locate_buckets(lanes, chosen, rest, keys, tags, heads);
}

std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance, std::uint32_t equal) {
  std::uint32_t near = 0;
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t differing = line[i] ^ tag;
    near |= ((differing & equal) == 0 && std::popcount(differing) <= distance ? 1U : 0U) << i;
  }
  return near;
}

template <class Word>
constexpr std::size_t kLanes = 8;

template <class Word>
std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance) {
  std::uint32_t near = 0;
  for (std::size_t i = 0; i < std::min(count, kLanes<Word>); ++i) {
    near |= (differing_bits(words[i], query) <= distance ? 1U : 0U) << i;
  }
  return near;
}

template <class Word>
bool has_near(const Word* words, std::size_t count, Word query, int distance) {
  return std::any_of(words, words + count,
                     [&](Word word) { return differing_bits(word, query) <= distance; });
}

template <class Word>
constexpr bool kFoldsPay = false;

#include "core/index/hamming_probe.inl"

}  // namespace probe_scalar

template <class Word>
const ProbeKernels<Word>& probe_kernels_scalar() {
  return probe_scalar::kKernels<Word>;
}
template const ProbeKernels<std::uint32_t>& probe_kernels_scalar();
template const ProbeKernels<std::uint64_t>& probe_kernels_scalar();
template const ProbeKernels<Word128>& probe_kernels_scalar();

}  // namespace internal

template <class Word>
const ProbeKernels<Word>& probe_kernels() {
  static const ProbeKernels<Word>& chosen = [&]() -> const ProbeKernels<Word>& {
#if NEARDUP_X86
    if (isa() == Isa::kAvx512) return internal::probe_kernels_avx512<Word>();
    if (isa() == Isa::kAvx2) return internal::probe_kernels_avx2<Word>(has_fast_pext());
#endif
    return internal::probe_kernels_scalar<Word>();
  }();
  return chosen;
}
template const ProbeKernels<std::uint32_t>& probe_kernels();
template const ProbeKernels<std::uint64_t>& probe_kernels();
template const ProbeKernels<Word128>& probe_kernels();

}  // namespace neardup
