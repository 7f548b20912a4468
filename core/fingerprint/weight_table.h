// How often has each slot of features occurred in this text?
//
// 8192 counters of a byte, up to kWeightMax. Most texts are short, and for them clearing so many would cost
// some 6 % of a SimHash: so a text counts from where the one before could end. A slot whose counter is not
// above `floor` has not occurred in this text.
//
//   floor     0      16      32    ...    224
//   counts    1-16   17-32   33-48        225-240    then all are cleared, once in 15 texts
//
// Threads: an object belongs to one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace neardup::internal {

inline constexpr std::uint8_t kWeightMax = 16;
inline constexpr int kSlotShift = 64 - 13;  // a feature's slot is its top 13 bits

struct WeightTable {
  static constexpr std::size_t kSlots = std::size_t{1} << (64 - kSlotShift);
  static constexpr std::uint8_t kFloors = UINT8_MAX / kWeightMax;

  std::array<std::uint8_t, kSlots> slots{};
  std::uint8_t floor = 0;

  // Begins a text.
  void forget() {
    floor += kWeightMax;
    if (floor / kWeightMax < kFloors) return;
    slots.fill(0);
    floor = 0;
  }

  // Whether the feature finds room in its slot; then it is counted. The definition; slot_weights.h is faster.
  bool count(std::uint64_t feature) {
    std::uint8_t& slot = slots[feature >> kSlotShift];
    slot = std::max(slot, floor);
    if (slot == floor + kWeightMax) return false;
    ++slot;
    return true;
  }
};

// What one more occurrence makes of a counter, for each floor.
inline constexpr auto kNextWeight = [] {
  std::array<std::array<std::uint8_t, std::size_t{UINT8_MAX} + 1>, WeightTable::kFloors> next{};
  for (int floor = 0; auto& each : next) {
    for (int weight = 0; weight <= UINT8_MAX; ++weight) {
      each[static_cast<std::size_t>(weight)] =
          static_cast<std::uint8_t>(std::min(std::max(weight, floor) + 1, floor + kWeightMax));
    }
    floor += kWeightMax;
  }
  return next;
}();

}  // namespace neardup::internal
