// What memory and time will so many documents take?
//
// A forecast of the Hamming index, before there is one (core/index/planner.h): for each covering that finds
// within the distance, what a look-up reads and what a document takes, the one to take first.
#pragma once

#include <cstdint>

#include "core/index/covering.h"

namespace neardup {

inline constexpr std::uint64_t kPlanDocumentsMax = (std::uint64_t{1} << 32) - 1;  // numbers have 32 bits

struct PlanOptions {
  std::uint64_t documents = 10'000'000;  // uniques
  int distance = 3;                      // 0 .. kCoveringDistanceMax
  std::uint64_t memory_bytes = 0;        // 0: as much as it takes
  bool json = false;
};

inline constexpr const char* kPlanAbout = "Forecast memory and work of an index before there is one";
extern const char* const kPlanHelp;

int run_plan(const PlanOptions& options);

}  // namespace neardup
