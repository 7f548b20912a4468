// Which features find room in their slots?
//
// A slot has room for kWeightMax features of a text, so which of them count hangs on their order, and they
// are looked at one by one: this is what a SimHash takes most of its time for. Hence no branch, a table
// instead of arithmetic for the next weight, and one bit a feature for what is found, since a store more
// would cost a quarter of the time. The bit is the carry of a comparison: so one instruction both doubles the
// bits before it and takes it in.
//
// Internal to core/fingerprint. The parameter makes a class of its own for each tier, so that none of its
// code is shared between files that are compiled for different CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/isa.h"
#include "core/fingerprint/weight_table.h"

namespace neardup::internal {

struct NoWeigher {};  // where nothing is weighed

template <Isa kTier>
class SlotWeigher {
 public:
  explicit SlotWeigher(WeightTable& weights)
      : slots_(weights.slots.data()),
        next_(kNextWeight[weights.floor / kWeightMax].data()),
        full_(std::uint32_t{weights.floor} + kWeightMax) {
    asm("" : "+r"(shift_));  // or the compiler sets a register to it for each feature
  }

  // The next feature. REQUIRES: take() came after every 64 of them.
  [[gnu::always_inline]] void add(std::uint64_t feature) {
    std::size_t slot = feature >> shift_;
    const std::size_t weight = slots_[slot];
    asm("" : "+r"(slot));  // or the compiler adds the table's address to it, an instruction more
    asm("cmpl %2, %k1\n\tadcq %0, %0" : "+r"(counting_) : "r"(weight), "r"(full_) : "cc");
    slots_[slot] = next_[weight];
  }

  // Bit i: feature i of the `size` that came since the last call counts. REQUIRES: 0 < size <= 64.
  [[gnu::always_inline]] std::uint64_t take(std::size_t size) {
    return reversed(std::exchange(counting_, 0) << (64 - size));
  }

  // The same of any number of features: bit i % 64 of word i / 64.
  [[gnu::always_inline]] void weigh(const std::uint64_t* features, std::size_t size,
                                    std::uint64_t* counting) {
    for (; size >= 64; size -= 64) {
      for (std::size_t i = 0; i < 64; i += 8) add_eight(features + i);
      *counting++ = take(64);
      features += 64;
    }
    if (size == 0) return;
    for (std::size_t i = 0; i < size; ++i) add(features[i]);
    *counting = take(size);
  }

  [[gnu::always_inline]] void add_eight(const std::uint64_t* features) {
    add(features[0]);
    add(features[1]);
    add(features[2]);
    add(features[3]);
    add(features[4]);
    add(features[5]);
    add(features[6]);
    add(features[7]);
  }

 private:
  static std::uint64_t reversed(std::uint64_t bits) {
    bits = (bits >> 1 & 0x5555555555555555) | (bits & 0x5555555555555555) << 1;
    bits = (bits >> 2 & 0x3333333333333333) | (bits & 0x3333333333333333) << 2;
    bits = (bits >> 4 & 0x0F0F0F0F0F0F0F0F) | (bits & 0x0F0F0F0F0F0F0F0F) << 4;
    return __builtin_bswap64(bits);
  }

  std::uint8_t* slots_;
  const std::uint8_t* next_;
  std::uint32_t full_;
  std::uint64_t shift_ = kSlotShift;
  std::uint64_t counting_ = 0;  // a 1 for each feature that found room, the last one lowest
};

}  // namespace neardup::internal
