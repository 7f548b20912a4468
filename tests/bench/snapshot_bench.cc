// How fast is the journal written to the local disk, and how fast is it memory again?
//
//   snapshot_bench          a million uniques; the figures go to build/bench/snapshot.json
//   snapshot_bench COUNT    so many; the same
//   snapshot_bench tiny     a few thousand, nothing written to build/bench
//
// Generated records of ten thousand uniques each, as a busy writer makes them. The folder lies in the
// system's temporary one, and is in the page cache when it is read: what is measured is our own work, then
// that of the disk where it is waited for (wall). What is prepared is remembered by one thread and by two:
// where two cores are not free, the wall says little, and the first thread's CPU time what is left to it.
// Restoring is measured beside its parts, as a start does it:
// on two threads, with a file for what names the uniques. It ends in the same state as the detector that the
// records came from; what it takes of memory, and at most took on the way, is printed.

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/detector.h"
#include "service/pipeline/rebuilding.h"
#include "service/snapshot/journal_store.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/generated_journal.h"
#include "tests/support/number_argument.h"

namespace neardup {
namespace {

constexpr std::size_t kUniquesInRecord = 10'000;

// CPU time of all threads.
class Stopwatch {
 public:
  double cpu() const { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_; }
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }

 private:
  double cpu_ = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

struct Cost {
  double cpu = 0;
  double wall = 0;
};

void row(const char* name, const Cost& cost, std::uint64_t bytes, std::uint64_t uniques) {
  std::printf("%-34s %9.3f s %9.3f s %9.0f MB/s %9.2f M uniques/s\n", name, cost.cpu, cost.wall,
              static_cast<double>(bytes) / 1e6 / cost.cpu, static_cast<double>(uniques) / 1e6 / cost.cpu);
}

// What each record costs on its way, of which the caller takes as much as it wants.
template <class Take>
Cost read(const std::string& folder, Take take) {
  const Stopwatch watch;
  Result<StoredRecords> stored = StoredRecords::open(folder);
  CHECK(stored.ok(), "it was written");
  while (const std::optional<StoredRecord> record = stored->next()) take(record->bytes);
  CHECK(!stored->damage().any(), "and is whole");
  return {watch.cpu(), watch.wall()};
}

void remember(const JournalRecord& record, Detector& detector) {
  CHECK(detector.restore(record.uniques).ok(), "it was written so");
  CHECK(detector.restore(record.clusters, record.cluster_rule).ok(), "so was this");
}

struct Remembered {
  Cost cost;
  double first = 0;  // CPU time of the thread that does what is in order, and its share of the rest
  Digest128 digest;
};

// Remembers what another thread would prepare, which is not counted.
Remembered remember_prepared(const std::string& folder, int threads) {
  JournalChain chain;
  Retention retention({});
  Detector detector(DetectorOptions{});
  detector.restore_on(threads);
  RecordPortion portion(detector.options());
  Cost cost;
  double first = 0;
  read(folder, [&](std::string_view bytes) {
    const auto record = accept_record(bytes, chain);
    CHECK(record.ok(), "it follows");
    std::size_t begin = 0;
    do {
      CHECK(portion.prepare(*record, begin).ok(), "it was kept so");
      const Stopwatch watch;
      const double first_before = cpu_seconds();
      CHECK(portion.remember(detector, retention).ok(), "and was written so");
      cost.cpu += watch.cpu();
      cost.wall += watch.wall();
      first += cpu_seconds() - first_before;
      begin = portion.end();
    } while (!portion.is_last());
  });
  return {cost, first, detector.state_digest()};
}

// A figure of /proc/self/status.
double memory_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == name + ':' && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// From now on VmHWM is the peak from now on.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

int run(std::size_t uniques, bool tiny) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("neardup-snapshot-bench-" + std::to_string(getpid())))
          .string();
  const std::size_t records = (uniques + kUniquesInRecord - 1) / kUniquesInRecord;
  uniques = records * kUniquesInRecord;
  GeneratedJournal journal(1);
  Detector truth(DetectorOptions{});
  Cost append;
  Cost commit;
  std::uint64_t bytes = 0;
  {
    auto store = JournalStore::open(folder, "");
    CHECK(store.ok() && (*store)->resume(JournalChain()).ok(), "a new folder");
    for (std::size_t i = 0; i < records; ++i) {
      const std::string record = journal.next(kUniquesInRecord);
      const Result<JournalRecord> decoded = decode_journal_record(record);
      remember(*decoded, truth);
      bytes += record.size();
      const Stopwatch watch;
      CHECK((*store)->append(record, static_cast<std::int64_t>(i) + 1).ok(), "room on the disk");
      append.cpu += watch.cpu();
      append.wall += watch.wall();
    }
    const Stopwatch watch;
    CHECK((*store)->commit().ok(), "room on the disk");
    commit = {watch.cpu(), watch.wall()};
  }
  std::printf("%zu records, %zu uniques, %.1f MB, %.1f bytes a unique\n\n%-34s %11s %11s\n", records, uniques,
              static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / static_cast<double>(uniques), "",
              "CPU", "wall");
  row("append: decode, chain, write", append, bytes, uniques);
  std::printf("%-34s %9.3f s %9.3f s\n", "commit: fsync, manifest", commit.cpu, commit.wall);

  const Cost frames = read(folder, [](std::string_view) {});
  row("read: frames and checksums", frames, bytes, uniques);
  JournalChain chain;
  const Cost chained = read(folder, [&](std::string_view record) {
    CHECK(chain.accept(*decode_journal_record(record), record).ok(), "it follows");
  });
  row("read, decode, chain", chained, bytes, uniques);
  double remember_wall[2] = {};
  for (const int threads : {1, 2}) {
    const Remembered done = remember_prepared(folder, threads);
    row(threads == 1 ? "remember what is prepared, one" : "remember it, two threads", done.cost, bytes,
        uniques);
    std::printf("%-34s %9.3f s on the first thread, state %016llx\n", "  of this", done.first,
                static_cast<unsigned long long>(done.digest.high));
    CHECK(done.digest == truth.state_digest(), "the same whoever does it");
    remember_wall[threads - 1] = done.cost.wall;
  }
  const double rss_before = memory_bytes("VmRSS");
  forget_peak();
  JournalChain restored_chain;
  Retention retention({});
  Detector detector({.directory = folder});
  std::optional<Rebuilding> rebuilding(std::in_place, restored_chain, detector, retention);
  const Stopwatch watch;
  const double own_before = cpu_seconds();
  read(folder, [&](std::string_view record) { CHECK(rebuilding->take(record).ok(), "it follows"); });
  CHECK(rebuilding->finish().ok(), "and was written so");
  const Cost restored = {watch.cpu(), watch.wall()};
  const double own = cpu_seconds() - own_before;
  row("restore: all of it, into a detector", restored, bytes, uniques);
  std::printf("%-34s %9.3f s reading and preparing, %.3f s remembering and touching memory\n",
              "  of this, on two threads", own, restored.cpu - own);
  rebuilding.reset();
  const double steady = memory_bytes("VmRSS") - rss_before;
  const double peak = memory_bytes("VmHWM") - rss_before;
  std::printf("memory %.0f MB, %.1f bytes a unique (%.1f counted), at most %.2f times that on the way\n",
              steady / 1e6, steady / static_cast<double>(uniques),
              static_cast<double>(detector.bytes()) / static_cast<double>(uniques), peak / steady);
  const Digest128 digest = detector.state_digest();
  CHECK(digest == truth.state_digest(), "what was restored is what there was");
  std::printf("\nstate %016llx%016llx, as it was\n", static_cast<unsigned long long>(digest.high),
              static_cast<unsigned long long>(digest.low));
  std::filesystem::remove_all(folder);
  if (tiny) return 0;
  BenchReport report;
  report.number("uniques", static_cast<double>(uniques));
  report.number("bytes_per_unique", static_cast<double>(bytes) / static_cast<double>(uniques), 1);
  report.number("append_mb_s", static_cast<double>(bytes) / 1e6 / append.cpu);
  report.number("commit_wall_s", commit.wall, 3);
  report.number("read_mb_s", static_cast<double>(bytes) / 1e6 / frames.cpu);
  report.number("decode_muniques_s", static_cast<double>(uniques) / 1e6 / chained.cpu, 2);
  report.number("restore_muniques_s", static_cast<double>(uniques) / 1e6 / restored.cpu, 2);
  report.number("restore_wall_s", restored.wall, 2);
  report.number("remember_wall_s_1", remember_wall[0], 2);
  report.number("remember_wall_s_2", remember_wall[1], 2);
  report.number("restore_memory_peak", peak / steady, 2);
  report.write("snapshot");
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "1000000";
  if (argc == 2 && word == "tiny") return neardup::run(20'000, true);
  const std::optional<std::size_t> uniques = neardup::number_argument<std::size_t>(word);
  if (argc > 2 || !uniques || *uniques == 0 || *uniques > 1'000'000'000) {
    std::fprintf(stderr, "usage: snapshot_bench [COUNT | tiny]\n");
    return 64;
  }
  return neardup::run(*uniques, false);
}
