// A fuzz target without libFuzzer: the checked-in seeds, then seeded changes of them.
//
//   NAME_replay FOLDER SECONDS     every file of FOLDER as it is, then changed ones until the time is up
//   NAME_replay FOLDER - NUMBER    the changed one of that number alone
//
// No search, only a guard: what once failed is among the seeds and must not fail again. Each changed input is
// made from the seeds, kSeed and its own number alone, which is printed when a CHECK fails in it. Without
// seeds it fails: changes of nothing are a byte or two, which reach nothing.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/number_argument.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::uint64_t kSeed = 20250217;

// For who looks at a CHECK that failed: a file of the seeds, or the number of a changed one.
std::atomic<const char*> seed_running{nullptr};
std::atomic<std::uint64_t> number_running{0};

extern "C" void name_input(int signal) {
  char line[512];
  const char* const seed = seed_running;
  const int size = seed != nullptr
                       ? std::snprintf(line, sizeof line, "replay: the seed %s\n", seed)
                       : std::snprintf(line, sizeof line, "replay: changed input %llu, seed %llu\n",
                                       static_cast<unsigned long long>(number_running.load()),
                                       static_cast<unsigned long long>(kSeed));
  (void)!::write(STDERR_FILENO, line, std::min(static_cast<std::size_t>(size), sizeof line - 1));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// In an allocation of its exact size, so that a sanitizer sees a read behind it.
void run(const std::string& input) {
  const auto exact = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

std::vector<std::filesystem::path> find_seeds(const char* folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string changed(const std::vector<std::string>& seeds, std::uint64_t number) {
  std::mt19937_64 random(kSeed + number);
  std::string input = seeds[random() % seeds.size()];
  for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes) {
    const std::size_t at = random() % (input.size() + 1);
    switch (random() % 5) {
      case 0:
        input.insert(at, 1, static_cast<char>(random()));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 2:
        input.erase(at, random() % 16);
        break;
      case 3:
        input.insert(at, input.substr(random() % (input.size() + 1), random() % 64));
        break;
      default: {
        const std::string& other = seeds[random() % seeds.size()];
        input.insert(at, other.substr(random() % (other.size() + 1), random() % 64));
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seconds = neardup::number_argument<int>(argc == 3 ? argv[2] : "0");
  const auto number = neardup::number_argument<std::uint64_t>(argc == 4 ? argv[3] : "0");
  if ((argc != 3 && argc != 4) || !seconds || !number) {
    return std::fprintf(stderr, "usage: %s FOLDER SECONDS | FOLDER - NUMBER\n", argv[0]), 64;
  }
  const std::vector<std::filesystem::path> paths = find_seeds(argv[1]);
  if (paths.empty()) return std::fprintf(stderr, "replay: no seeds in %s\n", argv[1]), 66;
  std::vector<std::string> seeds;
  for (const std::filesystem::path& path : paths) {
    seeds.push_back(read(path));
    if (seeds.back().empty()) return std::fprintf(stderr, "replay: %s: nothing in it\n", path.c_str()), 66;
  }
  std::signal(SIGABRT, name_input);
  if (argc == 4) return run(changed(seeds, number_running = *number)), 0;

  for (std::size_t i = 0; i < seeds.size(); ++i) {
    seed_running = paths[i].c_str();
    run(seeds[i]);
  }
  seed_running = nullptr;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(*seconds);
  for (; std::chrono::steady_clock::now() < end; ++number_running) run(changed(seeds, number_running));
  std::printf("%zu seeds and %llu changed ones, seed %llu\n", seeds.size(),
              static_cast<unsigned long long>(number_running), static_cast<unsigned long long>(kSeed));
  return 0;
}
