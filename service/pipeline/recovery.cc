#include "service/pipeline/recovery.h"

#include <chrono>
#include <string>
#include <thread>

#include "core/base/check.h"
#include "service/clock.h"
#include "service/log.h"
#include "service/pipeline/rebuilding.h"

namespace neardup {

Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  Rebuilding rebuilding(chain, detector, retention, threads);
  const auto take = [&](std::string_view bytes, double progress) -> Status {
    board.beat();
    if (Status status = rebuilding.take(bytes); !status) return status;
    probe.restored(chain.next_number(), progress, seconds_since(begin));
    return {};
  };
  if (Status status = log.read_to_end(take); !status) return status;
  if (Status status = rebuilding.finish(); !status) return status;
  CHECK(detector.size() == chain.next_sequence(), "the index holds what the journal says");
  probe.restored(chain.next_number(), 1, seconds_since(begin));
  probe.index(index_counts(detector, detector.lookup_counts().truncated));
  return {};
}

Status await_settled(JournalLog& log, const Leadership& leadership, StateBoard& board,
                     std::chrono::milliseconds again) {
  constexpr std::string_view kPart = "journal";
  LogLimiter limiter;
  bool has_waited = false;
  Status status;
  for (;;) {
    const Result<bool> settled = log.is_settled();
    if (!settled) status = settled.error();
    if (!settled || *settled) break;
    if (!leadership.held()) {
      status = Error{ErrorCode::kFenced, "another instance was elected"};
      break;
    }
    has_waited = true;
    board.warn(kPart, std::string(kHangingTransaction));
    limiter.log(LogLevel::kWarning, "", "journal: waiting: {}", kHangingTransaction);
    board.beat();
    std::this_thread::sleep_for(again);
  }
  if (has_waited) board.warn(kPart, "");
  return status;
}

IndexCounts index_counts(const Detector& detector, std::uint64_t truncated_before) {
  const Detector::LookupCounts counts = detector.lookup_counts();
  return {.entries = detector.remembered(),
          .bytes = detector.bytes(),
          .file_bytes = detector.file_bytes(),
          .truncated = counts.truncated - truncated_before,
          .hot_features = counts.hot_features,
          .clusters = detector.cluster_counts()};
}

Status follow(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention,
              std::chrono::milliseconds wait, Probe& probe, StateBoard& board) {
  const std::uint64_t before = chain.next_number();
  PreparedRecord record(detector.options());
  for (;; wait = std::chrono::milliseconds(1)) {
    board.beat();
    const Result<std::optional<std::string>> bytes = log.next(wait);
    if (!bytes) return bytes.error();
    if (!*bytes) break;
    if (Status status = record.prepare(**bytes, chain); !status) return status;
    if (Status status = record.remember(detector, retention); !status) return status;
  }
  if (chain.next_number() != before) {
    probe.index(index_counts(detector, detector.lookup_counts().truncated));
  }
  return {};
}

}  // namespace neardup
