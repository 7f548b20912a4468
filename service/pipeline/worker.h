// How do records become verdicts that are committed once?
//
// By a pipeline of batches. Each stage is one thread, but for the signers, and works on the next batch while
// the one behind it works on this one:
//
//   gather      source.poll until an interval, a count or a size is reached ┐ intakes: four, and a bound on
//   sign        decode and sign, on many threads, in any order              ┘ the bytes of their records
//   decide      one order, that of the input; then the batch is only bytes  ┐ batches: three
//   publish     sink.commit ─► log.next: read back ─► sink.await_shown ─►   ┘
//               intake and batch go back to gather and decide
//               in doubt ─► sink.recycle ─► log.read_to_end ─┬─ there: done
//               the same bytes again ◄───────────────────────┘ not there, nor is the group behind it
//
// Intakes and batches are pools of a few pieces that go round: a stage without one waits, so when Kafka is
// slow nobody polls, and memory has a bound. A batch is given back only when its journal record was read back
// by a consumer of committed records, and its verdicts can be seen: at most two batches are sealed and not
// verified. The third is the one that is being decided: where Kafka is slow it waits for its seal, and where
// it is not, deciding does not wait for a commit.
//
// A verdict is computed once: decisions change the detector, so they are never taken again; only their bytes
// are sent again. A journal record names the digest of the one before it, which is known once that is sealed:
// so the decider need not wait for a commit. Batch n is published only after n - 1 was read back. Two chains
// check every record: one as it is decided, one as it comes back. A contradiction stops the pipeline with a
// named reason.
//
// What is to be forgotten is settled behind each batch and written into its journal record; so a new writer
// forgets the same at the same place. Where the memory limit leaves no room and may not be made room for, the
// decider rests: the pools fill, nobody polls any more, and the service stays alive.
//
// So it is with documents that are deleted, each at its place between the others (index.by_id).
//
// What duplicates add to their clusters goes the same way, so a new writer knows the same sizes and the same
// representatives. Whether one of them swallows the stream is watched from the first batch of each life on.
//
// A stop drains it: what was gathered is published, unless another producer is due, which is an error then.
// Any error ends it at once; memory is then ahead of the journal and must be forgotten.
//
// A lost election is no error yet: Kafka may have been away for longer than a session, and what is in hand
// still be what comes next. So it reads the journal until it is elected again, and makes a new producer then,
// as in any doubt. A record of somebody else's, or a group that was moved meanwhile, is an error.
//
// Threads: run() on one, which is the one that publishes: sink, log, leadership and the chain are called from
//          there alone, but for Leadership::prepare_commit(). The source is called from one thread of its
//          own, the detector from another.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/detector.h"
#include "core/retention.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"
#include "service/pipeline/batch.h"
#include "service/pipeline/lane.h"
#include "service/pipeline/leadership.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/signer_pool.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"

namespace neardup {

struct WorkerOptions {
  // A batch closes so long after its first record, or later while others are under way.
  std::chrono::milliseconds interval{100};
  // Behind so many batches it would wait before it is decided or published. So it stays open beyond its
  // interval: the records that come meanwhile share its transaction, and there are fewer to wait for.
  std::size_t under_way_max = 2;
  std::size_t documents_max = 10000;
  std::size_t bytes_max = std::size_t{64} << 20;  // of records: memory_of()
  // Of what a transaction sends: verdicts, which repeat the names of their originals, and records passed on.
  // More goes out in several, for each has to be delivered in time.
  std::size_t output_bytes_max = std::size_t{64} << 20;
  BatchOptions batch;
  std::chrono::milliseconds read_back{30000};  // how long a committed record may take to show
  SettleOptions settle = {};                   // of a journal whose last transaction has not ended
  int recycles_max = 5;                        // in a row without a batch getting through
};

class Worker {
 public:
  static constexpr std::size_t kIntakes = 4;
  static constexpr std::size_t kBatches = 3;  // sealed and not verified, and one that is being decided
  // No batch is begun while the records under way hold as much as this many full batches.
  static constexpr std::size_t kFullBatchesMax = 2;

  struct Parts {
    RecordSource& source;
    BatchSink& sink;
    JournalLog& log;
    const Leadership& leadership;
    SignerPool& signers;
    Detector& detector;    // as restored from the chain's records
    Retention& retention;  // so is this
    JournalChain& chain;   // of what was read back
    Probe& probe;
    StateBoard& board;
  };

  // `topics`: every input topic by ordinal. `journal`: the id that record 0 gets if the chain is empty.
  // REQUIRES: parts.detector.size() == parts.chain.next_sequence().
  Worker(Parts parts, WorkerOptions options, std::span<const JournalChain::Topic> topics, Uuid journal);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Works until `stop`, then publishes what was gathered and returns. Errors: kFenced (another writer),
  // kContradiction, kUnavailable (recycles without progress, or one that a stop has met). REQUIRES: called
  // once.
  Status run(const std::stop_token& stop);

 private:
  using Clock = std::chrono::steady_clock;

  // Records on their way to their verdicts.
  struct Intake {
    std::vector<Record> records;
    std::vector<RestPosition> rests;  // behind them
    std::vector<Signed> slots;        // of signed records
    SigningJob signing;
    BatchClosed closed = BatchClosed::kInterval;
    Clock::time_point read;      // when all of them were
    std::size_t bytes = 0;       // of its records, as memory_of() has them
    std::int64_t oldest_ms = 0;  // of its records' timestamps; 0 when one has none
  };
  // What it took to decide records for a batch.
  struct Decisions {
    std::size_t end;       // of the records, in their intake
    std::int64_t time_ms;  // the latest of their documents
    double took_s;         // without waiting
  };
  // A batch on its way to Kafka: an intake's records, or as many of the next as fit into a journal record.
  struct Decided {
    Batch* batch;
    Intake* intake;
    bool last;  // of the intake
  };
  // When a stage was last heard of.
  class Pulse {
   public:
    void beat() { beat_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed); }
    // Nothing more is expected.
    void end() { beat_.store(Clock::duration::max().count(), std::memory_order_relaxed); }
    Clock::time_point last() const {
      return Clock::time_point(Clock::duration(beat_.load(std::memory_order_relaxed)));
    }

   private:
    std::atomic<Clock::rep> beat_{Clock::now().time_since_epoch().count()};
  };

  Status gather_all(const std::stop_token& stop, const std::stop_token& halt);
  Status gather(Intake& intake, const std::stop_token& stop, const std::stop_token& halt);
  void take_back(const std::stop_token& halt, std::chrono::milliseconds wait);
  Status decide_all(const std::stop_token& stop, const std::stop_token& halt);
  Batch* await_batch(const std::stop_token& halt);
  // Decides the records of `intake` from `begin` on, as many as fit into the batch.
  Decisions decide(Intake& intake, std::size_t begin, Batch& batch);
  Status seal(Batch& batch, const Decisions& decisions);
  void decide_deletion(const Record& record, const Signed& document, Batch& batch);
  void decide_document(const Record& record, const Signed& document, Batch& batch);
  void rest(const std::stop_token& stop, const std::stop_token& halt);
  void report_index();
  void report_alarm(const ClusterCounts& counts);
  void report_memory();
  void report_age();
  std::string memory_text() const;
  std::string alarm_text(const ClusterCounts& counts) const;
  Status publish_all();
  Status publish(const Batch& batch, Clock::time_point read);
  Status publish_as_elected(const Batch& batch, Clock::time_point read, bool& there);
  Status await_election(const Batch& batch, const Error& lost, bool& there);
  Status take_up(const Batch& batch, bool& there);
  Status audit(const Batch& batch, const Transaction& transaction, bool& there);
  Status read_back(const Batch& batch, bool& there);
  Result<bool> read_next(const Batch& batch, std::chrono::milliseconds wait, bool& there);
  Status accept(const Batch& batch, std::string_view bytes, bool& there);
  Status recycle(const Batch& batch, const std::string& reason, bool sent, bool& there);
  Status ask_witness(const Batch& batch, const std::function<Status()>& read, const bool& there);
  void report(const Decided& decided);
  void beat();

  Parts parts_;
  WorkerOptions options_;
  std::vector<std::string> topic_names_;
  std::vector<JournalTopic> journal_topics_;
  Batch::Writer writer_;

  std::array<Intake, kIntakes> intakes_;
  std::vector<Batch> batches_;
  Lane<Intake*> gathered_;
  Lane<Decided> decided_;
  Lane<Intake*> published_;  // back to gather
  Lane<Batch*> verified_;    // back to decide

  // Of the gathering thread.
  std::vector<Intake*> free_;        // those that are not under way
  std::size_t bytes_under_way_ = 0;  // of their records
  Pulse gather_pulse_;
  Status gathering_;  // why it ended; read behind the end of `decided_`
  // Of the deciding thread.
  Pulse decide_pulse_;
  Status deciding_;
  bool is_full_ = false;              // no more may be taken in
  std::string kept_;                  // of the unique being decided
  JournalChain ahead_;                // of what was decided
  std::uint64_t truncated_ = 0;       // look-ups, as last reported
  bool directory_is_well_ = true;     // so it was last reported,
  bool is_above_limit_ = false;       // and so was this,
  bool is_ahead_of_clock_ = false;    // and this
  std::optional<StreamAlarm> alarm_;  // as last reported
  // Of the publishing thread.
  std::uint64_t election_;      // that the last batch was published by
  bool another_wrote_ = false;  // what is in hand will never be published
  bool recycle_first_ = false;  // a request of the last transaction was not answered
  int recycles_ = 0;            // in a row
  std::string first_reason_;    // of these
};

}  // namespace neardup
