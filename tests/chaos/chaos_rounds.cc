// Runs rounds of faults on a real Kafka (round.h): `chaos_rounds --rounds N [--seed SEED] [--json FILE]` runs
// N rounds, drawn from SEED, SEED + 1, ..., prints a line for each and a table at the end. A round that fails
// is printed with the command that repeats it. Exit code 0 only if none did.
//
// Ten rounds or more go on until some doubt ended with the batch sent again and some with the batch found
// committed: that both were met is a part of what they show. Thirty more that meet none fail: a round meets
// the rarer of the two about every sixth time, so that is a fault that strikes no more. Forty rounds or more
// fail where a kind of fault was to strike again and again, and never did.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/log.h"
#include "tests/chaos/round.h"
#include "tests/support/number_argument.h"

namespace neardup {
namespace {

constexpr std::uint64_t kRoundsThatMeetDoubts = 10;
constexpr std::uint64_t kMoreRoundsMax = 30;
constexpr std::uint64_t kRoundsForAll = 40;  // a kind is drawn some eight times
constexpr std::uint64_t kMissesMax = 4;      // of a kind that never struck; one may find nothing to strike

struct Arguments {
  std::uint64_t rounds = 20;
  std::uint64_t seed = 1;
  std::string json;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::optional<std::uint64_t> number = number_argument<std::uint64_t>(argv[i + 1]);
    if (option == "--json") {
      arguments.json = argv[i + 1];
    } else if (option == "--rounds" && number.value_or(0) > 0) {
      arguments.rounds = *number;
    } else if (option == "--seed" && number) {
      arguments.seed = *number;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

struct Totals {
  std::uint64_t rounds = 0;
  std::uint64_t failed = 0;
  RoundReport sum;

  bool met_doubts() const { return sum.recycles_found > 0 && sum.recycles_resent > 0; }

  void add(const RoundReport& report) {
    ++rounds;
    failed += report.ok() ? 0 : 1;
    for (std::size_t i = 0; i < sum.faults.size(); ++i) {
      sum.faults[i] += report.faults[i];
      sum.skipped[i] += report.skipped[i];
    }
    for (std::size_t i = 0; i < sum.points.size(); ++i) sum.points[i] += report.points[i];
    sum.can_mount = sum.can_mount && report.can_mount;
    sum.kills += report.kills;
    sum.findings.verdicts += report.findings.verdicts;
    sum.findings.lost += report.findings.lost;
    sum.findings.doubled += report.findings.doubled;
    sum.findings.wrong += report.findings.wrong;
    sum.recycles_found += report.recycles_found;
    sum.recycles_resent += report.recycles_resent;
    sum.seconds += report.seconds;
  }
};

std::string plan_text(const DrawnRound& drawn) {
  std::string text = fmt::format("{} node{}", drawn.nodes, drawn.nodes == 1 ? "" : "s");
  for (const ChaosFault fault : drawn.plan.faults)
    text += ", " + std::string(kChaosFaultNames[static_cast<std::size_t>(fault)]);
  return text;
}

void print_round(const DrawnRound& drawn, const RoundReport& report) {
  fmt::print("seed {:<5} {:5.1f} s  {:>6} verdicts  {}: {}\n", drawn.plan.seed, report.seconds,
             report.findings.verdicts, report.ok() ? "right" : "WRONG", plan_text(drawn));
  for (const std::string& note : report.notes) fmt::print("  {}\n", note);
  for (const std::string& violation : report.findings.violations) fmt::print("  {}\n", violation);
  if (!report.ok()) {
    fmt::print("  its logs are {}/{}-*; again: ./dev chaos --rounds 1 --seed {}\n", NEARDUP_CHAOS_LOGS,
               drawn.plan.name, drawn.plan.seed);
  }
  std::fflush(stdout);
}

void print_table(const Totals& totals) {
  const RoundReport& sum = totals.sum;
  fmt::print("\n{:<24} {:>7} {:>8}\n", "fault", "struck", "skipped");
  for (std::size_t i = 0; i < sum.faults.size(); ++i)
    fmt::print("{:<24} {:>7} {:>8}\n", kChaosFaultNames[i], sum.faults[i], sum.skipped[i]);
  std::string points;
  for (std::size_t i = 0; i < sum.points.size(); ++i)
    points += fmt::format("{}{} {}", i == 0 ? "" : ", ", kFaultPointNames[i], sum.points[i]);
  fmt::print("killed or stopped at a point: {}\n", points);
  fmt::print("\n{} rounds in {:.0f} s, {} failed; {} times kill -9 of the service\n", totals.rounds,
             sum.seconds, totals.failed, sum.kills);
  fmt::print("{} verdicts checked: {} wrong, {} lost, {} doubled\n", sum.findings.verdicts,
             sum.findings.wrong, sum.findings.lost, sum.findings.doubled);
  fmt::print("recycles that resent the batch: {}, that found it committed: {}\n", sum.recycles_resent,
             sum.recycles_found);
}

// The kinds of fault that should have struck and did not, a line each.
std::string never_struck(const RoundReport& sum) {
  std::string lines;
  for (std::size_t i = 0; i < sum.faults.size(); ++i) {
    if (static_cast<ChaosFault>(i) == ChaosFault::kDiskFull && !sum.can_mount) continue;
    if (sum.faults[i] == 0 && sum.skipped[i] > kMissesMax)
      lines += fmt::format("NEVER: {}\n", kChaosFaultNames[i]);
  }
  return lines;
}

template <class Counts, class Names>
std::string by_name(const Counts& counts, const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += fmt::format("{}\n    \"{}\": {}", i == 0 ? "" : ",", names[i], counts[i]);
  return text;
}

std::string json(const Arguments& arguments, const Totals& totals) {
  const RoundReport& sum = totals.sum;
  return fmt::format(
      "{{\n  \"first_seed\": {}, \"rounds\": {}, \"rounds_failed\": {}, \"seconds\": {:.1f},\n"
      "  \"service_kills\": {}, \"verdicts_checked\": {}, \"wrong\": {}, \"lost\": {}, \"doubled\": {},\n"
      "  \"recycles_resent\": {}, \"recycles_found_committed\": {},\n"
      "  \"faults\": {{{}\n  }},\n  \"skipped\": {{{}\n  }},\n  \"points\": {{{}\n  }}\n}}\n",
      arguments.seed, totals.rounds, totals.failed, sum.seconds, sum.kills, sum.findings.verdicts,
      sum.findings.wrong, sum.findings.lost, sum.findings.doubled, sum.recycles_resent, sum.recycles_found,
      by_name(sum.faults, kChaosFaultNames), by_name(sum.skipped, kChaosFaultNames),
      by_name(sum.points, kFaultPointNames));
}

int run(const Arguments& arguments) {
  configure_log({.level = "warning", .format = "text"});
  std::unique_ptr<ChaosKafka> one;
  std::unique_ptr<ChaosKafka> three;
  Totals totals;
  const auto goes_on = [&](std::uint64_t round) {
    return round < arguments.rounds || (arguments.rounds >= kRoundsThatMeetDoubts && !totals.met_doubts() &&
                                        round < arguments.rounds + kMoreRoundsMax);
  };
  for (std::uint64_t round = 0; goes_on(round); ++round) {
    DrawnRound drawn = draw_round(arguments.seed + round);
    drawn.plan.name = "seed" + std::to_string(drawn.plan.seed);
    std::unique_ptr<ChaosKafka>& kafka = drawn.nodes == 1 ? one : three;
    if (drawn.plan.has_fragile_group()) kafka.reset();  // it wants a new one
    if (!kafka) kafka = std::make_unique<ChaosKafka>(drawn.nodes);
    const RoundReport report = run_round(*kafka, drawn.plan);
    print_round(drawn, report);
    totals.add(report);
    if (!report.ok() || drawn.plan.has_fragile_group()) kafka.reset();  // the next one shall not pay for it
    if (!arguments.json.empty()) std::ofstream(arguments.json) << json(arguments, totals);
  }
  print_table(totals);
  const bool met = arguments.rounds < kRoundsThatMeetDoubts || totals.met_doubts();
  if (!met) {
    fmt::print("FAILED: no doubt ended with the batch {}: these rounds did not try what they are for\n",
               totals.sum.recycles_found == 0 ? "found committed" : "sent again");
  }
  const std::string never = arguments.rounds < kRoundsForAll ? "" : never_struck(totals.sum);
  fmt::print("{}", never);
  return totals.failed == 0 && met && never.empty() ? 0 : 1;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  neardup::Arguments arguments;
  if (!neardup::parse(argc, argv, arguments)) {
    fmt::print(stderr, "usage: chaos_rounds [--rounds N] [--seed SEED] [--json FILE]\n");
    return 2;
  }
  return neardup::run(arguments);
}
