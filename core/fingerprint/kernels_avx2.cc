#include "core/base/isa.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <array>
#include <cstring>

#include "core/fingerprint/character_bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/kernels.h"

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

// Writes `offset` + the place of each bit.
std::size_t write_places(std::uint64_t bits, std::size_t offset, std::uint16_t* out) {
  const auto count = static_cast<std::size_t>(_mm_popcnt_u64(bits));
  for (; bits != 0; bits >>= 8, offset += 8) {
    const __m128i places =
        _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kPlaces[bits & 0xFF])));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm_add_epi16(places, _mm_set1_epi16(static_cast<short>(offset))));
    out += _mm_popcnt_u64(bits & 0xFF);
  }
  return count;
}

V is_character(V lead, V second) {
  return _mm256_or_si256(in_range(lead, second, kCharacterRange),
                         in_range(lead, second, kOtherCharacterRange));
}

std::size_t find_tokens(const char* chunk, std::size_t size, bool last, bool after_character,
                        TokenPlaces& places) {
  std::memset(places.characters.data(), 0, sizeof places.characters);
  std::memset(places.joined.data(), 0, sizeof places.joined);
  const V spaces = _mm256_set1_epi8(' ');
  CharacterBytes<Isa::kAvx2> characters;
  std::size_t begins = 0;
  std::size_t ends = 0;
  std::uint64_t in_word = 0;  // 1 if the last byte of the block before belongs to a word
  for (std::size_t at = 0; at < size; at += 64) {
    const V low = load(chunk + at);
    const V high = load(chunk + at + 32);
    const std::uint64_t inside = size - at >= 64 ? ~std::uint64_t{0} : low_bits(size - at);
    std::uint64_t word = inside & ~mask_of(_mm256_cmpeq_epi8(low, spaces), _mm256_cmpeq_epi8(high, spaces));
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const std::uint64_t letters = inside & mask_of(at_least(low, '\xE0'), at_least(high, '\xE0'));
    const bool has_characters = letters != 0 || characters.pending();
    if (has_characters) {
      const std::uint64_t long_letters = mask_of(at_least(low, '\xF0'), at_least(high, '\xF0'));
      std::uint64_t leads =
          letters & ~long_letters &
          mask_of(is_character(low, load(chunk + at + 1)), is_character(high, load(chunk + at + 33)));
      if (leads != letters) leads |= characters_of(chunk + at, letters & ~leads);
      characters.next(leads, leads & long_letters);
      word &= ~characters.covered;
      begin = leads;
      end = characters.ends;
    }
    const std::uint64_t behind_word = word << 1 | in_word;
    in_word = word >> 63;
    begin |= word & ~behind_word;
    end |= behind_word & ~word;
    if (has_characters) {
      const std::uint64_t behind_character =
          characters.ends | static_cast<std::uint64_t>(at == 0 && after_character);
      append_bits<Isa::kAvx2>(_pext_u64(characters.leads(), begin), begins, places.characters.data());
      append_bits<Isa::kAvx2>(_pext_u64(characters.leads() & behind_character, begin), begins,
                              places.joined.data());
    }
    begins += write_places(begin, at, places.begin.data() + begins);
    ends += write_places(end, at, places.end.data() + ends);
  }
  if (last && ends < begins) places.end[ends++] = static_cast<std::uint16_t>(size);
  places.characters[ends / 64] &= low_bits(ends % 64);  // without a character that reaches the chunk's end
  places.joined[ends / 64] &= low_bits(ends % 64);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(places.begin.data() + ends), _mm_setzero_si128());
  _mm_storeu_si128(reinterpret_cast<__m128i*>(places.end.data() + ends), _mm_setzero_si128());
  return ends;
}

std::uint64_t end(std::uint64_t state) {
  state ^= state >> 29;
  state *= kLastMultiplier;
  return state ^ (state >> 32);
}

std::uint64_t load_word(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// How often the slot of a feature occurred before it; counts that. No branch, and a table instead of a
// comparison.
[[gnu::always_inline]] inline std::uint8_t weigh(std::uint64_t feature, std::uint8_t* weights) {
  std::uint8_t& slot = weights[feature >> kSlotShift];
  const std::uint8_t weight = slot;
  slot = kNextWeight[weight];
  return weight;
}

// One at a time: AVX2 has no 64-bit multiplication, and building it of smaller ones takes longer.
template <bool kWeigh>
void hash_tokens(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                 [[maybe_unused]] std::uint8_t* weights, [[maybe_unused]] std::uint8_t* earlier) {
  for (std::size_t i = 0; i < size; ++i) {
    const char* const token = chunk + places.begin.data()[i];
    const unsigned length = static_cast<unsigned>(places.end.data()[i]) - places.begin.data()[i];
    if (length > 16) {
      hashes[i] = token_feature_of(token, length);
    } else {
      const unsigned bits = length * 8;
      std::uint64_t state =
          _bzhi_u64(load_word(token), bits) * kFirstMultiplier;  // all of it where bits >= 64
      state = (state ^ state >> 32) + _bzhi_u64(load_word(token + 8), bits > 64 ? bits - 64 : 0);
      hashes[i] = end(state * kNextMultiplier);
    }
    if constexpr (kWeigh) earlier[i] = weigh(hashes[i], weights);
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
    for (std::uint64_t bits = joined[word]; bits != 0; bits >>= 1, ++i) {
      const std::uint64_t second = hashes[i] << 32 | hashes[i] >> 32;
      const std::uint64_t state = (hashes[i - 1] ^ second) * kNextMultiplier;
      bigrams[count] = state ^ (state >> 32);
      count += bits & 1;
    }
  }
  if (weights == nullptr) return count;
  for (std::size_t i = 0; i < count; ++i) earlier[i] = weigh(bigrams[i], weights->data());
  return count;
}

void widen(const std::uint64_t* features, std::size_t size, std::uint64_t* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] = end(features[i] * kFirstMultiplier);
}

// As in kernels.cc, four lanes at once.
V add(V& sum, V a, V b) {
  const V either = _mm256_xor_si256(a, b);
  const V carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, sum));
  sum = _mm256_xor_si256(sum, either);
  return carry;
}

struct Low {
  V ones, twos, fours, eights;

  V add2(const std::uint64_t* f) { return add(ones, load(f), load(f + 8)); }
  V add4(const std::uint64_t* f) {
    const V carry = add2(f);
    return add(twos, carry, add2(f + 16));
  }
  V add8(const std::uint64_t* f) {
    const V carry = add4(f);
    return add(fours, carry, add4(f + 32));
  }
  V add16(const std::uint64_t* f) {
    const V carry = add8(f);
    return add(eights, carry, add8(f + 64));
  }
};

void add_blocks(const std::uint64_t* features, std::size_t blocks, VotePlanes& votes) {
  auto* const plane = votes.plane.data();
  for (std::size_t block = 0; block < blocks; ++block, features += VotePlanes::kBlock) {
    const std::size_t high = 64 - _lzcnt_u64(votes.blocks);
    const bool grows = (++votes.blocks >> high) != 0;
    for (std::size_t lane = 0; lane < VotePlanes::kLanes; lane += 4) {
      Low low{load(&plane[0][lane]), load(&plane[1][lane]), load(&plane[2][lane]), load(&plane[3][lane])};
      V carry = low.add16(features + lane);
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
}

// Those that count move together, and zeros, which change no sum, fill up the last block.
std::size_t vote(const std::uint64_t* features, const std::uint8_t* earlier, std::size_t size,
                 VotePlanes& votes) {
  constexpr std::size_t kBlock = VotePlanes::kBlock;
  alignas(64) std::uint64_t counting[kTokensMax + kBlock];
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    counting[count] = features[i];
    count += (std::uint32_t{earlier[i]} - kWeightMax) >> 31;
  }
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  std::memset(counting + count, 0, (blocks * kBlock - count) * sizeof *counting);
  add_blocks(counting, blocks, votes);
  return count;
}

}  // namespace

const Kernels kAvx2Kernels = {find_tokens, hash_and_weigh, hash_bigrams, widen, vote, majority_of};

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
