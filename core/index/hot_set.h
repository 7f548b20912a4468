// Which features are so common that a key made of them tells nothing?
//
// Those of the keys that got crowded (see band_postings.h). A set that only grows, in the order in which its
// members came, which is the order of the uniques: so it is the same after every replay.
//
// Cost:    16 to 32 bytes a member; some thousands of them in millions of texts.
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
  HotSet() : slots_(kSlotsMin, 0) {}

  bool contains(Feature feature) const {
    for (std::size_t at = slot_of(feature); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (members_[slots_[at] - 1] == feature) return true;
    }
    return false;
  }

  // False if it was there before.
  bool add(Feature feature);

  std::size_t size() const { return members_.size(); }
  const std::vector<Feature>& members() const { return members_; }  // in the order in which they came
  Digest128 digest() const;
  std::size_t bytes() const {
    return members_.capacity() * sizeof(members_[0]) + slots_.capacity() * sizeof(slots_[0]);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;

  std::size_t slot_of(Feature feature) const {
    return (feature * 0x9E3779B97F4A7C15 >> 32) & (slots_.size() - 1);
  }
  void place(std::uint32_t number);

  std::vector<Feature> members_;
  std::vector<std::uint32_t> slots_;  // number of a member + 1; 0: empty. A power of two, at most half full
};

}  // namespace neardup
