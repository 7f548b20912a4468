#include "core/text/simplified.h"

#include <algorithm>
#include <array>
#include <span>

namespace neardup::internal {
namespace {

constexpr char32_t kFirst = 0x3400, kEnd = 0xA000;  // the ideographs in use

char32_t searched(char32_t code_point) {
  const std::span<const SimplifiedPair> pairs(kSimplifiedPairs, kSimplifiedPairCount);
  const auto pair = std::ranges::lower_bound(pairs, code_point, {}, &SimplifiedPair::from);
  return pair != pairs.end() && pair->from == code_point ? pair->to : code_point;
}

}  // namespace

char32_t simplified(char32_t code_point) {
  static const auto table = [] {
    std::array<char32_t, kEnd - kFirst> result;
    for (char32_t c = kFirst; c < kEnd; ++c) result[c - kFirst] = searched(c);
    return result;
  }();
  return code_point - kFirst < kEnd - kFirst ? table[code_point - kFirst] : searched(code_point);
}

}  // namespace neardup::internal
