#include "service/commands/plan.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/index/planner.h"
#include "service/commands/exit_code.h"

namespace neardup {
namespace {

constexpr double kMebibyte = 1 << 20;

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
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  for (const Forecast& f : forecasts) {
    plans.push_back({{"covering", f.covering->name},
                     {"tables", f.covering->tables()},
                     {"candidates", f.candidates},
                     {"lines", f.lines},
                     {"bytes_per_document", f.bytes_per_document(options.documents)},
                     {"bytes", f.bytes},
                     {"fits", fits(f, options)}});
  }
  const nlohmann::ordered_json answer = {{"documents", options.documents},
                                         {"distance", options.distance},
                                         {"memory_bytes", options.memory_bytes},
                                         {"plans", std::move(plans)}};
  std::cout << answer.dump(2) << '\n';
}

}  // namespace

const char* const kPlanHelp =
    "  neardup plan --documents 100M                  a hundred million uniques\n"
    "  neardup plan --documents 50M --memory 4GiB     what fits\n"
    "  neardup plan --documents 1M --distance 5 --json\n"
    "\n"
    "The first row is the one to take; with --memory, 69 is the exit code if none fits.\n";

int run_plan(const PlanOptions& options) {
  const std::vector<Forecast> forecasts = plan(
      {.documents = options.documents, .distance = options.distance, .memory_bytes = options.memory_bytes});
  options.json ? print_json(forecasts, options) : print_table(forecasts, options);
  std::cout << std::flush;
  if (fits(forecasts.front(), options)) return kExitOk;
  std::cerr << fmt::format("neardup: no plan for {} documents fits into {} bytes; the smallest takes {}\n",
                           options.documents, options.memory_bytes, forecasts.front().bytes);
  return kExitUnavailable;
}

}  // namespace neardup
