// Where does every input partition go on, and may it?
//
// `plan_input` holds what the journal says against what the cluster says now. Where the two agree, the answer
// is a position for each partition. Where they contradict each other it stops: records would be lost, or
// decided twice, in silence. The error names each place, what was found and what was expected, and the
// choices; a person takes one of them by an option of `neardup serve`:
//
//   found                                               means                option
//   journal empty, the group has positions              journal lost         --accept-journal-loss
//   another topic id                                    deleted, made again  --accept-recreated-topic NAME
//   the log begins behind our position, or ends before  deleted, truncated   --accept-input-loss TOPIC:N|all
//   the group's position is not the journal's           moved by somebody    --accept-moved-offsets WHICH
//
// What was accepted is written into the journal at once (journal_acceptance), so it holds without the option
// from then on.
//
// Threads: pure; journal_acceptance has one caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"
#include "service/second_look.h"

namespace neardup {

// What a person has decided. Nothing is accepted unless it is named.
struct Accepted {
  enum class MovedOffsets : std::uint8_t { kNone, kJournal, kGroup };  // whose positions count

  bool journal_loss = false;
  std::vector<std::string> recreated_topics = {};
  std::vector<std::string> input_loss = {};  // "TOPIC:PARTITION", or "all"
  MovedOffsets moved_offsets = MovedOffsets::kNone;

  friend bool operator==(const Accepted&, const Accepted&) = default;
};

struct InputPlan {
  std::vector<JournalChain::Topic>
      topics;  // by ordinal: those of the journal, then new ones in configured order
  std::vector<InputPosition> positions;  // every partition of the configured topics
  std::vector<JournalPosition> moved;    // those that do not follow from the journal, because it was accepted
  std::vector<std::string> accepted;     // for people: what was, and what it means
};

// Errors: kContradiction (see above; also partitions that are gone), kInvalid (`accepted` names what is not
// configured).
Result<InputPlan> plan_input(const JournalChain& chain, std::span<const InputTopic> configured,
                             const Accepted& accepted = {});

// The same of what `look` tells, which is the configured topics as they are now. It is asked again as long as
// that contradicts the journal, or would without `accepted`: an end that was, taken for a loss that is
// accepted, would have records decided twice. Errors besides: those of `look`; kUnavailable: asked to stop
// meanwhile.
Result<InputPlan> plan_input(const JournalChain& chain,
                             const std::function<Result<std::vector<InputTopic>>()>& look,
                             const Accepted& accepted, const std::stop_token& stop,
                             const SecondLook& options = {});

// Commits a record of no input that says where the plan's partitions go on, to the journal and to the group,
// and reads it back. REQUIRES: !plan.accepted.empty(); sink.recycle() was called; the log was read to its
// end. Errors: kUnavailable: in doubt, the next start finds out; kFenced, kContradiction
// (JournalChain::not_ours).
struct AcceptanceOptions {
  Uuid journal{};  // the id that record 0 gets if the chain is empty
  std::string detector_options = {};
  std::chrono::milliseconds read_back{30000};
};
Status journal_acceptance(const InputPlan& plan, BatchSink& sink, JournalLog& log, JournalChain& chain,
                          const AcceptanceOptions& options);

}  // namespace neardup
