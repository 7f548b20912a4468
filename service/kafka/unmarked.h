// How did a transaction end whose end Kafka lost?
//
// Kafka may call a transaction complete and lose its end in some partitions, or in all (pipeline/recovery.h).
// No batch is sent before the one before it has its end everywhere (KafkaWriter), so it is one transaction
// whose records have none. It was committed if any of it can be seen, the journal's record as well as a
// verdict. If nothing can, it may have been either, and whoever ends it may choose: it is taken for aborted.
//
//   journal's record    verdicts                                        it was
//   can be read         open, and it covers them; or none are open      committed
//   is gone             open, of inputs behind the journal's end        aborted
//   open                one of its batch can be seen                    committed
//   open                none of its batch can be seen                   either; or the journal has lost its
//                                                                       end, if others behind it can be seen
//                                                                       that are no older than it
//
// What is open in a verdict topic is ours if the first record that nobody can read is a verdict on a document
// of our input: others may write there, too, and hold theirs open for minutes. Our input are the topics of
// the settings and those of the journal: what was left open may be of one that was taken out since.
//
// Reads the end of the journal and of the verdict topics, one partition after the other, by a client of its
// own: a tenth of a second each, for a case that nearly never comes.
//
// Threads: pure, but for Kafka.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "service/codec/verdict_codec.h"
#include "service/config.h"
#include "service/journal/record.h"
#include "service/kafka/client.h"
#include "service/kafka/stable_ends.h"
#include "service/metrics/state.h"
#include "service/pipeline/sink.h"

namespace neardup {

// A partition that holds something of ours without an end, and where the document of its first verdict lay.
// Should it get its end meanwhile, the same verdict would be read there: so it is read once.
struct UnmarkedPartition : OpenPartition {
  ParsedVerdict::Place source;
};

// The input topics of the settings, and those that the journal's last record names, or the one that has no
// end. Errors: as of look_at_unmarked.
Result<std::vector<std::string>> inputs_of_journal(const KafkaConfig& config, StateBoard& board,
                                                   const std::stop_token& stop);

// Those of `open` that hold something of ours, which is of `inputs`. Error kUnavailable: asked to stop, or
// one cannot be read.
Result<std::vector<UnmarkedPartition>> ours_of(std::span<const OpenPartition> open,
                                               std::span<const std::string> inputs, const KafkaConfig& config,
                                               StateBoard& board, const std::stop_token& stop);

struct Unmarked {
  Ending ending = Ending::kAborted;
  bool in_journal = false;  // its record there has no end either
  // Where the group belongs: where the readable journal ends (then it `is_whole`: a partition that is not
  // named is at its beginning; of one that is named twice the first counts), or, of a committed one that is
  // open in the journal, where that record moves it.
  std::vector<CommittedPosition> positions;
  bool is_whole = true;
};

// `partitions`: of the verdict topics; `open`: those of them that hold something of ours, as ours_of() read
// them. `covered`: where the readable journal ends in each input partition, or ended before its last record;
// one that is not named is not covered at all. Errors: kUnavailable (asked to stop; a topic cannot be read),
// kContradiction (it cannot be one transaction, or the journal has lost its end: a person must choose).
Result<Unmarked> look_at_unmarked(std::span<const CommittedPosition> covered, const KafkaConfig& config,
                                  std::span<const TopicPartition> partitions,
                                  std::span<const UnmarkedPartition> open, StateBoard& board,
                                  const std::stop_token& stop);

// The same of one that has its end in the journal and in the verdict topics, and not in the group's. If the
// group is behind the journal, that is what it lacks: committed. If it is where the journal ends, the journal
// would have it: aborted. If it is ahead, a person has to hear of that: aborted, too.
// `covered`: where the journal ends; `all`: the partitions of the input; `partitions`: of the verdict topics.
// `positions` are of all the input's: the journal's, and where it has none the group's own, or 0. Errors:
// kUnavailable; kContradiction: aborted, but consumers see a verdict behind the journal's end.
Result<Unmarked> look_at_open_positions(std::span<const CommittedPosition> covered,
                                        std::span<const CommittedPosition> all, const KafkaConfig& config,
                                        std::span<const TopicPartition> partitions, StateBoard& board,
                                        const std::stop_token& stop);

// Whether consumers can see a verdict of `batch`, the journal's record without an end, sent at `open_ms`; the
// last one that can be read, if any can, was sent at `last_ms`, and the journal ends at `readable` there.
// Error kContradiction: they see none of it, but one behind `readable` that is not of an older time: the
// journal has lost its end, and a start shall find that out.
Result<bool> sees_verdict_of(const JournalRecord& batch, std::int64_t open_ms,
                             std::optional<std::int64_t> last_ms, std::span<const CommittedPosition> readable,
                             const KafkaConfig& config, std::span<const TopicPartition> partitions,
                             StateBoard& board, const std::stop_token& stop);

namespace internal {
// How many offsets before its end a verdict topic's partition is read next, when `looked_at` were read,
// `bytes` of records were in them, and `is_told` says whether there were any; 0: it is enough.
std::int64_t further_back(std::int64_t looked_at, std::uint64_t bytes, bool is_told);
}  // namespace internal

}  // namespace neardup
