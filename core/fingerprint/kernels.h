// Which loops of this room come in a version for each kind of CPU?
//
// Those that touch every byte or every feature. kernels.cc holds the scalar definitions, kernels_avx2.cc and
// kernels_avx512.cc the same answers, sooner. One Kernels is picked for each object that uses them, so a test
// can compare tiers within one process.
//
// Internal to core/fingerprint: token_stream.h and simhash.h are what others use.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/isa.h"
#include "core/fingerprint/weight_table.h"

namespace neardup::internal {

// A text is read in chunks of so many bytes, fewer at its end. A token takes a byte and a space, or three
// bytes and more, so a chunk has at most kTokensMax of them; one more may begin in its last byte, a Hangul
// syllable behind a word, and is of the next chunk.
inline constexpr std::size_t kChunkBytes = 4096;
inline constexpr std::size_t kTokensMax = kChunkBytes / 2;

// How far kernels read behind what they are given, and write behind what they return.
inline constexpr std::size_t kTextSlack = 64;      // bytes of text
inline constexpr std::size_t kPlaceSlack = 80;     // places
inline constexpr std::size_t kPlacesRead = 8;      // places of them that are read as such
inline constexpr std::size_t kFeatureSlack = 128;  // features, one block

// Where the tokens of a chunk lie: token i is the bytes begin[i] to begin[i + 1] - 1 of it, without the space
// that may be the last of them.
struct TokenPlaces {
  alignas(64) std::array<std::uint16_t, kTokensMax + kPlaceSlack> begin;
  std::array<std::uint64_t, kTokensMax / 64 + 8> characters;  // bit i % 64 of word i / 64: it is a character
  std::array<std::uint64_t, kTokensMax / 64 + 8> joined;      // and it follows a character without a space
};

// Tokens have a table, bigrams another: so no more features of a text count, however long it is.
inline constexpr std::size_t kCountingMax = 2 * WeightTable::kSlots * kWeightMax;

// Eight vertical counters for each of 64 bits, bit-sliced: bit b of plane[p][lane] is bit p of how many
// features with bit b that lane has seen. Feature i of a block belongs to lane i % 8.
struct VotePlanes {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kBlock = 16 * kLanes;       // features that are added at once
  static constexpr std::size_t kBlocksMax = kCountingMax;  // as in each of them a feature counts
  static constexpr std::size_t kPlanesMax = 4 + std::bit_width(kBlocksMax) + 3;  // 3 to add up the lanes

  // Only the first 4 and bit_width(blocks) more hold anything, and none before the first block. (AVX-512 has
  // no lanes behind the first 4: the next 4 hold, in 32 bits for each of the 64, how many sixteens it has.)
  alignas(64) std::array<std::array<std::uint64_t, kLanes>, kPlanesMax> plane;
  std::size_t blocks;  // added so far
};

struct Kernels {
  // Finds the tokens of `chunk`, which begins at a token or a space, and returns how many. Behind the last is
  // the place where the next would begin, then kPlacesRead zeros; and all bits behind it are zero. A token
  // that ends at the end of the chunk counts only if the text ends there too, `last`; else more of it may
  // follow. `after_character`: a character ends where the chunk begins. REQUIRES: 0 < size <= kChunkBytes;
  // size == kChunkBytes unless `last`.
  std::size_t (*find_tokens)(const char* chunk, std::size_t size, bool last, bool after_character,
                             TokenPlaces& places);

  // hashes[i] = token_feature() of token i, i < size. Unless `weights` is null, bit i % 64 of counting[i /
  // 64] tells whether its slot had occurred less than kWeightMax times before, and it is counted: while
  // vector units hash some tokens, the others count those before. Bits from `size` on are 0. REQUIRES: size >
  // 0.
  void (*hash_tokens)(const char* chunk, const TokenPlaces& places, std::size_t size, std::uint64_t* hashes,
                      WeightTable* weights, std::uint64_t* counting);

  // Writes the bigram_feature() of each joined token and the one before it, and weighs them likewise; returns
  // how many. REQUIRES: hashes[-1] can be read.
  std::size_t (*hash_bigrams)(const std::uint64_t* hashes, const std::uint64_t* joined, std::size_t size,
                              std::uint64_t* bigrams, WeightTable* weights, std::uint64_t* counting);

  // out[i] = wide_feature(features[i]), i < size.
  void (*widen)(const std::uint64_t* features, std::size_t size, std::uint64_t* out);

  // Counts the votes of those of `size` features whose bit of `counting` is 1; returns how many. A block in
  // which none does is not added: in a long text that is most of them. REQUIRES: size <= kTokensMax;
  // kFeatureSlack values behind `features` can be read; bits from `size` on are 0; votes.blocks <=
  // kBlocksMax.
  std::size_t (*vote)(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size,
                      VotePlanes& votes);

  // Bit b: 1 if feature bit b was 1 in more than half of `count` features, `ties` bit b if in exactly half.
  // Leaves nothing of use in `votes`. REQUIRES: votes.blocks <= kBlocksMax.
  std::uint64_t (*majority)(VotePlanes& votes, std::size_t count, std::uint64_t ties);
};

const Kernels& kernels(Isa tier);

extern const Kernels kScalarKernels;
#if NEARDUP_X86
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

// What the vector kernels leave to plain code, compiled for any CPU: of the bytes of `block` that `asked`
// names, each the first of three or more of a letter, those that begin a token character.
std::uint64_t characters_of(const char* block, std::uint64_t asked);

}  // namespace neardup::internal
