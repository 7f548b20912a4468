#include "core/fingerprint/kernels.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "core/base/check.h"
#include "core/fingerprint/feature.h"
#include "core/text/fold_table.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"

namespace neardup::internal {
namespace {

std::size_t find_tokens(const char* chunk, std::size_t size, bool last, bool after_character,
                        TokenPlaces& places) {
  places.characters.fill(0);
  places.joined.fill(0);
  TokenReader reader({chunk, size});
  std::size_t count = 0;
  std::size_t next = size;
  for (Token token; reader.next(token); ++count) {
    const auto begin = static_cast<std::size_t>(token.bytes.data() - chunk);
    if (begin + token.bytes.size() == size && !last) {
      next = begin;
      break;
    }
    const bool follows = token.follows_character || (begin == 0 && after_character);
    const std::uint64_t character = token.kind == Token::Kind::kCharacter ? 1 : 0;
    places.begin[count] = static_cast<std::uint16_t>(begin);
    places.characters[count / 64] |= character << count % 64;
    places.joined[count / 64] |= (follows ? character : 0) << count % 64;
  }
  places.begin[count] = static_cast<std::uint16_t>(next);
  std::fill_n(places.begin.data() + count + 1, kPlacesRead, 0);
  return count;
}

// Which of the features find room in their slots.
void weigh(const std::uint64_t* features, std::size_t size, WeightTable& weights, std::uint64_t* counting) {
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 64 == 0) counting[i / 64] = 0;
    counting[i / 64] |= std::uint64_t{weights.count(features[i])} << i % 64;
  }
}

void hash_tokens(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                 WeightTable* weights, std::uint64_t* counting) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t end = places.begin[i + 1];
    const std::size_t size_of = end - places.begin[i] - (chunk[end - 1] == ' ' ? 1 : 0);
    hashes[i] = token_feature({chunk + places.begin[i], size_of});
  }
  if (weights != nullptr) weigh(hashes, size, *weights, counting);
}

std::size_t hash_bigrams(const std::uint64_t* hashes, const std::uint64_t* joined, std::size_t size,
                         std::uint64_t* bigrams, WeightTable* weights, std::uint64_t* counting) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if ((joined[i / 64] >> i % 64 & 1) == 0) continue;
    bigrams[count++] = bigram_feature((hashes + i)[-1], hashes[i]);
  }
  if (weights != nullptr) weigh(bigrams, count, *weights, counting);
  return count;
}

void widen(const std::uint64_t* features, std::size_t size, std::uint64_t* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] = wide_feature(features[i]);
}

// A carry-save adder: 64 times a + b + sum = new sum + 2 * carry, without a carry from bit to bit.
std::uint64_t add(std::uint64_t& sum, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t either = a ^ b;
  const std::uint64_t carry = (a & b) | (either & sum);
  sum ^= either;
  return carry;
}

// The counts modulo 16 of one lane. Each of these adds 2, 4, 8 or 16 features and returns the carry.
struct Low {
  static constexpr std::size_t kLanes = VotePlanes::kLanes;
  std::uint64_t ones, twos, fours, eights;

  std::uint64_t add2(const std::uint64_t* f) { return add(ones, f[0], f[kLanes]); }
  std::uint64_t add4(const std::uint64_t* f) {
    const std::uint64_t carry = add2(f);
    return add(twos, carry, add2(f + 2 * kLanes));
  }
  std::uint64_t add8(const std::uint64_t* f) {
    const std::uint64_t carry = add4(f);
    return add(fours, carry, add4(f + 4 * kLanes));
  }
  std::uint64_t add16(const std::uint64_t* f) {
    const std::uint64_t carry = add8(f);
    return add(eights, carry, add8(f + 8 * kLanes));
  }
};

void add_block(const std::uint64_t* features, VotePlanes& votes) {
  auto& plane = votes.plane;
  if (votes.blocks == 0) std::fill_n(plane.begin(), 4, std::array<std::uint64_t, VotePlanes::kLanes>{});
  const std::size_t high = std::bit_width(votes.blocks);
  const bool grows = (++votes.blocks >> high) != 0;
  for (std::size_t lane = 0; lane < VotePlanes::kLanes; ++lane) {
    Low low{plane[0][lane], plane[1][lane], plane[2][lane], plane[3][lane]};
    std::uint64_t carry = low.add16(features + lane);
    plane[0][lane] = low.ones;
    plane[1][lane] = low.twos;
    plane[2][lane] = low.fours;
    plane[3][lane] = low.eights;
    for (std::size_t p = 4; p < 4 + high; ++p) {
      const std::uint64_t sum = plane[p][lane];
      plane[p][lane] = sum ^ carry;
      carry &= sum;
    }
    if (grows) plane[4 + high][lane] = carry;
  }
}

std::size_t vote(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size,
                 VotePlanes& votes) {
  std::array<std::uint64_t, VotePlanes::kBlock> block;
  std::size_t count = 0;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if ((counting[i / 64] >> i % 64 & 1) == 0) continue;
    ++count;
    block[waiting++] = features[i];
    if (waiting < block.size()) continue;
    add_block(block.data(), votes);
    waiting = 0;
  }
  if (waiting > 0) {
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(waiting), block.end(), 0);  // changes no sum
    add_block(block.data(), votes);
  }
  return count;
}

std::uint64_t majority(VotePlanes& votes, std::size_t count, std::uint64_t ties) {
  // The lanes are added up, two and two; each step needs one more plane.
  auto& plane = votes.plane;
  std::size_t planes = votes.blocks == 0 ? 0 : 4 + std::bit_width(votes.blocks);
  for (std::size_t lanes = VotePlanes::kLanes / 2; lanes > 0; lanes /= 2, ++planes) {
    std::array<std::uint64_t, VotePlanes::kLanes> carry{};
    for (std::size_t p = 0; p < planes; ++p) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t a = plane[p][lane];
        const std::uint64_t b = plane[p][lane + lanes];
        plane[p][lane] = a ^ b ^ carry[lane];
        carry[lane] = (a & b) | ((a ^ b) & carry[lane]);
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) plane[planes][lane] = carry[lane];
  }

  // Each sum is compared with half the count, from the highest bit on.
  std::uint64_t greater = 0;
  std::uint64_t equal = ~std::uint64_t{0};
  for (std::size_t p = planes; p-- > 0;) {
    const std::uint64_t half = (count / 2 >> p & 1) != 0 ? ~std::uint64_t{0} : 0;
    greater |= equal & plane[p][0] & ~half;
    equal &= ~(plane[p][0] ^ half);
  }
  return count % 2 == 0 ? greater | (equal & ties) : greater;
}

}  // namespace

const Kernels kScalarKernels = {find_tokens, hash_tokens, hash_bigrams, widen, vote, majority};

const Kernels& kernels(Isa tier) {
#if NEARDUP_X86
  if (tier == Isa::kAvx512) return kAvx512Kernels;
  if (tier == Isa::kAvx2) return kAvx2Kernels;
#endif
  CHECK(tier == Isa::kScalar, "this CPU has the scalar tier only");
  return kScalarKernels;
}

std::uint64_t characters_of(const char* block, std::uint64_t asked) {
  std::uint64_t characters = 0;
  for (; asked != 0; asked &= asked - 1) {
    const int at = std::countr_zero(asked);
    const char32_t letter = decode_utf8({block + at, 4}).code_point;
    const bool is_character = letter != kNotUtf8 && (is_token_character(letter) || is_hangul(letter));
    characters |= std::uint64_t{is_character} << at;
  }
  return characters;
}

}  // namespace neardup::internal
