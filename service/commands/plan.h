// What memory and time will so many documents take?
//
// A forecast, before there is an index. Of mode hybrid: how sure two texts of each similarity are to meet, by
// the bands that the threshold asks for, and what each kind of document takes. Of mode simhash
// (core/index/planner.h): for each covering that finds within the distance, what a look-up reads and what a
// document takes, the one to take first. Of mode mgram: from how many units on a text cannot be missed, by
// the size of a run, and what texts of some lengths take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/detector.h"
#include "core/limits.h"

namespace neardup {

inline constexpr std::uint64_t kPlanDocumentsMax = (std::uint64_t{1} << 32) - 1;  // numbers have 32 bits
inline constexpr std::uint64_t kPlanMemoryMax = std::uint64_t{1} << 40;           // as index.memory_limit
inline constexpr std::size_t kPlanNameBytesMax = kIdBytesMax + kUrlBytesMax;

struct PlanOptions {
  std::uint64_t documents = 10'000'000;  // uniques
  std::uint64_t memory_bytes = 0;        // 0: as much as it takes
  DetectorMode mode = DetectorMode::kHybrid;
  unsigned threshold_permille = 800;          // of mode hybrid, 500 .. 1000
  int distance = 3;                           // of mode simhash, 0 .. kCoveringDistanceMax
  bool verify_sketch = false;                 // of mode simhash: detector.verify: sketch
  SketchSize sketch = SketchSize::kStandard;  // of those
  unsigned gram_size = 4;                     // of mode mgram, 1 .. kMgramSizeMax
  MgramUnits gram_units = MgramUnits::kCharacters;
  MgramMeasure measure = MgramMeasure::kEdit;
  bool by_id = false;            // index.by_id
  std::size_t name_bytes = 120;  // of a unique's id and url together, on average
  bool names_in_file = false;    // index.directory: what names a unique takes no memory
  bool json = false;
};

inline constexpr const char* kPlanAbout = "Forecast memory and work of an index before there is one";
extern const char* const kPlanHelp;

// Bytes that a unique takes in mode hybrid (core/DESIGN.md, "Memory, counted"; the tests hold them within a
// twelfth of what is counted): a page, a short text of so many characters, which take so much each, and a
// text of a length between, which is kept as both (core/fingerprint/route_signature.h).
inline constexpr double kLatinBytes = .75;
inline constexpr double kCjkBytes = 2;
double page_bytes(SketchSize sketch, BandLayout layout);
double short_text_bytes(std::size_t characters, double bytes_of_character);
double both_bytes(SketchSize sketch, BandLayout layout, std::size_t characters, double bytes_of_character);

// What detector.verify: sketch adds to a unique of mode simhash.
double sketch_bytes(SketchSize sketch);

// What index.by_id adds to each.
inline constexpr double kIdBytes = 9.3;

// What names a unique, in memory or in the file of index.directory (core/index/unique_log.h): its digest and
// place, and an id and a url of so many bytes together. An id that is the url counts once.
double names_bytes(std::size_t name_bytes);

// The same in mode mgram, of a text of so many grams, each counted once.
double mgram_text_bytes(std::size_t grams, std::size_t characters, double bytes_of_character);

// From how many units on two texts share a run of m if they are alike by `threshold_permille`, wherever the
// edits fall: no text of so many units or more is missed. Nothing: there is no such length.
std::optional<std::size_t> sure_units(unsigned m, unsigned threshold_permille);

// What a threshold costs of which no figure tells: the keys of short texts do not follow it (core/DESIGN.md,
// "Short texts"). Lines; "": nothing.
std::string_view threshold_caveat(DetectorMode mode, unsigned threshold_permille);

int run_plan(const PlanOptions& options);

}  // namespace neardup
