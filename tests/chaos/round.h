// Does one stream of documents get through these faults with every verdict right?
//
// A round is a group with topics of its own: a feeder sends a generated crawl all the time, two instances of
// the service (the test build, see service/fault_point.h) do what a deployment does, and whoever ends is
// started again. Then the faults strike, one after the other. At the end both instances run undisturbed until
// all of the input has its verdicts, stop in order, and the oracle compares (chaos_oracle.h).
//
// Everything that can be drawn is drawn from the seed; what cannot be repeated is the moment at which the
// machine does what.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "service/fault_point.h"
#include "tests/chaos/chaos_kafka.h"
#include "tests/chaos/chaos_oracle.h"

namespace neardup {

enum class ChaosFault : std::uint8_t {
  kKill,              // of the leader, at a random moment
  kKillBoth,          // instances at once
  kKillAtPoint,       // at a point of the protocol
  kTerminate,         // SIGTERM of the leader
  kZombie,            // the leader stands still until another has taken over, and goes on
  kTwoWriters,        // so, at a point of the protocol
  kBrokerKill,        // and back
  kBrokerTerminate,   // and back
  kBrokerStop,        // SIGSTOP, and on
  kProxyCut,          // a connection, at a request or an answer of some API
  kProxyDelay,        // of a request or an answer
  kProxyDrop,         // of a request or an answer
  kProxyCutAll,       // every connection at once
  kCommitUnanswered,  // EndTxn is done, its answer comes too late
  kCommitLate,        // EndTxn arrives after the commit was given up
  kDiskFull,          // of the snapshots
  kAddressSpace,      // no more memory for the leader

  // A transaction ends while topics of it have no leader: Kafka 4.3 forgets to mark that there. These come
  // last, and are not drawn among the others: they need topics of their own.
  kMarkersLost,            // of a commit, everywhere: nobody sees any of it
  kMarkersLostInJournal,   // of a commit: its verdicts can be seen
  kMarkersLostInVerdicts,  // of a commit: its journal record can be seen
  kMarkersLostOfAbort,     // in the verdict topics: what is committed there next would show it
  kMarkersLostInGroup,     // of a commit, then of an abort; in a cluster that has had no group yet
};
inline constexpr std::array<std::string_view, 22> kChaosFaultNames = {
    "kill -9",        "kill -9 of both",   "kill -9 at a point", "SIGTERM",
    "zombie",         "two writers",       "broker kill -9",     "broker SIGTERM",
    "broker SIGSTOP", "proxy: cut",        "proxy: delay",       "proxy: drop",
    "proxy: cut all", "commit unanswered", "commit too late",    "snapshot disk full",
    "address space",  "markers lost",      "markers: journal",   "markers: verdicts",
    "markers: abort", "markers: group"};
static_assert(kChaosFaultNames.size() == static_cast<std::size_t>(ChaosFault::kMarkersLostInGroup) + 1);

using ChaosCounts = std::array<std::uint64_t, kChaosFaultNames.size()>;
using PointCounts = std::array<std::uint64_t, kFaultPointNames.size()>;

struct RoundPlan {
  std::uint64_t seed = 1;
  std::string name;  // of topics, group and logs; no other round of the cluster has it
  std::int32_t partitions = 2;
  std::size_t documents_min = 2000;
  bool short_limits = true;  // doubts after 2.5 s in place of 30, and requests time out after 3
  // Those that lose markers are of one kind: each wants other topics.
  std::vector<ChaosFault> faults;

  bool has(ChaosFault fault) const { return std::ranges::find(faults, fault) != faults.end(); }

  // A topic whose markers shall be lost has one replica, on the last node of three. All else goes on without
  // that node: every other topic has three, those of the coordinators too (tests/support/kafka.sh). Without
  // the group's own topic nobody is elected, and who was may still end a transaction.
  bool has_fragile_journal() const {
    return has(ChaosFault::kMarkersLost) || has(ChaosFault::kMarkersLostInJournal);
  }
  bool has_fragile_verdicts() const {
    return has(ChaosFault::kMarkersLost) || has(ChaosFault::kMarkersLostInVerdicts) ||
           has(ChaosFault::kMarkersLostOfAbort);
  }
  bool has_fragile_group() const { return has(ChaosFault::kMarkersLostInGroup); }
  bool hurts_brokers() const {
    return has(ChaosFault::kBrokerKill) || has(ChaosFault::kBrokerTerminate) ||
           has(ChaosFault::kBrokerStop) || has_fragile_journal() || has_fragile_verdicts() ||
           has_fragile_group();
  }
};

// What `./dev chaos --rounds` runs for a seed; `nodes` is a part of it.
struct DrawnRound {
  int nodes = 1;
  RoundPlan plan;
};
DrawnRound draw_round(std::uint64_t seed);

struct RoundReport {
  ChaosCounts faults{};            // that struck
  ChaosCounts skipped{};           // that this machine does not permit, or that found nothing to strike
  bool can_mount = true;           // a small disk; else no disk is full
  PointCounts points{};            // where an instance killed or stopped itself
  std::vector<std::string> notes;  // why a fault was skipped
  std::uint64_t kills = 0;         // of the service, by kill -9, whatever for
  ChaosFindings findings;
  std::uint64_t recycles_found = 0;  // recycles that found the batch committed
  std::uint64_t recycles_resent = 0;
  double seconds = 0;

  bool ok() const { return findings.violations.empty(); }
};

// Where the logs of rounds go: chaos-logs of the build folder; a round without a violation leaves none.
RoundReport run_round(ChaosKafka& kafka, const RoundPlan& plan);

}  // namespace neardup
