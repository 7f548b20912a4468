// Can consumers see a verdict that the journal does not know?
//
// A transaction writes verdicts and journal record together, so they cannot, unless Kafka lost the end of a
// transaction in the journal and not in the topics of the verdicts (pipeline/recovery.h). What consumers have
// seen cannot be taken back.
//
// Reads the last committed records of every partition of the verdict topics, a client each: seconds, for a
// case that nearly never comes.
//
// Threads: pure, but for Kafka.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>

#include "service/config.h"
#include "service/metrics/state.h"
#include "service/pipeline/sink.h"

namespace neardup {

// `partitions`: of the verdict topics, by OutputTopic. `covered`: where the journal ends in each input
// partition; one that is not named is not covered at all. True as well where nothing can be told: more
// records than are looked at were aborted. Errors: kUnavailable (asked to stop; a topic does not answer).
Result<bool> sees_verdict_behind(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                 const std::array<std::int32_t, kOutputTopics>& partitions, StateBoard& board,
                                 const std::stop_token& stop);

}  // namespace neardup
