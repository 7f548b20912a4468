// By which rule are texts compared that share a run of m units?
//
// Plain data, so that whoever configures the route (mgram_route.h) need not know how it works.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/fingerprint/mgram_signature.h"

namespace neardup {

enum class MgramMeasure : std::uint8_t { kEdit, kJaccard, kCosine };
inline constexpr std::array<std::string_view, 3> kMgramMeasureNames = {"edit", "jaccard", "cosine"};

struct MgramRouteOptions {
  unsigned m = 4;                             // of the signatures
  MgramUnits over = MgramUnits::kCharacters;  // the same
  MgramMeasure measure = MgramMeasure::kEdit;
  unsigned threshold_permille = 800;  // of the measure, 1 .. 1000
};

}  // namespace neardup
