// What becomes of a batch once it is decided?
//
// Bytes. A Batch holds the verdict records, the journal record and the positions of one transaction, computed
// once; every retry sends these same bytes. Views into the records' own memory and into the batch's arena are
// handed to the sink, so nothing is copied twice.
//
// Threads: one, the worker's.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/arena.h"
#include "core/cluster.h"
#include "core/decision.h"
#include "service/codec/record.h"
#include "service/codec/verdict_codec.h"
#include "service/journal/chain.h"
#include "service/journal/cluster_gains.h"
#include "service/journal/record.h"
#include "service/metrics/probe.h"
#include "service/pipeline/signer_pool.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"

namespace neardup {

enum class HeaderMode : std::uint8_t { kPacked, kFull, kNone };
inline constexpr std::array<std::string_view, 3> kHeaderModeNames = {"packed", "full", "none"};

struct BatchOptions {
  HeaderMode headers = HeaderMode::kPacked;
  UniqueHolds unique_holds = UniqueHolds::kVerdicts;
  // The largest record that the topic of uniques takes. For a larger one it gets the verdict, which says so.
  std::size_t unique_bytes_max = std::size_t{64} << 20;
  // The largest record that the dead-letter topic takes. A larger one, refused by the broker, would hold up
  // its whole batch for ever; so it is cut to fit and says what it was.
  std::size_t dead_letter_bytes_max = std::size_t{64} << 20;
};

class Batch {
 public:
  // `topics`: names by ordinal; must outlive the batch.
  Batch(std::span<const std::string> topics, BatchOptions options);

  // Empties it for the next round; memory is kept.
  void clear();

  // Adds one record and what was decided of it, in input order. What `record` views must stay where it is
  // until the batch is committed. `named.leader` is the unique that a duplicate repeats, `kept` what the
  // detector keeps of a unique, `cluster` what that of a duplicate is since; `previous` is what the decision
  // names so.
  struct Named {
    const Unique* leader = nullptr;
    const Unique* previous = nullptr;
  };
  void add_decided(const Record& record, const Signed& document, const Decision& decision, const Named& named,
                   const ClusterState& cluster, std::string_view kept);
  void add_rejected(const Record& record, RejectReason reason);
  // The document of this id is deleted: these uniques are forgotten.
  void add_deleted(const Record& record, const Signed& document, std::string_view id,
                   std::span<const Sequence> forgotten);
  // Where its partition goes on, with no record in between. REQUIRES: no record of it is added afterwards.
  void add_rest(const RestPosition& rest);
  // Notes what one decision cost (Detector::candidates).
  void count_lookup(std::uint64_t candidates) { counts_.lookup_candidates.add(candidates); }

  // Closes the batch: writes its journal record as the successor of `chain`.
  struct Writer {
    Uuid journal{};
    std::uint64_t epoch = 0;
    std::string detector_options;
    std::string cluster_rule;
  };
  // What is remembered behind the batch, and what time it is then (JournalRecord::oldest, time_ms).
  struct Horizon {
    Sequence oldest = 0;
    std::int64_t time_ms = 0;
  };
  void seal(const JournalChain& chain, std::span<const JournalTopic> topics, const Writer& writer,
            const Horizon& horizon);

  // REQUIRES: sealed.
  Transaction transaction() const;
  const JournalRecord& journal_record() const { return journal_; }
  std::string_view journal_bytes() const { return journal_bytes_; }
  const Digest128& journal_digest() const { return journal_digest_; }  // of these bytes

  const BatchCounts& counts() const { return counts_; }

  // What the batch holds of one input partition.
  struct Covered {
    JournalPosition position;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;  // of their values
  };
  const std::map<JournalChain::Partition, Covered>& covered() const { return covered_; }

  std::size_t size() const { return records_.size(); }
  // Of all that is sent but the journal record: what was written here, and records that are passed on as they
  // came.
  std::size_t output_bytes() const { return arena_.taken() + passed_on_bytes_; }

 private:
  struct HeaderRange {
    std::size_t begin = 0;
    std::size_t count = 0;
  };

  void cover(const Record& record);
  // A verdict that is told in JSON, on its way to `topic`; or for the topic of uniques, if it holds records,
  // the record with the verdict in headers.
  void add_verdict(const Record& record, const VerdictRecord& verdict, OutputTopic topic);
  void add_verdict_headers(const VerdictRecord& verdict);
  void add_trace_headers(std::span<const Header> headers);
  void add_headers_but_ours(std::span<const Header> headers);
  void add_header(std::string_view name, std::string_view value);
  void add_named();  // those of named_
  void cut_to_fit(const Record& record, OutputRecord& output);
  void add_truncated_from(const Record& record);

  std::span<const std::string> topic_names_;
  BatchOptions options_;
  Arena arena_;
  std::size_t passed_on_bytes_ = 0;
  std::vector<OutputRecord> records_;
  std::vector<HeaderRange> header_ranges_;  // of records_[i], resolved when sealed
  std::vector<Header> headers_;
  std::vector<NamedValue> named_;
  ClusterGains gains_;
  std::map<JournalChain::Partition, Covered> covered_;
  std::pair<const JournalChain::Partition, Covered>* last_covered_ = nullptr;
  std::vector<CommittedPosition> positions_;
  BatchCounts counts_;
  JournalEncoder encoder_;
  JournalRecord journal_;           // its deletions as they come, all else but the uniques when sealed
  std::string_view journal_bytes_;  // the encoder's
  Digest128 journal_digest_;
};

}  // namespace neardup
