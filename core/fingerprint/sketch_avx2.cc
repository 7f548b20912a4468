// The kernels for CPUs with AVX2: eight values or four hashes at a time.
#include "core/fingerprint/sketch_kernels.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace neardup::internal {
namespace {

// For each of the 256 sets of eight lanes, the lanes in it in order: what packs them to the left.
constexpr std::array<std::uint64_t, 256> make_lane_lists() {
  std::array<std::uint64_t, 256> lists{};
  for (unsigned set = 0; set < 256; ++set) {
    int count = 0;
    for (std::uint64_t lane = 0; lane < 8; ++lane) {
      if (set >> lane & 1) lists[set] |= lane << (8 * count++);
    }
  }
  return lists;
}

constexpr std::array<std::uint64_t, 256> kLaneLists = make_lane_lists();

}  // namespace
}  // namespace neardup::internal

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
#include "core/fingerprint/sketch_steps.inc"
namespace {

constexpr std::size_t kBlockMax = 1024;    // shingles between two looks at the bins, and the size of a buffer
constexpr std::size_t kFirstMinima = 256;  // shingles whose values are taken unseen

__m256i load(const void* bytes) { return _mm256_loadu_si256(static_cast<const __m256i*>(bytes)); }
void store(void* bytes, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(bytes), value); }

std::uint32_t lead_mask(const char* text) {
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpgt_epi8(load(text), _mm256_set1_epi8(-65))));
}

std::size_t count_code_points(const char* text, std::size_t bytes) {
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 32 <= bytes; at += 32) count += static_cast<std::size_t>(_mm_popcnt_u32(lead_mask(text + at)));
  for (; at < bytes; ++at) count += text[at] > -65 ? 1U : 0U;
  return count;
}

// From eight lanes of four bytes each, the first of a code point on top, to the code points: drop what is not
// payload by the top four bits, push 7, 6, 6, 6 bits together, drop the places of the bytes not there.
//
//   1110aaaa 10bbbbbb 10cccccc xxxxxxxx  ->  0000aaaa 00bbbbbb 00cccccc 00000000  ->  aaaabbbbbbcccccc
__m256i decode(__m256i bytes) {
  const __m256i payload = _mm256_setr_epi32(0, 0, 0, 0, 0x1F3F0000, 0x1F3F0000, 0x0F3F3F00, 0x073F3F3F);
  const __m256i absent = _mm256_setr_epi32(0, 0, 0, 0, 12, 12, 6, 0);
  const __m256i top = _mm256_srli_epi32(bytes, 28);
  const __m256i ascii = _mm256_cmpgt_epi32(_mm256_set1_epi32(8), top);
  const __m256i mask =
      _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(payload, top), _mm256_set1_epi32(0x7F000000), ascii);
  const __m256i shift =
      _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(absent, top), _mm256_set1_epi32(18), ascii);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_and_si256(bytes, mask), _mm256_set1_epi32(0x40014001));
  return _mm256_srlv_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x10000001)), shift);
}

void store_squares(std::uint64_t* out, __m128i mixed) {
  const __m256i wide = _mm256_cvtepu32_epi64(mixed);
  store(out, _mm256_mul_epu32(wide, wide));
}

void hash_eight_characters(__m256i code_points, std::uint64_t* out) {
  const __m256i mixed =
      _mm256_mullo_epi32(code_points, _mm256_set1_epi32(static_cast<int>(kCharacterMultiplier)));
  store_squares(out, _mm256_castsi256_si128(mixed));
  store_squares(out + 4, _mm256_extracti128_si256(mixed, 1));
}

std::uint64_t lead_mask_of_64(const char* text) {
  return lead_mask(text) | std::uint64_t{lead_mask(text + 32)} << 32;
}

// The code points that begin at `leads`. 68 bytes are readable.
std::size_t hash_block(const char* text, std::uint64_t leads, std::uint64_t* hashes) {
  std::array<std::uint32_t, 64> fours;  // bytes of a code point, the first on top
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(leads));
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) {  // more than there are: the spare ones read byte 64
      std::uint32_t four;
      std::memcpy(&four, text + _tzcnt_u64(leads), sizeof four);
      fours[i + lane] = __builtin_bswap32(four);
      leads = _blsr_u64(leads);
    }
  }
  for (std::size_t i = 0; i < count; i += 8) hash_eight_characters(decode(load(&fours[i])), hashes + i);
  return count;
}

// Eight code points of three bytes each. 28 bytes are readable.
void hash_eight_threes(const char* text, std::uint64_t* hashes) {
  const __m256i on_top = _mm256_setr_epi8(-1, 2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9,  //
                                          -1, 2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9);
  const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 12));
  const __m256i bytes =
      _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(four), next, 1), on_top);
  const __m256i kept = _mm256_and_si256(bytes, _mm256_set1_epi32(0x0F3F3F00));
  const __m256i pairs = _mm256_maddubs_epi16(kept, _mm256_set1_epi32(0x40014001));
  const __m256i whole = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x10000001));
  hash_eight_characters(_mm256_srli_epi32(whole, 6), hashes);
}

std::size_t hash_characters(const char* text, std::size_t bytes, std::uint64_t* hashes) {
  constexpr std::uint64_t kEveryThird = 0x1249249249249;  // bits 0, 3, ... 48
  std::size_t count = 0;
  std::size_t at = 0;
  while (bytes - at >= 68) {
    const std::uint64_t leads = lead_mask_of_64(text + at);
    if ((leads & (2 * (1ULL << 48) - 1)) == kEveryThird) {  // sixteen of three bytes, as in Chinese
      hash_eight_threes(text + at, hashes + count);
      hash_eight_threes(text + at + 24, hashes + count + 8);
      count += 16;
      at += 48;
      continue;
    }
    // All but the last, of which bytes may be missing, and which begins the next block.
    const std::size_t last = std::max<std::size_t>(60, 63 ^ _lzcnt_u64(leads));
    count += hash_block(text + at, _bzhi_u64(leads, static_cast<unsigned>(last)), hashes + count);
    at += last;
  }
  if (at == bytes) return count;
  std::array<char, 136> rest{};
  std::memcpy(rest.data(), text + at, bytes - at);
  for (std::size_t i = 0; at + i < bytes; i += 64) {
    const std::size_t size = std::min<std::size_t>(64, bytes - at - i);
    const std::uint64_t leads = _bzhi_u64(lead_mask_of_64(rest.data() + i), static_cast<unsigned>(size));
    count += hash_block(rest.data() + i, leads, hashes + count);
  }
  return count;
}

// Unit i of a window, rotated: a shuffle of its bytes.
template <int kUnit>
__m256i rotated(__m256i unit) {
  constexpr long long kFrom = (8 - kUnit * kUnitRotation / 8 % 8) % 8;  // the byte that becomes the lowest
  constexpr auto from = [](int byte) { return (kFrom + byte) % 8; };
  constexpr long long kBytes = from(0) | from(1) << 8 | from(2) << 16 | from(3) << 24 | from(4) << 32 |
                               from(5) << 40 | from(6) << 48 | from(7) << 56;
  return _mm256_shuffle_epi8(
      unit, _mm256_setr_epi64x(kBytes, kBytes + 0x0808080808080808, kBytes, kBytes + 0x0808080808080808));
}

template <std::size_t kWidth>
__m256i hash_four_windows(const std::uint64_t* units) {
  __m256i state = _mm256_xor_si256(load(units), rotated<1>(load(units + 1)));
  state = _mm256_xor_si256(state, rotated<2>(load(units + 2)));
  if constexpr (kWidth == 5) {
    state = _mm256_xor_si256(state, rotated<3>(load(units + 3)));
    state = _mm256_xor_si256(state, rotated<4>(load(units + 4)));
  }
  const __m256i low = _mm256_mul_epu32(state, _mm256_set1_epi64x(kLowMultiplier));
  const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(state, 32), _mm256_set1_epi64x(kHighMultiplier));
  const __m256i sum = _mm256_add_epi64(low, _mm256_shuffle_epi32(high, 0b10110001));
  return _mm256_xor_si256(sum, _mm256_srli_epi64(sum, 29));
}

template <std::size_t kWidth>
void hash_windows(const std::uint64_t* units, std::size_t count, std::uint64_t* shingles) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) store(shingles + i, hash_four_windows<kWidth>(units + i));
  if (i < count) {
    std::array<std::uint64_t, 8> rest{};
    std::memcpy(rest.data(), units + i, (count - i + kWidth - 1) * sizeof(std::uint64_t));
    std::array<std::uint64_t, 4> last;
    store(last.data(), hash_four_windows<kWidth>(rest.data()));
    std::memcpy(shingles + i, last.data(), (count - i) * sizeof(std::uint64_t));
  }
}

// The low and the high halves of eight lanes, both in the same odd order.
__m256i low_halves(__m256i a, __m256i b) {
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}
__m256i high_halves(__m256i a, __m256i b) {
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xDD));
}

__m256i placed(__m256i shingles, __m256i places) {
  return _mm256_mul_epu32(_mm256_srli_epi64(shingles, 32), places);
}

unsigned lanes_of(__m256i mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
}
__m256i not_below(__m256i value, __m256i limit) {
  return _mm256_cmpeq_epi32(_mm256_max_epu32(value, limit), value);
}

__m256i packed(__m256i value, unsigned lanes) {
  const __m128i list = _mm_cvtsi64_si128(static_cast<long long>(kLaneLists[lanes]));
  return _mm256_permutevar8x32_epi32(value, _mm256_cvtepu8_epi32(list));
}

// Eight shingles as their values and their places among the bins.
struct Eight {
  explicit Eight(const std::uint64_t* shingles) {
    const __m256i bin_count = _mm256_set1_epi64x(kBins);
    const __m256i a = load(shingles);
    const __m256i b = load(shingles + 4);
    values = low_halves(a, b);
    places = high_halves(placed(a, bin_count), placed(b, bin_count));
  }

  __m256i values;
  __m256i places;
};

// A value that is not below the second minimum of its bin changes nothing, and soon hardly any is. So we look
// at the bins once in a while, drop what is not below them eight at a time, and lower the bins by the rest
// one at a time. What we saw may be out of date: then we keep too much, never too little. Of the first ones
// most are below, and to tell them apart takes longer than to lower the bins by all.
void lower_minima(const std::uint64_t* shingles, std::size_t count, std::uint64_t* bins) {
  alignas(32) std::array<std::uint32_t, kBlockMax + 8> values;
  alignas(32) std::array<std::uint32_t, kBlockMax + 8> places;
  const std::size_t eights_end = count & ~std::size_t{7};
  std::size_t begin = 0;
  if (std::any_of(bins, bins + kBins, [](std::uint64_t bin) { return bin >> 32 == kNoMinimum; })) {
    begin = std::min(eights_end, kFirstMinima);
    for (std::size_t i = 0; i < begin; i += 8) {
      const Eight eight(shingles + i);
      store(&values[i], eight.values);
      store(&places[i], eight.places);
    }
    lower_all(bins, places.data(), values.data(), begin);
  }
  for (std::size_t block = kFirstMinima; begin < eights_end; block = std::min(2 * block, kBlockMax)) {
    const std::size_t end = std::min(eights_end, begin + block);
    alignas(32) std::array<std::uint32_t, kBins> seconds;
    for (std::size_t bin = 0; bin < kBins; ++bin) seconds[bin] = static_cast<std::uint32_t>(bins[bin] >> 32);
    std::size_t kept = 0;
    for (std::size_t i = begin; i < end; i += 8) {
      const Eight eight(shingles + i);
      const __m256i second =
          _mm256_i32gather_epi32(reinterpret_cast<const int*>(seconds.data()), eight.places, 4);
      const unsigned keep = ~lanes_of(not_below(eight.values, second)) & 0xFF;
      store(&values[kept], packed(eight.values, keep));
      store(&places[kept], packed(eight.places, keep));
      kept += static_cast<std::size_t>(_mm_popcnt_u32(keep));
    }
    begin = end;
    lower_all(bins, places.data(), values.data(), kept);
  }
  for (std::size_t i = eights_end; i < count; ++i) {
    lower_bin(bins[shingle_place(shingles[i], kBins)], shingle_value(shingles[i]));
  }
}

std::size_t select_low(const std::uint64_t* shingles, std::size_t count, std::uint32_t ceiling,
                       std::uint64_t* out) {
  const __m256i limit = _mm256_set1_epi64x(ceiling);
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
  std::size_t kept = 0;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i shingle = load(shingles + i);
    const __m256i above = _mm256_cmpgt_epi64(_mm256_and_si256(shingle, low), limit);
    const unsigned keep = ~lanes_of(above) & 0xFF;  // both halves of a lane
    store(out + kept, packed(shingle, keep));
    kept += static_cast<std::size_t>(_mm_popcnt_u32(keep)) / 2;
  }
  for (; i < count; ++i) {
    const std::uint64_t shingle = shingles[i];
    out[kept] = shingle;
    kept += shingle_value(shingle) <= ceiling ? 1U : 0U;
  }
  return kept;
}

std::size_t select_below(const std::uint64_t* shingles, std::size_t count, const std::uint64_t* bins,
                         std::uint64_t* out) {
  const __m256i bin_count = _mm256_set1_epi64x(kBins);
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
  std::size_t kept = 0;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i shingle = load(shingles + i);
    const __m256i place = _mm256_srli_epi64(placed(shingle, bin_count), 32);
    const __m256i bin = _mm256_i64gather_epi64(reinterpret_cast<const long long*>(bins), place, 8);
    const __m256i below = _mm256_cmpgt_epi64(_mm256_srli_epi64(bin, 32), _mm256_and_si256(shingle, low));
    const unsigned keep = lanes_of(below);  // both halves of a lane
    store(out + kept, packed(shingle, keep));
    kept += static_cast<std::size_t>(_mm_popcnt_u32(keep)) / 2;
  }
  for (; i < count; ++i) {
    const std::uint64_t shingle = shingles[i];
    out[kept] = shingle;
    kept += shingle_value(shingle) < bins[shingle_place(shingle, kBins)] >> 32 ? 1U : 0U;
  }
  return kept;
}

void mark(const std::uint64_t* shingles, std::size_t count, std::uint32_t floor, std::uint32_t marks,
          std::uint64_t* words) {
  alignas(32) std::array<std::uint32_t, kBlockMax + 8> places;
  const __m256i mark_count = _mm256_set1_epi64x(marks);
  const __m256i least = _mm256_set1_epi32(static_cast<int>(floor));
  std::size_t i = 0;
  while (count - i >= 8) {
    const std::size_t end = i + std::min((count - i) & ~std::size_t{7}, kBlockMax);
    std::size_t kept = 0;
    for (; i < end; i += 8) {
      const __m256i a = load(shingles + i);
      const __m256i b = load(shingles + i + 4);
      const unsigned keep = lanes_of(not_below(low_halves(a, b), least));
      store(&places[kept], packed(high_halves(placed(a, mark_count), placed(b, mark_count)), keep));
      kept += static_cast<std::size_t>(_mm_popcnt_u32(keep));
    }
    set_marks(places.data(), kept, words);
  }
  for (; i < count; ++i) {
    const std::uint32_t place = shingle_place(shingles[i], marks);
    words[place / 64] |= std::uint64_t{shingle_value(shingles[i]) >= floor} << (place % 64);
  }
}

// The bits set in each byte.
__m256i popcount_bytes(__m256i bytes) {
  const __m256i of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  return _mm256_add_epi8(
      _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(bytes, nibble)),
      _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

// The bits set in each word.
__m256i popcount_words(__m256i words) {
  return _mm256_sad_epu8(popcount_bytes(words), _mm256_setzero_si256());
}

std::uint32_t sum_of(__m256i words) {
  const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))));
}

__m256i take(std::uint64_t* words) {
  const __m256i marks = load(words);
  store(words, _mm256_setzero_si256());
  return marks;
}

// The lowest bit of each of eight or four lanes.
unsigned odd_of_eight(__m256i lanes) { return lanes_of(_mm256_slli_epi32(lanes, 31)); }
unsigned odd_of_four(__m256i lanes) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(lanes, 63))));
}

std::uint32_t collect(std::uint64_t* words, std::uint32_t marks_per_bit, std::size_t bit_count,
                      std::uint8_t* bits) {
  __m256i total = _mm256_setzero_si256();
  const std::uint64_t* const end = words + bit_count * marks_per_bit / 64;
  if (marks_per_bit == 32) {
    for (; words != end; words += 4, ++bits) {  // of eight bits
      const __m256i bytes = popcount_bytes(take(words));
      total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
      const __m256i pairs = _mm256_xor_si256(bytes, _mm256_srli_epi32(bytes, 16));
      *bits = static_cast<std::uint8_t>(odd_of_eight(_mm256_xor_si256(pairs, _mm256_srli_epi32(pairs, 8))));
    }
    return sum_of(total);
  }
  for (; words != end; ++bits) {
    unsigned parities = 0;
    for (int half = 0; half < 2; ++half) {  // four bits each
      __m256i set = popcount_words(take(words));
      words += 4;
      if (marks_per_bit == 128) {
        const __m256i more = popcount_words(take(words));
        words += 4;
        const __m256i sums =  // of bits 0, 2, 1, 3
            _mm256_add_epi64(_mm256_unpacklo_epi64(set, more), _mm256_unpackhi_epi64(set, more));
        set = _mm256_permute4x64_epi64(sums, 0b11011000);
      }
      total = _mm256_add_epi64(total, set);
      parities |= odd_of_four(set) << (4 * half);
    }
    *bits = static_cast<std::uint8_t>(parities);
  }
  return sum_of(total);
}

std::uint32_t differing_bits(const std::uint8_t* a, const std::uint8_t* b, std::size_t bytes) {
  std::size_t i = 0;
  __m256i total = _mm256_setzero_si256();
  for (; i + 32 <= bytes; i += 32) {
    total = _mm256_add_epi64(total, popcount_words(_mm256_xor_si256(load(a + i), load(b + i))));
  }
  std::uint32_t result = sum_of(total);
  for (; i < bytes; i += sizeof(std::uint32_t)) {
    std::uint32_t x;
    std::uint32_t y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    result += static_cast<std::uint32_t>(_mm_popcnt_u32(x ^ y));
  }
  return result;
}

void lower_minhash(const std::uint64_t* features, std::size_t count, std::uint32_t* minima) {
  for (std::size_t half = 0; half < kPermutations; half += 32) {  // what the registers hold
    __m256i least[4];
    for (std::size_t i = 0; i < 4; ++i) least[i] = load(minima + half + 8 * i);
    for (std::size_t f = 0; f < count; ++f) {
      const __m256i value = _mm256_set1_epi32(static_cast<int>(features[f]));
      for (std::size_t i = 0; i < 4; ++i) {
        const __m256i mask = load(kPermutation.mask + half + 8 * i);
        const __m256i multiplier = load(kPermutation.multiplier + half + 8 * i);
        least[i] = _mm256_min_epu32(least[i], _mm256_mullo_epi32(_mm256_xor_si256(value, mask), multiplier));
      }
    }
    for (std::size_t i = 0; i < 4; ++i) store(minima + half + 8 * i, least[i]);
  }
}

}  // namespace

const SketchKernels kSketchAvx2 = {count_code_points, hash_characters, hash_windows<3>,
                                   hash_windows<5>,   lower_minima,    select_low,
                                   select_below,      make_bands,      mark,
                                   collect,           differing_bits,  lower_minhash};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
