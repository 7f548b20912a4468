// What makes two texts meet in an index? A band: a few minima of hash functions over a text's features, made
// into one key. The fewer, the less alike two texts need to be to share one.
//
// A text is asked for under its key, and under each key in which one minimum is replaced by the second
// smallest: so a stored text is met although the asking one has a feature more that took a minimum.
//
// The features behind the minima are kept, because an index has to know which of them are common (see
// core/index/band_postings.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace neardup {

using Key = std::uint64_t;      // a hash, all its bits well mixed
using Feature = std::uint64_t;  // what an index calls a feature: equal for equal ones
inline constexpr Feature kNoFeature = ~Feature{0};

inline constexpr std::size_t kBandMinima = 4;  // at most

// Stands for a minimum that is not there. A feature of this value (one in 2^32) takes no part.
inline constexpr std::uint32_t kNoMinimum = 0xFFFFFFFF;

struct Band {
  Key key = 0;
  std::size_t width = kBandMinima;          // how many minima; the arrays below hold as many
  std::array<Key, kBandMinima> variants{};  // the i-th minimum replaced; equal to `key` where there is none
  std::array<Feature, kBandMinima> features{};
  std::array<Feature, kBandMinima> second_features{};

  friend bool operator==(const Band&, const Band&) = default;
};

}  // namespace neardup
