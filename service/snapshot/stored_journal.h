// How does a writer start from the local disk, and keep what it writes there?
//
// A JournalLog over the journal's own log. The first read_to_end hands out the records of the store, as fast
// as a disk gives them, and lets the log go on behind them; every record that the log hands out afterwards is
// appended to the store by a thread of its own. Before the log's records count, the last stored one is read
// once more from the log and must be the same: so a snapshot of another journal, or a journal that lost
// records, is never taken for ours. A log that ends before it may have been asked of a broker that stood
// still and does not know yet that it leads no more: only one that stays so for a while lost records.
//
//   first read_to_end:  store ─► take        then  log.start_at(last stored) ─► compare ─► take
//   from then on:       log ─► caller  +  queue ─► thread ─► store.append, commit each interval
//
// The caller never waits for the disk: what does not fit into the queue within 10 ms is left out, and the
// thread gets it later from a log of its own. So it does after any error of the disk, which is told by
// metric, by StateBoard::warn and in the log, and tried again for ever. A disk that hangs is told as soon as
// a record comes while one call of it has lasted too long; only `finish` can end without it.
//
// Threads: one caller, and the one inside.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/limits.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"
#include "service/snapshot/journal_store.h"

namespace neardup {

struct StoredJournalOptions {
  std::chrono::milliseconds interval{60000};  // between two commits
  std::chrono::milliseconds retry{10000};     // after an error
  // So soon a disk that failed, or was too slow, has to promise something: only that tells that it is well.
  std::chrono::milliseconds promise{1000};
  std::size_t queue_bytes_max = kSnapshotQueueBytesMax;
  std::chrono::milliseconds stale_end_max{5000};  // so long an end before ours may be a stale answer
  std::chrono::milliseconds hang{10000};          // a disk that answers nothing for longer
};

// The store of a service that starts. Nothing if the disk refuses it, which is told as any error of the disk:
// the service does its work without, until it starts again. Errors: those of JournalStore::open but kIo.
Result<std::unique_ptr<JournalStore>> open_store_if_disk_is_well(const std::string& folder,
                                                                 const std::string& signature_options,
                                                                 Probe& probe, StateBoard& board);

class StoredJournal final : public JournalLog {
 public:
  // Another log over the same journal, for the thread inside to catch up with.
  using OpenLog = std::function<Result<std::unique_ptr<SeekableLog>>()>;

  struct Parts {
    SeekableLog& log;
    JournalStore& store;
    const JournalChain& chain;  // has accepted whatever the caller's `take` accepted
    Probe& probe;
    StateBoard& board;
  };

  StoredJournal(Parts parts, OpenLog open_log, StoredJournalOptions options = {});
  // Stores what is queued, and commits, however long the disk takes.
  ~StoredJournal() override;

  // The same, before the end: nothing is read afterwards. False: something takes longer than `options.hang`,
  // and the destructor would wait on. What the disk has promised is there; the rest is in the log.
  [[nodiscard]] bool finish();

  // From now on a stop ends the reading of the store, with kUnavailable; the log hears of its own.
  void stop_on(std::stop_token stop) { stop_reading_ = std::move(stop); }

  // Error kContradiction besides those of log and store: the snapshot is not of this journal.
  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override;
  Result<bool> next(std::chrono::milliseconds wait,
                    const std::function<Status(std::string_view bytes)>& take) override;
  Result<bool> is_settled() override { return parts_.log.is_settled(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    std::uint64_t number;
    std::int64_t position;
    std::string bytes;
  };

  Status begin(const std::function<Status(std::string_view bytes, double progress)>& take);
  void write_on();
  void leave_it(const std::string& why);
  bool ask_again(Clock::time_point until) const;
  Status compare(std::string_view bytes, std::int64_t position) const;
  void keep(std::string_view bytes);
  bool lasts_too_long() const { return busy_since_ && Clock::now() - *busy_since_ > options_.hang; }
  void tell_slow();

  // On the thread inside.
  void run();
  bool wait(Clock::time_point until, std::vector<Item>& items);
  Status append(std::vector<Item>& items);
  Status catch_up();
  void promise_soon();
  Status commit_when_due();
  Status commit();
  void has_moved();
  void tell_behind();
  void fail(const Error& error);

  Parts parts_;
  OpenLog open_log_;
  StoredJournalOptions options_;
  std::stop_token stop_reading_;
  bool begun_ = false;
  std::uint64_t number_ = 0;  // of the next record that the log hands out

  std::mutex mutex_;  // of what follows
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::vector<Item> queue_;
  std::size_t queue_bytes_ = 0;      // with those that the thread inside has taken and not yet appended
  std::uint64_t committed_end_ = 0;  // one past the newest record that was handed out
  std::uint64_t stored_ = 0;         // as the thread inside knew it last
  bool slow_ = false;                // behind, because the queue was full
  bool behind_ = false;              // records were left out of the queue
  bool stop_ = false;
  bool ended_ = false;                           // the thread inside
  std::optional<Clock::time_point> busy_since_;  // of what it is about, while it waits for nothing to do
  bool hangs_ = false;                           // so it was told

  Clock::time_point commit_due_;
  bool failed_ = false;
  std::unique_ptr<SeekableLog> own_log_;
  std::thread thread_;
};

}  // namespace neardup
