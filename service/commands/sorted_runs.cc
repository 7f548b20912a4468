#include "service/commands/sorted_runs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace neardup {

SortedRuns::SortedRuns(std::u32string units) : units_(std::move(units)), places_(units_.size()) {
  CHECK(units_.size() <= kUnitsMax, "a place has 16 bits");
  std::iota(places_.begin(), places_.end(), std::uint16_t{0});
  std::ranges::sort(places_, {}, [this](std::uint16_t place) { return run_at(place); });
}

unsigned SortedRuns::longest_in_common(const SortedRuns& other) const {
  std::size_t longest = 0;
  auto mine = places_.begin();
  auto theirs = other.places_.begin();
  while (mine != places_.end() && theirs != other.places_.end() && longest < kLengthMax) {
    const std::u32string_view a = run_at(*mine);
    const std::u32string_view b = other.run_at(*theirs);
    const auto [a_end, b_end] = std::ranges::mismatch(a, b);
    const auto common = static_cast<std::size_t>(a_end - a.begin());
    longest = std::max(longest, common);
    const bool is_mine_first = b_end != b.end() && (a_end == a.end() || *a_end < *b_end);
    ++(is_mine_first ? mine : theirs);
  }
  return static_cast<unsigned>(longest);
}

}  // namespace neardup
