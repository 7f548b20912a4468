#include "service/snapshot/stored_journal.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "service/clock.h"
#include "service/log.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCallerWaitMax{10};
constexpr milliseconds kCatchUpWait{100};
constexpr milliseconds kAskAgain{100};
constexpr const char* kSlow =
    "the disk is slower than the journal grows, or hangs: what finds no room in the queue is read from Kafka "
    "once it has caught up";

// Whether a chain has accepted it, or would. If not, the folder holds what is no journal; else whoever
// refuses it refuses the journal, too.
bool follows(const JournalChain& chain, const StoredRecord& stored) {
  const Result<JournalRecord> record = decode_journal_record(stored.bytes);
  if (!record) return false;
  JournalChain ahead = chain;
  return chain.next_number() > stored.number || ahead.accept(*record, stored.bytes);
}

}  // namespace

Result<std::unique_ptr<JournalStore>> open_store_if_disk_is_well(const std::string& folder,
                                                                 const std::string& signature_options,
                                                                 Probe& probe, StateBoard& board) {
  Result<std::unique_ptr<JournalStore>> store = JournalStore::open(folder, signature_options);
  if (store) return store;
  const Error& error = store.error();
  // A folder that was just made and is not found is the disk's doing, too.
  if (error.code != ErrorCode::kIo && error.code != ErrorCode::kNotFound) return error.in("snapshot");
  probe.snapshot_failed();
  board.warn("snapshot", error.message);
  log_warning(
      "snapshot: {}: the service goes on without a snapshot, and each start reads the whole journal from "
      "Kafka until the disk takes one. Mend it and start again, name another folder, or empty "
      "snapshot.directory",
      error.message);
  return std::unique_ptr<JournalStore>();
}

StoredJournal::StoredJournal(Parts parts, OpenLog open_log, StoredJournalOptions options)
    : parts_(parts), open_log_(std::move(open_log)), options_(options) {}

StoredJournal::~StoredJournal() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  filled_.notify_one();
  thread_.join();
}

bool StoredJournal::finish() {
  if (!thread_.joinable()) return true;
  std::unique_lock lock(mutex_);
  stop_ = true;
  filled_.notify_one();
  while (!ended_ && !lasts_too_long()) drained_.wait_for(lock, kAskAgain);
  return ended_;
}

Status StoredJournal::read_to_end(
    const std::function<Status(std::string_view bytes, double progress)>& take) {
  if (!begun_) return begin(take);
  return parts_.log.read_to_end([&](std::string_view bytes, double progress) -> Status {
    if (Status status = take(bytes, progress); !status) return status;
    keep(bytes);
    return {};
  });
}

Result<bool> StoredJournal::next(milliseconds wait,
                                 const std::function<Status(std::string_view bytes)>& take) {
  return parts_.log.next(wait, [&](std::string_view bytes) -> Status {
    if (Status status = take(bytes); !status) return status;
    keep(bytes);
    return {};
  });
}

Status StoredJournal::begin(const std::function<Status(std::string_view bytes, double progress)>& take) {
  const std::string snapshot = "snapshot " + parts_.store.folder();
  Result<std::int64_t> end = parts_.log.end();
  if (!end) return end.error();
  const auto began = Clock::now();
  std::uint64_t bytes_read = 0;
  const char* way_out = kSnapshotWayOut;
  Status status = parts_.store.read([&](const StoredRecord& record) -> Status {
    if (stop_reading_.stop_requested())
      return Error{ErrorCode::kUnavailable, "asked to stop while reading it"};
    number_ = record.number + 1;
    bytes_read += record.bytes.size();
    const double progress = std::min(
        1.0, static_cast<double>(record.position) / static_cast<double>(std::max<std::int64_t>(*end, 1)));
    Status taken = take(record.bytes, progress);
    if (!taken && follows(parts_.chain, record)) way_out = kSnapshotMadeOtherwiseWayOut;
    return taken;
  });
  if (!status) {
    const Error error = status.error().in(snapshot);
    if (error.code == ErrorCode::kUnavailable) return error;         // stopped: there is nothing to mend
    if (error.code == ErrorCode::kUnsupportedVersion) return error;  // the journal's records are the same
    return Error{error.code, error.message + ". " + way_out};
  }
  const Damage damage = parts_.store.damage();
  if (damage.any()) {
    log_warning("{} is {}, the records from {} on come from the journal topic: {}", snapshot,
                damage.is_unread ? "not read to its end" : "damaged", number_, damage.clauses);
  }
  CHECK(parts_.chain.next_number() == number_, "the caller's chain has accepted what was stored");
  const std::int64_t position = parts_.store.position();
  const std::int64_t promised =
      std::max(position, parts_.store.committed().position);  // damage may lie between
  const auto journal_is_shorter = [&] {
    if (promised == 0)
      return Error{ErrorCode::kContradiction, snapshot +
                                                  " holds records of a journal, and the journal has none: it "
                                                  "lost them, or is another one. " +
                                                  kSnapshotWayOut};
    return Error{
        ErrorCode::kContradiction,
        snapshot + " ends at position " + std::to_string(promised) + " of the journal, which ends at " +
            std::to_string(*end) +
            ": the journal lost records, or is another one. If it is the right one, and what it lost may be "
            "forgotten: " +
            kSnapshotWayOut};
  };
  for (const auto until = Clock::now() + options_.stale_end_max; *end < promised;) {
    if (!ask_again(until)) return journal_is_shorter();
    if (end = parts_.log.end(); !end) return end.error();
  }
  if (number_ > 0) {
    log_info("{}: {} records, {:.1f} MB, {:.2f} s; the journal topic goes on from there", snapshot, number_,
             static_cast<double>(bytes_read) / 1e6, seconds_since(began));
    if (Status started = parts_.log.start_at(position - 1); !started) return started;
  }
  committed_end_ = stored_ = number_;
  begun_ = true;

  bool is_ours = !parts_.store.journal();
  if (is_ours) write_on();
  const auto until = Clock::now() + options_.stale_end_max;
  do {
    status = parts_.log.read_to_end([&](std::string_view bytes, double progress) -> Status {
      if (!is_ours) {
        if (Status same = compare(bytes, position); !same) return same;
        is_ours = true;
        write_on();
        if (number_ > 0) return {};
      }
      if (Status taken = take(bytes, progress); !taken) return taken;
      keep(bytes);
      return {};
    });
    if (!status || is_ours) return status;
  } while (ask_again(until));
  return journal_is_shorter();
}

// From now on what is read is stored. What is damaged is cut off for that, which nothing brings back: so it
// was seen to be of this journal.
void StoredJournal::write_on() {
  const Damage& damage = parts_.store.damage();
  if (damage.is_unread) return leave_it(damage.clauses);
  commit_due_ = Clock::now() + options_.interval;
  if (Status resumed = parts_.store.resume(parts_.chain); !resumed) {
    fail(resumed.error());
  } else {
    parts_.board.warn("snapshot", "");  // what one before this one may have said of the folder
    parts_.probe.snapshot_behind(0);
  }
  thread_ = std::thread([this] {
    run();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    drained_.notify_one();
  });
}

// What the disk does not let us read may be whole, and be all that is left of the journal one day. To go on
// we would have to cut it off, so nothing is kept until a start can read it.
void StoredJournal::leave_it(const std::string& why) {
  behind_ = true;
  parts_.probe.snapshot_failed();
  parts_.board.warn("snapshot", why);
  log_warning(
      "snapshot {}: left as it is, and nothing is added to it until a start can read it: {}. Mend the disk "
      "and start again, name another folder, or empty snapshot.directory",
      parts_.store.folder(), why);
}

// The log ends before our last record. Waits a little; whether to ask it once more, which tells of a stop.
bool StoredJournal::ask_again(Clock::time_point until) const {
  if (Clock::now() >= until) return false;
  parts_.board.beat();
  std::this_thread::sleep_for(kAskAgain);
  return true;
}

// `bytes`: the journal's record where the last one lies that could be read, its first one if none could.
Status StoredJournal::compare(std::string_view bytes, std::int64_t position) const {
  const Result<JournalRecord> record = decode_journal_record(bytes);
  const bool is_another = record && record->journal != *parts_.store.journal();
  const bool is_last = parts_.log.position() == position && digest128(bytes) == parts_.chain.last_digest();
  if (number_ == 0 ? !is_another : is_last) return {};
  const std::string folder = "snapshot " + parts_.store.folder();
  if (is_another)
    return Error{ErrorCode::kContradiction, folder + " is of another journal. " + kSnapshotWayOut};
  return Error{ErrorCode::kContradiction, folder + " and the journal differ: its last record, number " +
                                              std::to_string(number_ - 1) +
                                              ", is not what the journal has at position " +
                                              std::to_string(position) + ". " + kSnapshotWayOut};
}

// Of the record that the log has just handed out.
void StoredJournal::keep(std::string_view bytes) {
  Item item = {number_++, parts_.log.position(), {}};
  std::unique_lock lock(mutex_);
  committed_end_ = number_;
  tell_behind();
  if (!hangs_ && lasts_too_long()) {
    hangs_ = true;
    tell_slow();
  }
  if (behind_) return;
  const auto fits = [&] {
    return queue_bytes_ == 0 || queue_bytes_ + bytes.size() <= options_.queue_bytes_max;
  };
  if (!drained_.wait_for(lock, kCallerWaitMax, fits)) {
    behind_ = slow_ = true;
    if (!std::exchange(hangs_, true)) tell_slow();
    return;
  }
  lock.unlock();
  item.bytes = bytes;
  lock.lock();
  if (behind_) return;
  queue_bytes_ += item.bytes.size();
  queue_.push_back(std::move(item));
  lock.unlock();
  filled_.notify_one();
}

void StoredJournal::tell_slow() {
  parts_.board.warn("snapshot", kSlow);
  log_warning("snapshot {}: {}", parts_.store.folder(), kSlow);
}

// ---- The thread inside ----

void StoredJournal::run() {
  std::vector<Item> items;
  auto retry_at = Clock::now() + options_.retry;
  for (;;) {
    const bool stopping = wait(failed_ ? retry_at : commit_due_, items);
    if (failed_ && stopping) return;  // what is durable stays
    if (failed_ && Clock::now() < retry_at) continue;
    Status status;
    if (failed_) {
      status = parts_.store.fall_back();
      failed_ = !status;
      promise_soon();
      if (status) log_info("snapshot {}: trying again", parts_.store.folder());
    } else {
      status = append(items);
      if (status && !stopping) status = catch_up();
      if (status) status = stopping ? commit() : commit_when_due();
    }
    if (!status) {
      fail(status.error());
      retry_at = Clock::now() + options_.retry;
    }
    if (stopping) return;
  }
}

// Takes what is queued, at the latest at `until`. True: this is the last time.
bool StoredJournal::wait(Clock::time_point until, std::vector<Item>& items) {
  items.clear();
  std::unique_lock lock(mutex_);
  busy_since_.reset();
  filled_.wait_until(lock, until, [&] { return stop_ || (!failed_ && (!queue_.empty() || behind_)); });
  has_moved();
  items.swap(queue_);
  return stop_;
}

Status StoredJournal::append(std::vector<Item>& items) {
  for (Item& item : items) {
    if (item.number >= parts_.store.next_number()) {  // else it was caught up with already
      if (Status status = parts_.store.append(item.bytes, item.position); !status) return status;
    }
    const std::size_t bytes = std::exchange(item.bytes, {}).size();
    const std::lock_guard lock(mutex_);
    queue_bytes_ -= bytes;
    has_moved();
    drained_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  stored_ = parts_.store.next_number();
  tell_behind();
  return {};
}

// From the journal's own log, if records were left out of the queue.
Status StoredJournal::catch_up() {
  for (;;) {
    std::unique_ptr<SeekableLog> spent;  // ends without the lock: a client may take seconds for that
    {
      const std::lock_guard lock(mutex_);
      has_moved();
      if (!behind_ || stop_) return {};
      stored_ = parts_.store.next_number();
      tell_behind();
      if (stored_ >= committed_end_) {
        behind_ = slow_ = false;
        promise_soon();
        spent = std::move(own_log_);
        return {};
      }
    }
    if (!own_log_) {
      Result<std::unique_ptr<SeekableLog>> opened = open_log_();
      if (!opened) return opened.error();
      own_log_ = *std::move(opened);
      if (Status status = own_log_->start_at(parts_.store.position()); !status) return status;
    }
    const Result<bool> came = own_log_->next(kCatchUpWait, [&](std::string_view bytes) {
      return parts_.store.append(bytes, own_log_->position());
    });
    if (!came) return came.error();
    if (Status status = commit_when_due(); !status) return status;
  }
}

// A call of the disk has come back. REQUIRES: mutex_ is held.
void StoredJournal::has_moved() {
  busy_since_ = Clock::now();
  hangs_ = false;
}

// REQUIRES: mutex_ is held.
void StoredJournal::tell_behind() {
  parts_.probe.snapshot_behind(committed_end_ - std::min(committed_end_, stored_));
}

void StoredJournal::promise_soon() { commit_due_ = std::min(commit_due_, Clock::now() + options_.promise); }

Status StoredJournal::commit_when_due() { return Clock::now() < commit_due_ ? Status() : commit(); }

Status StoredJournal::commit() {
  commit_due_ = Clock::now() + options_.interval;
  {
    const std::lock_guard lock(mutex_);
    has_moved();
  }
  if (Status status = parts_.store.commit(); !status) return status;
  const Manifest& manifest = parts_.store.committed();
  bool is_current = false;
  {
    const std::lock_guard lock(mutex_);
    is_current = !behind_;
    stored_ = manifest.records;
    tell_behind();
    parts_.board.warn("snapshot", slow_ ? kSlow : "");
  }
  parts_.probe.snapshot_written(manifest.records, manifest.bytes(), is_current);
  return {};
}

// What is queued comes from the journal's own log, once the disk is well.
void StoredJournal::fail(const Error& error) {
  failed_ = true;
  own_log_.reset();
  std::vector<Item> dropped;  // up to queue_bytes_max, freed without the lock
  {
    const std::lock_guard lock(mutex_);
    behind_ = true;
    slow_ = false;  // what it warns of now says more
    dropped.swap(queue_);
    queue_bytes_ = 0;
    stored_ = parts_.store.committed().records;
    tell_behind();
  }
  drained_.notify_one();
  parts_.probe.snapshot_failed();
  parts_.board.warn("snapshot", error.message);
  log_warning("snapshot {}: not kept for now, trying again in {} s: {}", parts_.store.folder(),
              std::chrono::duration_cast<std::chrono::seconds>(options_.retry).count(), error.message);
}

}  // namespace neardup
