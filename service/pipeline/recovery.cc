#include "service/pipeline/recovery.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "service/clock.h"
#include "service/log.h"
#include "service/pipeline/rebuilding.h"

namespace neardup {
namespace {

using Clock = std::chrono::steady_clock;

// A busy writer appends so many in a second, so what was written while they were read is less.
constexpr std::uint64_t kLittle = 10;

constexpr std::chrono::seconds kShownEvery{1};   // progress, on the board
constexpr std::chrono::seconds kLoggedEvery{5};  // and in the log

// What this version cannot read of the journal, it cannot read of any copy either.
Status with_choices(const Status& status) {
  if (status || status.error().code != ErrorCode::kUnsupportedVersion) return status;
  return Error{status.error().code,
               status.error().message +
                   "; or begin anew with another journal and group (kafka.topics.journal, kafka.group), and "
                   "another snapshot.directory if there is one, as docs/upgrade.md tells"};
}

// When the restore of a whole journal begins; nullopt: all but its rest is known. After an election that is
// read in no time, which says nothing of how long a start takes.
std::optional<Clock::time_point> beginning(const JournalChain& chain) {
  return chain.empty() ? std::optional(Clock::now()) : std::nullopt;
}

Status restore_since(const std::optional<Clock::time_point>& begin, JournalLog& log, JournalChain& chain,
                     Detector& detector, Retention& retention, Probe& probe, StateBoard& board, int threads) {
  const auto tell = [&](std::uint64_t records, double progress) {
    probe.restored(records, progress);
    if (begin) probe.restore_time(seconds_since(*begin));
  };
  Clock::time_point shown;  // not yet
  Clock::time_point logged = Clock::now();
  const auto show = [&](double progress) {
    const Clock::time_point now = Clock::now();
    if (now - shown < kShownEvery) return;
    shown = now;
    const std::string words =
        fmt::format("{} records read, {:.0f} % of the journal", chain.next_number(), 100 * progress);
    board.set_progress(words);
    if (now - logged < kLoggedEvery) return;
    logged = now;
    log_info("restoring: {}", words);
  };
  Rebuilding rebuilding(chain, detector, retention, threads);
  const auto take = [&](std::string_view bytes, double progress) -> Status {
    board.beat();
    if (Status status = rebuilding.take(bytes); !status) return status;
    tell(1, progress);
    show(progress);
    return {};
  };
  if (Status status = log.read_to_end(take); !status) return status;
  if (Status status = rebuilding.finish(); !status) return status;
  CHECK(detector.size() == chain.next_sequence(), "the index holds what the journal says");
  tell(0, 1);
  probe.index(index_counts(detector, detector.lookup_counts().truncated));
  return {};
}

// Says what became of a try to end what Kafka left open; `said` was said before, and is not said again: of a
// transactional.id that Kafka has forgotten nothing of ours ends what it left open. Error: kFenced, or
// kInvalid: what a person must mend. All else may go by.
Status tell(const Result<Ending>& ended, const std::string& words, std::string& said) {
  const std::string now =
      ended ? words : "a transaction whose end Kafka lost could not be ended: " + ended.error().message;
  if (!now.empty() && now != said) log_warning("{}", now);
  said = now;
  if (ended) return {};
  const ErrorCode code = ended.error().code;
  return code == ErrorCode::kFenced || code == ErrorCode::kInvalid ? Status(ended.error()) : Status();
}

// `said` is what became of it, "" if nothing was open. Errors: as of tell().
Status end_unmarked(const JournalChain& chain, BatchSink& sink, std::string& said) {
  const Result<Ending> ended = sink.end_unmarked(covered_by(chain));
  std::string words;
  if (ended && *ended == Ending::kAborted)
    words = "Kafka lost the end of a transaction of which nobody saw anything: it is aborted";
  if (ended && *ended == Ending::kCommitted)
    words = "Kafka lost the end of a transaction of which some can be seen: it is committed";
  return tell(ended, words, said);
}

// The same of positions.
Status end_positions(const std::function<Result<Ending>()>& end, std::string& said) {
  const Result<Ending> ended = end();
  const bool is_committed = ended && *ended == Ending::kCommitted;
  return tell(ended,
              std::string("Kafka lost the end of a transaction in the group's positions: it is ") +
                  (is_committed ? "committed there" : "aborted there"),
              said);
}

// Whether all has its end, in the journal and in the topics of the verdicts.
Result<bool> is_settled(JournalLog& log, BatchSink& sink) {
  const Result<bool> journal = log.is_settled();
  return journal && *journal ? sink.is_settled() : journal;
}

}  // namespace

std::vector<CommittedPosition> covered_by(const JournalChain& chain) {
  // Of a topic that was made again the last one counts: offsets of those before it mean other records.
  std::map<std::string_view, std::uint32_t> ordinals;
  for (const JournalChain::Topic& topic : chain.topics())
    ordinals.insert_or_assign(topic.name, static_cast<std::uint32_t>(&topic - chain.topics().data()));
  std::vector<CommittedPosition> covered;
  for (const auto& [partition, position] : chain.positions()) {
    const std::string& topic = chain.topics()[partition.first].name;
    if (ordinals.at(topic) == partition.first)
      covered.push_back({topic, partition.second, position.next, position.leader_epoch});
  }
  return covered;
}

Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board, int threads) {
  return with_choices(
      restore_since(beginning(chain), log, chain, detector, retention, probe, board, threads));
}

Status catch_up(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
                StateBoard& board, const std::stop_token& stop, int threads) {
  const std::optional<Clock::time_point> begin = beginning(chain);
  for (;;) {
    const std::uint64_t before = chain.next_number();
    const Status status = restore_since(begin, log, chain, detector, retention, probe, board, threads);
    if (!status || stop.stop_requested() || chain.next_number() - before <= kLittle)
      return with_choices(status);
  }
}

Status await_settled(JournalLog& log, const JournalChain& chain, BatchSink& sink,
                     const Leadership& leadership, StateBoard& board, const SettleOptions& options) {
  constexpr std::string_view kPart = "journal";
  LogLimiter limiter;
  bool has_waited = false;
  std::string said;
  Status status;
  for (int looks = 1;; ++looks) {
    const Result<bool> settled = is_settled(log, sink);
    if (!settled) status = settled.error();
    if (!settled || *settled) break;
    if (!leadership.held()) {
      status = voted_out();
      break;
    }
    has_waited = true;
    const std::string waiting = std::string(kHangingTransaction) + (said.empty() ? "" : "; " + said);
    board.warn(kPart, waiting);
    limiter.log(LogLevel::kWarning, "", "journal: waiting: {}", waiting);
    board.beat();
    std::this_thread::sleep_for(options.again);
    if (looks % options.looks != 0) continue;
    if (status = end_unmarked(chain, sink, said); !status) break;
  }
  if (has_waited) board.warn(kPart, "");
  return status;
}

Status await_positions(const std::function<Status()>& look, const std::function<Result<Ending>()>& end,
                       StateBoard& board, const std::stop_token& stop, const SettleOptions& options) {
  LogLimiter limiter;
  std::string said;
  for (int unsettled = 0;;) {
    const Status status = look();
    board.beat();
    if (status) return status;
    const auto& [code, message] = status.error();
    if (code != ErrorCode::kUnavailable && code != ErrorCode::kUnsettled) return status;
    unsettled = code == ErrorCode::kUnsettled ? unsettled + 1 : 0;
    if (unsettled == options.looks && !stop.stop_requested()) {
      unsettled = 0;
      if (Status ended = end_positions(end, said); !ended) return ended;
    }
    if (stop.stop_requested()) return Error{ErrorCode::kUnavailable, message};
    const std::string waiting = message + (said.empty() ? "" : "; " + said);
    limiter.log(LogLevel::kWarning, "", "trying again: {}", waiting);
    board.set(State::kRestoring, waiting);
    std::this_thread::sleep_for(options.again);
  }
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
              std::chrono::milliseconds wait, Probe& probe, StateBoard& board, const std::stop_token& stop) {
  const std::uint64_t before = chain.next_number();
  RecordPortion portion(detector.options());
  for (; !stop.stop_requested(); wait = std::chrono::milliseconds(1)) {
    board.beat();
    const Result<bool> came = log.next(wait, [&](std::string_view bytes) -> Status {
      const auto record = accept_record(bytes, chain);
      if (!record) return with_choices(record.error());
      return remember_record(*record, portion, detector, retention);
    });
    if (!came) return came.error();
    if (!*came) break;
  }
  if (chain.next_number() != before) {
    probe.index(index_counts(detector, detector.lookup_counts().truncated));
  }
  return {};
}

}  // namespace neardup
