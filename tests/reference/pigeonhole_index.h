// The obvious twin of every Hamming index that a test can afford a million queries of: k + 1 blocks of bits,
// a list for each value of each block, everything on the lists compared. Of any width up to 128. A
// test of its own holds it against a look at all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace neardup::reference {

// In whichever order the machine has them.
template <class Word>
using PartsOf = std::array<std::uint32_t, sizeof(Word) / 4>;

template <class Word>
int distance_of(const Word& a, const Word& b) {
  const auto x = std::bit_cast<PartsOf<Word>>(a);
  const auto y = std::bit_cast<PartsOf<Word>>(b);
  int count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) count += std::popcount(x[i] ^ y[i]);
  return count;
}

template <class Word>
class PigeonholeIndex {
 public:
  explicit PigeonholeIndex(int distance)
      : distance_(distance), tables_(static_cast<std::size_t>(distance) + 1) {}

  void insert(std::uint64_t id, const Word& word) {
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t][block(word, t)].push_back({id, word});
  }

  void erase(std::uint64_t id, const Word& word) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      std::erase_if(tables_[t][block(word, t)], [&](const auto& entry) { return entry.first == id; });
    }
  }

  // Id and distance of everything within the distance, by id.
  std::vector<std::pair<std::uint64_t, int>> find_all(const Word& query) const {
    std::vector<std::pair<std::uint64_t, int>> found;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto list = tables_[t].find(block(query, t));
      if (list == tables_[t].end()) continue;
      for (const auto& [id, word] : list->second) {
        const int d = distance_of(word, query);
        if (d <= distance_) found.emplace_back(id, d);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  std::uint64_t block(const Word& word, std::size_t t) const {
    const auto parts = std::bit_cast<PartsOf<Word>>(word);
    const std::size_t width = 8 * sizeof(Word);
    std::uint64_t value = 0;
    const std::size_t end = width * (t + 1) / tables_.size();
    for (std::size_t bit = width * t / tables_.size(); bit < end; ++bit) {
      value = value * 2 + (parts[bit / 32] >> (bit % 32) & 1);
    }
    return value;
  }

  int distance_;
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint64_t, Word>>>> tables_;
};

}  // namespace neardup::reference
