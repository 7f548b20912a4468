// How long does BlockIndex take for a look-up, beside a linear scan over the same fingerprints?
//
//   index_bench             1 000 000 uniques; the figures go to build/bench/index.json as well
//   index_bench UNIQUES     as many, nothing written
//
// The fingerprints are random, a tenth of them near an earlier one; half of the queries are near a stored
// one. Both answer the same first queries and must agree. `answers` is a digest of all answers, so that a
// faster index cannot quietly be a different one.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/fingerprint/hamming.h"
#include "core/index/block_index.h"
#include "tests/support/bench_report.h"

namespace neardup {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDistance = 3;
constexpr std::size_t kQueries = 100'000;
constexpr std::uint64_t kLinearSteps = 2'000'000'000;  // some seconds of scanning

double nanoseconds_each(Clock::time_point start, std::size_t count) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(count);
}

std::uint64_t flip_some(std::uint64_t bits, std::mt19937_64& random) {
  for (std::uint64_t flips = random() % 6; flips > 0; --flips) bits ^= std::uint64_t{1} << random() % 64;
  return bits;
}

std::optional<Match> scan(const std::vector<Fingerprint>& stored, Fingerprint query) {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const int distance = hamming_distance(stored[i], query);
    if (distance <= kDistance) return Match{i, distance};
  }
  return std::nullopt;
}

// Mean number of postings in the buckets of a query, counted apart from the index.
double candidates_per_find(const std::vector<Fingerprint>& stored, const std::vector<Fingerprint>& queries) {
  double sum = 0;
  for (int shift = 0; shift < 64; shift += 16) {
    std::vector<std::uint32_t> sizes(1 << 16);
    for (const Fingerprint f : stored) ++sizes[f.bits >> shift & 0xFFFF];
    for (const Fingerprint f : queries) sum += sizes[f.bits >> shift & 0xFFFF];
  }
  return sum / static_cast<double>(queries.size());
}

void run(std::size_t uniques, bool write_json) {
  std::mt19937_64 random(1);
  std::vector<Fingerprint> stored;
  while (stored.size() < uniques) {
    const bool near = !stored.empty() && random() % 10 == 0;
    stored.push_back({near ? flip_some(stored[random() % stored.size()].bits, random) : random()});
  }
  std::vector<Fingerprint> queries;
  while (queries.size() < kQueries) {
    const bool near = random() % 2 == 0;
    queries.push_back({near ? flip_some(stored[random() % stored.size()].bits, random) : random()});
  }

  FingerprintColumn column;
  BlockIndex index(column, kDistance);
  Clock::time_point start = Clock::now();
  for (const Fingerprint fingerprint : stored) {
    column.push_back(fingerprint);
    index.insert_next();
  }
  const double insert_ns = nanoseconds_each(start, uniques);

  std::vector<std::optional<Match>> answers;
  answers.reserve(queries.size());
  start = Clock::now();
  for (const Fingerprint query : queries) answers.push_back(index.find_first(query));
  const double find_ns = nanoseconds_each(start, queries.size());

  const std::size_t scans = std::clamp<std::size_t>(kLinearSteps / uniques, 1, queries.size());
  start = Clock::now();
  for (std::size_t i = 0; i < scans; ++i) CHECK(scan(stored, queries[i]) == answers[i], "the answers differ");
  const double linear_ns = nanoseconds_each(start, scans);

  std::string bytes;
  ByteWriter writer(bytes);
  for (const std::optional<Match>& answer : answers) {
    writer.u64(answer ? answer->sequence : ~std::uint64_t{0});
    writer.u8(answer ? static_cast<std::uint8_t>(answer->distance) : 0);
  }
  std::array<char, 17> answers_digest{};
  std::snprintf(answers_digest.data(), answers_digest.size(), "%016llx",
                static_cast<unsigned long long>(digest64(bytes)));
  const double candidates = candidates_per_find(stored, queries);
  const double per_unique = static_cast<double>(index.bytes()) / static_cast<double>(uniques);

  std::printf("%zu uniques, distance %d, one thread\n", uniques, kDistance);
  std::printf(
      "  block index    %12.0f ns a look-up   %8.1f candidates   %6.1f bytes per unique   insert %.0f ns\n",
      find_ns, candidates, per_unique, insert_ns);
  std::printf("  linear scan    %12.0f ns a look-up   block index is %.0f times as fast\n", linear_ns,
              linear_ns / find_ns);
  std::printf("  answers        %s (%zu of them checked against the scan)\n", answers_digest.data(), scans);

  if (!write_json) return;
  BenchReport report;
  report.number("uniques", static_cast<double>(uniques));
  report.number("find_ns", find_ns);
  report.number("linear_find_ns", linear_ns);
  report.number("candidates_per_find", candidates, 1);
  report.number("insert_ns", insert_ns);
  report.number("bytes_per_unique", per_unique, 1);
  report.text("answers", answers_digest.data());
  report.write("index");
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  const long uniques = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1'000'000;
  if (uniques <= 0 || argc > 2) {
    std::fprintf(stderr, "usage: index_bench [UNIQUES]\n");
    return 64;
  }
  neardup::run(static_cast<std::size_t>(uniques), argc == 1);
}
