// The kernels for CPUs with AVX-512 and VBMI2: sixteen values or eight hashes at a time.
#include "core/fingerprint/sketch_kernels.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
#include "core/base/compress_avx512.inc"
#include "core/fingerprint/sketch_steps.inc"
namespace {

constexpr std::size_t kBlockMax = 1024;    // shingles between two looks at the bins, and the size of a buffer
constexpr std::size_t kFirstMinima = 256;  // shingles whose values are taken unseen

__mmask64 first_bytes(std::size_t count) {
  return count >= 64 ? ~0ULL : _bzhi_u64(~0ULL, static_cast<unsigned>(count));
}
__mmask8 first_lanes(std::size_t count) {
  return static_cast<__mmask8>(count >= 8 ? 0xFFU : (1U << count) - 1);
}

std::size_t count_code_points(const char* text, std::size_t bytes) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes; at += 64) {
    const __mmask64 here = first_bytes(bytes - at);
    const __m512i block = _mm512_maskz_loadu_epi8(here, text + at);
    count += static_cast<std::size_t>(
        _mm_popcnt_u64(_mm512_mask_cmpge_epi8_mask(here, block, _mm512_set1_epi8(-64))));
  }
  return count;
}

// From sixteen lanes of four bytes each, the first of a code point on top, to the code points: drop what is
// not payload by the top four bits, push 7, 6, 6, 6 bits together, drop the places of the bytes not there.
//
//   1110aaaa 10bbbbbb 10cccccc xxxxxxxx  ->  0000aaaa 00bbbbbb 00cccccc 00000000  ->  aaaabbbbbbcccccc
__m512i decode(__m512i bytes) {
  const __m512i payload =
      _mm512_setr_epi32(0x7F000000, 0x7F000000, 0x7F000000, 0x7F000000, 0x7F000000, 0x7F000000, 0x7F000000,
                        0x7F000000, 0, 0, 0, 0, 0x1F3F0000, 0x1F3F0000, 0x0F3F3F00, 0x073F3F3F);
  const __m512i absent = _mm512_setr_epi32(18, 18, 18, 18, 18, 18, 18, 18, 0, 0, 0, 0, 12, 12, 6, 0);
  const __m512i top = _mm512_srli_epi32(bytes, 28);
  const __m512i kept = _mm512_and_si512(bytes, _mm512_permutexvar_epi32(top, payload));
  const __m512i pairs = _mm512_maddubs_epi16(kept, _mm512_set1_epi32(0x40014001));
  const __m512i whole = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x10000001));
  return _mm512_srlv_epi32(whole, _mm512_permutexvar_epi32(top, absent));
}

void store_squares(std::uint64_t* out, __m256i mixed) {
  const __m512i wide = _mm512_cvtepu32_epi64(mixed);
  _mm512_storeu_si512(out, _mm512_mul_epu32(wide, wide));
}

void hash_sixteen_characters(__m512i code_points, std::uint64_t* out) {
  const __m512i mixed =
      _mm512_mullo_epi32(code_points, _mm512_set1_epi32(static_cast<int>(kCharacterMultiplier)));
  store_squares(out, _mm512_castsi512_si256(mixed));
  store_squares(out + 8, _mm512_extracti64x4_epi64(mixed, 1));
}

// The numbers 0 to 63, and each of 0 to 15 four times.
constexpr std::array<std::uint8_t, 64> make_sequence(std::size_t repeats) {
  std::array<std::uint8_t, 64> sequence{};
  for (std::size_t i = 0; i < 64; ++i) sequence[i] = static_cast<std::uint8_t>(i / repeats);
  return sequence;
}
alignas(64) constexpr std::array<std::uint8_t, 64> kPlaces = make_sequence(1);
alignas(64) constexpr std::array<std::uint8_t, 64> kFourOfEach = make_sequence(4);

// Of sixteen lanes, the three bytes from byte 3 x lane on, the first on top, and one that does not matter.
constexpr std::array<std::uint8_t, 64> make_threes_on_top() {
  std::array<std::uint8_t, 64> bytes{};
  for (std::size_t i = 0; i < 64; ++i) bytes[i] = static_cast<std::uint8_t>(i / 4 * 3 + 3 - i % 4);
  return bytes;
}
alignas(64) constexpr std::array<std::uint8_t, 64> kThreesOnTop = make_threes_on_top();

// The code points that begin at `leads` of a block. All of their bytes are in it.
std::size_t hash_block(__m512i block, __mmask64 leads, std::uint64_t* out) {
  const __m512i bytes_of_four = _mm512_set1_epi32(0x00010203);  // the first byte of a code point on top
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(leads));
  const __m512i starts = compress_8(leads, _mm512_load_si512(kPlaces.data()));
  __m512i lanes = _mm512_load_si512(kFourOfEach.data());
  for (std::size_t i = 0; i < count; i += 16) {
    const __m512i start = _mm512_permutexvar_epi8(lanes, starts);
    const __m512i four = _mm512_permutexvar_epi8(_mm512_add_epi8(start, bytes_of_four), block);
    hash_sixteen_characters(decode(four), out + i);
    lanes = _mm512_add_epi8(lanes, _mm512_set1_epi8(16));
  }
  return count;
}

std::size_t hash_characters(const char* text, std::size_t bytes, std::uint64_t* hashes) {
  constexpr std::uint64_t kEveryThird = 0x1249249249249;  // bits 0, 3, ... 48
  const __m512i thirds = _mm512_load_si512(kThreesOnTop.data());
  const __m512i payload = _mm512_set1_epi32(0x0F3F3F00);

  std::uint64_t* out = hashes;
  std::size_t at = 0;
  while (bytes - at > 64) {
    const __m512i block = _mm512_loadu_si512(text + at);
    const __mmask64 leads = _mm512_cmpge_epi8_mask(block, _mm512_set1_epi8(-64));
    if ((leads & (2 * (1ULL << 48) - 1)) == kEveryThird) {  // sixteen of three bytes, as in Chinese
      const __m512i four = _mm512_permutexvar_epi8(thirds, block);
      const __m512i pairs =
          _mm512_maddubs_epi16(_mm512_and_si512(four, payload), _mm512_set1_epi32(0x40014001));
      const __m512i whole = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x10000001));
      hash_sixteen_characters(_mm512_srli_epi32(whole, 6), out);
      out += 16;
      at += 48;
      continue;
    }
    // All but the last, of which bytes may be missing, and which begins the next block.
    const std::size_t last = std::max<std::size_t>(60, 63 ^ _lzcnt_u64(leads));
    out += hash_block(block, _bzhi_u64(leads, static_cast<unsigned>(last)), out);
    at += last;
  }
  const __mmask64 rest = first_bytes(bytes - at);
  const __m512i block = _mm512_maskz_loadu_epi8(rest, text + at);
  out += hash_block(block, _mm512_mask_cmpge_epi8_mask(rest, block, _mm512_set1_epi8(-64)), out);
  return static_cast<std::size_t>(out - hashes);
}

// Unit i of a window, rotated: a shuffle of its bytes.
template <int kUnit>
__m512i rotated(__m512i unit) {
  constexpr long long kFrom = (8 - kUnit * kUnitRotation / 8 % 8) % 8;  // the byte that becomes the lowest
  constexpr auto from = [](int byte) { return (kFrom + byte) % 8; };
  constexpr long long kBytes = from(0) | from(1) << 8 | from(2) << 16 | from(3) << 24 | from(4) << 32 |
                               from(5) << 40 | from(6) << 48 | from(7) << 56;
  return _mm512_shuffle_epi8(
      unit, _mm512_set4_epi64(kBytes + 0x0808080808080808, kBytes, kBytes + 0x0808080808080808, kBytes));
}

// Eight units of the windows that begin in `lanes`; those of other windows are not read.
__m512i units_of(const std::uint64_t* units, __mmask8 lanes) {
  return _mm512_maskz_loadu_epi64(lanes, units);
}

template <std::size_t kWidth>
__m512i hash_eight_windows(const std::uint64_t* units, __mmask8 lanes) {
  __m512i state = _mm512_ternarylogic_epi64(units_of(units, lanes), rotated<1>(units_of(units + 1, lanes)),
                                            rotated<2>(units_of(units + 2, lanes)), 0x96);
  if constexpr (kWidth == 5) {
    state = _mm512_ternarylogic_epi64(state, rotated<3>(units_of(units + 3, lanes)),
                                      rotated<4>(units_of(units + 4, lanes)), 0x96);
  }
  const __m512i low = _mm512_mul_epu32(state, _mm512_set1_epi64(kLowMultiplier));
  const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(state, 32), _mm512_set1_epi64(kHighMultiplier));
  const __m512i sum = _mm512_add_epi64(low, _mm512_shuffle_epi32(high, _MM_PERM_CDAB));
  return _mm512_xor_si512(sum, _mm512_srli_epi64(sum, 29));
}

template <std::size_t kWidth>
void hash_windows(const std::uint64_t* units, std::size_t count, std::uint64_t* shingles) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm512_storeu_si512(shingles + i, hash_eight_windows<kWidth>(units + i, 0xFF));
  if (i < count) {
    const __mmask8 lanes = first_lanes(count - i);
    _mm512_mask_storeu_epi64(shingles + i, lanes, hash_eight_windows<kWidth>(units + i, lanes));
  }
}

// Sixteen shingles as their values and their places among so many, in order.
struct Sixteen {
  __m512i values;
  __m512i places;
  __mmask16 lanes;  // that there are
};

__m512i low_halves(__m512i a, __m512i b) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_epi32(a, even, b);
}
__m512i high_halves(__m512i a, __m512i b) {
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_permutex2var_epi32(a, odd, b);
}

// The place of each of eight shingles, in the high half of its lane.
__m512i placed(__m512i shingles, __m512i places) {
  return _mm512_mul_epu32(_mm512_srli_epi64(shingles, 32), places);
}

// The first `count` of sixteen, or all. No others are read.
Sixteen read_sixteen(const std::uint64_t* shingles, std::size_t count, __m512i places) {
  __m512i a;
  __m512i b;
  __mmask16 lanes = 0xFFFF;
  if (count >= 16) [[likely]] {
    a = _mm512_loadu_si512(shingles);
    b = _mm512_loadu_si512(shingles + 8);
  } else {
    lanes = static_cast<__mmask16>((1U << count) - 1);
    a = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), shingles);
    b = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes >> 8), shingles + 8);
  }
  return {low_halves(a, b), high_halves(placed(a, places), placed(b, places)), lanes};
}

// Appends the lanes of `keep` and returns their number. Sixteen places are written.
std::size_t append(std::uint32_t* out, __mmask16 keep, __m512i lanes) {
  _mm512_storeu_si512(out, compress_32(keep, lanes));
  return static_cast<std::size_t>(_mm_popcnt_u32(keep));
}

// The second minima of all bins, which are what a value has to be below of to change anything.
struct Seconds {
  explicit Seconds(const std::uint64_t* bins) {
    const __m512i last = _mm512_loadu_si512(bins + 16);
    of_sixteen = high_halves(_mm512_loadu_si512(bins), _mm512_loadu_si512(bins + 8));
    of_rest = high_halves(last, last);
  }
  __m512i at(__m512i places) const { return _mm512_permutex2var_epi32(of_sixteen, places, of_rest); }
  bool are_all_there() const {
    const __m512i none = _mm512_set1_epi32(-1);
    return _mm512_cmpeq_epi32_mask(of_sixteen, none) == 0 && _mm512_cmpeq_epi32_mask(of_rest, none) == 0;
  }

  __m512i of_sixteen;
  __m512i of_rest;
};

// A value that is not below the second minimum of its bin changes nothing, and soon hardly any is. So we look
// at the bins once in a while, drop what is not below them sixteen at a time, and lower the bins by the rest
// one at a time. What we saw may be out of date: then we keep too much, never too little. Of the first ones
// most are below, and to tell them apart takes longer than to lower the bins by all.
void lower_minima(const std::uint64_t* shingles, std::size_t count, std::uint64_t* bins) {
  alignas(64) std::array<std::uint32_t, kBlockMax + 16> values;
  alignas(64) std::array<std::uint32_t, kBlockMax + 16> places;
  const __m512i bin_count = _mm512_set1_epi64(kBins);
  std::size_t begin = 0;
  if (!Seconds(bins).are_all_there()) {
    begin = std::min(count, kFirstMinima);
    for (std::size_t i = 0; i < begin; i += 16) {
      const Sixteen sixteen = read_sixteen(shingles + i, begin - i, bin_count);
      _mm512_store_si512(&values[i], sixteen.values);
      _mm512_store_si512(&places[i], sixteen.places);
    }
    lower_all(bins, places.data(), values.data(), begin);
  }
  for (std::size_t block = kFirstMinima; begin < count; block = std::min(2 * block, kBlockMax)) {
    const std::size_t end = std::min(count, begin + block);
    const Seconds seconds(bins);
    std::size_t kept = 0;
    for (std::size_t i = begin; i < end; i += 16) {
      const Sixteen sixteen = read_sixteen(shingles + i, end - i, bin_count);
      const __mmask16 keep =
          _mm512_mask_cmplt_epu32_mask(sixteen.lanes, sixteen.values, seconds.at(sixteen.places));
      append(&values[kept], keep, sixteen.values);
      kept += append(&places[kept], keep, sixteen.places);
    }
    begin = end;
    lower_all(bins, places.data(), values.data(), kept);
  }
}

std::size_t select_low(const std::uint64_t* shingles, std::size_t count, std::uint32_t ceiling,
                       std::uint64_t* out) {
  const __m512i limit = _mm512_set1_epi64(ceiling);
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += 8) {
    const __mmask8 here = first_lanes(count - i);
    const __m512i shingle = _mm512_maskz_loadu_epi64(here, shingles + i);
    const __mmask8 keep = _mm512_mask_cmple_epu64_mask(here, _mm512_and_si512(shingle, low), limit);
    _mm512_storeu_si512(out + kept, compress_64(keep, shingle));
    kept += static_cast<std::size_t>(_mm_popcnt_u32(keep));
  }
  return kept;
}

std::size_t select_below(const std::uint64_t* shingles, std::size_t count, const std::uint64_t* bins,
                         std::uint64_t* out) {
  const __m512i bin_count = _mm512_set1_epi64(kBins);
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  const Seconds seconds(bins);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += 8) {
    const __mmask8 here = first_lanes(count - i);
    const __m512i shingle = _mm512_maskz_loadu_epi64(here, shingles + i);
    const __m512i place = _mm512_srli_epi64(placed(shingle, bin_count), 32);
    const __m512i second = _mm512_and_si512(seconds.at(place), low);
    const __mmask8 keep = _mm512_mask_cmplt_epu64_mask(here, _mm512_and_si512(shingle, low), second);
    _mm512_storeu_si512(out + kept, compress_64(keep, shingle));
    kept += static_cast<std::size_t>(_mm_popcnt_u32(keep));
  }
  return kept;
}

// Of eight bands, one to a lane of 64 bits.
struct EightKeys {
  explicit EightKeys(__m512i begun) : state(begun) {}

  void add(__m512i minima) {
    const __m512i product = _mm512_mullo_epi64(
        _mm512_xor_si512(state, minima), _mm512_set1_epi64(static_cast<long long>(kMinimumMultiplier64)));
    state = _mm512_xor_si512(product, _mm512_srli_epi64(product, 32));
  }
  __m512i finish() const {
    __m512i x = _mm512_mullo_epi64(state, _mm512_set1_epi64(static_cast<long long>(kKeyMultiplier)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 29));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64(static_cast<long long>(kKeyMultiplier2)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
  }

  __m512i state;
};

// A Band is seven pairs of numbers.
constexpr std::size_t kBandPairs = sizeof(Band) / 16;
static_assert(sizeof(Band) == 16 * kBandPairs && kBandMinima == 4 && offsetof(Band, key) == 0 &&
              offsetof(Band, width) == 8 && offsetof(Band, variants) == 16 &&
              offsetof(Band, features) == 48 && offsetof(Band, second_features) == 80);

// Lanes to bands: each pair of numbers of the eight bands lies in two vectors.
struct EightBands {
  void set(std::size_t pair, __m512i first, __m512i second) {
    pairs[pair][0] = _mm512_unpacklo_epi64(first, second);  // of bands 0, 2, 4, 6
    pairs[pair][1] = _mm512_unpackhi_epi64(first, second);  // 1, 3, 5, 7
  }
  void store(Band* bands, std::size_t count) const {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t pair = 0; pair < kBandPairs; ++pair) {
        std::memcpy(reinterpret_cast<char*>(bands + j) + 16 * pair,
                    reinterpret_cast<const char*>(&pairs[pair][j % 2]) + 16 * (j / 2), 16);
      }
    }
  }

  __m512i pairs[kBandPairs][2];
};

// The minima of eight bands from `band` on, as so many vectors of one minimum each.
template <std::size_t kWidth>
void read_minima(const std::uint32_t* minima, std::size_t band, __m512i (&out)[kWidth]) {
  const __m512i sixteen = _mm512_loadu_si512(minima);
  const __m512i rest = _mm512_maskz_loadu_epi32(0xFF, minima + 16);
  const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i bands = _mm512_add_epi32(number, _mm512_set1_epi32(static_cast<int>(band)));
  const __m512i begin = _mm512_mullo_epi32(bands, _mm512_set1_epi32(kWidth));
  for (std::size_t e = 0; e < kWidth; ++e) {
    const __m512i places = _mm512_add_epi32(begin, _mm512_set1_epi32(static_cast<int>(e)));
    const __m512i values = _mm512_permutex2var_epi32(sixteen, places, rest);
    out[e] = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(values));
  }
}

template <std::size_t kWidth>
void make_eight_bands(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind,
                      std::size_t band, EightBands& made) {
  __m512i firsts[kWidth];
  __m512i seconds[kWidth];
  read_minima(first, band, firsts);
  read_minima(second, band, seconds);
  const auto number = static_cast<long long>(static_cast<std::uint64_t>(kind) << 8 | band);
  const __m512i numbers =
      _mm512_add_epi64(_mm512_set1_epi64(number), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  EightKeys whole(_mm512_mullo_epi64(numbers, _mm512_set1_epi64(static_cast<long long>(kSeedMultiplier))));
  // A variant is hashed as the key is up to the minimum that is replaced.
  __m512i variants[kBandMinima] = {};
  __m512i features[kBandMinima] = {};
  __m512i second_features[kBandMinima] = {};
  const __m512i kinds = _mm512_set1_epi64(static_cast<long long>(minimum_feature(kind, 0)));
#pragma GCC unroll 4
  for (std::size_t e = 0; e < kWidth; ++e) {
    EightKeys variant = whole;
    variant.add(seconds[e]);
#pragma GCC unroll 4
    for (std::size_t behind = e + 1; behind < kWidth; ++behind) variant.add(firsts[behind]);
    variants[e] = variant.finish();
    features[e] = _mm512_or_si512(kinds, firsts[e]);
    second_features[e] = _mm512_or_si512(kinds, seconds[e]);
    whole.add(firsts[e]);
  }
  const __m512i key = whole.finish();
#pragma GCC unroll 4
  for (std::size_t e = 0; e < kWidth; ++e) {
    const __mmask8 none = _mm512_cmpeq_epi64_mask(seconds[e], _mm512_set1_epi64(kNoMinimum));
    variants[e] = _mm512_mask_mov_epi64(variants[e], none, key);
  }
  made.set(0, key, _mm512_set1_epi64(kWidth));
  made.set(1, variants[0], variants[1]);
  made.set(2, variants[2], variants[3]);
  made.set(3, features[0], features[1]);
  made.set(4, features[2], features[3]);
  made.set(5, second_features[0], second_features[1]);
  made.set(6, second_features[2], second_features[3]);
}

void make_bands_by_eight(const std::uint32_t* first, const std::uint32_t* second, ShingleKind kind,
                         std::size_t count, std::size_t width, Band* bands) {
  const auto make = width == 4 ? make_eight_bands<4> : width == 3 ? make_eight_bands<3> : make_eight_bands<2>;
  EightBands made;
  for (std::size_t j = 0; j < count; j += 8) {
    make(first, second, kind, j, made);
    made.store(bands + j, std::min<std::size_t>(count - j, 8));
  }
}

void mark(const std::uint64_t* shingles, std::size_t count, std::uint32_t floor, std::uint32_t marks,
          std::uint64_t* words) {
  alignas(64) std::array<std::uint32_t, kBlockMax + 16> places;
  const __m512i mark_count = _mm512_set1_epi64(marks);
  const __m512i least = _mm512_set1_epi32(static_cast<int>(floor));
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t end = std::min(count, begin + kBlockMax);
    std::size_t kept = 0;
    for (std::size_t i = begin; i < end; i += 16) {
      const Sixteen sixteen = read_sixteen(shingles + i, end - i, mark_count);
      const __mmask16 keep = _mm512_mask_cmpge_epu32_mask(sixteen.lanes, sixteen.values, least);
      if (keep == sixteen.lanes) {  // as in all texts but long ones: no lane has to move
        _mm512_storeu_si512(&places[kept], sixteen.places);
        kept += std::min<std::size_t>(16, end - i);
      } else {
        kept += append(&places[kept], keep, sixteen.places);
      }
    }
    begin = end;
    set_marks(places.data(), kept, words);
  }
}

__m512i take(std::uint64_t* words) {
  const __m512i marks = _mm512_loadu_si512(words);
  _mm512_storeu_si512(words, _mm512_setzero_si512());
  return marks;
}

std::uint32_t collect(std::uint64_t* words, std::uint32_t marks_per_bit, std::size_t bit_count,
                      std::uint8_t* bits) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  __m512i total = _mm512_setzero_si512();
  const std::uint64_t* const end = words + bit_count * marks_per_bit / 64;
  if (marks_per_bit == 32) {
    for (; words != end; words += 8, bits += 2) {  // of sixteen bits
      const __m512i set = _mm512_popcnt_epi32(take(words));
      total = _mm512_add_epi32(total, set);
      const auto odd_ones = static_cast<std::uint16_t>(_mm512_test_epi32_mask(set, _mm512_set1_epi32(1)));
      std::memcpy(bits, &odd_ones, sizeof odd_ones);
    }
    return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(total));
  }
  if (marks_per_bit == 64) {
    for (; words != end; words += 8, ++bits) {
      const __m512i set = _mm512_popcnt_epi64(take(words));
      total = _mm512_add_epi64(total, set);
      *bits = static_cast<std::uint8_t>(_mm512_test_epi64_mask(set, one));
    }
  } else {
    for (; words != end; words += 16, ++bits) {
      const __m512i a = _mm512_popcnt_epi64(take(words));
      const __m512i b = _mm512_popcnt_epi64(take(words + 8));
      const __m512i set =
          _mm512_add_epi64(_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b));
      total = _mm512_add_epi64(total, set);
      *bits = static_cast<std::uint8_t>(_mm512_test_epi64_mask(set, one));
    }
  }
  return static_cast<std::uint32_t>(_mm512_reduce_add_epi64(total));
}

std::uint32_t differing_bits(const std::uint8_t* a, const std::uint8_t* b, std::size_t bytes) {
  const __mmask64 first = first_bytes(bytes);
  const __mmask64 rest = bytes > 64 ? first_bytes(bytes - 64) : 0;
  const __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(first, a), _mm512_maskz_loadu_epi8(first, b));
  const __m512i y =
      _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, a + 64), _mm512_maskz_loadu_epi8(rest, b + 64));
  return static_cast<std::uint32_t>(
      _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_popcnt_epi64(x), _mm512_popcnt_epi64(y))));
}

void lower_minhash(const std::uint64_t* features, std::size_t count, std::uint32_t* minima) {
  __m512i least[4];
  __m512i mask[4];
  __m512i multiplier[4];
  for (std::size_t i = 0; i < 4; ++i) {
    least[i] = _mm512_loadu_si512(minima + 16 * i);
    mask[i] = _mm512_loadu_si512(kPermutation.mask + 16 * i);
    multiplier[i] = _mm512_loadu_si512(kPermutation.multiplier + 16 * i);
  }
  for (std::size_t f = 0; f < count; ++f) {
    const __m512i value = _mm512_set1_epi32(static_cast<int>(features[f]));
    for (std::size_t i = 0; i < 4; ++i) {
      least[i] =
          _mm512_min_epu32(least[i], _mm512_mullo_epi32(_mm512_xor_si512(value, mask[i]), multiplier[i]));
    }
  }
  for (std::size_t i = 0; i < 4; ++i) _mm512_storeu_si512(minima + 16 * i, least[i]);
}

}  // namespace

const SketchKernels kSketchAvx512 = {count_code_points, hash_characters,     hash_windows<3>,
                                     hash_windows<5>,   lower_minima,        select_low,
                                     select_below,      make_bands_by_eight, mark,
                                     collect,           differing_bits,      lower_minhash};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
