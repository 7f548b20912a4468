// How did a transaction end whose end Kafka lost?
//
// Kafka may call a transaction complete and lose its end in some partitions, or in all (pipeline/recovery.h).
// We begin none before the one before it has its end everywhere (KafkaWriter), so it is one transaction whose
// records have none. It was committed if any of it can be seen, the journal's record as well as a verdict. If
// nothing can, it may have been either, and whoever ends it may choose: it is taken for aborted.
//
//   journal's record    verdicts                           it was
//   has its end, seen   open, of inputs that it covers     committed; so if the group's positions alone are
//   has its end, gone   open, of inputs behind its end     aborted
//   open                one can be seen behind its end     committed
//   open                none can be seen                   either
//
// Reads the end of the journal and of the verdict topics, a client each: seconds, for a case that nearly
// never comes.
//
// Threads: pure, but for Kafka.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "service/config.h"
#include "service/kafka/stable_ends.h"
#include "service/metrics/state.h"
#include "service/pipeline/sink.h"

namespace neardup {

struct Unmarked {
  struct Position {
    std::string topic;
    std::int32_t partition = 0;
    std::int64_t next = 0;
    std::int32_t leader_epoch = -1;
  };

  Ending ending = Ending::kAborted;
  bool in_journal = false;  // its record there has no end either
  // Where the group belongs: where the readable journal ends (then it `is_whole`: a partition that is not
  // named is at its beginning), or, of a committed one that is open in the journal, where that record moves
  // it.
  std::vector<Position> positions;
  bool is_whole = true;
};

// `partitions`: of the verdict topics; `open`: those of them that have something open.
// `covered`: where the readable journal ends in each input partition, or ended before its last record; one
// that is not named is not covered at all. Errors: kUnavailable (asked to stop; a topic does not answer),
// kContradiction (more than one of our records has no end, or one that is none of ours).
Result<Unmarked> look_at_unmarked(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                  std::span<const StableEnds::Partition> partitions,
                                  std::span<const OpenPartition> open, StateBoard& board,
                                  const std::stop_token& stop);

}  // namespace neardup
