// What is known of this feature?
//
// A table from 64-bit hashes to numbers, filled once from a file of words and then only read, by every signer
// at once. Open addressing with linear probing; the hashes are good ones (feature.h), so their top bits are
// the place to look first. At most half of the places are taken: one or two are looked at for each question.
//
// Threads: find() from any number of threads once the last insert() is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace neardup {

class FeatureMap {
 public:
  // The number of `feature`, for reading and changing, made `value` if it had none. The reference holds until
  // the next call.
  std::uint32_t& insert(std::uint64_t feature, std::uint32_t value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(feature)];
    if (!slot.taken) {
      slot = {feature, value, true};
      ++size_;
    }
    return slot.value;
  }

  // The number of `feature`, or null.
  const std::uint32_t* find(std::uint64_t feature) const {
    if (size_ == 0) return nullptr;
    const Slot& slot = slots_[place_of(feature)];
    return slot.taken ? &slot.value : nullptr;
  }

  std::size_t size() const { return size_; }

  // Calls `take(feature, value)` for each, in no order that means anything.
  template <class Take>
  void each(Take take) const {
    for (const Slot& slot : slots_) {
      if (slot.taken) take(slot.feature, slot.value);
    }
  }

 private:
  struct Slot {
    std::uint64_t feature = 0;
    std::uint32_t value = 0;
    bool taken = false;
  };

  // Where `feature` lies, or the free place where it would. REQUIRES: there is a free place.
  std::size_t place_of(std::uint64_t feature) const {
    std::size_t place = feature >> shift_;
    while (slots_[place].taken && slots_[place].feature != feature) place = (place + 1) % slots_.size();
    return place;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 16 : slots_.size() * 2);
    before.swap(slots_);
    shift_ = 64;
    for (std::size_t rest = slots_.size(); rest > 1; rest /= 2) --shift_;
    for (const Slot& slot : before) {
      if (slot.taken) slots_[place_of(slot.feature)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, or none
  int shift_ = 0;            // leaves the bits that number a slot
  std::size_t size_ = 0;
};

}  // namespace neardup
