// What memory and time will so many documents take?
//
// A forecast, before there is an index. Of mode hybrid: how sure two texts of each similarity are to meet, by
// the bands that the threshold asks for, and what each kind of document takes. Of mode simhash
// (core/index/planner.h): for each covering that finds within the distance, what a look-up reads and what a
// document takes, the one to take first.
#pragma once

#include <cstdint>

#include "core/detector.h"
#include "core/index/covering.h"

namespace neardup {

inline constexpr std::uint64_t kPlanDocumentsMax = (std::uint64_t{1} << 32) - 1;  // numbers have 32 bits

struct PlanOptions {
  std::uint64_t documents = 10'000'000;  // uniques
  std::uint64_t memory_bytes = 0;        // 0: as much as it takes
  DetectorMode mode = DetectorMode::kHybrid;
  unsigned threshold_permille = 800;  // of mode hybrid, 500 .. 1000
  int distance = 3;                   // of mode simhash, 0 .. kCoveringDistanceMax
  bool json = false;
};

inline constexpr const char* kPlanAbout = "Forecast memory and work of an index before there is one";
extern const char* const kPlanHelp;

// Bytes that a unique takes in mode hybrid (core/DESIGN.md, "Memory, counted"; the tests hold them within a
// twelfth of what is counted): a page, and a short text of so many characters.
double page_bytes(SketchSize sketch, BandLayout layout);
double short_text_bytes(std::size_t characters, std::size_t bytes_of_character);

int run_plan(const PlanOptions& options);

}  // namespace neardup
