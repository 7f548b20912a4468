// How long is the longest run of units that two texts have in common?
//
// The places of a text are sorted by what begins there. Where the sorted places of two texts are merged, of
// the two that begin with the longest common run, or of some that share as much, one stands right behind the
// other: so one walk through both answers, and no place is compared with all others.
//
//   a   "ab", "abcx", "bcx", "cx" ...    ─┐
//   b   "abcy", "bcy", "cy", "y"  ...    ─┴─►  "abcx" and "abcy" are neighbours: 3
//
// What is beyond kLengthMax units of a run is not asked: that bounds what repeats itself, and most texts that
// are alike answer within a few steps.
//
// Cost:    to sort, some 150 us of 1024 units; a comparison 10 to 30 us, or next to nothing of texts alike.
// Threads: the const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

class SortedRuns {
 public:
  static constexpr std::size_t kUnitsMax = 0xFFFF;
  static constexpr unsigned kLengthMax = 32;

  // REQUIRES: units.size() <= kUnitsMax.
  explicit SortedRuns(std::u32string units);

  // The length of the longest run that both have; kLengthMax if that is longer.
  unsigned longest_in_common(const SortedRuns& other) const;

 private:
  std::u32string_view run_at(std::uint16_t place) const {
    return std::u32string_view(units_).substr(place, kLengthMax);
  }

  std::u32string units_;
  std::vector<std::uint16_t> places_;  // by run_at()
};

}  // namespace neardup
