// Which hash do stored bytes use?
//
// XXH3 of the xxHash library (its output is fixed by its specification, the same on every CPU). Digest128
// names contents: canonical texts and journal records. Two texts of one author may share it: XXH3 resists
// chance, and not those who look for a collision.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace neardup {

struct Digest128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Digest128&, const Digest128&) = default;
};

// XXH3-128, seed 0.
Digest128 digest128(std::string_view bytes);

// XXH3-64, seed 0.
std::uint64_t digest64(std::string_view bytes);

// XXH3-64. Who does not know the seed cannot choose bytes that collide: for tables of what strangers name.
std::uint64_t seeded64(std::string_view bytes, std::uint64_t seed);

// A seed that nobody knows, another one at each call. Not for anything that is stored or told.
std::uint64_t secret_seed();

}  // namespace neardup
