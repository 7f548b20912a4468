#include "core/base/isa.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <type_traits>

#include "core/fingerprint/character_bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/kernels.h"
#include "core/fingerprint/slot_weights.h"

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
#include "core/base/compress_avx512.inc"
namespace {

using V = __m512i;
using Weigher = SlotWeigher<Isa::kAvx512>;

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

// Writes the places of the bits, 33 at most: a word has a byte and a space, a character three; but a Hangul
// syllable may follow a word without a space, so one may begin in the last byte, behind 32 words.
void write_places(std::uint64_t bits, std::size_t offset, std::uint16_t* out) {
  const V iota =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
                      41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
                      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const V places = compress_8(bits, iota);
  const V base = _mm512_set1_epi16(static_cast<short>(offset));
  store(out, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(places)), base));
  out[32] = static_cast<std::uint16_t>(offset + 63);  // the 33rd, or of no use
}

// A character begins at its first byte, a word at a byte of a word behind one that is not. Where a token
// begins behind a space, the space is the last byte of the one before (kernels.h): so ends need not be found.
std::size_t find_tokens(const char* chunk, std::size_t size, bool last, bool after_character,
                        TokenPlaces& places) {
  for (std::size_t i = 0; i < size / 128 + 2; i += 8) {
    store(places.characters.data() + i, _mm512_setzero_si512());
    store(places.joined.data() + i, _mm512_setzero_si512());
  }
  std::uint16_t* const begin = places.begin.data();
  CharacterBytes<Isa::kAvx512> characters;
  std::size_t count = 0;
  std::uint64_t in_word = 0;  // 1 if the last byte of the block before belongs to a word
  const V spaces = _mm512_set1_epi8(' ');
  const auto take = [&](std::uint64_t begins, std::size_t at) {
    write_places(begins, at, begin + count);
    count += static_cast<std::size_t>(_mm_popcnt_u64(begins));
  };
  std::size_t at = 0;
  for (; size - at >= 64; at += 64) {  // nothing but words, as far as it goes
    const V bytes = load(chunk + at);
    if (_mm512_movepi8_mask(bytes) != 0) break;
    const std::uint64_t word = _mm512_cmpneq_epi8_mask(bytes, spaces);
    take(word & ~(word << 1 | in_word), at);
    in_word = word >> 63;
  }
  for (; at < size; at += 64) {
    const V bytes = load(chunk + at);
    const std::uint64_t inside = low_bits(size - at < 64 ? size - at : 64);
    std::uint64_t word = inside & _mm512_cmpneq_epi8_mask(bytes, spaces);
    const std::uint64_t letters = inside & _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8('\xE0'));
    std::uint64_t leads = inside & _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('\xE4')),
                                                          _mm512_set1_epi8('\xE9' - '\xE4'));
    if (leads == letters && !characters.long_pending()) {  // ideographs, as nearly always
      characters.next(leads);
    } else {
      const std::uint64_t long_letters = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8('\xF0'));
      const V second = load(chunk + at + 1);
      leads = letters & ~long_letters &
              (in_range(bytes, second, kCharacterRange) | in_range(bytes, second, kOtherCharacterRange));
      if (leads != letters) leads |= characters_of(chunk + at, letters & ~leads);
      characters.next(leads, leads & long_letters);
    }
    word &= ~characters.covered;
    const std::uint64_t begins = leads | (word & ~(word << 1 | in_word));
    in_word = word >> 63;
    const std::uint64_t joined = leads & (characters.ends | (at == 0 && after_character ? 1 : 0));
    append_bits<Isa::kAvx512>(_pext_u64(leads, begins), count, places.characters.data());
    append_bits<Isa::kAvx512>(_pext_u64(joined, begins), count, places.joined.data());
    take(begins, at);
  }
  return finish_places<Isa::kAvx512>(chunk, size, last, count, places);
}

V fold(V state, int bits) {
  return _mm512_xor_si512(state, _mm512_srli_epi64(state, static_cast<unsigned>(bits)));
}

V end(V state) { return fold(_mm512_mullo_epi64(fold(state, 29), each(kLastMultiplier)), 32); }

__m128i round_key(std::size_t round) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRoundKeys[round].data()));
}

// One token of any length, in the slow way: few have more than 16 bytes.
std::uint64_t hash_one(const char* token, std::size_t size) {
  __m128i state = _mm_setzero_si128();
  for (std::size_t at = 0; at < size; at += kTokenBlock) {
    const auto here = static_cast<__mmask16>(low_bits(size - at < kTokenBlock ? size - at : kTokenBlock));
    const __m128i bytes = _mm_maskz_loadu_epi8(here, token + at);
    state = _mm_xor_si128(state, _mm_subs_epu8(bytes, _mm_set1_epi8(kTokenByteLeast)));
    for (std::size_t round = 0; round < kRoundKeys.size(); ++round) {
      state = _mm_aesenc_si128(state, round_key(round));
    }
  }
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(state));
}

// The states of four tokens of up to 16 bytes each, a space behind them counted. `spans` has as many ones for
// each as it has bytes, in 16 bits: so the bytes of the text, which have no gaps, spread over the four.
V mix_four(const char* text, std::uint64_t spans) {
  V state = expand_8(spans, load(text));
  state = _mm512_subs_epu8(state, _mm512_set1_epi8(kTokenByteLeast));
  for (std::size_t round = 0; round < kRoundKeys.size(); ++round) {
    state = _mm512_aesenc_epi128(state, _mm512_broadcast_i32x4(round_key(round)));
  }
  return state;
}

// How many bytes each of 64 tokens has, as mix_four() takes it.
struct Spans {
  alignas(64) std::array<std::uint64_t, 16> ones;  // of four tokens each
  std::uint64_t too_long;                          // bit i: token i has more than 16
};

// REQUIRES: size <= 64.
Spans spans_of(const std::uint16_t* begin, std::size_t size) {
  const V one = _mm512_set1_epi16(1);
  const V most = _mm512_set1_epi16(kTokenBlock);
  Spans spans;
  const V low = _mm512_sub_epi16(load(begin + 1), load(begin));
  const V high = _mm512_sub_epi16(load(begin + 33), load(begin + 32));
  store(spans.ones.data(), _mm512_sub_epi16(_mm512_sllv_epi16(one, low), one));
  store(spans.ones.data() + 8, _mm512_sub_epi16(_mm512_sllv_epi16(one, high), one));
  spans.too_long =
      (_mm512_cmpgt_epu16_mask(low, most) | std::uint64_t{_mm512_cmpgt_epu16_mask(high, most)} << 32) &
      low_bits(size);
  return spans;
}

// Of `size` tokens, up to 64, hashes those that are too long for mix_four(), and those behind them in their
// four.
void hash_long(const char* chunk, const std::uint16_t* begin, std::size_t size, std::uint64_t too_long,
               std::uint64_t* hashes) {
  constexpr std::uint64_t kFirstOfFour = 0x1111111111111111;
  std::uint64_t again = too_long | (too_long << 1 & ~kFirstOfFour);
  again |= again << 2 & ~(kFirstOfFour | kFirstOfFour << 1);
  again &= low_bits(size);
  for (; again != 0; again &= again - 1) {
    const std::size_t token = _tzcnt_u64(again);
    const std::size_t behind = begin[token + 1];
    const std::size_t end_of = behind - (chunk[behind - 1] == ' ' ? 1 : 0);
    hashes[token] = hash_one(chunk + begin[token], end_of - begin[token]);
  }
}

// Each 64 tokens are weighed while the next are hashed, if there is a Weigher.
template <typename MaybeWeigher>
void hash_tokens(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                 [[maybe_unused]] MaybeWeigher weigher, [[maybe_unused]] std::uint64_t* counting) {
  constexpr bool kWeigh = std::is_same_v<MaybeWeigher, Weigher>;
  const V first_halves = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  for (std::size_t done = 0; done < size; done += 64) {
    const std::uint16_t* const begin = places.begin.data() + done;
    const std::size_t until = size - done < 64 ? size - done : 64;
    const Spans spans = spans_of(begin, until);
    for (std::size_t i = 0; i < until; i += 8) {
      const V low = mix_four(chunk + begin[i], spans.ones[i / 4]);
      const V high = mix_four(chunk + begin[i + 4], spans.ones[i / 4 + 1]);
      store(hashes + done + i, _mm512_permutex2var_epi64(low, first_halves, high));
      if constexpr (kWeigh) {
        if (done > 0) weigher.add_eight(hashes + done + i - 64);
      }
    }
    if constexpr (kWeigh) {
      if (done > 0) {
        for (std::size_t i = (until + 7) / 8 * 8; i < 64; i += 8) weigher.add_eight(hashes + done + i - 64);
        counting[done / 64 - 1] = weigher.take(64);
      }
    }
    if (spans.too_long != 0) hash_long(chunk, begin, until, spans.too_long, hashes + done);
  }
  if constexpr (kWeigh) {
    const std::size_t weighed = (size - 1) / 64 * 64;
    weigher.weigh(hashes + weighed, size - weighed, counting + weighed / 64);
  }
}

void hash_and_weigh(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                    WeightTable* weights, std::uint64_t* counting) {
  if (weights == nullptr) {
    hash_tokens(chunk, places, size, hashes, NoWeigher(), nullptr);
  } else {
    hash_tokens(chunk, places, size, hashes, Weigher(*weights), counting);
  }
}

std::size_t hash_bigrams(const std::uint64_t* hashes, const std::uint64_t* joined, std::size_t size,
                         std::uint64_t* bigrams, WeightTable* weights, std::uint64_t* counting) {
  std::size_t count = 0;
  for (std::size_t word = 0; word * 64 < size; ++word) {
    std::uint64_t bits = joined[word];
    if (bits == 0) continue;
    for (std::size_t i = word * 64; i < word * 64 + 64; bits >>= 8, i += 8) {
      const V first = load(hashes + i - 1);
      const V second = _mm512_rol_epi64(load(hashes + i), 32);
      const V state = _mm512_mullo_epi64(_mm512_xor_si512(first, second), each(kNextMultiplier));
      store(bigrams + count, compress_64(static_cast<__mmask8>(bits), fold(state, 32)));
      count += static_cast<std::size_t>(_mm_popcnt_u64(bits & 0xFF));
    }
  }
  if (weights != nullptr) Weigher(*weights).weigh(bigrams, count, counting);
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

// How many of eight values have each bit: byte i tells of bit i.
V count_bits(V values) {
  // Byte 8 i + k of the sorted is byte i of value k: so each eight bytes are a matrix of 8 by 8 bits. Times
  // each unit vector, a matrix is its columns, and their sums are what is asked for.
  const V order =
      _mm512_set_epi8(63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21,
                      13, 5, 60, 52, 44, 36, 28, 20, 12, 4, 59, 51, 43, 35, 27, 19, 11, 3, 58, 50, 42, 34, 26,
                      18, 10, 2, 57, 49, 41, 33, 25, 17, 9, 1, 56, 48, 40, 32, 24, 16, 8, 0);
  const V sorted = _mm512_permutexvar_epi8(order, values);
  return _mm512_popcnt_epi8(_mm512_gf2p8affine_epi64_epi8(each(0x8040201008040201), sorted, 0));
}

// The first 16 of 64 counts, in 32 bits each; and the counts with the next 16 in front.
V first_quarter(V counts) { return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(counts)); }
V next_quarter(V counts) { return _mm512_shuffle_i32x4(counts, counts, 0x39); }

std::size_t vote(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size,
                 VotePlanes& votes) {
  auto* const plane = votes.plane.data();
  const __mmask8 begun = votes.blocks != 0 ? 0xFF : 0;
  const auto load_begun = [&](std::size_t p) { return _mm512_maskz_loadu_epi64(begun, &plane[p]); };
  Low low{load_begun(0), load_begun(1), load_begun(2), load_begun(3)};
  static_assert(kTokensMax / VotePlanes::kBlock * VotePlanes::kLanes <= UINT8_MAX);
  V sixteens = _mm512_setzero_si512();
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < size; i += VotePlanes::kBlock) {
    const std::uint64_t first = counting[i / 64];
    const std::uint64_t second = i + 64 < size ? counting[i / 64 + 1] : 0;
    if ((first | second) == 0) continue;
    count += _mm_popcnt_u64(first) + _mm_popcnt_u64(second);
    ++votes.blocks;
    sixteens = _mm512_add_epi8(sixteens, count_bits(low.add16(features + i, first, second)));
  }
  store(&plane[0], low.ones);
  store(&plane[1], low.twos);
  store(&plane[2], low.fours);
  store(&plane[3], low.eights);
  for (std::size_t p = 4; p < 8; ++p, sixteens = next_quarter(sixteens)) {
    store(&plane[p], _mm512_add_epi32(load_begun(p), first_quarter(sixteens)));
  }
  return count;
}

std::uint64_t majority(VotePlanes& votes, std::size_t count, std::uint64_t ties) {
  if (votes.blocks == 0) return ties;
  const auto* const plane = votes.plane.data();
  V low = count_bits(load(&plane[3]));
  low = _mm512_add_epi8(_mm512_add_epi8(low, low), count_bits(load(&plane[2])));
  low = _mm512_add_epi8(_mm512_add_epi8(low, low), count_bits(load(&plane[1])));
  low = _mm512_add_epi8(_mm512_add_epi8(low, low), count_bits(load(&plane[0])));
  const V half = _mm512_set1_epi32(static_cast<int>(count / 2));
  std::uint64_t greater = 0;
  std::uint64_t equal = 0;
  for (std::size_t quarter = 0; quarter < 4; ++quarter, low = next_quarter(low)) {
    const V sixteens = load(&plane[4 + quarter]);
    const V sums = _mm512_add_epi32(first_quarter(low), _mm512_slli_epi32(sixteens, 4));
    greater |= std::uint64_t{_mm512_cmpgt_epu32_mask(sums, half)} << (16 * quarter);
    equal |= std::uint64_t{_mm512_cmpeq_epu32_mask(sums, half)} << (16 * quarter);
  }
  return count % 2 == 0 ? greater | (equal & ties) : greater;
}

}  // namespace

const Kernels kAvx512Kernels = {find_tokens, hash_and_weigh, hash_bigrams, widen, vote, majority};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
