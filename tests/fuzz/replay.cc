// A fuzz target without libFuzzer: the checked-in seeds, then seeded changes of them.
//
//   NAME_replay FOLDER SECONDS     every file of FOLDER as it is, then changed ones until the time is up
//
// No search, only a guard: what once failed is among the seeds and must not fail again. A seed of the random
// numbers is printed, and each changed input is made from it and from its own number alone.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::uint64_t kSeed = 20250217;

// In an allocation of its exact size, so that a sanitizer sees a read behind it.
void run(const std::string& input) {
  const auto exact = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

std::vector<std::string> read_seeds(const char* folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
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
  if (argc != 3) return std::fprintf(stderr, "usage: %s FOLDER SECONDS\n", argv[0]), 64;
  std::vector<std::string> seeds = read_seeds(argv[1]);
  for (const std::string& seed : seeds) run(seed);
  const std::size_t read = seeds.size();
  if (seeds.empty()) seeds.emplace_back();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  std::uint64_t number = 0;
  while (std::chrono::steady_clock::now() < end) run(changed(seeds, number++));
  std::printf("%zu seeds and %llu changed ones, seed %llu\n", read, static_cast<unsigned long long>(number),
              static_cast<unsigned long long>(kSeed));
  return 0;
}
