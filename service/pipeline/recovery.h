// How does a new writer come to know what the journal says?
//
// `restore` reads the journal to its end into the chain and the detector: memory is then exactly what the
// last writer had when it committed its last batch: the uniques, and of the duplicates the clusters' sizes
// and representatives; what it had forgotten is forgotten. What watches the stream begins anew. `catch_up`
// does so while another instance writes, and `follow` reads on: a standby that follows has little left to
// restore. Input is never read again to rebuild state.
//
// A writer's first look at the journal's end, and each one that is to settle a doubt, comes after
// `await_settled`. Kafka may have called a transaction complete and lost its markers, if its broker was
// stopped in between: then the record is in the log, and nobody who reads what is committed gets to it. It is
// not absent: sent again, it would be there twice. Kafka 4.3 does that where a partition has no leader
// when its marker is due (KAFKA-20734), as all have while the only broker of a cluster shuts down. Nothing
// ever ends such a transaction but the next one of the same producer id in the same partitions, which is ours
// (BatchSink::end_unmarked). So it is for the verdicts: one of an aborted batch that is left open would be
// committed with the next batch, and one of a committed batch aborted with it.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/base/result.h"
#include "core/detector.h"
#include "core/retention.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"
#include "service/pipeline/leadership.h"
#include "service/pipeline/sink.h"

namespace neardup {

// Errors: those of the log, of decoding (kCorrupt, kUnsupportedVersion with a person's choices) and of the
// chain (kContradiction).
// `threads`: as Rebuilding has them.
Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board, int threads = 1);

// As restore, and then what was written meanwhile, and so on until that was little: an hour of reading leaves
// an hour of records. A stop ends it between two rounds.
Status catch_up(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
                StateBoard& board, const std::stop_token& stop, int threads = 1);

struct SettleOptions {
  std::chrono::milliseconds again{100};  // between two looks
  int looks = 100;                       // in vain, before what is open is taken for unmarked; and so on
};

// Returns once no record of the journal waits for its transaction to end, and no verdict, and says so while
// one does, and why it cannot be ended. What stays open although every writer is fenced is ended by `sink`;
// what contradicts the journal only by a person (kafka-transactions.sh), for whom it waits.
// REQUIRES: sink.recycle() was called, and no commit since; `chain` holds all that can be read. Errors:
// kFenced (another instance was elected meanwhile), kInvalid (as of sink.recycle), those of the log.
Status await_settled(JournalLog& log, const JournalChain& chain, BatchSink& sink,
                     const Leadership& leadership, StateBoard& board, const SettleOptions& options = {});

// Where the journal ends, as `chain` knows it, in each partition of the input.
std::vector<CommittedPosition> covered_by(const JournalChain& chain);

// Returns once `look` tells where the input goes on, and says why it does not meanwhile. Kafka may have lost
// an end in the group's positions alone: what stays open there (kUnsettled) so many looks in a row is ended
// by `end`. The look behind that reads the journal again: another writer may have been elected until `end`
// had fenced it. REQUIRES: all else is settled. Errors: kUnavailable (asked to stop); those of `look` but
// kUnavailable and kUnsettled; of `end` kFenced and kInvalid, all else may go by.
Status await_positions(const std::function<Status()>& look, const std::function<Result<Ending>()>& end,
                       StateBoard& board, const std::stop_token& stop,
                       const SettleOptions& options = {.again = std::chrono::milliseconds(500), .looks = 20});

// What a probe wants to know of `detector`, which had truncated so many look-ups at the last time.
IndexCounts index_counts(const Detector& detector, std::uint64_t truncated_before);

// Takes the records that are there now, waiting up to `wait` for the first; a stop ends it between two of
// them. The same errors.
Status follow(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention,
              std::chrono::milliseconds wait, Probe& probe, StateBoard& board,
              const std::stop_token& stop = {});

}  // namespace neardup
