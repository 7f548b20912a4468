// Where does a decided batch go?
//
// The seam on the output side: one call is one transaction that holds the verdicts, the journal record and
// the input positions, all or nothing. The sink never tries again by itself and never decides what a doubt
// means: it tells what it knows, and the worker recycles it, reads the journal's tail and sends the same
// bytes again if they are not there, and the group is not behind them either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "service/codec/record.h"

namespace neardup {

enum class OutputTopic : std::uint8_t { kUnique, kDuplicate, kDeadLetter };
inline constexpr std::size_t kOutputTopics = 3;

// What the topic of uniques has: verdicts as the topic of duplicates, or the records as they came, with the
// verdict in headers.
enum class UniqueHolds : std::uint8_t { kVerdicts, kRecords };
inline constexpr std::array<std::string_view, 2> kUniqueHoldsNames = {"verdicts", "records"};

struct OutputRecord {
  OutputTopic topic = OutputTopic::kUnique;
  std::int32_t source_partition = 0;  // places a record that has no key
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
};

// Where the group goes on in a partition of the input.
struct CommittedPosition {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t next = 0;
  std::int32_t leader_epoch = -1;
};

// Of one partition, the first that there is; null: none.
inline const CommittedPosition* find_position(std::span<const CommittedPosition> positions,
                                              std::string_view topic, std::int32_t partition) {
  for (const CommittedPosition& position : positions)
    if (position.topic == topic && position.partition == partition) return &position;
  return nullptr;
}

// Views must stay valid until the batch is committed and read back, or its commit was answered otherwise.
struct Transaction {
  std::string_view journal_record;
  std::span<const OutputRecord> records;
  std::span<const CommittedPosition> positions;
};

struct CommitAnswer {
  enum class Kind : std::uint8_t {  // the values of TransactionResult
    kCommitted,
    kInDoubt,  // may be there or not: recycle and look
    kFenced,   // another writer has taken over: stop
  };
  Kind kind = Kind::kCommitted;
  std::string reason;  // for kInDoubt and kFenced
  // Committed, but a request went without an answer and was sent again: the first copy may still be on its
  // way, and could hit the next transaction of this producer.
  bool recycle_before_next = false;
};

// How a transaction without an end was ended.
enum class Ending : std::uint8_t {
  kCommitted,
  kAborted,
  kNone,  // there is none of ours, any more
};

class BatchSink {
 public:
  virtual ~BatchSink() = default;

  virtual CommitAnswer commit(const Transaction& transaction) = 0;

  // Waits until consumers can see all verdicts of `transaction`, which commit() answered last and whose
  // journal record shows already. Where Kafka lost its end it is marked again. kInDoubt: they cannot yet.
  virtual CommitAnswer await_shown(const Transaction& transaction) = 0;

  // A new producer in the place of the old one; whatever the old one had open is finished when this returns,
  // unless Kafka loses its end. Errors: kFenced, kUnavailable (asked to stop while trying), kInvalid (a
  // secret cannot be read).
  virtual Status recycle() = 0;

  // Whether all that was written to the verdict topics has its end there. Errors: kFenced, kUnavailable
  // (asked to stop while Kafka did not tell).
  virtual Result<bool> is_settled() = 0;

  // The second witness: whether the group is where a transaction with `positions` would have taken it. They
  // are committed with the journal record, and kept elsewhere. False too if nobody can tell, since Kafka
  // has lost an end there. REQUIRES: recycle() was called, and no commit since. Errors: kFenced, kUnavailable
  // (asked to stop while Kafka did not tell).
  virtual Result<bool> is_group_at(std::span<const CommittedPosition> positions) = 0;

  // Whether the group is elsewhere than at one of `positions`, which are where the journal ends: a person
  // can move it while nobody leads. Kafka forgets those of idle partitions, which moves nothing. True too if
  // nobody can tell. REQUIRES and errors: as of is_group_at().
  virtual Result<bool> is_group_moved(std::span<const CommittedPosition> positions) = 0;

  // To be called when what an older producer left behind has no end that consumers could see, and will
  // never have one: Kafka takes the transaction for complete and lost its markers (recovery.h). Ends it in
  // all topics at once, as committed if any of it can be seen; else as aborted, which is right whatever Kafka
  // had decided; where it has no end in the journal either, the group is taken back to where the readable one
  // ends. Makes a new producer, unless there was nothing to do.
  // `covered`: where the readable journal ends in each input partition, or ended before its last record; each
  // named once. REQUIRES: recycle() was called, and no commit since. Errors: kFenced, kInvalid (as recycle),
  // and others: it is not done, this time.
  virtual Result<Ending> end_unmarked(std::span<const CommittedPosition> covered) = 0;
};

}  // namespace neardup
