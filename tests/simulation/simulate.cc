// Runs the simulator (simulation.h): `simulate --seeds N [--first SEED] [--jobs N] [--json FILE]` runs N
// seeds and prints what went wrong in them on purpose and what the oracle found; `simulate --seed SEED`
// replays one, and shows what the service logs. A seed that fails is printed with the kinds of fault that it
// needs to fail. Exit code 0 only if none did and, of kSeedsForAll or more, every kind of fault struck,
// and every reason to halt made a life do so.
#include <fmt/core.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/log.h"
#include "tests/simulation/simulation.h"
#include "tests/support/number_argument.h"

namespace neardup {
namespace {

constexpr std::size_t kJobsMax = 64;
constexpr std::size_t kShrunkMax = 3;         // seeds that fail are many or few; these are looked at
constexpr std::uint64_t kSeedsForAll = 5000;  // in so many, all that can happen does

const LogConfig kErrorsOnly = {.level = "error", .format = "text"};

// For who looks at a CHECK that failed.
std::array<std::atomic<std::uint64_t>, kJobsMax> running{};

extern "C" void name_seeds(int signal) {
  for (const auto& seed : running) {
    if (seed == 0) continue;
    char line[64];
    const int size = std::snprintf(line, sizeof line, "simulate: seed %llu was running\n",
                                   static_cast<unsigned long long>(seed.load()));
    (void)!::write(STDERR_FILENO, line, static_cast<std::size_t>(size));
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// The signal that asked to stop: no more seeds are begun, and what is in memory is removed. A second one of
// its kind ends it at once.
std::atomic<int> stopped_by{0};

extern "C" void stop_seeds(int signal) {
  stopped_by = signal;
  std::signal(signal, SIG_DFL);
}

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1000;
  std::size_t jobs = 2 * std::max(1U, std::thread::hardware_concurrency());
  std::string json;
  Planted planted = Planted::kNothing;
  bool replay = false;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::optional<std::uint64_t> number = number_argument<std::uint64_t>(argv[i + 1]);
    const bool is_count = number.value_or(0) > 0;
    if (option == "--json") {
      arguments.json = argv[i + 1];
    } else if (const auto* const planted = std::ranges::find(kPlantedNames, argv[i + 1]);
               option == "--planted" && planted != kPlantedNames.end()) {
      arguments.planted = static_cast<Planted>(planted - kPlantedNames.begin());
    } else if (option == "--seeds" && is_count) {
      arguments.seeds = *number;
    } else if (option == "--first" && number) {
      arguments.first = *number;
    } else if (option == "--jobs" && is_count && *number <= kJobsMax) {
      arguments.jobs = *number;
    } else if (option == "--seed" && number) {
      arguments.first = *number;
      arguments.seeds = 1;
      arguments.replay = true;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

// Memory, where there is a file system of it: what is simulated is never meant to last.
std::filesystem::path make_folder() {
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  std::string name = ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
                      fmt::format("neardup-simulation-{}-XXXXXX", ::getpid()))
                         .string();
  if (mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "simulate: {}: {}\n", name, std::strerror(errno));
    std::exit(2);
  }
  return name;
}

struct Totals {
  std::uint64_t runs = 0;
  std::uint64_t wrong = 0;
  FaultCounts faults{};
  std::uint64_t strays = 0;
  FaultCounts halts{};
  std::uint64_t unavailable = 0;
  std::uint64_t fenced = 0;
  std::uint64_t elected_again = 0;
  std::uint64_t lives = 0;
  std::uint64_t transactions = 0;
  std::uint64_t resent = 0;
  std::uint64_t found = 0;
  std::uint64_t verdicts = 0;

  void add(const Outcome& outcome) {
    ++runs;
    wrong += outcome.violation.empty() ? 0 : 1;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      faults[i] += outcome.faults[i];
      halts[i] += outcome.halts[i];
    }
    unavailable += outcome.unavailable;
    fenced += outcome.fenced;
    elected_again += outcome.elected_again;
    strays += outcome.strays;
    lives += outcome.lives;
    transactions += outcome.transactions;
    resent += outcome.resent;
    found += outcome.found;
    verdicts += outcome.verdicts;
  }

  std::uint64_t halts_at(Fault fault) const { return halts[static_cast<std::size_t>(fault)]; }
  std::uint64_t all_faults() const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : faults) all += count;
    return all;
  }
};

std::string names(const FaultSet& faults) {
  std::string names;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i]) names += (names.empty() ? "" : ", ") + std::string(kFaultNames[i]);
  }
  return names.empty() ? "none" : names;
}

Totals run(const Arguments& arguments, const std::filesystem::path& folder) {
  std::mutex mutex;
  Totals totals;
  std::atomic<std::uint64_t> next{arguments.first};
  const auto work = [&](std::size_t job) {
    for (;;) {
      const std::uint64_t seed = next++;
      if (seed >= arguments.first + arguments.seeds || stopped_by != 0) break;
      running[job] = seed;
      const Scenario scenario = {
          .seed = seed, .planted = arguments.planted, .folder = (folder / std::to_string(job)).string()};
      const Outcome outcome = simulate(scenario);
      bool shrinks = false;
      {
        const std::lock_guard lock(mutex);
        totals.add(outcome);
        if (outcome.violation.empty()) continue;
        fmt::print("WRONG: seed {}: {}\n", seed, outcome.violation);
        std::fflush(stdout);
        shrinks = totals.wrong <= kShrunkMax;
      }
      if (!shrinks || stopped_by != 0) continue;
      if (arguments.replay) configure_log(kErrorsOnly);  // the lines of one run are enough
      const std::string needed = names(shrink(scenario));
      const std::lock_guard lock(mutex);
      fmt::print("seed {} fails with these faults alone: {}; again: ./dev chaos --seed {}\n", seed, needed,
                 seed);
    }
    running[job] = 0;
  };
  std::vector<std::thread> threads;
  for (std::size_t job = 0; job < std::min<std::size_t>(arguments.jobs, arguments.seeds); ++job)
    threads.emplace_back(work, job);
  for (std::thread& thread : threads) thread.join();
  return totals;
}

// What these runs should have shown and did not, a line each.
std::string never_seen(const Totals& totals) {
  std::string lines;
  for (std::size_t i = 0; i < totals.faults.size(); ++i) {
    if (totals.faults[i] == 0) lines += fmt::format("NEVER: {}\n", kFaultNames[i]);
  }
  for (const Fault fault : kMeddlings) {
    if (totals.halts_at(fault) == 0) lines += fmt::format("NEVER: a halt at: {}\n", name(fault));
  }
  if (totals.unavailable == 0) lines += "NEVER: a life that ended since something did not answer\n";
  if (totals.fenced == 0) lines += "NEVER: a life that ended since another instance was elected\n";
  if (totals.elected_again == 0) lines += "NEVER: a term that was lost and won again with a batch in hand\n";
  if (totals.resent == 0) lines += "NEVER: a doubt that ended with the batch sent again\n";
  if (totals.found == 0) lines += "NEVER: a doubt that ended with the batch found committed\n";
  return lines;
}

std::string json(const Arguments& arguments, const Totals& totals, double seconds) {
  std::string faults;
  for (std::size_t i = 0; i < totals.faults.size(); ++i)
    faults += fmt::format("{}\n    \"{}\": {}", i == 0 ? "" : ",", kFaultNames[i], totals.faults[i]);
  std::string halts;
  for (const Fault fault : kMeddlings)
    halts += fmt::format("\n    \"{}\": {},", name(fault), totals.halts_at(fault));
  return fmt::format(
      "{{\n  \"first_seed\": {}, \"seeds\": {}, \"runs\": {}, \"seconds\": {:.1f},\n"
      "  \"lives\": {}, \"transactions\": {}, \"verdicts_checked\": {}, \"wrong\": {},\n"
      "  \"doubts_resent\": {}, \"doubts_found_committed\": {}, \"stray_commits_that_hit\": {},\n"
      "  \"elected_again\": {},\n"
      "  \"halts\": {{{}\n    \"unavailable\": {}, \"fenced\": {}\n  }},\n"
      "  \"faults\": {{{}\n  }}\n}}\n",
      arguments.first, arguments.seeds, totals.runs, seconds, totals.lives, totals.transactions,
      totals.verdicts, totals.wrong, totals.resent, totals.found, totals.strays, totals.elected_again, halts,
      totals.unavailable, totals.fenced, faults);
}

int simulate_all(const Arguments& arguments) {
  std::signal(SIGABRT, name_seeds);
  // Thousands of short lives: what one gives back, the next one takes, without asking the system.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{512} << 10);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  configure_log(arguments.replay ? LogConfig{.level = "info", .format = "text"} : kErrorsOnly);
  const auto begin = std::chrono::steady_clock::now();
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop_seeds);
  const std::filesystem::path folder = make_folder();
  const Totals totals = run(arguments, folder);
  std::filesystem::remove_all(folder);
  if (stopped_by != 0) std::raise(stopped_by);  // so that who called us sees it
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print(
      "table: simulated runs | {} seeds, {} faults, {} verdicts | replayed in the journal's order | \n",
      totals.runs, totals.all_faults(), totals.verdicts);
  fmt::print("{} runs from seed {}: {} lives, {} transactions, {} verdicts checked, {} wrong, {:.1f} s\n",
             totals.runs, arguments.first, totals.lives, totals.transactions, totals.verdicts, totals.wrong,
             seconds);
  fmt::print(
      "doubts that ended with the batch sent again: {}, found committed: {}; stray commits that hit: {}; "
      "lost and elected again with a batch in hand: {}\n",
      totals.resent, totals.found, totals.strays, totals.elected_again);
  for (std::size_t i = 0; i < totals.faults.size(); ++i)
    fmt::print("  {:<26} {:>9}\n", kFaultNames[i], totals.faults[i]);
  fmt::print("halts: {} since something did not answer, {} since another instance was elected\n",
             totals.unavailable, totals.fenced);
  for (const Fault fault : kMeddlings) fmt::print("  {:<26} {:>9}\n", name(fault), totals.halts_at(fault));
  if (!arguments.json.empty()) std::ofstream(arguments.json) << json(arguments, totals, seconds);
  if (totals.runs < kSeedsForAll || arguments.planted != Planted::kNothing) return totals.wrong == 0 ? 0 : 1;
  const std::string never = never_seen(totals);
  fmt::print("{}", never);
  return totals.wrong == 0 && never.empty() ? 0 : 1;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  neardup::Arguments arguments;
  if (!neardup::parse(argc, argv, arguments)) {
    fmt::print(stderr,
               "usage: simulate [--seeds N] [--first SEED] [--seed SEED] [--jobs N] [--json FILE] [--planted "
               "MISTAKE]\n");
    return 2;
  }
  return neardup::simulate_all(arguments);
}
