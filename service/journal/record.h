// What does one journal record hold?
//
// One record is one batch, and one batch is one Kafka transaction: the uniques that it added to the index,
// which documents were deleted between them, what its duplicates added to their clusters, the input it
// covers, and what ties it to the record before. The journal is the truth: memory is a function of its
// records, and records are never rewritten. On any doubt the same bytes are sent again.
//
// Most of its bytes are minima and sketches, which a compressor does not shorten and takes long to find that
// out. So ids, urls and short texts lie apart from them, packed, and Kafka sends a record as it is.
//
// Format:  byte by byte in core/FORMATS.md; a golden file of every version since 4 must stay readable.
// Threads: values only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrival.h"
#include "core/base/hash.h"
#include "core/base/padded_bytes.h"
#include "core/base/result.h"
#include "core/cluster.h"
#include "core/decision.h"

namespace neardup {

inline constexpr std::uint16_t kJournalVersion = 5;
inline constexpr std::uint16_t kJournalVersionOldest = 4;  // of those that are read

using Uuid = std::array<std::uint8_t, 16>;

// An input topic. Kafka gives a topic that is deleted and made again another id.
struct JournalTopic {
  std::string_view name;
  Uuid id{};

  friend bool operator==(const JournalTopic&, const JournalTopic&) = default;
};

// What a batch covers of one input partition: offsets from .. next-1, each exactly once over the whole
// journal.
struct JournalPosition {
  std::uint32_t topic = 0;  // ordinal
  std::int32_t partition = 0;
  std::int64_t from = 0;  // the position before this batch; of the first batch, the first offset read
  std::int64_t next = 0;  // one past the last offset covered
  std::int32_t leader_epoch = -1;  // of the last record read, to notice a truncated log; -1 when unknown

  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

struct JournalCounts {
  std::uint64_t unique = 0;
  std::uint64_t exact = 0;
  std::uint64_t near = 0;
  std::uint64_t short_text = 0;
  std::uint64_t rejected = 0;
  std::uint64_t deleted = 0;

  std::uint64_t duplicates() const { return exact + near + short_text; }
  std::uint64_t verdicts() const { return unique + duplicates() + rejected + deleted; }

  friend bool operator==(const JournalCounts&, const JournalCounts&) = default;
};

// A document that was deleted: where in the order of decisions, and what it left to forget.
struct JournalDeletion {
  std::uint64_t behind = 0;  // so many uniques of this record
  std::string_view id;
  std::uint64_t forgotten = 0;  // uniques with this id

  friend bool operator==(const JournalDeletion&, const JournalDeletion&) = default;
};

struct JournalRecord {
  Uuid journal{};                  // drawn once, by the writer of record 0
  std::uint64_t number = 0;        // 0, 1, 2, ...
  std::uint64_t writer_epoch = 0;  // how often a writer has taken over
  Digest128 previous;              // digest128 of the bytes of record number - 1; zero for record 0
  Sequence first_sequence = 0;     // of uniques[0]; also the size of the index before this batch
  Sequence oldest = 0;             // behind this batch all uniques below are forgotten
  std::int64_t time_ms = 0;  // the latest time of the batch's documents, by the clock that ages; 0: unknown
  std::string_view detector_options;   // DetectorOptions::text() of those who decided the batch
  std::string_view signature_options;  // SignerOptions::text() of its signatures; the same in all records
  std::string_view cluster_rule;       // Detector::cluster_rule() of those who decided the batch
  JournalCounts counts;
  std::vector<JournalTopic> topics;  // all so far; a topic's place is its ordinal, Source::topic, for ever
  std::vector<JournalPosition> positions;
  // In sequence order; counts.unique says how many. Who writes a record may have given them to a
  // JournalEncoder.
  std::vector<Unique> uniques;
  std::vector<JournalDeletion> deletions;  // in their order
  // One for each leader that is left, ascending: together they have all duplicates, but for those whose
  // leader was deleted behind them.
  std::vector<ClusterGain> clusters;

  std::shared_ptr<const char[]> texts;  // of a decoded record: where the views of its uniques' texts point to
};

// The record's bytes, at most kJournalRecordBytesMax when the batch was closed in time (by the two bounds
// below).
std::string encode_journal_record(const JournalRecord& record);

// The same of a record whose uniques come one by one: each is written when it is decided, and all but its
// texts to where they stay. What stands before the uniques goes to room that is kept for it.
class JournalEncoder {
 public:
  JournalEncoder();

  void add(const Unique& unique);
  std::uint64_t uniques() const { return uniques_; }

  // The bytes of `record` with these uniques in the place of its own, which are none. They last until the
  // next call of any function but uniques().
  std::string_view encode(const JournalRecord& record);

  void clear();  // memory is kept

 private:
  PaddedBytes bytes_;  // up to begin_ the room, up to end_ the uniques without their texts
  std::size_t begin_;
  std::size_t end_;
  PaddedBytes texts_;
  std::size_t texts_end_ = 0;
  std::uint64_t uniques_ = 0;
};

// A record that covers no input is an operator's word, where partitions go on after a loss that was accepted,
// or says where they go on when they rest (RestPosition). Its positions have from = next and need not follow
// those before.
inline bool is_acceptance(const JournalRecord& record) { return record.counts == JournalCounts{}; }

// Views of the result point into `bytes` and into its own texts, which its copies share. Errors: kCorrupt
// (checksum, lengths, trailing bytes), kUnsupportedVersion.
Result<JournalRecord> decode_journal_record(std::string_view bytes);

// An upper bound of what one unique adds to a record, so that a batch can be closed before its record grows
// too large.
std::size_t journal_entry_bytes_max(std::size_t id_bytes, std::size_t url_bytes, std::size_t kept_bytes);

// The same of one duplicate, and of one deletion besides its id.
inline constexpr std::size_t kJournalGainBytesMax = 60;  // six varints
inline constexpr std::size_t kJournalDeletionBytesMax = 30;

// Room that a record needs besides its uniques and duplicates. REQUIRES: topics and positions of at most this
// many.
std::size_t journal_frame_bytes_max(std::size_t topics, std::size_t positions);

}  // namespace neardup
