// Which 64 bits change little when a text changes little?
//
// Its SimHash (Charikar 2002). Every feature votes on every bit: a 1 in its hash is a vote for, a 0 a vote
// against, and the fingerprint holds the majorities. A small edit moves few votes, so few bits flip.
//
//   feature A   1 0 1 1 ...   x weight 3        sum > 0: bit is 1
//   feature B   0 0 1 0 ...   x weight 1        sum < 0: bit is 0
//   sums        2 -4 4 2 ...                    sum = 0: bit of kTieBits
//
// The weight of a feature is how often it occurs, but no more than kWeightMax: without the cap one dominating
// word ("the", a copyright line) makes unrelated texts collide. Occurrences are counted in a table of 8192
// slots, indexed by the top 13 bits of the hash; one counts as long as fewer than kWeightMax have landed in
// its slot. Features that share a slot share its cap, first come, first counted. The table is the definition,
// not an approximation of one: a single pass, no hash map, and any faster kernel must give the same bits.
//
// Ties are common in short texts (an even number of votes). Breaking them all to 0 would draw short texts
// together, so a fixed random word breaks them.
//
// Cost: 64 additions per feature; 8 KiB + 256 bytes. This is the definition, written to be read.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/fingerprint/hamming.h"
#include "core/signature.h"

namespace neardup {

// The votes on kBits bits. The fingerprint has 64; other widths serve small examples and wider sketches.
template <std::size_t kBits>
class Accumulator {
 public:
  using Bits = std::bitset<kBits>;

  // Votes `weight` times for the 1 bits of `hash` and against its 0 bits.
  // REQUIRES: no sum leaves 32 bits.
  void add(const Bits& hash, std::int32_t weight) {
    for (std::size_t bit = 0; bit < kBits; ++bit) sums_[bit] += hash[bit] ? weight : -weight;
  }

  std::int32_t sum(std::size_t bit) const { return sums_[bit]; }

  // 1 where the sum is positive, 0 where it is negative, the bit of `ties` where it is zero.
  Bits majority(const Bits& ties) const {
    Bits result;
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      result[bit] = sums_[bit] == 0 ? ties[bit] : sums_[bit] > 0;
    }
    return result;
  }

 private:
  std::array<std::int32_t, kBits> sums_{};
};

class SimHash {
 public:
  static constexpr int kWeightMax = 16;
  static constexpr int kSlotBits = 13;
  static constexpr std::uint64_t kTieBits = 0x243F6A8885A308D3;  // the first 64 fraction bits of pi

  // Counts one occurrence of a feature, given its hash.
  void add(std::uint64_t feature);

  Fingerprint finish() const;

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static_assert(kSlots * kWeightMax < (std::size_t{1} << 31), "so no text can overflow a sum");

  std::array<std::uint8_t, kSlots> seen_{};
  Accumulator<kFingerprintBits> votes_;
};

// The fingerprint of a canonical text: of each token in its order, a word counts as itself; a token character
// as itself and then, if it stands next to the one before, as the bigram of the two. No tokens give kTieBits.
Fingerprint simhash(std::string_view canonical);

}  // namespace neardup
