// How fast is the journal written to the local disk, and how fast is it memory again?
//
//   snapshot_bench          a million uniques; the figures go to build/bench/snapshot.json
//   snapshot_bench COUNT    so many; the same
//   snapshot_bench tiny     a few thousand, nothing written to build/bench
//
// Generated records of ten thousand uniques each, as a busy writer makes them. The folder lies in the
// system's temporary one, and is in the page cache when it is read: what is measured is our own work, then
// that of the disk where it is waited for (wall). Restoring is measured beside its parts, and ends in the
// same state as the detector that the records came from.

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/detector.h"
#include "service/snapshot/journal_store.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

constexpr std::size_t kUniquesInRecord = 10'000;

class Stopwatch {
 public:
  double cpu() const { return cpu_seconds() - cpu_; }
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }

 private:
  double cpu_ = cpu_seconds();
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
  CHECK(stored->damage().empty(), "and is whole");
  return {watch.cpu(), watch.wall()};
}

void remember(const JournalRecord& record, Detector& detector) {
  for (const Unique& unique : record.uniques) CHECK(detector.restore(unique).ok(), "it was written so");
  for (const ClusterGain& gain : record.clusters)
    CHECK(detector.restore(gain, record.cluster_rule).ok(), "so was this");
}

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
  JournalChain restored_chain;
  Detector detector(DetectorOptions{});
  const Cost restored = read(folder, [&](std::string_view bytes_of_one) {
    const Result<JournalRecord> record = decode_journal_record(bytes_of_one);
    CHECK(restored_chain.accept(*record, bytes_of_one).ok(), "it follows");
    remember(*record, detector);
  });
  row("restore: all of it, into a detector", restored, bytes, uniques);
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
  report.write("snapshot");
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "1000000";
  if (word == "tiny") return neardup::run(20'000, true);
  return neardup::run(std::strtoull(word.data(), nullptr, 10), false);
}
