// The loop of the service: gather a batch, sign it on all cores, decide it in input order, publish it in one
// transaction, read it back, and only then take the next.
//
//   source ─► gather ─► sign (many threads) ─► decide (one order) ─► sink.commit ─► log.next (read back)
//                                                      in doubt ─► sink.recycle ─► log.read_to_end ─┬─ there:
//                                                      done
//                                                                  the same bytes again ◄───────────┘ not
//                                                                  there
//
// A verdict is computed once: decisions change the detector, so they are never taken again; only their bytes
// are sent again. The chain checks every record that comes back. A contradiction stops the loop with a named
// reason.
//
// Threads: run() on one; the signers are the pool's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/detector.h"
#include "service/journal/chain.h"
#include "service/journal/log.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"
#include "service/pipeline/batch.h"
#include "service/pipeline/leadership.h"
#include "service/pipeline/signer_pool.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"

namespace neardup {

struct WorkerOptions {
  std::chrono::milliseconds interval{100};  // a batch closes so long after its first record
  std::size_t documents_max = 10000;
  std::size_t bytes_max = std::size_t{64} << 20;  // of record values
  BatchOptions batch;
  std::chrono::milliseconds read_back{30000};  // how long a committed record may take to show
  int recycles_max = 5;                        // in a row without a batch getting through
};

class Worker {
 public:
  struct Parts {
    RecordSource& source;
    BatchSink& sink;
    JournalLog& log;
    const Leadership& leadership;
    SignerPool& signers;
    Detector& detector;  // as restored from the chain's records
    JournalChain& chain;
    Probe& probe;
    StateBoard& board;
  };

  // `topics`: every input topic by ordinal. `journal`: the id that record 0 gets if the chain is empty.
  // REQUIRES: parts.detector.size() == parts.chain.next_sequence().
  Worker(Parts parts, WorkerOptions options, std::span<const JournalChain::Topic> topics, Uuid journal);

  // Works until `stop`, then finishes the batch in hand and returns. Errors: kFenced (another writer),
  // kContradiction, kUnavailable (recycles without progress).
  Status run(const std::stop_token& stop);

 private:
  Result<BatchClosed> gather(const std::stop_token& stop);
  void decide(std::span<const Record> records, std::span<const Signed> documents);
  std::size_t fitting(std::span<const Signed> documents) const;
  Status publish();
  Status read_back(bool& there);
  Status settle_doubt(const std::string& reason, bool& there);
  Status accept_own();

  Parts parts_;
  WorkerOptions options_;
  std::vector<std::string> topic_names_;
  std::vector<JournalTopic> journal_topics_;
  Batch::Writer writer_;
  Batch batch_;
  std::vector<Record> records_;
  std::vector<Signed> signed_;
  std::string kept_;            // of the unique being decided
  bool recycle_first_ = false;  // a request of the last transaction timed out on the way
  int recycles_ = 0;            // in a row
};

}  // namespace neardup
