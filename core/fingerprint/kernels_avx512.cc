#include "core/base/isa.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <cstring>

#include "core/fingerprint/character_bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/kernels.h"

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
namespace {

using V = __m512i;

V load(const void* from) { return _mm512_loadu_si512(from); }
void store(void* to, V v) { _mm512_storeu_si512(to, v); }
V each(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

std::uint64_t low_bits(std::size_t count) {
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));  // count < 256; all from 64 on
}

__mmask64 in_range(V lead, V second, const SecondByteRange& range) {
  const V row = _mm512_and_si512(lead, _mm512_set1_epi8(15));
  const V min = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(range.min.data())));
  const V span = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(range.span.data())));
  return _mm512_cmple_epu8_mask(_mm512_sub_epi8(second, _mm512_shuffle_epi8(min, row)),
                                _mm512_shuffle_epi8(span, row));
}

// The places of the first 32 bits, or with `kRest` of those behind.
template <bool kRest>
V places_of(std::uint64_t bits, std::size_t offset) {
  const V iota =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
                      41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
                      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const V places = _mm512_maskz_compress_epi8(bits, iota);
  return _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(places, kRest)),
                          _mm512_set1_epi16(static_cast<short>(offset)));
}

// A token begins where the one before ends, or behind the one space there: canonical text has no other gaps.
// So it is enough to find the ends.
std::size_t find_tokens(const char* chunk, std::size_t size, bool last, bool after_character,
                        TokenPlaces& places) {
  for (std::size_t i = 0; i < size / 128 + 2; i += 8) {
    store(places.characters.data() + i, _mm512_setzero_si512());
    store(places.joined.data() + i, _mm512_setzero_si512());
  }
  const V one = _mm512_set1_epi16(1);
  std::uint16_t* const begin = places.begin.data();
  std::uint16_t* const end = places.end.data();
  begin[0] = size > 0 && *chunk == ' ' ? 1 : 0;
  CharacterBytes<Isa::kAvx512> characters;
  bool any_character = false;
  std::size_t count = 0;
  std::uint64_t in_word = 0;  // 1 if the last byte of the block before belongs to a word
  const std::size_t until = last ? size + 1 : size;  // the last token of a text ends behind its last byte
  for (std::size_t at = 0; at < until; at += 64) {
    const V bytes = load(chunk + at);
    const std::uint64_t inside = size - at >= 64 ? ~std::uint64_t{0} : low_bits(size - at);
    const std::uint64_t space = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
    std::uint64_t word = inside & ~space;
    if ((_mm512_movepi8_mask(bytes) & inside) == 0 && !characters.pending()) {
      const std::uint64_t behind_word = word << 1 | in_word;
      const std::uint64_t ends = behind_word & ~word;
      in_word = word >> 63;
      const V at_ends = places_of<false>(ends, at);
      store(end + count, at_ends);
      store(begin + count + 1, _mm512_add_epi16(at_ends, one));
      count += static_cast<std::size_t>(_mm_popcnt_u64(ends));
      continue;
    }
    const std::uint64_t letters = inside & _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8('\xE0'));
    std::uint64_t leads = 0;
    std::uint64_t long_letters = 0;
    if (letters != 0) {
      long_letters = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8('\xF0'));
      const V second = load(chunk + at + 1);
      leads = letters & ~long_letters &
              (in_range(bytes, second, kCharacterRange) | in_range(bytes, second, kOtherCharacterRange));
      if (leads != letters) leads |= characters_of(chunk + at, letters & ~leads);
    }
    characters.next(leads, leads & long_letters);
    word &= ~characters.covered;
    const std::uint64_t behind_word = word << 1 | in_word;
    const std::uint64_t ends = (behind_word & ~word) | characters.ends;
    in_word = word >> 63;
    any_character |= characters.ends != 0;
    append_bits<Isa::kAvx512>(_pext_u64(characters.ends, ends), count, places.characters.data());
    append_bits<Isa::kAvx512>(_pext_u64(characters.ends & ~space, ends), count, places.joined.data());
    const std::uint64_t spaces = _pext_u64(space, ends);
    const V at_ends = places_of<false>(ends, at);
    store(end + count, at_ends);
    store(begin + count + 1, _mm512_mask_add_epi16(at_ends, static_cast<__mmask32>(spaces), at_ends, one));
    const auto found = static_cast<std::size_t>(_mm_popcnt_u64(ends));
    if (found > 32) {  // a character ends at the first byte, a word of one byte at the next, and so on
      const V rest = places_of<true>(ends, at);
      store(end + count + 32, rest);
      store(begin + count + 33, _mm512_mask_add_epi16(rest, static_cast<__mmask32>(spaces >> 32), rest, one));
    }
    count += found;
  }
  if (any_character) {
    join<Isa::kAvx512>(places.characters.data(), count, after_character && *chunk != ' ',
                       places.joined.data());
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(begin + count), _mm_setzero_si128());
  _mm_storeu_si128(reinterpret_cast<__m128i*>(end + count), _mm_setzero_si128());
  return count;
}

V fold(V state, int bits) {
  return _mm512_xor_si512(state, _mm512_srli_epi64(state, static_cast<unsigned>(bits)));
}

V end(V state) { return fold(_mm512_mullo_epi64(fold(state, 29), each(kLastMultiplier)), 32); }

__m128i load128(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// The low byte of each of eight numbers of 16 bits, eight times.
V spread_low_bytes(__m128i numbers) {
  const V from =
      _mm512_set_epi64(0x0E0E0E0E0E0E0E0E, 0x0C0C0C0C0C0C0C0C, 0x0A0A0A0A0A0A0A0A, 0x0808080808080808,
                       0x0606060606060606, 0x0404040404040404, 0x0202020202020202, 0);
  return _mm512_permutexvar_epi8(from, _mm512_castsi128_si512(numbers));
}

// The 16 bytes at each of four places.
V load_four(const char* a, const char* b, const char* c, const char* d) {
  V four = _mm512_castsi128_si512(load128(a));
  four = _mm512_inserti64x2(four, load128(b), 1);
  four = _mm512_inserti64x2(four, load128(c), 2);
  return _mm512_inserti64x2(four, load128(d), 3);
}

// The words of more than 16 bytes, of up to 64 tokens from `i` on.
void hash_long_words(const char* chunk, const TokenPlaces& places, std::size_t i, std::size_t size,
                     std::uint64_t* hashes) {
  const std::uint16_t* const begin = places.begin.data();
  const std::uint16_t* const end = places.end.data();
  const V sixteen = _mm512_set1_epi16(16);
  const auto low = _mm512_cmpgt_epu16_mask(_mm512_sub_epi16(load(end + i), load(begin + i)), sixteen);
  const auto high =
      _mm512_cmpgt_epu16_mask(_mm512_sub_epi16(load(end + i + 32), load(begin + i + 32)), sixteen);
  std::uint64_t bits = (low | std::uint64_t{high} << 32) & low_bits(size - i < 64 ? size - i : 64);
  for (; bits != 0; bits &= bits - 1) {
    const std::size_t token = i + _tzcnt_u64(bits);
    hashes[token] = token_feature_of(chunk + begin[token], std::size_t{end[token]} - begin[token]);
  }
}

// Eight tokens, of up to 16 bytes each.
[[gnu::always_inline]] inline V hash_eight(const char* chunk, const std::uint16_t* begin,
                                           const std::uint16_t* end_of) {
  const V byte_of_first = each(0x0706050403020100);
  const V byte_of_second = each(0x0F0E0D0C0B0A0908);
  const V even = load_four(chunk + begin[0], chunk + begin[2], chunk + begin[4], chunk + begin[6]);
  const V odd = load_four(chunk + begin[1], chunk + begin[3], chunk + begin[5], chunk + begin[7]);
  const V length = spread_low_bytes(_mm_sub_epi16(load128(end_of), load128(begin)));
  const V first =
      _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(byte_of_first, length), _mm512_unpacklo_epi64(even, odd));
  const V second =
      _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(byte_of_second, length), _mm512_unpackhi_epi64(even, odd));
  const V state = fold(_mm512_mullo_epi64(first, each(kFirstMultiplier)), 32);
  return end(_mm512_mullo_epi64(_mm512_add_epi64(state, second), each(kNextMultiplier)));
}

// How often the slots of some features occurred before them; counts that. No branch, and a table instead of
// a comparison: six instructions a feature.
[[gnu::always_inline]] inline void weigh(const std::uint64_t* features, std::size_t size,
                                         std::uint8_t* weights, std::uint8_t* earlier) {
  for (std::size_t i = 0; i < size; ++i) {
    std::uint16_t top;  // of the feature's 16-bit words
    std::memcpy(&top, reinterpret_cast<const char*>(features + i) + 6, sizeof top);
    std::uint8_t& weight = weights[top >> (kSlotShift - 48)];
    earlier[i] = weight;
    weight = kNextWeight[weight];
  }
}

// Each 64 tokens are weighed while the next are hashed.
template <bool kWeigh>
void hash_tokens(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                 [[maybe_unused]] std::uint8_t* weights, [[maybe_unused]] std::uint8_t* earlier) {
  for (std::size_t done = 0; done < size; done += 64) {
    const std::size_t until = size - done < 64 ? size : done + 64;
    for (std::size_t i = done; i < until; i += 8) {
      store(hashes + i, hash_eight(chunk, places.begin.data() + i, places.end.data() + i));
      if constexpr (kWeigh) {
        if (done > 0) weigh(hashes + i - 64, 8, weights, earlier + i - 64);
      }
    }
    hash_long_words(chunk, places, done, size, hashes);
  }
  if constexpr (kWeigh) {
    const std::size_t weighed = size <= 64 ? 0 : (size - 57) / 8 * 8;  // by the loop above
    weigh(hashes + weighed, size - weighed, weights, earlier + weighed);
  }
}

void hash_and_weigh(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                    WeightTable* weights, std::uint8_t* earlier) {
  if (weights == nullptr) {
    hash_tokens<false>(chunk, places, size, hashes, nullptr, nullptr);
  } else {
    hash_tokens<true>(chunk, places, size, hashes, weights->data(), earlier);
  }
}

std::size_t hash_bigrams(const std::uint64_t* hashes, const std::uint64_t* joined, std::size_t size,
                         std::uint64_t* bigrams, WeightTable* weights, std::uint8_t* earlier) {
  std::size_t count = 0;
  for (std::size_t word = 0; word * 64 < size; ++word) {
    std::size_t i = word * 64;
    for (std::uint64_t bits = joined[word]; bits != 0; bits >>= 8, i += 8) {
      const V first = load(hashes + i - 1);
      const V second = _mm512_rol_epi64(load(hashes + i), 32);
      const V state = _mm512_mullo_epi64(_mm512_xor_si512(first, second), each(kNextMultiplier));
      store(bigrams + count, _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), fold(state, 32)));
      count += static_cast<std::size_t>(_mm_popcnt_u64(bits & 0xFF));
    }
  }
  if (weights != nullptr) weigh(bigrams, count, weights->data(), earlier);
  return count;
}

void widen(const std::uint64_t* features, std::size_t size, std::uint64_t* out) {
  for (std::size_t i = 0; i < size; i += 8) {
    store(out + i, end(_mm512_mullo_epi64(load(features + i), each(kFirstMultiplier))));
  }
}

// As in kernels.cc, all eight lanes at once.
V add(V& sum, V a, V b) {
  const V carry = _mm512_ternarylogic_epi64(sum, a, b, 0xE8);  // the majority
  sum = _mm512_ternarylogic_epi64(sum, a, b, 0x96);            // the parity
  return carry;
}

struct Low {
  V ones, twos, fours, eights;

  // `bits`: which of the features count. The low 8 of them for the first 8 features, and so on.
  V add2(const std::uint64_t* f, std::uint64_t bits) {
    return add(ones, _mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits), f),
               _mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits >> 8), f + 8));
  }
  V add4(const std::uint64_t* f, std::uint64_t bits) {
    const V carry = add2(f, bits);
    return add(twos, carry, add2(f + 16, bits >> 16));
  }
  V add8(const std::uint64_t* f, std::uint64_t bits) {
    const V carry = add4(f, bits);
    return add(fours, carry, add4(f + 32, bits >> 32));
  }
  V add16(const std::uint64_t* f, std::uint64_t low, std::uint64_t high) {
    const V carry = add8(f, low);
    return add(eights, carry, add8(f + 64, high));
  }
};

// Which of the next 64 features count, of `size` that are left.
std::uint64_t counting(const std::uint8_t* earlier, std::size_t size) {
  return low_bits(size < 64 ? size : 64) &
         _mm512_cmplt_epu8_mask(load(earlier), _mm512_set1_epi8(kWeightMax));
}

std::size_t vote(const std::uint64_t* features, const std::uint8_t* earlier, std::size_t size,
                 VotePlanes& votes) {
  auto* const plane = votes.plane.data();
  Low low{load(&plane[0]), load(&plane[1]), load(&plane[2]), load(&plane[3])};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < size; i += VotePlanes::kBlock) {
    const std::uint64_t first = counting(earlier + i, size - i);
    const std::uint64_t second = i + 64 < size ? counting(earlier + i + 64, size - i - 64) : 0;
    count += _mm_popcnt_u64(first) + _mm_popcnt_u64(second);
    const std::size_t high = 64 - _lzcnt_u64(votes.blocks);
    const bool grows = (++votes.blocks >> high) != 0;
    V carry = low.add16(features + i, first, second);
    for (std::size_t p = 4; p < 4 + high; ++p) {
      const V sum = load(&plane[p]);
      store(&plane[p], _mm512_xor_si512(sum, carry));
      carry = _mm512_and_si512(sum, carry);
    }
    if (grows) store(&plane[4 + high], carry);
  }
  store(&plane[0], low.ones);
  store(&plane[1], low.twos);
  store(&plane[2], low.fours);
  store(&plane[3], low.eights);
  return count;
}

// Adds to each lane the one that `kOrder` brings there, the planes of a number at a time.
template <int kOrder>
[[gnu::always_inline]] inline void add_lanes(V* plane, std::size_t planes) {
  V carry = _mm512_setzero_si512();
  for (std::size_t p = 0; p < planes; ++p) {
    const V a = plane[p];
    V b;
    if constexpr (kOrder == 4) {
      b = _mm512_shuffle_i64x2(a, a, 0x4E);
    } else if constexpr (kOrder == 2) {
      b = _mm512_permutex_epi64(a, 0x4E);
    } else {
      b = _mm512_shuffle_epi32(a, _MM_PERM_BADC);
    }
    plane[p] = _mm512_ternarylogic_epi64(a, b, carry, 0x96);
    carry = _mm512_ternarylogic_epi64(a, b, carry, 0xE8);
  }
  plane[planes] = carry;
}

// As in kernels.cc, but every lane gets the sum of all.
[[gnu::always_inline]] inline std::uint64_t majority_of_planes(const VotePlanes& votes, std::size_t planes,
                                                               std::size_t count, std::uint64_t ties) {
  V plane[VotePlanes::kPlanesMax];
  for (std::size_t p = 0; p < planes; ++p) plane[p] = load(&votes.plane.data()[p]);
  add_lanes<4>(plane, planes);
  add_lanes<2>(plane, planes + 1);
  add_lanes<1>(plane, planes + 2);

  V greater = _mm512_setzero_si512();
  V equal = each(~std::uint64_t{0});
  for (std::size_t p = planes + 3; p-- > 0;) {
    const V half = each(0 - (count / 2 >> p & 1));
    greater =
        _mm512_ternarylogic_epi64(greater, equal, _mm512_andnot_si512(half, plane[p]), 0xF8);  // a | b & c
    equal = _mm512_ternarylogic_epi64(equal, plane[p], half, 0x90);                            // a & ~(b ^ c)
  }
  const V tied = _mm512_and_si512(equal, each(count % 2 == 0 ? ties : 0));
  return static_cast<std::uint64_t>(
      _mm_cvtsi128_si64(_mm512_castsi512_si128(_mm512_or_si512(greater, tied))));
}

std::uint64_t majority(VotePlanes& votes, std::size_t count, std::uint64_t ties) {
  if (votes.blocks == 0) return ties;
  if (votes.blocks == 1) return majority_of_planes(votes, 5, count, ties);  // in registers
  return majority_of_planes(votes, 68 - _lzcnt_u64(votes.blocks), count, ties);
}

}  // namespace

const Kernels kAvx512Kernels = {find_tokens, hash_and_weigh, hash_bigrams, widen, vote, majority};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
