// How does a new writer come to know what the journal says?
//
// `restore` reads the journal to its end into the chain and the detector: memory is then exactly what the
// last writer had when it committed its last batch, and what that had forgotten is forgotten. Input is never
// read again to rebuild state. `plan_input` says where every input partition goes on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/detector.h"
#include "core/detector/retention.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"
#include "service/pipeline/source.h"

namespace neardup {

// Errors: those of the log, of decoding (kCorrupt, kUnsupportedVersion) and of the chain (kContradiction).
Status restore(JournalLog& log, JournalChain& chain, Detector& detector, Retention& retention, Probe& probe,
               StateBoard& board);

// What a probe wants to know of `detector`, which had truncated so many look-ups at the last time.
IndexCounts index_counts(const Detector& detector, std::uint64_t truncated_before);

// An input topic as the cluster describes it now.
struct InputTopic {
  std::string name;
  Uuid id{};
  std::int32_t partitions = 0;
};

struct InputPlan {
  std::vector<JournalChain::Topic>
      topics;  // by ordinal: those of the journal, then new ones in configured order
  std::vector<InputPosition> positions;  // every partition of the configured topics
};

// Error kContradiction: a topic was deleted and made again (its id changed), or lost partitions.
Result<InputPlan> plan_input(const JournalChain& chain, std::span<const InputTopic> configured);

}  // namespace neardup
