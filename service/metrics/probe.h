// What do we count?
//
// The verbs of the service, each called once per batch (never per document): the worker says what happened,
// this room knows which metric that is. Every label combination exists with 0 from the start. `Probe` is an
// interface so that tests and tools can run the worker without a registry: the base class counts nothing.
//
// Threads: any thread may call any verb.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/cluster.h"
#include "core/decision.h"

namespace neardup {

// Values counted by bucket while a batch goes on, and taken into a histogram at its end. Bucket i counts
// values up to kBounds[i], the last one all above.
template <const auto& kBounds>
struct Tally {
  std::array<std::uint64_t, std::size(kBounds) + 1> buckets{};
  std::uint64_t sum = 0;

  void add(std::uint64_t value) {
    const auto* const bucket = std::lower_bound(std::begin(kBounds), std::end(kBounds), value);
    ++buckets[static_cast<std::size_t>(bucket - std::begin(kBounds))];
    sum += value;
  }
};
inline constexpr std::array<std::uint64_t, 9> kDocumentByteBounds = {
    256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
inline constexpr std::array<std::uint64_t, 10> kDistanceBounds = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24};
inline constexpr std::array<std::uint64_t, 12> kCandidateBounds = {0,    1,    10,    50,    100,    500,
                                                                   1000, 5000, 10000, 50000, 100000, 500000};

// One batch, counted by the worker while it decides.
struct BatchCounts {
  std::uint64_t unique = 0;
  std::uint64_t exact = 0;
  std::uint64_t near = 0;
  std::uint64_t short_text = 0;
  std::uint64_t rejected[kRejectReasonNames.size()] = {};
  std::uint64_t fallbacks = 0;                // pages of no main text, judged by all of it
  std::uint64_t deleted = 0;                  // records that deleted a document
  std::uint64_t forgotten = 0;                // uniques by them
  Tally<kDocumentByteBounds> document_bytes;  // of every record's value
  Tally<kDistanceBounds> near_distance;       // bits between a duplicate that is not exact and its leader
  Tally<kCandidateBounds> lookup_candidates;  // texts, sketches or fingerprints compared for each decision

  // REQUIRES: a duplicate.
  void count(const Decision& decision) {
    if (decision.kind == DuplicateKind::kExact) {
      ++exact;
      return;
    }
    ++(decision.kind == DuplicateKind::kShort ? short_text : near);
    near_distance.add(static_cast<std::uint64_t>(decision.distance));
  }
};

enum class BatchClosed : std::uint8_t { kInterval, kDocuments, kBytes, kDrain };
inline constexpr std::array<std::string_view, 4> kBatchClosedNames = {"interval", "documents", "bytes",
                                                                      "drain"};

enum class TransactionResult : std::uint8_t { kCommitted, kInDoubt, kFenced };
inline constexpr std::array<std::string_view, 3> kTransactionResultNames = {"committed", "in_doubt",
                                                                            "fenced"};

// What the journal said of the batch when its producer was replaced: it was there, or it is sent again. Or
// nothing was asked: the batch before was read back, but a request of its producer had timed out.
enum class RecycleOutcome : std::uint8_t { kFoundCommitted, kResent, kPrecaution };
inline constexpr std::array<std::string_view, 3> kRecycleOutcomeNames = {"found_committed", "resent",
                                                                         "precaution"};

// What a round of the election meant for this instance: nothing, it became the writer, or it no longer is.
enum class ElectionOutcome : std::uint8_t { kUnchanged, kElected, kLost };
inline constexpr std::array<std::string_view, 3> kElectionOutcomeNames = {"unchanged", "elected", "lost"};

// What a batch goes through, in this order.
inline constexpr std::array<std::string_view, 5> kStageNames = {"gather", "sign", "decide", "publish",
                                                                "audit"};

// How large the index is, and what crowded it.
struct IndexCounts {
  std::uint64_t entries = 0;       // uniques remembered
  std::uint64_t bytes = 0;         // of memory
  std::uint64_t file_bytes = 0;    // of the file that names the uniques
  std::uint64_t truncated = 0;     // Detector::LookupCounts::truncated, those since the last call
  std::uint64_t hot_features = 0;  // as there
  ClusterCounts clusters;
};

class Probe {
 public:
  virtual ~Probe() = default;

  // This topic has partitions 0 .. count - 1, which this instance reads: their series start at 0 now.
  virtual void partitions(std::string_view /*topic*/, std::int32_t /*count*/) {}
  // Of a batch that is committed. `topic` is a configured input topic.
  virtual void consumed(std::string_view /*topic*/, std::int32_t /*partition*/, std::uint64_t /*records*/,
                        std::uint64_t /*bytes*/) {}
  virtual void batch_committed(const BatchCounts& /*counts*/, BatchClosed /*why*/) {}
  // One attempt, from begin to its answer.
  virtual void transaction(TransactionResult /*result*/, double /*seconds*/, std::uint64_t /*records*/) {}
  virtual void recycled(RecycleOutcome /*outcome*/, double /*seconds*/) {}
  // One of kStageNames, for a whole batch.
  virtual void stage(std::string_view /*stage*/, double /*seconds*/) {}
  // From the record's timestamp to the answer of the commit, for the oldest record of a batch.
  virtual void end_to_end(double /*seconds*/) {}
  virtual void index(const IndexCounts& /*counts*/) {}
  // `unstable`: records behind the last stable offset, which are no lag.
  virtual void lag(std::string_view /*topic*/, std::int32_t /*partition*/, std::int64_t /*records*/,
                   std::int64_t /*unstable*/, double /*seconds*/) {}
  virtual void assigned_partitions(std::uint64_t /*partitions*/) {}
  // A restore has read so many more records, and has so much of the journal now.
  virtual void restored(std::uint64_t /*journal_records*/, double /*progress 0..1*/) {}
  // One that reads all of the journal has taken so long.
  virtual void restore_time(double /*seconds*/) {}
  // The snapshot holds so much and has it for good; called when there was nothing to write as well.
  // `is_current`: that is all there was, and not what it has caught up with so far.
  virtual void snapshot_written(std::uint64_t /*records*/, std::uint64_t /*bytes*/, bool /*is_current*/) {}
  virtual void snapshot_failed() {}
  // Journal records that are committed and not in the snapshot.
  virtual void snapshot_behind(std::uint64_t /*records*/) {}
  // The journal was read up to `position`; its end as last heard.
  virtual void journal_read(std::int64_t /*position*/, std::int64_t /*end*/) {}
  // The group of the election settled anew: an instance came, went or was taken for dead.
  virtual void election(ElectionOutcome /*outcome*/) {}
  // So many settings of topics are what a start would refuse.
  virtual void wrong_topic_settings(std::uint64_t /*problems*/) {}
  // Brokers that the input's client knows, and those of them it is connected to.
  virtual void brokers(std::uint64_t /*known*/, std::uint64_t /*connected*/) {}
  // `code` is librdkafka's name of the error, without "RD_KAFKA_RESP_ERR_".
  virtual void kafka_error(std::string_view /*client: input, journal, writer, election, admin*/,
                           std::string_view /*code*/) {}
};

// For a client beside the one whose numbers are shown: its errors are counted, and nothing else.
class ErrorsOnly final : public Probe {
 public:
  explicit ErrorsOnly(Probe& probe) : probe_(probe) {}
  void kafka_error(std::string_view client, std::string_view code) override {
    probe_.kafka_error(client, code);
  }

 private:
  Probe& probe_;
};

}  // namespace neardup
