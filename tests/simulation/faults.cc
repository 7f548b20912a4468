#include "tests/simulation/faults.h"

#include "core/base/hash.h"

namespace neardup {
namespace {

// Steele, Lea, Flood: splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

Draw::Draw(std::uint64_t seed, std::string_view what, std::uint64_t life, std::uint64_t number)
    : state_(mixed(mixed(mixed(seed) + digest64(what)) + life * 0x10001) + number) {}

std::uint64_t Draw::next() {
  state_ += 0x9E3779B97F4A7C15;
  return mixed(state_);
}

FaultCounts Faults::counts() const {
  FaultCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
  return counts;
}

}  // namespace neardup
