#include "service/commands/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/index/planner.h"
#include "service/commands/exit_code.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMebibyte = 1 << 20;

// Of every unique: the place of its entry in the log, a posting in the exact index.
constexpr double kPostingBytes = 8.5;
constexpr double kUniqueBytes = 4 + kPostingBytes;

constexpr std::array<unsigned, 11> kSimilarities = {500, 550, 600, 650, 700, 750, 800, 850, 900, 950, 1000};

// What is kept of a unique in mode hybrid, and what it takes.
struct Kind {
  std::string_view name;
  std::string_view about;
  double bytes = 0;
};

constexpr std::size_t kShortCharacters = 60;

std::array<Kind, 4> kinds(BandLayout layout) {
  return {{{"page_standard", "page, detector.sketch: standard", page_bytes(SketchSize::kStandard, layout)},
           {"page_compact", "page, detector.sketch: compact", page_bytes(SketchSize::kCompact, layout)},
           {"short_latin", "short text of 60 Latin letters", short_text_bytes(kShortCharacters, 1)},
           {"short_cjk", "short text of 60 CJK characters", short_text_bytes(kShortCharacters, 2)}}};
}

std::uint64_t total(const Kind& kind, const PlanOptions& options) {
  return static_cast<std::uint64_t>(kind.bytes * static_cast<double>(options.documents));
}

bool fits(const Kind& kind, const PlanOptions& options) {
  return options.memory_bytes == 0 || total(kind, options) <= options.memory_bytes;
}

void print_hybrid_table(const PlanOptions& options, BandLayout layout) {
  const double threshold = options.threshold_permille / 1000.0;
  std::cout << fmt::format(
      "Mode hybrid, threshold {:.3g}: {} bands of {} minima. Two pages of this similarity meet, so that "
      "their\n"
      "sketches are compared, with probability:\n\n    similarity ",
      threshold, layout.bands, layout.width);
  for (const unsigned similarity : kSimilarities) std::cout << fmt::format(" {:>5.2f}", similarity / 1000.0);
  std::cout << "\n    recall     ";
  for (const unsigned similarity : kSimilarities) {
    std::cout << fmt::format(" {:>5.3f}", band_recall(layout, similarity / 1000.0));
  }
  std::cout << fmt::format("\n\n{} uniques, if all of them are:\n\n    {:<34} bytes/unique       memory\n",
                           options.documents, "");
  for (const Kind& kind : kinds(layout)) {
    std::cout << fmt::format("    {:<34} {:>12.1f} {:>8.0f} MiB{}\n", kind.about, kind.bytes,
                             static_cast<double>(total(kind, options)) / kMebibyte,
                             fits(kind, options) ? "" : "  does not fit");
  }
  std::cout
      << "\nThe id, url and place of each unique are kept besides, in a file if there is a folder for it.\n"
         "`neardup tune` says which threshold suits your documents.\n";
}

void print_hybrid_json(const PlanOptions& options, BandLayout layout) {
  Json recall = Json::array();
  for (const unsigned similarity : kSimilarities) {
    recall.push_back(
        {{"similarity", similarity / 1000.0}, {"recall", band_recall(layout, similarity / 1000.0)}});
  }
  Json uniques = Json::array();
  for (const Kind& kind : kinds(layout)) {
    uniques.push_back({{"kind", kind.name},
                       {"bytes_per_unique", kind.bytes},
                       {"bytes", total(kind, options)},
                       {"fits", fits(kind, options)}});
  }
  const Json answer = {{"mode", "hybrid"},
                       {"documents", options.documents},
                       {"threshold", options.threshold_permille / 1000.0},
                       {"memory_bytes", options.memory_bytes},
                       {"bands", layout.bands},
                       {"minima", layout.width},
                       {"recall", std::move(recall)},
                       {"uniques", std::move(uniques)}};
  std::cout << answer.dump(2) << '\n';
}

int no_plan_fits(const PlanOptions& options, std::uint64_t smallest) {
  std::cerr << fmt::format("neardup: no plan for {} documents fits into {} bytes; the smallest takes {}\n",
                           options.documents, options.memory_bytes, smallest);
  return kExitUnavailable;
}

int plan_hybrid(const PlanOptions& options) {
  const BandLayout layout = band_layout(options.threshold_permille);
  options.json ? print_hybrid_json(options, layout) : print_hybrid_table(options, layout);
  std::cout << std::flush;
  const auto all = kinds(layout);
  const auto smallest = std::ranges::min_element(all, {}, &Kind::bytes);
  return fits(*smallest, options) ? kExitOk : no_plan_fits(options, total(*smallest, options));
}

bool fits(const Forecast& forecast, const PlanOptions& options) {
  return options.memory_bytes == 0 || forecast.bytes <= options.memory_bytes;
}

void print_table(const std::vector<Forecast>& forecasts, const PlanOptions& options) {
  std::cout << fmt::format("{} documents within {} bits, fingerprints with independent bits:\n\n",
                           options.documents, options.distance)
            << "    covering   tables   candidates    lines   bytes/document       memory\n";
  for (const Forecast& f : forecasts) {
    const char* const mark = &f == &forecasts.front() && fits(f, options) ? "->" : "";
    std::cout << fmt::format(
        "{:>2}  {:<9} {:>7} {:>12.1f} {:>8.1f} {:>16.1f} {:>8.0f} MiB{}\n", mark, f.covering->name,
        f.covering->tables(), f.candidates, f.lines, f.bytes_per_document(options.documents),
        static_cast<double>(f.bytes) / kMebibyte, fits(f, options) ? "" : "  does not fit");
  }
  std::cout
      << "\ncandidates: entries a look-up compares; lines: cache lines it reads. Of real text count 3 to 9\n"
         "times the candidates, and up to a third more memory. It is that of the index alone: the digest,\n"
         "place, id and url of each unique are kept besides.\n";
}

void print_json(const std::vector<Forecast>& forecasts, const PlanOptions& options) {
  Json plans = Json::array();
  for (const Forecast& f : forecasts) {
    plans.push_back({{"covering", f.covering->name},
                     {"tables", f.covering->tables()},
                     {"candidates", f.candidates},
                     {"lines", f.lines},
                     {"bytes_per_document", f.bytes_per_document(options.documents)},
                     {"bytes", f.bytes},
                     {"fits", fits(f, options)}});
  }
  const Json answer = {{"mode", "simhash"},
                       {"documents", options.documents},
                       {"distance", options.distance},
                       {"memory_bytes", options.memory_bytes},
                       {"plans", std::move(plans)}};
  std::cout << answer.dump(2) << '\n';
}

}  // namespace

const char* const kPlanHelp =
    "  neardup plan --documents 100M                  a hundred million uniques\n"
    "  neardup plan --documents 50M --memory 4GiB     what fits\n"
    "  neardup plan --set detector.threshold=0.7      how sure are its pairs to meet?\n"
    "  neardup plan --documents 1M --distance 5 --json\n"
    "\n"
    "Of the configured detector.mode; --distance asks about mode simhash, whose first row is the one to "
    "take.\n"
    "With --memory, 69 is the exit code if nothing fits.\n";

double page_bytes(SketchSize sketch, BandLayout layout) {
  constexpr double kSequence = 4;
  return kUniqueBytes + kSequence + static_cast<double>(bytes_of(sketch)) +
         kPostingBytes * static_cast<double>(layout.bands);
}

double short_text_bytes(std::size_t characters, std::size_t bytes_of_character) {
  constexpr double kRecord = 20;
  constexpr double kPostings = 10.35;  // ten bands, and some of one-deletion keys
  return kUniqueBytes + kRecord + kPostingBytes * kPostings +
         static_cast<double>(characters * bytes_of_character);
}

int run_plan(const PlanOptions& options) {
  if (options.mode == DetectorMode::kHybrid) return plan_hybrid(options);
  const std::vector<Forecast> forecasts = plan(
      {.documents = options.documents, .distance = options.distance, .memory_bytes = options.memory_bytes});
  options.json ? print_json(forecasts, options) : print_table(forecasts, options);
  std::cout << std::flush;
  return fits(forecasts.front(), options) ? kExitOk : no_plan_fits(options, forecasts.front().bytes);
}

}  // namespace neardup
