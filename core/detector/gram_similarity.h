// How much do two texts have in common, by the grams that they are made of?
//
//   jaccard   grams that both have / grams that either has, each counted once
//   cosine    of the angle between the two vectors of counts: dot / sqrt(norm * norm)
//
// Both are 0 for texts without a common gram and 1 for equal ones. One edit changes up to m grams, so they
// fall faster than the edit similarity does: of n units with e edits apart from each other, jaccard is about
// (n - m e) / (n + m e). In permille and rounded down, by integers: the same on every machine.
//
// Cost:    about 3 ns a gram of the other text.
// Threads: none inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fingerprint/mgram_signature.h"

namespace neardup {

struct GramOverlap {
  std::uint32_t shared = 0;  // grams that both have
  std::uint64_t dot = 0;     // sum over them of the product of their counts

  friend bool operator==(const GramOverlap&, const GramOverlap&) = default;
};

// The grams of one text that others are compared with.
class GramPattern {
 public:
  // REQUIRES: grams.size() <= kMgramTextMax.
  void set(std::span<const Mgram> grams);

  // `keys`: of the other text, one at each place, in any order.
  GramOverlap compare(std::span<const Key> keys);

 private:
  struct Slot {
    Key key = 0;
    std::uint32_t count = 0;       // 0: empty
    std::uint32_t comparison = 0;  // the last one that met it
  };

  std::size_t slot_of(Key key) const;

  std::vector<Slot> slots_ = std::vector<Slot>(1);  // a power of two, at most half full
  std::uint32_t comparison_ = 0;
};

// REQUIRES: the texts have grams and norms above 0.
unsigned jaccard_permille(std::uint32_t shared, std::uint64_t grams, std::uint64_t other_grams);
unsigned cosine_permille(std::uint64_t dot, std::uint64_t norm, std::uint64_t other_norm);

}  // namespace neardup
