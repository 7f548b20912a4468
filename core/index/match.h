// What does a search answer?
#pragma once

#include <cstdint>

#include "core/decision.h"

namespace neardup {

struct Match {
  Sequence sequence = 0;
  int distance = 0;

  friend bool operator==(const Match&, const Match&) = default;
};

// Of several matches: the one that was stored first, or the nearest (the first stored of equally near ones).
enum class MatchMode : std::uint8_t { kFirst, kNearest };

}  // namespace neardup
