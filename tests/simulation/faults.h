// What goes wrong in a simulated run, and when?
//
// Every fault is drawn from the run's seed and from where it would strike: the life of the service, and the
// number of the transaction, poll or write in it. No draw hangs on an earlier one, so threads may draw in any
// order, and a fault that is switched off leaves all others where they were.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup {

enum class Fault : std::uint8_t {
  // Of a transaction; the process dies at some step of it.
  kCrashBeforeBegin,
  kCrashInProduce,
  kCrashBeforeOffsets,
  kCrashBeforeCommit,
  kCrashBeforeAnswer,  // the commit is done
  kCrashAfterAnswer,   // before the record is read back
  // The broker, or the way to it.
  kAborted,           // the coordinator gives up the transaction
  kProduceFailed,     // a record is not delivered
  kCommitLost,        // the EndTxn never arrives
  kCommitUnanswered,  // it is executed, and nobody hears of it
  kCommitLate,        // it is still on its way when the producer is recycled
  kCommitRetried,     // sent twice; the second copy arrives in a later transaction, if it can
  kCommitFalse,       // told committed, and not there
  kMarkersLost,       // it is there, and nobody can read some or all of it for a while
  kAbortMarkersLost,  // it is not there, but for verdicts that are neither there nor gone
  // Another instance is elected while this one stands still, and then goes on.
  kZombieBeforeBegin,
  kZombieInProduce,
  kZombieBeforeCommit,
  kZombieBeforeAnswer,
  kVotedOut,        // in doubt, and told by the election
  kVotedOutAtRest,  // between two batches: another instance may lead, and then this one again
  kStandsBy,        // it starts while another instance leads
  // Reading.
  kReadBackLate,
  kEndStale,  // the journal's leader that is asked leads no more, and knows nothing of it for a while
  kReadBackFails,
  kCrashBeforeShown,  // the journal has the record, consumers do not see all verdicts
  kShownRetried,      // as kCommitRetried, of what is sent while these are waited for
  kCrashInRecycle,
  kCrashInRestore,
  kRestoreFails,
  kPollFails,
  kPollEmpty,
  kInputGrows,  // by partitions that nobody had heard of
  // The snapshot.
  kDiskFull,     // for a few writes
  kShortWrite,   // the system takes a part
  kSyncFails,    // once, and nothing is durable
  kPowerLost,    // at a crash: what is not synced may be gone, torn, or there
  kCrashAtStop,  // all is published, the snapshot is not closed
  // Somebody lays hands on its folder while the service is down.
  kByteFlipped,
  kFileCut,
  kFileMissing,
  kFolderMissing,
  kFolderOld,    // a copy of an earlier day
  kSnapshotOff,  // this life keeps none
  // Somebody lays hands on the cluster, and puts it back when the service has refused to start.
  kOffsetsMoved,    // of the group
  kInputTruncated,  // the log ends before the group's position
  kInputDeleted,    // it begins behind it
  kInputRecreated,  // another topic of this name
  kJournalCut,      // its last records are lost
  // The time of records runs ahead, or back.
  kClockJumps,
};
inline constexpr auto kFaultNames = std::to_array<std::string_view>({"crash before begin",
                                                                     "crash in produce",
                                                                     "crash before offsets",
                                                                     "crash before commit",
                                                                     "crash before answer",
                                                                     "crash after answer",
                                                                     "aborted by the broker",
                                                                     "record not delivered",
                                                                     "commit lost",
                                                                     "commit unanswered",
                                                                     "commit late",
                                                                     "commit retried",
                                                                     "commit false",
                                                                     "markers lost",
                                                                     "markers of an abort lost",
                                                                     "zombie before begin",
                                                                     "zombie in produce",
                                                                     "zombie before commit",
                                                                     "zombie before answer",
                                                                     "voted out in doubt",
                                                                     "voted out at rest",
                                                                     "stands by at its start",
                                                                     "read-back late",
                                                                     "stale end",
                                                                     "read-back fails",
                                                                     "crash before shown",
                                                                     "retried before shown",
                                                                     "crash in recycle",
                                                                     "crash in restore",
                                                                     "restore fails",
                                                                     "poll fails",
                                                                     "poll empty",
                                                                     "input grows",
                                                                     "disk full",
                                                                     "short write",
                                                                     "sync fails",
                                                                     "power lost",
                                                                     "crash at stop",
                                                                     "snapshot: byte flipped",
                                                                     "snapshot: file cut",
                                                                     "snapshot: file missing",
                                                                     "snapshot: folder missing",
                                                                     "snapshot: older one back",
                                                                     "snapshot: off for a life",
                                                                     "offsets moved",
                                                                     "input truncated",
                                                                     "input deleted",
                                                                     "input made again",
                                                                     "journal cut",
                                                                     "clock jumps"});
static_assert(kFaultNames.size() == static_cast<std::size_t>(Fault::kClockJumps) + 1);
constexpr std::string_view name(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

using FaultSet = std::bitset<kFaultNames.size()>;
using FaultCounts = std::array<std::uint64_t, kFaultNames.size()>;

// A number drawn for one place: the same for ever.
class Draw {
 public:
  Draw(std::uint64_t seed, std::string_view what, std::uint64_t life, std::uint64_t number);

  std::uint64_t below(std::uint64_t bound) { return next() % bound; }  // REQUIRES: bound > 0
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  bool percent(std::uint64_t share) { return below(100) < share; }
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

class Faults {
 public:
  // `off`: kinds that do not strike.
  Faults(std::uint64_t seed, FaultSet off) : seed_(seed), off_(off) {}

  std::uint64_t seed() const { return seed_; }
  Draw draw(std::string_view what, std::uint64_t life, std::uint64_t number) const {
    return {seed_, what, life, number};
  }

  // Whether `fault`, which was drawn, strikes here; counts it.
  bool strikes(Fault fault) {
    if (quiet_ || off_[static_cast<std::size_t>(fault)]) return false;
    counts_[static_cast<std::size_t>(fault)].fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  // No fault strikes any more.
  void end() { quiet_ = true; }

  FaultCounts counts() const;

 private:
  std::uint64_t seed_;
  FaultSet off_;
  std::atomic<bool> quiet_{false};
  std::array<std::atomic<std::uint64_t>, kFaultNames.size()> counts_{};
};

}  // namespace neardup
