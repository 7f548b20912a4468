#include "tests/bench/serve_absence.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "service/clock.h"
#include "tests/bench/serve_run.h"
#include "tests/bench/service_metrics.h"
#include "tests/support/child_process.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::size_t kPageBytes = 512;  // a page to the detector, and soon made
constexpr seconds kStartMax{120};
constexpr seconds kDecideMax{1200};
constexpr std::uint64_t kSeed = 3;
constexpr seconds kTakeoverMax{60};
constexpr const char* kRunning = "running: ";
constexpr const char* kFollows = "standby: following the writer";

class Service {
 public:
  Service(const Config& config, const std::string& folder, const std::string& name)
      : child_(neardup_words(NEARDUP_BINARY, {"serve"}, config), folder + "/" + name + ".log") {}

  void wait_for(const char* text) {
    if (!child_.wait_for_log(text, kStartMax)) fail(std::string("does not say \"") + text + '"');
  }
  bool says(const char* text) const { return child_.log().find(text) != std::string::npos; }
  void kill() {
    child_.signal(SIGKILL);
    child_.wait(kStartMax);
  }
  void ask_to_stop() { child_.signal(SIGTERM); }
  void wait_for_end() {
    if (child_.wait(kStartMax) != 0) fail("did not end well");
  }
  void stop() {
    ask_to_stop();
    wait_for_end();
  }

  // Of /proc/PID/status: VmRSS, VmHWM.
  double status_bytes(std::string_view key) const {
    std::ifstream file("/proc/" + std::to_string(child_.pid()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(key)) return 1024 * std::strtod(line.c_str() + key.size() + 1, nullptr);
    }
    throw std::runtime_error("serve is gone");
  }

  ServiceMetrics metrics() const { return ServiceMetrics(child_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("serve " + what + ":\n" + child_.log());
  }

  ChildProcess child_;
};

template <class Condition>
void wait_until(Condition is_met) {
  const auto start = steady_clock::now();
  while (!is_met()) {
    if (steady_clock::now() - start > kDecideMax) throw std::runtime_error("deciding takes too long");
    std::this_thread::sleep_for(milliseconds(20));
  }
}

// Sends a page each millisecond for as long as it lives.
class Stream {
 public:
  explicit Stream(const Config& config)
      : thread_([this, config](const std::stop_token& stop) {
          try {
            Pages pages(config, kPageBytes, kSeed);
            while (!stop.stop_requested()) {
              pages.send();
              std::this_thread::sleep_for(milliseconds(1));
            }
            pages.finish();
          } catch (...) {
            failed_ = std::current_exception();
          }
        }) {}

  void end() {
    thread_.request_stop();
    thread_.join();
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  std::exception_ptr failed_;
  std::jthread thread_;
};

// From `since` until `successor` has decided something: what the leader still did is not its.
double seconds_until_decided_by(Service& successor, GroupPositions& positions,
                                steady_clock::time_point since) {
  successor.wait_for(kRunning);
  const std::int64_t before = positions.covered();
  while (positions.covered() <= before) {
    if (steady_clock::now() - since > kTakeoverMax) throw std::runtime_error("nobody takes over");
    std::this_thread::sleep_for(milliseconds(5));
  }
  return seconds_since(since);
}

// Writes the files of a folder to the disk and takes them out of the page cache.
void forget_in_page_cache(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0;
    if (file >= 0) close(file);
    if (!done) throw std::runtime_error("cannot take out of the page cache: " + entry.path().string());
  }
}

}  // namespace

Restart measure_restart(const std::string& servers, const std::string& folder, std::size_t documents,
                        std::size_t journaled) {
  Config config = run_config(servers, "restart-pages", "restart");
  const std::filesystem::path snapshot =
      std::filesystem::temp_directory_path() / ("neardup-restart-" + std::to_string(getpid()));
  config.snapshot.directory = snapshot / "1";
  std::filesystem::create_directories(config.snapshot.directory);
  config.snapshot.interval_ms = 3'600'000;  // so that it is committed at the stop alone
  config.http = {.address = "127.0.0.1", .port = 0};
  create_run_topics(config);
  Pages pages(config, kPageBytes, kSeed);
  GroupPositions positions(config);
  const auto decide = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      wait_until([&] { return pages.has_room(positions); });
      pages.send();
    }
    pages.finish();
    wait_until([&] { return positions.covered() >= pages.sent(); });
  };
  {
    Service service(config, folder, "restart-1");
    decide(documents);
    service.stop();
  }
  const auto on_copy = [&](const char* name) {
    Config other = config;
    other.snapshot.directory = snapshot / name;
    std::filesystem::copy(config.snapshot.directory, other.snapshot.directory,
                          std::filesystem::copy_options::recursive);
    return other;
  };
  {
    Service service(on_copy("2"), folder, "restart-2");  // so that what it adds is in Kafka alone
    decide(journaled);
    service.stop();
    std::filesystem::remove_all(snapshot / "2");
  }
  Restart restart;
  {
    const Config cold = on_copy("3");
    forget_in_page_cache(cold.snapshot.directory);
    const auto start = steady_clock::now();
    Service service(cold, folder, "restart-cold");
    service.wait_for(kRunning);
    restart.ready_cold_s = seconds_since(start);
    service.stop();
    std::filesystem::remove_all(snapshot / "3");
  }
  const auto start = steady_clock::now();
  Service service(config, folder, "restart-3");
  service.wait_for(kRunning);
  restart.ready_s = seconds_since(start);
  std::this_thread::sleep_for(seconds(3));
  restart.uniques = static_cast<std::uint64_t>(service.metrics().gauge("neardup_index_entries"));
  restart.resident_bytes_max = service.status_bytes("VmHWM");
  restart.resident_bytes = service.status_bytes("VmRSS");
  service.stop();
  std::filesystem::remove_all(snapshot);
  return restart;
}

Takeover measure_takeover(const std::string& servers, const std::string& folder, int rounds, int joiners) {
  Config config = run_config(servers, "takeover-pages", "takeover");
  config.kafka.session_timeout_ms = kSessionMs;
  create_run_topics(config);
  int lives = 0;
  constexpr milliseconds kSettled{2000};  // the group, with another member in it
  const auto begin = [&](const char* until) {
    auto service = std::make_unique<Service>(config, folder, "takeover-" + std::to_string(++lives));
    service->wait_for(until);
    std::this_thread::sleep_for(kSettled);
    return service;
  };
  auto leader = begin(kRunning);
  Stream stream(config);
  GroupPositions positions(config);
  Takeover takeover;
  for (int i = 0; i < rounds; ++i) {
    auto next = begin(kFollows);
    auto since = steady_clock::now();
    leader->kill();
    takeover.after_kill_s =
        std::max(takeover.after_kill_s, seconds_until_decided_by(*next, positions, since));
    leader = std::move(next);
    next = begin(kFollows);
    since = steady_clock::now();
    leader->ask_to_stop();
    takeover.after_stop_s =
        std::max(takeover.after_stop_s, seconds_until_decided_by(*next, positions, since));
    leader->wait_for_end();
    leader = std::move(next);
  }
  for (; takeover.joiners < joiners; ++takeover.joiners) {
    const auto joiner = begin(kFollows);
    takeover.thieves += joiner->says(kRunning) || leader->says("the election was lost") ? 1 : 0;
    joiner->kill();
  }
  stream.end();
  leader->stop();
  return takeover;
}

}  // namespace neardup
