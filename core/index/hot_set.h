// Which features are so common that a key made of them tells nothing?
//
// Those of the keys that got crowded (see band_postings.h). A set that only grows, in the order in which its
// members came, which is the order of the uniques: so it is the same after every replay.
//
// Most looks are for features that are no members, and a table half full answers after a walk whose length no
// branch predictor knows. So a bitmap is asked first, in which a hash of each member has its bit:
//
//   hash      | bit of the bitmap: 16 for each slot ───────► 0: no member, as 29 of 30 others are told
//             | slot, and those behind it, up to an empty one ──► 1: perhaps
//
// Cost:    28 to 56 bytes a member; some thousands of them in millions of texts. A look is one cache line.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "core/fingerprint/band.h"

namespace neardup {

class HotSet {
 public:
  HotSet() { make_slots(kSlotsMin); }

  // kNoFeature counts as a member.
  bool contains(Feature feature) const { return may_contain(feature) && slots_[slot_of(feature)] == feature; }

  // False: contains() is false too, and this takes no branch to say so.
  bool may_contain(Feature feature) const {
    const std::size_t bit = hash_of(feature) & (slots_.size() * kBitsPerSlot - 1);
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }

  // False if it was there before.
  bool add(Feature feature);

  std::size_t size() const { return members_.size(); }
  const std::vector<Feature>& members() const { return members_; }  // in the order in which they came
  Digest128 digest() const;
  std::size_t bytes() const {
    return members_.capacity() * sizeof(members_[0]) + slots_.capacity() * sizeof(slots_[0]) +
           bits_.capacity() * sizeof(bits_[0]);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;
  static constexpr std::size_t kBitsPerSlot = 16;

  static std::uint32_t hash_of(Feature feature) {
    return static_cast<std::uint32_t>(feature * 0x9E3779B97F4A7C15 >> 32);
  }

  void make_slots(std::size_t slots);
  void put(Feature feature);
  void mark(Feature feature);

  // The feature's own, or else the empty one where it would go.
  std::size_t slot_of(Feature feature) const {
    std::size_t at = hash_of(feature) / kBitsPerSlot & (slots_.size() - 1);
    while (slots_[at] != feature && slots_[at] != kNoFeature) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Feature> members_;
  std::vector<Feature> slots_;  // of the members; kNoFeature: empty. A power of two, at most half full
  std::vector<std::uint64_t> bits_;
};

}  // namespace neardup
