// The slow and obvious twin of every Hamming index: look at all of them. It shares no code with what it
// checks: even the bits are counted one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace neardup::reference {

inline int differing_bits(std::uint64_t a, std::uint64_t b) {
  int count = 0;
  for (std::uint64_t rest = a ^ b; rest != 0; rest &= rest - 1) ++count;
  return count;
}

class LinearIndex {
 public:
  void insert(std::uint64_t fingerprint) { stored_.push_back(fingerprint); }

  // Position and distance of everything within `distance`, by position.
  std::vector<std::pair<std::uint64_t, int>> find_all(std::uint64_t query, int distance) const {
    std::vector<std::pair<std::uint64_t, int>> found;
    for (std::uint64_t i = 0; i < stored_.size(); ++i) {
      const int d = differing_bits(stored_[i], query);
      if (d <= distance) found.emplace_back(i, d);
    }
    return found;
  }

 private:
  std::vector<std::uint64_t> stored_;
};

}  // namespace neardup::reference
