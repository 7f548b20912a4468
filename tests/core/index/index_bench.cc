// How fast is the Hamming index, beside what one would use instead?
//
//   index_bench          some minutes, 6 GiB: random fingerprints up to ten million, and those of
//                        documentation (tests/support/corpora.py); figures go to build/bench/index.json, the
//                        cost curve to build/bench/index.svg
//   index_bench text     the real text alone
//   index_bench --large  a hundred million random ones alone: built at once, asked, written to a file and
//                        loaded; 8 GiB, some minutes; figures go to build/bench/index_large.json, and from
//                        there to the curve of the next run
//   index_bench tiny     a thousand, in a second; nothing is written
//
// One thread but where it says otherwise, CPU time, the textbook's lists in turns with the index in the same
// run, on the same fingerprints. Where the index stores, the thread that clears memory for it counts as well
// (tests/support/work_clock.h): the textbook and FAISS pay for theirs in the thread that is measured. The
// p99.9 and max of batches are of the thread that stores, by its CPU time, which stands still while it waits,
// and by the clock on the wall, which goes on while others have the processor.
//
// Both must give the same answers, whose digest is printed, and a sample of them is compared with a look at
// everything: `wrong` counts what differs.
//
//   query    70 % random, 30 % within 3 bits of a stored one; nothing is stored
//   mixed    the same, and each without a match is stored
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/prefetch_line.h"
#include "core/index/hamming_index.h"
#include "core/index/hamming_segment.h"
#include "tests/bench/corpora.h"
#include "tests/core/index/text_stream.h"
#include "tests/reference/textbook_index.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/fingerprint_sets.h"
#include "tests/support/shell_word.h"
#include "tests/support/work_clock.h"

namespace neardup {
namespace {

using Index = HammingIndex<64>;
using Words = std::vector<std::uint64_t>;
using Answers = std::vector<std::optional<Match>>;
using reference::TextbookIndex;

constexpr std::size_t kRounds = 5;
constexpr std::size_t kThreadRounds = 7;  // a host moves the cores of its guests, near each other and apart
constexpr std::size_t kBatch = 256;
constexpr std::size_t kStreamBatch = 64;
constexpr std::size_t kWarmBytes = 200;  // more than a fingerprint takes here and in the textbook's index

constexpr const char* kLargeFigures = NEARDUP_SOURCE_DIR "/build/bench/index_large.json";

double wall_seconds() { return clock_seconds(CLOCK_MONOTONIC); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Fingerprint number i of an endless random set (splitmix64).
std::uint64_t random_fingerprint(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// A digest of all answers of a run, one after the other.
class AnswerDigest {
 public:
  void add(const std::optional<Match>& answer) {
    ByteWriter writer(bytes_);
    writer.u64(answer ? answer->sequence : ~std::uint64_t{0});
    writer.u8(answer ? static_cast<std::uint8_t>(answer->distance) : 0xFF);
    if (bytes_.size() > 1 << 16) fold();
  }
  std::uint64_t value() {
    fold();
    return link_;
  }

 private:
  void fold() {
    ByteWriter(bytes_).u64(link_);
    link_ = digest64(bytes_);
    bytes_.clear();
  }
  std::string bytes_;
  std::uint64_t link_ = 0;
};

// How many of the answers differ from a look at all that is stored.
NEARDUP_POPCNT std::size_t count_wrong(const Index& index, std::span<const std::uint64_t> queries,
                                       std::span<const std::optional<Match>> answers) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::optional<Match> expected;
    for (Sequence s = index.oldest(); s < index.next(); ++s) {
      const int distance = __builtin_popcountll(index.stored_word(s) ^ queries[i]);
      if (distance <= index.options().distance && index.contains(s)) {
        expected = Match{s, distance};
        break;
      }
    }
    wrong += answers[i] == expected ? 0 : 1;
  }
  return wrong;
}

Words draw_queries(const Index& index, std::size_t count, std::mt19937_64& random) {
  Words queries(count);
  for (std::uint64_t& query : queries) {
    query = random();
    if (random() % 10 < 3) {
      const Sequence near = index.oldest() + random() % (index.next() - index.oldest());
      query = flipped(index.stored_word(near), static_cast<int>(random() % 4), random);
    }
  }
  return queries;
}

double find_all_of(Index& index, const Words& queries, Answers& answers) {
  answers.resize(queries.size());
  const double start = cpu_seconds();
  for (std::size_t from = 0; from < queries.size(); from += kBatch) {
    const std::size_t count = std::min(kBatch, queries.size() - from);
    index.find(std::span(queries).subspan(from, count), MatchMode::kFirst,
               std::span(answers).subspan(from, count));
  }
  return cpu_seconds() - start;
}

double check_all_of(Index& index, const Words& words, Answers& answers, std::size_t batch = kBatch) {
  answers.resize(words.size());
  WorkClock clock;
  for (std::size_t from = 0; from < words.size(); from += batch) {
    const std::size_t count = std::min(batch, words.size() - from);
    index.check_and_insert(std::span(words).subspan(from, count), MatchMode::kFirst,
                           std::span(answers).subspan(from, count));
  }
  return clock.seconds();
}

double find_all_of(const TextbookIndex& textbook, const Words& queries, Answers& answers) {
  answers.clear();
  const double start = cpu_seconds();
  for (const std::uint64_t query : queries) answers.push_back(textbook.find(query));
  return cpu_seconds() - start;
}

double check_all_of(TextbookIndex& textbook, const Words& words, Answers& answers) {
  answers.clear();
  const double start = cpu_seconds();
  for (const std::uint64_t word : words) {
    answers.push_back(textbook.find(word));
    if (!answers.back()) textbook.insert(word);
  }
  return cpu_seconds() - start;
}

// What each batch of a stream took.
struct BatchSeconds {
  std::vector<double> cpu;  // in the thread that stores
  std::vector<double> wall;

  // Returns the CPU time.
  template <class Work>
  double time(Work work) {
    const double wall_start = wall_seconds();
    const double start = cpu_seconds();
    work();
    cpu.push_back(cpu_seconds() - start);
    wall.push_back(wall_seconds() - wall_start);
    return cpu.back();
  }
};

// Stores random fingerprints up to `count`, in batches of 64.
void grow(Index& index, std::size_t count, BatchSeconds& seconds) {
  Words batch(kStreamBatch);
  Answers answers(kStreamBatch);
  for (std::uint64_t i = index.next(); i < count; i += kStreamBatch) {
    for (std::size_t j = 0; j < kStreamBatch; ++j) batch[j] = random_fingerprint(i + j);
    seconds.time([&] { index.check_and_insert(batch, MatchMode::kFirst, answers); });
  }
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// The machine's part: random lines that were asked for in time, of memory as large as the heads of the
// tables.
class RandomLines {
 public:
  explicit RandomLines(std::size_t bytes) : memory_(bytes), lines_(bytes / 64) {
    memory_.use(bytes);
    std::memset(memory_.data(), 1, bytes);
  }

  // Nanoseconds a line.
  double read() {
    constexpr std::size_t kAhead = 24;
    constexpr std::size_t kReads = 2'000'000;
    std::vector<std::uint32_t> at(kReads + kAhead);
    for (std::uint32_t& line : at) line = static_cast<std::uint32_t>(random_fingerprint(next_++) % lines_);
    std::uint64_t sum = 0;
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < kReads; ++i) {
      prefetch_line(memory_.data() + std::size_t{at[i + kAhead]} * 64);
      sum += std::to_integer<std::uint64_t>(memory_.data()[std::size_t{at[i]} * 64]);
    }
    const double seconds = cpu_seconds() - start;
    CHECK(sum == kReads, "the lines were read");
    return seconds / kReads * 1e9;
  }

 private:
  GrowingMemory memory_;
  std::size_t lines_;
  std::uint64_t next_ = 0;
};

// How long a cache line takes from one core to another and back, in nanoseconds. Where they share no cache it
// is some four times as long, and the host of a virtual machine may move them meanwhile.
double round_trip_ns() {
  constexpr std::uint32_t kTrips = 10'000;  // half of them before the other thread has begun in earnest
  struct alignas(128) Line {
    std::atomic<std::uint32_t> number = 0;
    void wait_for(std::uint32_t wanted) const {
      while (number.load(std::memory_order_acquire) != wanted) continue;
    }
  };
  Line there;
  Line back;
  std::thread other([&] {
    for (std::uint32_t trip = 1; trip <= kTrips; ++trip) {
      there.wait_for(trip);
      back.number.store(trip, std::memory_order_release);
    }
  });
  double start = 0;
  for (std::uint32_t trip = 1; trip <= kTrips; ++trip) {
    if (trip == kTrips / 2 + 1) start = wall_seconds();
    there.number.store(trip, std::memory_order_release);
    back.wait_for(trip);
  }
  const double seconds = wall_seconds() - start;
  other.join();
  return seconds / (kTrips / 2) * 1e9;
}

// Memory that this process gave back comes faster than what the machine never had, or gave back to its
// host: a guest's first touch of a page may take its host milliseconds. A service that runs for days does not
// see these, nor is any index to blame for them; so they are had once, before what is measured.
void warm_machine(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 1, bytes);
  munmap(memory, bytes);
}

struct CurvePoint {
  double count = 0;
  double mixed_kps = 0;
  double query_kps = 0;
  double bytes = 0;
  double textbook_mixed_kps = 0;
  double textbook_query_kps = 0;
};

// A few pages of a few words, so that a tiny run goes the way of the real ones.
class GeneratedPages {
 public:
  bool next(Page& page) {
    if (count_++ == 40) return false;
    page.html = "<p>";
    for (int word = 0; word < 900; ++word) {
      page.html += 'a' + static_cast<char>(random_() % 26);
      page.html += word % 12 == 11 ? "</p>\n<p>" : random_() % 3 == 0 ? " " : "";
    }
    page.html.resize(5000, 'x');
    return true;
  }

 private:
  std::mt19937_64 random_{1};
  int count_ = 0;
};

class Bench {
 public:
  static constexpr const char* kRandom = "random";

  explicit Bench(std::size_t size_max) : size_max_(size_max) {}

  // The real text alone: prints its rows.
  void run_text() {
    real_text<LargeCorpus>();
    CHECK(wrong_ == 0, "an index that misses is none");
  }

  // Many random ones alone, without the textbook, for which there would be no memory.
  void run_large() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const auto millions = static_cast<double>(size_max_) / 1e6;
    std::string state;
    std::filesystem::remove(kLargeFigures);  // none if this one fails
    const std::string path = NEARDUP_SOURCE_DIR "/build/bench/index_large.segment";
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    Digest128 entries;
    {
      Index index({});
      const double bulk = build_at_once(index, size_max_);
      std::printf("%.0f million built at once: %.1f s, %.1f million/s, %.1f bytes a fingerprint\n", millions,
                  bulk, millions / bulk,
                  static_cast<double>(index.bytes()) / static_cast<double>(index.size()));
      report_.number("bulk_mps_100m", millions / bulk, 1);
      report_.number("bytes_per_fp_100m",
                     static_cast<double>(index.bytes()) / static_cast<double>(index.size()), 1);
      entries = index.entries_digest();
      state = write_state(index);
      std::ofstream file(path, std::ios::binary);
      const double start = wall_seconds();
      write_words(index, [&](std::string_view bytes) {
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return Status();
      });
      CHECK(file.flush().good(), "the disk takes it");
      const double write = wall_seconds() - start;
      std::printf("segment written in %.1f s, %.2f GB/s (wall clock, to the page cache)\n", write,
                  static_cast<double>(file.tellp()) / write / 1e9);
      report_.number("write_seconds_100m", write, 1);
    }
    std::string stored(std::filesystem::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(stored.data(), static_cast<std::streamsize>(stored.size()));
    std::filesystem::remove(path);
    Index index({});
    const double load = load_words(index, state, stored);
    std::printf("read and built in %.1f s, %.2f GB/s, %.1f million/s\n", load,
                static_cast<double>(stored.size()) / load / 1e9, millions / load);
    report_.number("load_seconds_100m", load, 1);
    wrong_ += index.entries_digest() == entries ? 0 : 1;
    stored = {};
    std::mt19937_64 random(100);
    std::vector<double> query, mixed;
    Answers answers;
    for (std::size_t round = 0; round < kRounds; ++round) {
      // So many that memory touched for the first time, 2 MiB in each array that has just grown, costs what
      // it costs in the long run.
      const Words queries = draw_queries(index, size_max_ / 50, random);
      query.push_back(static_cast<double>(queries.size()) / find_all_of(index, queries, answers) / 1e3);
      check(index, queries, answers, 10);
      const Words more = draw_queries(index, queries.size(), random);
      mixed.push_back(static_cast<double>(more.size()) / check_all_of(index, more, answers) / 1e3);
    }
    std::printf("query %.0f k/s, mixed %.0f k/s, %.1f bytes a fingerprint\n", median(query), median(mixed),
                static_cast<double>(index.bytes()) / static_cast<double>(index.size()));
    report_.number("query_kps_100m", median(query));
    report_.number("mixed_kps_100m", median(mixed));
    report_.number("grown_bytes_per_fp_100m",
                   static_cast<double>(index.bytes()) / static_cast<double>(index.size()), 1);
    report_.number("fingerprints_100m", static_cast<double>(index.size()));
    report_.number("wrong", static_cast<double>(wrong_));
    std::printf("wrong answers: %zu (of %zu looked up among everything)\n", wrong_, checked_);
    CHECK(wrong_ == 0, "an index that misses is none");
    report_.write("index_large");
  }

  void run(bool write) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that one can watch
    uniform();
    threads();
    farther();
    persistence();
    write ? real_text<LargeCorpus>() : real_text<GeneratedPages>();
    window();
    faiss();
    beside_dyft();
    if (write) add_large_point();
    print_curve();
    std::printf("wrong answers: %zu (of %zu looked up among everything)\n", wrong_, checked_);
    report_.number("wrong", static_cast<double>(wrong_));
    CHECK(wrong_ == 0, "an index that misses is none");
    if (write) {
      draw_curve(NEARDUP_SOURCE_DIR "/build/bench/index.svg");
      report_.write("index");
    }
  }

 private:
  static std::string size_name(std::size_t count) {
    if (count >= 1'000'000 && count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + "m";
    if (count >= 1000 && count % 1000 == 0) return std::to_string(count / 1000) + "k";
    return std::to_string(count);
  }

  void check(const Index& index, const Words& queries, const Answers& answers, std::size_t sample) {
    sample = std::min(sample, queries.size());
    wrong_ += count_wrong(index, std::span(queries).first(sample), std::span(answers).first(sample));
    checked_ += sample;
  }

  // In turns: the index's queries, the textbook's, the index's mixed operations, the textbook's.
  CurvePoint compare(Index& index, TextbookIndex& textbook, std::size_t operations, const char* name) {
    std::mt19937_64 random(index.next());
    std::vector<double> query, mixed, textbook_query, textbook_mixed, query_ratio, mixed_ratio;
    AnswerDigest digest;
    Answers ours;
    Answers theirs;
    for (std::size_t round = 0; round < kRounds; ++round) {
      // The textbook is asked a part of them: it would take minutes for all.
      const std::size_t part = std::max<std::size_t>(operations / 8, 1);
      Words queries = draw_queries(index, operations, random);
      const double a = find_all_of(index, queries, ours) / static_cast<double>(operations);
      for (const auto& answer : ours) digest.add(answer);
      check(index, queries, ours, round == 0 ? 60 : 10);
      queries.resize(part);
      const double b = find_all_of(textbook, queries, theirs) / static_cast<double>(part);
      for (std::size_t i = 0; i < part; ++i) wrong_ += ours[i] == theirs[i] ? 0 : 1;

      const Words words = draw_queries(index, part * 4, random);
      const double c = check_all_of(index, words, ours) / static_cast<double>(words.size());
      const double d = check_all_of(textbook, words, theirs) / static_cast<double>(words.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        wrong_ += ours[i] == theirs[i] ? 0 : 1;
        digest.add(ours[i]);
      }
      checked_ += part + words.size();
      query.push_back(1e-3 / a);
      textbook_query.push_back(1e-3 / b);
      mixed.push_back(1e-3 / c);
      textbook_mixed.push_back(1e-3 / d);
      query_ratio.push_back(b / a);
      mixed_ratio.push_back(d / c);
    }
    query_ratio_ = median(query_ratio);
    mixed_ratio_ = median(mixed_ratio);
    const CurvePoint point = {.count = static_cast<double>(index.size()),
                              .mixed_kps = median(mixed),
                              .query_kps = median(query),
                              .bytes = static_cast<double>(index.bytes()) / static_cast<double>(index.size()),
                              .textbook_mixed_kps = median(textbook_mixed),
                              .textbook_query_kps = median(textbook_query)};
    std::printf(
        "%-24s query %7.0f k/s  mixed %7.0f k/s  %5.1f bytes   textbook %6.0f, %6.0f k/s: %.1fx query, %.1fx "
        "mixed   "
        "answers %016" PRIx64 "\n",
        name, point.query_kps, point.mixed_kps, point.bytes, point.textbook_query_kps,
        point.textbook_mixed_kps, query_ratio_, mixed_ratio_, digest.value());
    std::fflush(stdout);
    return point;
  }

  void uniform() {
    std::printf("random fingerprints, k = 3, one thread, CPU time, medians of %zu\n", kRounds);
    Index index({});
    TextbookIndex textbook;
    BatchSeconds growth;
    double helpers = 0;
    const std::size_t before = resident_bytes();
    for (const std::size_t count : {size_max_ / 100, size_max_ / 10, size_max_}) {
      warm_machine(count * kWarmBytes);
      HelpersClock clock;
      grow(index, count, growth);
      helpers += clock.lap();
      const std::size_t resident = resident_bytes() - before;
      while (textbook.size() < index.next()) textbook.insert(index.stored_word(textbook.size()));
      const std::string name = size_name(count);
      const CurvePoint point =
          compare(index, textbook, std::min<std::size_t>(count / 4 + 100, 400'000), name.c_str());
      curves_[kRandom].push_back(point);
      if (count * 10 == size_max_) report_.number("mixed_kps_1m", point.mixed_kps);
      if (count == size_max_) {
        report_.number("mixed_kps_10m", point.mixed_kps);
        report_.number("bytes_per_fp_10m", point.bytes, 1);
        report_.number("mixed_vs_textbook_10m", mixed_ratio_, 1);
        report_.number("query_vs_textbook_10m", query_ratio_, 1);
        std::printf("  resident with the textbook's %.1f bytes a fingerprint apart: %.1f\n",
                    static_cast<double>(textbook.bytes()) / static_cast<double>(textbook.size()),
                    static_cast<double>(resident) / static_cast<double>(count));
        bound(index);
      }
    }
    const double p999 = percentile(growth.cpu, 0.999) * 1e6;
    const double p999_wall = percentile(growth.wall, 0.999) * 1e6;
    const double worst = percentile(growth.cpu, 1) * 1e3;
    const double worst_wall = percentile(growth.wall, 1) * 1e3;
    const double own = std::accumulate(growth.cpu.begin(), growth.cpu.end(), 0.);
    std::printf(
        "growth in batches of 64: p50 %.1f us, p99.9 %.0f us, max %.2f ms (wall %.1f us, %.0f us, %.2f ms); "
        "CPU %.2f s of the thread that stores, %.2f s of the one that clears memory\n",
        percentile(growth.cpu, 0.5) * 1e6, p999, worst, percentile(growth.wall, 0.5) * 1e6, p999_wall,
        worst_wall, own, helpers);
    report_.number("growth_helpers_share", helpers / (own + helpers), 3);
    report_.number("growth_p999_us", p999);
    report_.number("growth_max_ms", worst, 2);
    report_.number("growth_p999_wall_us", p999_wall);
    report_.number("growth_max_wall_ms", worst_wall, 2);
  }

  // In turns, so that both have the same moment of the machine. The memory of the lines stays until the end:
  // what is given back, a host may take at once, and the mappings of all that is left suffer.
  void bound(Index& index) {
    std::size_t heads = 0;
    double lines = 0;
    for (const auto& table : index.tables()) {
      heads += table.head_lines() * 64;
      lines += static_cast<double>(table.head_lines()) / static_cast<double>(table.buckets());
    }
    RandomLines random_lines(std::max<std::size_t>(heads, 1 << 20));
    std::mt19937_64 random(77);
    std::vector<double> line, query, ratio;
    Answers answers;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const Words queries = draw_queries(index, 300'000, random);
      line.push_back(random_lines.read());
      query.push_back(find_all_of(index, queries, answers) / static_cast<double>(queries.size()) * 1e9);
      ratio.push_back(query.back() / (lines * line.back()));
    }
    std::printf(
        "a prefetched random line of %zu MiB: %.1f ns; a query of %.0f ns takes %.2f times its %.0f lines\n",
        heads >> 20, median(line), median(query), median(ratio), lines);
    report_.number("query_vs_line_bound", median(ratio), 2);
  }

  void threads() {
    Words words(std::max<std::size_t>(size_max_ / 5, 1000));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_fingerprint(i);
    threads(words, "random", "threads2");
  }

  // Beside them two indexes of one thread each, which share nothing: what two cores of this machine give such
  // work, where they may be two halves of one, and where the memory is the same.
  void threads(const Words& words, const char* name, const std::string& key) {
    std::vector<double> one, two, side_by_side, trips;
    const auto decide = [&words](Index& index) {
      Answers answers(words.size());
      const double start = wall_seconds();
      index.check_and_insert(words, MatchMode::kFirst, answers);
      return wall_seconds() - start;
    };
    std::array<Digest128, 2> layouts;
    for (std::size_t round = 0; round < kThreadRounds; ++round) {
      warm_machine(words.size() * kWarmBytes);
      for (const int members : {1, 2}) {
        Index index({.threads = members});
        (members == 1 ? one : two).push_back(decide(index));
        if (members == 2) trips.push_back(round_trip_ns());
        if (round == 0) layouts[static_cast<std::size_t>(members - 1)] = index.layout_digest();
      }
      Index left({.threads = 1});
      Index right({.threads = 1});
      double other_seconds = 0;
      std::thread other([&] { other_seconds = decide(right); });
      const double seconds = decide(left);
      other.join();
      side_by_side.push_back(std::max(seconds, other_seconds));
    }
    wrong_ += layouts[0] == layouts[1] ? 0 : 1;
    const double alone = std::ranges::min(one);
    const double ratio = alone / std::ranges::min(two);
    const double bound = 2 * alone / std::ranges::min(side_by_side);
    std::printf(
        "2 threads, %s: %.2f times as fast as one, where two indexes side by side decide %.2f times as many "
        "(wall clock, best of %zu, %zu decided; the same bytes)\n"
        "  one %.0f ms, two %.0f ms, medians %.0f and %.0f; a line went from one core to the other and back "
        "in %.0f to %.0f ns\n",
        name, ratio, bound, kThreadRounds, words.size(), 1e3 * alone, 1e3 * std::ranges::min(two),
        1e3 * median(one), 1e3 * median(two), std::ranges::min(trips), std::ranges::max(trips));
    report_.number(key, ratio, 2);
    report_.number(key + "_side_by_side", bound, 2);
  }

  void farther() {
    for (const int k : {5, 7}) {
      const std::size_t count = size_max_;
      Index index({.distance = k});
      build_at_once(index, count);
      std::mt19937_64 random(5);
      const std::size_t operations = std::min<std::size_t>(count / 20 + 10, 50'000);
      std::vector<double> query;
      std::vector<double> mixed;
      Answers answers;
      for (std::size_t round = 0; round < kRounds; ++round) {
        const Words queries = draw_queries(index, operations, random);
        query.push_back(static_cast<double>(operations) / find_all_of(index, queries, answers) / 1e3);
        check(index, queries, answers, 10);
        const Words more = draw_queries(index, operations, random);
        mixed.push_back(static_cast<double>(operations) / check_all_of(index, more, answers) / 1e3);
      }
      std::printf("k = %d, %s, covering %s: query %.0f k/s, mixed %.0f k/s, %.0f bytes\n", k,
                  size_name(count).c_str(), std::string(index.covering().name).c_str(), median(query),
                  median(mixed), static_cast<double>(index.bytes()) / static_cast<double>(index.size()));
      report_.number(k == 5 ? "mixed_kps_k5" : "mixed_kps_k7", median(mixed));
    }
  }

  // Random fingerprints 0 .. count - 1, as a snapshot gives them: seconds to build the tables.
  static double build_at_once(Index& index, std::size_t count) {
    index.restore_begin(0);
    Words words;
    for (std::size_t from = 0; from < count; from += words.size()) {
      words.resize(std::min<std::size_t>(std::size_t{1} << 16, count - from));
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_fingerprint(from + i);
      index.restore_words(words);
    }
    WorkClock clock;
    index.restore_finish(0);
    return clock.seconds();
  }

  // Memory that other processes had before comes slowly, so it is had once more.
  void persistence() {
    warm_machine(std::min<std::size_t>(size_max_ * 100, std::size_t{3} << 30));
    std::vector<double> bulk;
    Index index({});
    for (std::size_t round = 0; round < 3; ++round) {
      index = Index({});
      bulk.push_back(build_at_once(index, size_max_));
    }
    std::string stored;
    stored.reserve(size_max_ * 9);
    double start = cpu_seconds();
    write_words(index, [&](std::string_view bytes) {
      stored += bytes;
      return Status();
    });
    const double write = cpu_seconds() - start;
    const std::string state = write_state(index);
    const Digest128 entries = index.entries_digest();
    index = Index({});
    const double load = load_words(index, state, stored);
    wrong_ += index.entries_digest() == entries ? 0 : 1;
    const auto millions = static_cast<double>(size_max_) / 1e6;
    std::printf(
        "bulk build %.1f million/s   segment written at %.2f GB/s   read and built in %.2f s (%.1f "
        "million/s)\n",
        millions / median(bulk), static_cast<double>(stored.size()) / write / 1e9, load, millions / load);
    report_.number("bulk_mps", millions / median(bulk), 1);
  }

  static void write_words(const Index& index, const ByteSink& sink) {
    CHECK(write_segment(index, index.oldest(), index.next(), sink).ok(), "the disk takes it");
  }

  static double load_words(Index& index, std::string_view state, std::string_view stored) {
    WorkClock clock;
    HammingLoader<64> loader({});
    CHECK(loader.read_state(state).ok() && loader.read_segment(stored).ok(), "what was written can be read");
    auto loaded = loader.finish();
    const double seconds = clock.seconds();
    CHECK(loaded.ok(), "what was written can be loaded");
    index = *std::move(loaded);
    return seconds;
  }

  // A window that slides over a stream ten times its length: what is held after the second, and at most
  // later.
  void window() {
    const std::size_t length = std::max<std::size_t>(size_max_ / 10, 2000);
    Index index({});
    Words words(1000);
    std::size_t held = 0, held_later = 0, resident = 0, resident_later = 0;
    double seconds = 0;
    HelpersClock helpers;
    for (std::size_t stored = 0; stored < 10 * length; stored += words.size()) {
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_fingerprint(stored + i);
      const double start = cpu_seconds();
      index.insert(words);
      if (index.size() > length) index.expire(index.next() - length);
      seconds += cpu_seconds() - start;
      if (stored % (length / 10) != 0) continue;
      const bool early = stored < 2 * length;
      (early ? held : held_later) = std::max(early ? held : held_later, index.bytes());
      (early ? resident : resident_later) = std::max(early ? resident : resident_later, resident_bytes());
    }
    seconds += helpers.lap();
    std::printf(
        "a window of %zu over ten times as many: %.2f million/s stored and expired, %.1f MB held after two, "
        "%.1f "
        "MB at most later; resident %.1f, %.1f MB\n",
        length, static_cast<double>(10 * length) / seconds / 1e6, static_cast<double>(held) / 1e6,
        static_cast<double>(held_later) / 1e6, static_cast<double>(resident) / 1e6,
        static_cast<double>(resident_later) / 1e6);
    report_.number("window_growth", static_cast<double>(held_later) / static_cast<double>(held), 3);
  }

  template <class Pages>
  void real_text() {
    const double start = wall_seconds();
    Pages pages;
    TextStreams streams = TextStreamMaker().make(pages, size_max_);
    std::printf("real text: %zu fingerprints of %.2f GB in %.0f s\n",
                streams.mixed.size() + streams.templated.size(), static_cast<double>(streams.bytes) / 1e9,
                wall_seconds() - start);
    stream("text", streams.mixed, "real_");
    stream("the same by MinHash", streams.mixed_minhash, "minhash_");
    threads(streams.mixed, "text", "threads2_real");
    stream("site pages", streams.templated, "template_");
  }

  // Near documents among the first `seen` of a stream, and not so near.
  static Words draw_text_queries(const Words& words, std::size_t seen, std::size_t count,
                                 std::mt19937_64& random) {
    Words queries(count);
    for (std::uint64_t& query : queries) {
      const int flips = static_cast<int>(random() % 10 < 7 ? 6 + random() % 15 : random() % 4);
      query = flipped(words[random() % seen], flips, random);
    }
    return queries;
  }

  // What a stream cost since the last point of its curve, and of how many uniques the next one is.
  struct CurveStretch {
    double seconds = 0;
    std::size_t count = 0;
    std::size_t due = 100'000;
  };

  // A stream in its order, in turns of a hundredth of it; then queries near and not so near its documents.
  void stream(const char* name, const Words& words, const std::string& key) {
    // Else its keys would be missing from the figures, and nobody would miss them.
    CHECK(!words.empty(), "a stream of real text came out empty: the large corpus lacks its pages");
    warm_machine(words.size() * kWarmBytes);
    Index index({});
    TextbookIndex textbook;
    AnswerDigest digest;
    BatchSeconds batches;
    double ours_seconds = 0;
    double theirs_seconds = 0;
    CurveStretch stretch;
    Answers ours;
    Answers theirs;
    const std::size_t turn =
        std::max<std::size_t>(words.size() / 100, kStreamBatch) / kStreamBatch * kStreamBatch;
    for (std::size_t from = 0; from < words.size(); from += turn) {
      const Words part(words.begin() + static_cast<std::ptrdiff_t>(from),
                       words.begin() + static_cast<std::ptrdiff_t>(std::min(from + turn, words.size())));
      ours.resize(part.size());
      HelpersClock helpers;
      for (std::size_t i = 0; i < part.size(); i += kStreamBatch) {
        const std::size_t count = std::min(kStreamBatch, part.size() - i);
        const double seconds = batches.time([&] {
          index.check_and_insert(std::span(part).subspan(i, count), MatchMode::kFirst,
                                 std::span(ours).subspan(i, count));
        });
        ours_seconds += seconds;
        stretch.seconds += seconds;
        stretch.count += count;
      }
      const double cleared = helpers.lap();
      ours_seconds += cleared;
      stretch.seconds += cleared;
      theirs_seconds += check_all_of(textbook, part, theirs);
      for (std::size_t i = 0; i < part.size(); ++i) {
        wrong_ += ours[i] == theirs[i] ? 0 : 1;
        digest.add(ours[i]);
      }
      checked_ += part.size();
      if (index.size() < stretch.due && from + turn < words.size()) continue;
      std::mt19937_64 random(index.size());
      const Words queries = draw_text_queries(words, from + part.size(), 50'000, random);
      CurvePoint point = {.count = static_cast<double>(index.size()),
                          .mixed_kps = static_cast<double>(stretch.count) / stretch.seconds / 1e3,
                          .query_kps = 50'000 / find_all_of(index, queries, ours) / 1e3,
                          .bytes = static_cast<double>(index.bytes()) / static_cast<double>(index.size())};
      curves_[name].push_back(point);
      stretch = {.due = stretch.due * 10};
    }
    std::mt19937_64 random(7);
    std::vector<double> query;
    std::vector<double> query_ratio;
    for (std::size_t round = 0; round < kRounds; ++round) {
      Words queries = draw_text_queries(words, words.size(), 100'000, random);
      const double a = find_all_of(index, queries, ours) / static_cast<double>(queries.size());
      check(index, queries, ours, 20);
      queries.resize(queries.size() / 8);
      const double b = find_all_of(textbook, queries, theirs) / static_cast<double>(queries.size());
      query.push_back(1e-3 / a);
      query_ratio.push_back(b / a);
    }
    const double mixed = static_cast<double>(words.size()) / ours_seconds / 1e3;
    const double ratio = theirs_seconds / ours_seconds;
    const double p999 = percentile(batches.cpu, 0.999) * 1e6;
    const double p999_wall = percentile(batches.wall, 0.999) * 1e6;
    const double bytes = static_cast<double>(index.bytes()) / static_cast<double>(index.size());
    const double block_bytes =
        static_cast<double>(index.overflow_lines() * 64) / static_cast<double>(index.size());
    const ProbeCounts counts = index.counts();
    std::printf("%-19s %zu, uniques %" PRIu64
                ": query %.0f k/s  mixed %.0f k/s  p99.9 of 64 %.0f us (wall %.0f)  %.1f bytes, "
                "%.1f of them blocks   textbook: %.1fx query, %.1fx mixed   candidates %.0f, overflow lines "
                "%.2f, slow %.4f, largest bucket %" PRIu64 "   answers %016" PRIx64 "\n",
                name, words.size(), index.size(), median(query), mixed, p999, p999_wall, bytes, block_bytes,
                median(query_ratio), ratio,
                static_cast<double>(counts.candidates) / static_cast<double>(counts.lookups),
                static_cast<double>(counts.overflow_lines) / static_cast<double>(counts.lookups),
                static_cast<double>(counts.slow) / static_cast<double>(counts.lookups),
                index.largest_bucket(), digest.value());
    std::fflush(stdout);
    report_.number(key + "mixed_kps", mixed);
    report_.number(key + "query_kps", median(query));
    report_.number(key + "mixed_vs_textbook", ratio, 1);
    report_.number(key + "query_vs_textbook", median(query_ratio), 1);
    report_.number(key + "p999_us", p999);
    report_.number(key + "p999_wall_us", p999_wall);
    report_.number(key + "bytes_per_fp", bytes, 1);
    report_.number(key + "block_bytes_per_fp", block_bytes, 1);
  }

  // FAISS, in a process of its own and in batches of the same size: prints its mixed operations a second.
  void faiss() {
    if (size_max_ < 1'000'000) return;
    const std::string command = shell_word(NEARDUP_SOURCE_DIR "/tests/core/index/faiss_baseline.sh") + ' ' +
                                std::to_string(std::min<std::size_t>(size_max_, 10'000'000)) + ' ' +
                                std::to_string(kBatch);
    std::array<char, 256> line{};
    double rate = 0;
    if (std::FILE* const pipe = popen(command.c_str(), "r")) {
      while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        std::sscanf(line.data(), "mixed_per_second %lf", &rate);
      }
      pclose(pipe);
    }
    if (rate <= 0) {
      std::printf("FAISS: not measured; tests/core/index/faiss_baseline.sh says why\n");
      return;
    }
    const double ratio = curves_[kRandom].back().mixed_kps * 1e3 / rate;
    std::printf(
        "FAISS IndexBinaryMultiHash (2 x 32 bits, 1 flip): mixed %.1f k/s; this index is %.0f times as "
        "fast\n",
        rate / 1e3, ratio);
    report_.number("mixed_vs_faiss_10m", ratio, 1);
  }

  // What a hundred million took that were measured by themselves: by far the longest part of the curve.
  void add_large_point() {
    std::ifstream file(kLargeFigures);
    if (!file) {
      std::printf(
          "a hundred million: index_bench --large, and then this one again, adds them to the curve\n");
      return;
    }
    const nlohmann::json figures = nlohmann::json::parse(file);
    curves_[kRandom].push_back({.count = figures.at("fingerprints_100m"),
                                .mixed_kps = figures.at("mixed_kps_100m"),
                                .query_kps = figures.at("query_kps_100m"),
                                .bytes = figures.at("grown_bytes_per_fp_100m")});
  }

  void print_curve() {
    std::printf("%12s %12s %12s %12s %8s %16s %16s\n", "", "fingerprints", "query k/s", "mixed k/s", "bytes",
                "textbook query", "textbook mixed");
    for (const auto& [name, points] : curves_) {
      for (const CurvePoint& p : points) {
        std::printf("%12s %12.0f %12.0f %12.0f %8.1f", name.c_str(), p.count, p.query_kps, p.mixed_kps,
                    p.bytes);
        if (p.textbook_query_kps > 0)
          std::printf(" %16.0f %16.0f", p.textbook_query_kps, p.textbook_mixed_kps);
        std::printf("\n");
      }
    }
  }

  void beside_dyft() const {
    const CurvePoint& most = curves_.at(kRandom).back();
    std::printf(
        "DyFT (mart K=2), measured elsewhere at 10 million, on another machine of such a kind: query 78 k/s, "
        "mixed 91 k/s, 68 bytes; the random row of as many has %.0f and %.0f times as much\n",
        most.query_kps / 78, most.mixed_kps / 91);
  }

  // Microseconds of CPU an operation over fingerprints, both logarithmic.
  void draw_curve(const std::string& path) const {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream file(path);
    file
        << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12">)"
        << R"(<rect width="640" height="400" fill="white"/>)";
    const std::vector<CurvePoint>& random = curves_.at(kRandom);
    const double from = std::log10(random.front().count);
    const double to = std::max(std::log10(random.back().count), from + 1e-9);
    const auto x = [&](double count) { return 60 + 440 * (std::log10(count) - from) / (to - from); };
    const auto y = [&](double kps) { return 340 - 80 * (std::log10(1e3 / kps) + 1.5); };
    const auto line = [&](const char* name, const char* colour, const std::vector<CurvePoint>& curve,
                          double CurvePoint::* rate) {
      file << "<polyline fill='none' stroke-width='2' stroke='" << colour << "' points='";
      const CurvePoint* last = nullptr;
      for (const CurvePoint& p : curve) {
        if (p.*rate == 0) continue;  // the textbook has no memory for a hundred million
        file << x(p.count) << ',' << y(p.*rate) << ' ';
        last = &p;
      }
      file << "'/><text x='" << x(last->count) + 6 << "' y='" << y(last->*rate) << "' fill='" << colour
           << "'>" << name << "</text>";
    };
    for (const double us : {0.1, 1.0, 10.0}) {
      file << "<text x='8' y='" << y(1e3 / us) + 4 << "'>" << us
           << " us</text><line x1='56' x2='500' stroke='#ddd' y1='" << y(1e3 / us) << "' y2='" << y(1e3 / us)
           << "'/>";
    }
    for (const CurvePoint& p : random) {
      file << "<text x='" << x(p.count) - 20 << "' y='380'>" << p.count << "</text>";
    }
    line("query", "#1b7837", random, &CurvePoint::query_kps);
    line("mixed", "#2166ac", random, &CurvePoint::mixed_kps);
    line("textbook query", "#b2182b", random, &CurvePoint::textbook_query_kps);
    line("textbook mixed", "#ef8a62", random, &CurvePoint::textbook_mixed_kps);
    if (const auto text = curves_.find("text"); text != curves_.end()) {
      line("text: query", "#7fbf7b", text->second, &CurvePoint::query_kps);
      line("text: mixed", "#92c5de", text->second, &CurvePoint::mixed_kps);
    }
    file << "</svg>\n";
  }

  std::size_t size_max_;
  BenchReport report_;
  std::map<std::string, std::vector<CurvePoint>> curves_;  // by the kind of fingerprints
  double query_ratio_ = 0;
  double mixed_ratio_ = 0;
  std::size_t wrong_ = 0;
  std::size_t checked_ = 0;
};

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  const std::string_view argument = argc == 2 ? argv[1] : "";
  if (argc == 1) {
    neardup::Bench(10'000'000).run(true);
  } else if (argument == "--large") {
    neardup::Bench(100'000'000).run_large();
  } else if (argument == "text") {
    neardup::Bench(10'000'000).run_text();
  } else if (argument == "tiny") {
    neardup::Bench(10'000).run(false);
  } else {
    std::fprintf(stderr, "usage: index_bench [text | tiny | --large]\n");
    return 64;
  }
}
