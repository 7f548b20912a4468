#include "core/base/isa.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <array>
#include <cstring>
#include <type_traits>

#include "core/fingerprint/character_bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/kernels.h"
#include "core/fingerprint/slot_weights.h"

namespace neardup::internal {
namespace {

// kPlaces[bits] holds the places of the ones of a byte.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kPlaces = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::size_t count = 0;
    for (std::uint8_t place = 0; place < 8; ++place) {
      if ((bits >> place & 1) != 0) table[bits][count++] = place;
    }
  }
  return table;
}();

}  // namespace
}  // namespace neardup::internal

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
namespace {

using V = __m256i;
using Weigher = SlotWeigher<Isa::kAvx2>;

V load(const void* from) { return _mm256_loadu_si256(static_cast<const V*>(from)); }
void store(void* to, V v) { _mm256_storeu_si256(static_cast<V*>(to), v); }

std::uint64_t low_bits(std::size_t count) {
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));  // count < 256; all from 64 on
}

V table_of(const std::array<std::uint8_t, 16>& row) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&row)));
}

V at_least(V bytes, char least) {
  return _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8(least)), bytes);
}

V in_range(V lead, V second, const SecondByteRange& range) {
  const V row = _mm256_and_si256(lead, _mm256_set1_epi8(15));
  const V above = _mm256_sub_epi8(second, _mm256_shuffle_epi8(table_of(range.min), row));
  const V span = _mm256_shuffle_epi8(table_of(range.span), row);
  return _mm256_cmpeq_epi8(_mm256_min_epu8(above, span), above);
}

// One bit a byte, of 64 bytes.
std::uint64_t mask_of(V low, V high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
}

V is_character(V lead, V second) {
  return _mm256_or_si256(in_range(lead, second, kCharacterRange),
                         in_range(lead, second, kOtherCharacterRange));
}

// Writes the places of the bits, those of each byte of them with one store, and returns where they end.
std::uint16_t* write_places(std::uint64_t bits, std::size_t offset, std::uint16_t* out) {
  __m128i base = _mm_set1_epi16(static_cast<short>(offset));
  for (int byte = 0; byte < 8; ++byte, bits >>= 8) {
    const std::size_t row = bits & 0xFF;
    const __m128i places =
        _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kPlaces[row])));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_add_epi16(base, places));
    out += _mm_popcnt_u64(row);
    base = _mm_add_epi16(base, _mm_set1_epi16(8));
    asm("" : "+x"(base));  // or the compiler makes each base of a constant of its own
  }
  return out;
}

// A character begins at its first byte, a word at a byte of a word behind one that is not. Where a token
// begins behind a space, the space is the last byte of the one before (kernels.h): so ends need not be found.
std::size_t find_tokens(const char* chunk, std::size_t size, bool last, bool after_character,
                        TokenPlaces& places) {
  for (std::size_t i = 0; i < size / 128 + 2; i += 4) {
    store(places.characters.data() + i, _mm256_setzero_si256());
    store(places.joined.data() + i, _mm256_setzero_si256());
  }
  const V spaces = _mm256_set1_epi8(' ');
  std::uint16_t* const begin = places.begin.data();
  CharacterBytes<Isa::kAvx2> characters;
  std::size_t count = 0;
  std::uint64_t in_word = 0;  // 1 if the last byte of the block before belongs to a word
  const auto take = [&](std::uint64_t begins, std::size_t at) {
    count = static_cast<std::size_t>(write_places(begins, at, begin + count) - begin);
  };
  std::size_t at = 0;
  for (; size - at >= 64; at += 64) {  // nothing but words, as far as it goes
    const V low = load(chunk + at);
    const V high = load(chunk + at + 32);
    if (mask_of(low, high) != 0) break;
    const std::uint64_t word = ~mask_of(_mm256_cmpeq_epi8(low, spaces), _mm256_cmpeq_epi8(high, spaces));
    take(word & ~(word << 1 | in_word), at);
    in_word = word >> 63;
  }
  for (; at < size; at += 64) {
    const V low = load(chunk + at);
    const V high = load(chunk + at + 32);
    const std::uint64_t inside = low_bits(size - at < 64 ? size - at : 64);
    const std::uint64_t space = mask_of(_mm256_cmpeq_epi8(low, spaces), _mm256_cmpeq_epi8(high, spaces));
    std::uint64_t word = inside & ~space;
    const std::uint64_t letters = inside & mask_of(at_least(low, '\xE0'), at_least(high, '\xE0'));
    std::uint64_t leads = 0;
    std::uint64_t long_letters = 0;
    if (letters != 0) {
      long_letters = mask_of(at_least(low, '\xF0'), at_least(high, '\xF0'));
      leads = letters & ~long_letters &
              mask_of(is_character(low, load(chunk + at + 1)), is_character(high, load(chunk + at + 33)));
      if (leads != letters) leads |= characters_of(chunk + at, letters & ~leads);
    }
    characters.next(leads, leads & long_letters);
    word &= ~characters.covered;
    const std::uint64_t begins = leads | (word & ~(word << 1 | in_word));
    in_word = word >> 63;
    const std::uint64_t joined = leads & (characters.ends | (at == 0 && after_character ? 1 : 0));
    append_bits<Isa::kAvx2>(_pext_u64(leads, begins), count, places.characters.data());
    append_bits<Isa::kAvx2>(_pext_u64(joined, begins), count, places.joined.data());
    take(begins, at);
  }
  return finish_places<Isa::kAvx2>(chunk, size, last, count, places);
}

// The low 64 bits of each product, out of products of 32 bits.
V times(V a, std::uint64_t multiplier) {
  const V low = _mm256_set1_epi64x(static_cast<long long>(multiplier));
  const V swapped = _mm256_shuffle_epi32(low, _MM_SHUFFLE(2, 3, 0, 1));
  const V cross = _mm256_mullo_epi32(a, swapped);  // low half times high half, and high times low
  const V high = _mm256_add_epi32(cross, _mm256_slli_epi64(cross, 32));  // their sum in the high half
  const V upper = _mm256_blend_epi32(_mm256_setzero_si256(), high, 0xAA);
  return _mm256_add_epi64(_mm256_mul_epu32(a, low), upper);
}

template <int kBits>
V fold(V state) {
  return _mm256_xor_si256(state, _mm256_srli_epi64(state, kBits));
}

V end(V state) { return fold<32>(times(fold<29>(state), kLastMultiplier)); }

__m128i load128(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

__m128i mix(__m128i state) {
  for (const auto& key : kRoundKeys) state = _mm_aesenc_si128(state, load128(key.data()));
  return state;
}

std::uint64_t first_half(__m128i state) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(state)); }

// From place 16 - n on: what to take from 16 bytes so that of n of them kTokenByteLeast is taken and of the
// others nothing is left.
alignas(32) constexpr std::array<std::uint8_t, 2 * kTokenBlock> kTaken = [] {
  std::array<std::uint8_t, 2 * kTokenBlock> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i < kTokenBlock ? kTokenByteLeast : 0xFF;
  return table;
}();

// The first of 16 bytes, all but `others` of them, as they are added to a state.
__m128i block_of(const char* bytes, std::size_t others) {
  return _mm_subs_epu8(load128(bytes), load128(kTaken.data() + others));
}

// One token of any length, in the slow way: few have more than 16 bytes.
[[gnu::noinline]] std::uint64_t hash_one(const char* token, std::size_t size) {
  __m128i state = _mm_setzero_si128();
  for (std::size_t at = 0; at < size; at += kTokenBlock) {
    const std::size_t rest = size - at < kTokenBlock ? size - at : kTokenBlock;
    state = mix(_mm_xor_si128(state, block_of(token + at, kTokenBlock - rest)));
  }
  return first_half(state);
}

// Of each of 64 tokens, how many of 16 bytes are not its own. A space behind it may be: it is hashed as if it
// were not there.
struct Spans {
  alignas(32) std::array<std::uint16_t, 64> others;
  std::uint64_t too_long;  // bit i: token i has more than 16 bytes
};

// REQUIRES: size <= 64.
Spans spans_of(const std::uint16_t* begin, std::size_t size) {
  const V block = _mm256_set1_epi16(kTokenBlock);
  Spans spans;
  spans.too_long = 0;
  for (std::size_t i = 0; i < size; i += 16) {
    const V bytes = _mm256_sub_epi16(load(begin + i + 1), load(begin + i));
    store(spans.others.data() + i, _mm256_subs_epu16(block, bytes));
    const V longer = _mm256_cmpgt_epi16(bytes, block);
    const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(longer)) & 0x55555555;
    spans.too_long |= _pext_u64(bits, 0x55555555) << i;
  }
  spans.too_long &= low_bits(size);
  return spans;
}

// Each 64 tokens are weighed while the next are hashed, if there is a Weigher.
template <typename MaybeWeigher>
void hash_tokens(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                 [[maybe_unused]] MaybeWeigher weigher, [[maybe_unused]] std::uint64_t* counting) {
  constexpr bool kWeigh = std::is_same_v<MaybeWeigher, Weigher>;
  for (std::size_t done = 0; done < size; done += 64) {
    const std::uint16_t* const begin = places.begin.data() + done;
    const std::size_t until = size - done < 64 ? size - done : 64;
    const Spans spans = spans_of(begin, until);
    for (std::size_t i = 0; i < until; ++i) {
      hashes[done + i] = first_half(mix(block_of(chunk + begin[i], spans.others[i])));
      if constexpr (kWeigh) {
        if (done > 0) weigher.add(hashes[done + i - 64]);
      }
    }
    if constexpr (kWeigh) {
      if (done > 0) {
        for (std::size_t i = until; i < 64; ++i) weigher.add(hashes[done + i - 64]);
        counting[done / 64 - 1] = weigher.take(64);
      }
    }
    for (std::uint64_t bits = spans.too_long; bits != 0; bits &= bits - 1) {
      const std::size_t token = _tzcnt_u64(bits);
      const std::size_t behind = begin[token + 1];
      const std::size_t end_of = behind - (chunk[behind - 1] == ' ' ? 1 : 0);
      hashes[done + token] = hash_one(chunk + begin[token], end_of - begin[token]);
    }
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
    std::size_t i = word * 64;
    for (std::uint64_t bits = joined[word]; bits != 0; bits >>= 4, i += 4) {
      const V second = _mm256_shuffle_epi32(load(hashes + i), _MM_SHUFFLE(2, 3, 0, 1));  // rotated by 32
      const V mixed = fold<32>(times(_mm256_xor_si256(load(hashes + i - 1), second), kNextMultiplier));
      alignas(32) std::uint64_t four[4];
      store(four, mixed);
      for (int lane = 0; lane < 4; ++lane) {
        bigrams[count] = four[lane];
        count += bits >> lane & 1;
      }
    }
  }
  if (weights != nullptr) Weigher(*weights).weigh(bigrams, count, counting);
  return count;
}

void widen(const std::uint64_t* features, std::size_t size, std::uint64_t* out) {
  for (std::size_t i = 0; i < size; i += 4) {
    store(out + i, end(times(load(features + i), kFirstMultiplier)));
  }
}

// As in kernels.cc, four lanes at once.
V add(V& sum, V a, V b) {
  const V either = _mm256_xor_si256(a, b);
  const V carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, sum));
  sum = _mm256_xor_si256(sum, either);
  return carry;
}

// kLanes[bits]: all ones in the lanes whose bit is 1.
alignas(32) constexpr std::array<std::array<std::uint64_t, 4>, 16> kLanes = [] {
  std::array<std::array<std::uint64_t, 4>, 16> table{};
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned lane = 0; lane < 4; ++lane) table[bits][lane] = 0 - std::uint64_t{bits >> lane & 1};
  }
  return table;
}();

// Four features, 0 for those whose bit of the low four is 0: zeros change no sum.
V load_counting(const std::uint64_t* features, std::uint64_t bits) {
  return _mm256_and_si256(load(features), load(kLanes[bits & 15].data()));
}

struct Low {
  V ones, twos, fours, eights;

  // `bits`: which of the features count. The low 8 of them for the first 8 features, and so on.
  V add2(const std::uint64_t* f, std::uint64_t bits) {
    return add(ones, load_counting(f, bits), load_counting(f + 8, bits >> 8));
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

// `first` and `second`: which of the first 64 features of the block count, and of the others.
void add_block(const std::uint64_t* features, std::uint64_t first, std::uint64_t second, VotePlanes& votes) {
  auto* const plane = votes.plane.data();
  if (votes.blocks == 0) {
    for (std::size_t p = 0; p < 4; ++p) {
      store(&plane[p][0], _mm256_setzero_si256());
      store(&plane[p][4], _mm256_setzero_si256());
    }
  }
  const std::size_t high = 64 - _lzcnt_u64(votes.blocks);
  const bool grows = (++votes.blocks >> high) != 0;
  for (std::size_t lane = 0; lane < VotePlanes::kLanes; lane += 4) {
    Low low{load(&plane[0][lane]), load(&plane[1][lane]), load(&plane[2][lane]), load(&plane[3][lane])};
    V carry = low.add16(features + lane, first >> lane, second >> lane);
    store(&plane[0][lane], low.ones);
    store(&plane[1][lane], low.twos);
    store(&plane[2][lane], low.fours);
    store(&plane[3][lane], low.eights);
    for (std::size_t p = 4; p < 4 + high; ++p) {
      const V sum = load(&plane[p][lane]);
      store(&plane[p][lane], _mm256_xor_si256(sum, carry));
      carry = _mm256_and_si256(sum, carry);
    }
    if (grows) store(&plane[4 + high][lane], carry);
  }
}

std::size_t vote(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size,
                 VotePlanes& votes) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < size; i += VotePlanes::kBlock) {
    const std::uint64_t first = counting[i / 64];
    const std::uint64_t second = i + 64 < size ? counting[i / 64 + 1] : 0;
    if ((first | second) == 0) continue;
    count += static_cast<std::uint64_t>(_mm_popcnt_u64(first) + _mm_popcnt_u64(second));
    add_block(features + i, first, second, votes);
  }
  return count;
}

std::uint64_t add(std::uint64_t& sum, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t either = a ^ b;
  const std::uint64_t carry = (a & b) | (either & sum);
  sum ^= either;
  return carry;
}

std::uint64_t low_half(__m128i both) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(both)); }
std::uint64_t high_half(__m128i both) { return static_cast<std::uint64_t>(_mm_extract_epi64(both, 1)); }

// Plane by plane from the lowest: its lanes are added up, eight to four to two to one, each with the carry
// from the plane below, and what comes out is compared with that bit of half the count. So the planes need
// not be written again, and what waits for a carry is done beside what waits for another.
std::uint64_t majority(VotePlanes& votes, std::size_t count, std::uint64_t ties) {
  const auto* const plane = votes.plane.data();
  const std::size_t planes = votes.blocks == 0 ? 0 : 4 + 64 - _lzcnt_u64(votes.blocks);
  V carries = _mm256_setzero_si256();
  std::uint64_t first_carry = 0;
  std::uint64_t second_carry = 0;
  std::uint64_t last_carry = 0;
  std::uint64_t greater = 0;
  std::uint64_t equal = ~std::uint64_t{0};
  for (std::size_t p = 0; p < planes + 3; ++p) {
    V four = carries;
    carries = p < planes ? add(four, load(&plane[p][0]), load(&plane[p][4])) : _mm256_setzero_si256();
    const __m128i low = _mm256_castsi256_si128(four);
    const __m128i high = _mm256_extracti128_si256(four, 1);
    std::uint64_t first = first_carry;
    first_carry = add(first, low_half(low), low_half(high));
    std::uint64_t second = second_carry;
    second_carry = add(second, high_half(low), high_half(high));
    std::uint64_t bit = last_carry;
    last_carry = add(bit, first, second);
    const std::uint64_t half = 0 - (count / 2 >> p & 1);
    const std::uint64_t differs = bit ^ half;
    greater = (bit & ~half) | (greater & ~differs);
    equal &= ~differs;
  }
  return count % 2 == 0 ? greater | (equal & ties) : greater;
}

}  // namespace

const Kernels kAvx2Kernels = {find_tokens, hash_and_weigh, hash_bigrams, widen, vote, majority};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
