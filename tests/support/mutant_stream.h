// Short texts and pages, English, Chinese and mixed: new ones, and mutants of earlier ones.
//
// The same seed gives the same texts everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace neardup {

class MutantStream {
 public:
  explicit MutantStream(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    std::vector<std::string> units;
    if (!texts_.empty() && random_() % 2 == 0) {
      units = texts_[random_() % texts_.size()];
      mutate(units);
    } else {
      const std::size_t count = random_() % 2 == 0 ? 3 + random_() % 50 : 30 + random_() % 300;
      const std::uint64_t kind = random_() % 3;  // words, characters, both
      for (std::size_t i = 0; i < count; ++i)
        units.push_back(unit(kind == 2 ? random_() % 8 == 0 : kind == 1));
    }
    texts_.push_back(units);
    std::string text;
    for (const std::string& unit : units) text += unit;
    return text;
  }

 private:
  std::string unit(bool han) {
    if (han) {
      const auto c = static_cast<unsigned>(0x4E00 + random_() % 2000);
      return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
              static_cast<char>(0x80 | (c & 0x3F))};
    }
    std::string word = " ";
    for (std::uint64_t letters = 2 + random_() % 7; letters > 0; --letters) {
      word += static_cast<char>('a' + random_() % 26);
    }
    return word;
  }

  void mutate(std::vector<std::string>& units) {
    const std::size_t edits = random_() % (1 + units.size() / 6);
    for (std::size_t i = 0; i < edits; ++i) {
      const std::size_t at = random_() % units.size();
      const bool han = static_cast<unsigned char>(units[at][0]) >= 0x80;
      switch (random_() % 3) {
        case 0:
          units[at] = unit(han);
          break;
        case 1:
          units.insert(units.begin() + static_cast<std::ptrdiff_t>(at), unit(han));
          break;
        default:
          if (units.size() > 1) units.erase(units.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::vector<std::string>> texts_;
};

}  // namespace neardup
