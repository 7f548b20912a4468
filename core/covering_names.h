// Which coverings are there (index/covering.h), and within how many bits does each find everything?
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace neardup {

struct CoveringName {
  std::string_view name;
  int distance;
};

inline constexpr std::array<CoveringName, 17> kCoveringNames = {{
    {"1x64", 0},
    {"2x32", 1},
    {"3x21", 2},
    {"6x21", 3},
    {"8x24", 3},
    {"11x29", 3},
    {"14x32", 3},
    {"4x16", 3},
    {"16x28", 3},
    {"10x25", 3},
    {"20x32", 3},
    {"9x14", 5},
    {"12x16", 5},
    {"14x18", 5},
    {"16x12", 7},
    {"22x14", 7},
    {"28x16", 7},
}};

// -1 if there is none of this name.
constexpr int distance_of_covering(std::string_view name) {
  const auto* const found = std::ranges::find(kCoveringNames, name, &CoveringName::name);
  return found == kCoveringNames.end() ? -1 : found->distance;
}

}  // namespace neardup
