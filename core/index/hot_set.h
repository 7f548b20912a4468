// Which features are so common that a key made of them tells nothing?
//
// Those of the keys that got crowded (see band_postings.h), for as long as who found one of them full is
// remembered: so the set forgets as the index does, and what was common in texts that are gone is so no
// longer. It is a function of what was added and of what expired, the same after every replay.
//
// Most looks are for features that are no members, and a table half full answers after a walk whose length no
// branch predictor knows. So a bitmap is asked first, in which a hash of each member has its bit:
//
//   hash      | bit of the bitmap: 16 for each slot ───────► 0: no member, as 29 of 30 others are told
//             | slot, and those behind it, up to an empty one ──► 1: perhaps
//
// Cost:    36 to 108 bytes a member; some thousands of them in millions of texts. A look is one cache line.
//          Who is no member any more is swept out when room is wanted, or once as many numbers have expired
//          as there are members.
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
  bool contains(Feature feature) const {
    if (!may_contain(feature)) return false;
    const Slot& slot = slots_[slot_of(feature)];
    return slot.feature == feature && slot.last >= oldest_;
  }

  // False: contains() is false too, and this takes no branch to say so.
  bool may_contain(Feature feature) const {
    const std::size_t bit = hash_of(feature) & (slots_.size() * kBitsPerSlot - 1);
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }

  // Is a member until `last` expires, or longer. False if it was one before.
  bool add(Feature feature, std::uint64_t last);

  // What was to be a member until a number below `oldest` is one no more.
  void expire(std::uint64_t oldest);

  // Another number whenever contains() may have another answer; 0: nothing was ever added.
  std::uint64_t changes() const { return changes_; }

  std::size_t size() const { return used_; }  // with those that are not swept out yet
  Digest128 digest() const;                   // of the members, and until when they are
  std::size_t bytes() const {
    return slots_.capacity() * sizeof(slots_[0]) + bits_.capacity() * sizeof(bits_[0]);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;
  static constexpr std::size_t kBitsPerSlot = 16;

  // Of kNoFeature: it is empty, or, for who asks contains(), a member for ever.
  struct Slot {
    Feature feature = kNoFeature;
    std::uint64_t last = ~std::uint64_t{0};
  };

  static std::uint32_t hash_of(Feature feature) {
    return static_cast<std::uint32_t>(feature * 0x9E3779B97F4A7C15 >> 32);
  }

  bool is_member(const Slot& slot) const { return slot.feature != kNoFeature && slot.last >= oldest_; }
  void make_slots(std::size_t slots);
  // Takes those that are members into as many slots as they need.
  void rebuild();
  void mark(Feature feature);

  // The feature's own, or else the empty one where it would go.
  std::size_t slot_of(Feature feature) const {
    std::size_t at = hash_of(feature) / kBitsPerSlot & (slots_.size() - 1);
    while (slots_[at].feature != feature && slots_[at].feature != kNoFeature)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::uint64_t> bits_;
  std::size_t used_ = 0;
  std::uint64_t oldest_ = 0;
  std::uint64_t swept_to_ = 0;  // oldest_ when it was swept out
  std::uint64_t changes_ = 0;
};

}  // namespace neardup
