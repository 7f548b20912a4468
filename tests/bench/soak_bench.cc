// Does `neardup serve` stay as large as it is?
//
//   soak_bench            20 minutes; the figures go to build/bench/soak.json as well
//   soak_bench MINUTES    so long
//   soak_bench tiny       some seconds, nothing written
//
// Pages of 1 KiB come as fast as they are decided, for the whole time; the newest hundred thousand uniques
// are remembered, and a snapshot is kept. Once a second: resident memory and open files of the process. Both
// may go up and down, but not away: what counts is the slope of the line through all looks behind the first
// quarter, when tables and buffers have their size. Kafka keeps the last 64 MB of a partition; the
// journal and the snapshot are kept whole, as they must be, which takes 30 GB of disk in 20 minutes.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/log.h"
#include "tests/bench/serve_run.h"
#include "tests/support/bench_report.h"
#include "tests/support/child_process.h"
#include "tests/support/number_argument.h"
#include "tests/support/private_kafka.h"

namespace neardup {
namespace {

using std::chrono::duration;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::size_t kPageBytes = 1024;
constexpr std::uint64_t kUniquesMax = 100'000;

struct Look {
  double time_s = 0;
  double resident_mb = 0;
  double files = 0;
  double covered = 0;  // pages
};

double resident_mb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  if (!(file >> pages >> resident)) throw std::runtime_error("serve is gone");
  return static_cast<double>(resident) * 4096 / 1e6;
}

double open_files(pid_t pid) {
  double count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd"))
    ++count;
  return count;
}

// Of the line of least squares through the looks, for each minute.
template <class Figure>
double slope(const std::vector<Look>& looks, Figure figure) {
  double time = 0;
  double value = 0;
  for (const Look& look : looks) time += look.time_s, value += figure(look);
  time /= static_cast<double>(looks.size());
  value /= static_cast<double>(looks.size());
  double both = 0;
  double square = 0;
  for (const Look& look : looks) {
    both += (look.time_s - time) * (figure(look) - value);
    square += (look.time_s - time) * (look.time_s - time);
  }
  return square == 0 ? 0 : 60 * both / square;
}

template <class Figure>
void row(const char* name, const std::vector<Look>& looks, Figure figure) {
  const auto [least, most] = std::ranges::minmax(looks, {}, figure);
  std::printf("%-20s %12.1f %12.1f %14.3f\n", name, figure(least), figure(most), slope(looks, figure));
}

void send_pages(const Config& config, const std::stop_token& stop) {
  GroupPositions positions(config);
  Pages pages(config, kPageBytes, 1);
  while (!stop.stop_requested()) {
    if (pages.has_room(positions)) {
      pages.send();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  pages.finish();
}

int run(double time_s, bool tiny) {
  configure_log({.level = "error"});
  const PrivateKafka kafka(kLittleKept, PrivateKafka::Place::kDisk, PrivateKafka::Jit::kFull);
  Config config = run_config(kafka.servers(), "soak", "soak");
  config.index.documents_max = kUniquesMax;
  config.snapshot.directory = kafka.folder() + "/snapshot";
  config.snapshot.interval_ms = 5000;
  create_run_topics(config);
  ChildProcess child(neardup_words(NEARDUP_BINARY, {"serve"}, config), kafka.folder() + "/serve.log");
  if (!child.wait_for_log("running: ", seconds(60))) throw std::runtime_error("no start:\n" + child.log());

  std::vector<Look> looks;
  {
    const std::jthread sending([&](const std::stop_token& stop) {
      try {
        send_pages(config, stop);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "soak_bench: sending: %s\n", error.what());
      }
    });
    GroupPositions positions(config);
    std::printf("%8s %14s %14s %12s %8s\n", "s", "documents", "documents/s", "memory MB", "files");
    const auto start = steady_clock::now();
    while (looks.empty() || looks.back().time_s < time_s) {
      std::this_thread::sleep_for(seconds(1));
      if (child.wait(std::chrono::milliseconds(0))) throw std::runtime_error("serve ended:\n" + child.log());
      looks.push_back({duration<double>(steady_clock::now() - start).count(), resident_mb(child.pid()),
                       open_files(child.pid()), static_cast<double>(positions.covered())});
      if (looks.size() % 30 != 0) continue;
      const Look& now = looks.back();
      const Look& before = looks[looks.size() - 30];
      std::printf("%8.0f %14.0f %14.0f %12.1f %8.0f\n", now.time_s, now.covered,
                  (now.covered - before.covered) / (now.time_s - before.time_s), now.resident_mb, now.files);
      std::fflush(stdout);
    }
  }
  child.signal(SIGTERM);
  if (child.wait(seconds(60)) != 0) throw std::runtime_error("serve did not end well:\n" + child.log());

  const double documents = looks.back().covered;
  looks.erase(looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(looks.size() / 4));
  const auto memory = [](const Look& look) { return look.resident_mb; };
  const auto files = [](const Look& look) { return look.files; };
  std::printf("\n%-20s %12s %12s %14s\n", "behind a quarter", "least", "most", "each minute");
  row("memory MB", looks, memory);
  row("open files", looks, files);
  std::printf("%.0f documents, %.0f s, of uniques the newest %llu\n", documents, looks.back().time_s,
              static_cast<unsigned long long>(kUniquesMax));
  if (documents == 0) throw std::runtime_error("nothing was decided");
  if (tiny) return 0;
  BenchReport report;
  report.number("minutes", looks.back().time_s / 60, 1);
  report.number("documents", documents);
  report.number("resident_mb_max", std::ranges::max(looks, {}, memory).resident_mb, 1);
  report.number("resident_mb_per_minute", slope(looks, memory), 3);
  report.number("files_max", std::ranges::max(looks, {}, files).files);
  report.number("files_per_minute", slope(looks, files), 3);
  report.write("soak");
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  constexpr double kMinutesMax = 7 * 24 * 60;
  try {
    const std::string_view word = argc > 1 ? argv[1] : "20";
    if (argc == 2 && word == "tiny") return neardup::run(4, true);
    const std::optional<double> minutes = neardup::number_argument<double>(word);
    if (argc > 2 || !minutes || !(*minutes > 0 && *minutes <= kMinutesMax)) {
      std::fprintf(stderr, "usage: soak_bench [MINUTES|tiny]\n");
      return 64;
    }
    return neardup::run(60 * *minutes, false);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak_bench: %s\n", error.what());
    return 1;
  }
}
