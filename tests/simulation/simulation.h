// Does the service publish every verdict once and right, whatever goes wrong?
//
// One run: a crawl of some forty documents, and lives of the service that work on it one after the other,
// until all of it is decided and a life has ended well. A life is the production code: Worker with its
// threads, journal chain, recovery, StoredJournal and JournalStore, over an in-memory Kafka (cluster.h) and a
// folder that loses what was not synced (disk.h), with faults drawn from the seed (faults.h). Of two lives at
// once, one is a zombie: it stands still in a transaction while the other one lives from start to end, and
// then goes on. Or it stands by meanwhile, at its start or when it was voted out between two batches, and
// leads with the memory that it kept. Partitions of the input may come at any time.
//
//   faults ─► clients of the cluster ─► Worker ─► committed transactions ┐
//          └► disk ◄── StoredJournal ◄────┘                              ├─► oracle
//                                          a detector of its own, again ─┘
//
// The oracle, at the end of every run: each transaction holds one batch, with all its verdicts and its
// positions; the journal is a chain; every input record has one verdict; each is, byte for byte, what a
// detector says that gets the documents in the journal's order, and a duplicate names a committed unique; who
// says the same was counted right, in verdicts and in the journal; what was deleted is forgotten from there
// on, and behind each batch the oldest if there are too many or their time has come, and no others; the state
// of the last life, of that detector, and of restores from the journal and from the snapshot is one. During
// the run: no life stops with a contradiction, and a snapshot that was promised is there after a loss of
// power.
//
// A seed is replayed: its documents, batches, faults and where they strike. What is not: how the threads
// within a life interleave. So a poll ahead of a crash may draw a fault that strikes nobody, which the counts
// show; and while the disk is full, it is open what the snapshot thread tries when. Before a life ends that
// thread has written what it was given; what a loss of power takes of it is drawn.
//
// Threads: any number of runs at once, each in a folder of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/hash.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/planted.h"

namespace neardup {

struct Scenario {
  std::uint64_t seed = 1;
  FaultSet off = {};  // kinds of fault that do not strike
  Planted planted = Planted::kNothing;
  std::string folder = {};  // of this run alone; it is removed
};

struct Outcome {
  std::string violation;  // what the oracle found first; "": nothing
  FaultCounts faults{};
  std::uint64_t strays = 0;  // of the commits sent twice, those that hit a later transaction
  // Lives that ended themselves, by the reason.
  FaultCounts halts{};            // somebody laid hands on the cluster: kMeddlings
  std::uint64_t unavailable = 0;  // what they need does not answer
  std::uint64_t fenced = 0;       // another instance was elected
  // Terms that ended well, though they were lost in the middle.
  std::uint64_t elected_again = 0;
  std::uint64_t lives = 0;
  std::uint64_t transactions = 0;  // committed
  std::uint64_t resent = 0;        // doubts that ended with the batch sent again
  std::uint64_t found = 0;         // doubts that ended with the batch found committed
  std::uint64_t verdicts = 0;      // checked
  Digest128 committed;             // of all that was
};

// What somebody does to the cluster: each makes the service halt.
inline constexpr std::array kMeddlings = {Fault::kOffsetsMoved, Fault::kInputTruncated, Fault::kInputDeleted,
                                          Fault::kInputRecreated, Fault::kJournalCut};

Outcome simulate(const Scenario& scenario);

// The kinds of fault that a run cannot do without to fail: each is switched off in turn, and stays off if the
// run fails all the same. REQUIRES: simulate(scenario) fails.
FaultSet shrink(Scenario scenario);

}  // namespace neardup
