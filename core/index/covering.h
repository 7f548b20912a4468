// By which keys must one look to miss nothing within k bits?
//
// Cut a fingerprint into blocks. A key is a set of blocks; a table holds all fingerprints by the value of
// their key. Two fingerprints that differ in at most k bits differ in at most k blocks, so they meet in a
// table whose key has none of these blocks. A covering is a set of keys such that there is always one: for
// every k blocks some key avoids them all. That is all the proof there is, and tests go through every case.
//
// The pigeonhole (k + 1 blocks, one to a key) is a covering with short keys; all choices of b - k from b
// blocks (Manku, Jain, Das Sarma 2007) have long keys and very many tables. Between them are the covering
// designs of combinatorics, with fewer tables for the same length of key:
//
//   halves    of at most 3 errors, one half has at most one: in each half leave out each third in turn.
//             6 tables with keys of 21.3 bits, where choosing blocks takes 15
//   biplane   11 blocks; the quadratic residues mod 11 and their shifts
//   Fano      7 blocks; the complements of the lines of the plane of 7 points
//   SQS(8)    8 blocks; the 14 planes of the affine space of 3 dimensions over two elements
//
//   6x21, k = 3    | a b c | d e f |      ab. ... | a.c ... | .bc ... | ... de. | ... d.f | ... .ef
//
// Names are TABLESxBITS, the bits of a key at width 64.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/index/word.h"

namespace neardup {

inline constexpr int kCoveringDistanceMax = 7;
inline constexpr int kTablesMax = 32;

struct Covering {
  std::string_view name;
  int distance = 0;                 // finds everything within so many bits
  int blocks = 0;                   // at most 64
  std::vector<std::uint64_t> keys;  // bit b: the key has block b
  // The keys are those of so many parts of the blocks, equally many of each, one part's after the other's. Of
  // the bits in which a pair differs, one part has at most part_distance, and the pair shares a key of it.
  int parts = 1;
  int part_distance = 0;

  int tables() const { return static_cast<int>(keys.size()); }
};

// All there are, by ascending distance.
std::span<const Covering> coverings();

// nullptr if there is none of this name.
const Covering* covering_named(std::string_view name);

// The one that is fastest from a million to some hundred millions of fingerprints.
// REQUIRES: 0 <= distance <= kCoveringDistanceMax.
const Covering& default_covering(int distance);

// Block b of a fingerprint is the bits first_bit(b) .. first_bit(b + 1) - 1: as even as may be.
constexpr int first_bit(const Covering& covering, int width, int block) {
  return width * block / covering.blocks;
}

// The bits of one key.
template <class Word>
Word key_bits(const Covering& covering, int table) {
  Word bits{};
  for (int block = 0; block < covering.blocks; ++block) {
    if ((covering.keys[static_cast<std::size_t>(table)] >> block & 1) == 0) continue;
    const int end = first_bit(covering, kWidthOf<Word>, block + 1);
    for (int bit = first_bit(covering, kWidthOf<Word>, block); bit < end; ++bit) {
      bits = bits | one_bit<Word>(bit);
    }
  }
  return bits;
}

// The bits of the part that this key is of.
template <class Word>
Word part_bits(const Covering& covering, int table) {
  const int part = table / (covering.tables() / covering.parts);
  const int end = first_bit(covering, kWidthOf<Word>, (part + 1) * covering.blocks / covering.parts);
  Word bits{};
  for (int bit = first_bit(covering, kWidthOf<Word>, part * covering.blocks / covering.parts); bit < end;
       ++bit) {
    bits = bits | one_bit<Word>(bit);
  }
  return bits;
}

}  // namespace neardup
