#include "service/pipeline/worker.h"

#include <algorithm>

#include "core/detector/kept_form.h"
#include "core/limits.h"
#include "service/log.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kIdleWait{100};  // how long one look at an empty input may take

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

double wall_clock_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<std::string> names_of(std::span<const JournalChain::Topic> topics) {
  std::vector<std::string> names;
  for (const JournalChain::Topic& topic : topics) names.push_back(topic.name);
  return names;
}

// Reports how long a scope took as one stage of a batch.
class StageTimer {
 public:
  StageTimer(Probe& probe, std::string_view stage) : probe_(probe), stage_(stage) {}
  ~StageTimer() { probe_.stage(stage_, seconds_since(begin_)); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Probe& probe_;
  std::string_view stage_;
  steady_clock::time_point begin_ = steady_clock::now();
};

}  // namespace

Worker::Worker(Parts parts, WorkerOptions options, std::span<const JournalChain::Topic> topics, Uuid journal)
    : parts_(parts), options_(options), topic_names_(names_of(topics)), batch_(topic_names_, options.batch) {
  CHECK(parts_.detector.size() == parts_.chain.next_sequence(), "the detector holds what the chain says");
  for (std::size_t i = 0; i < topics.size(); ++i) journal_topics_.push_back({topic_names_[i], topics[i].id});
  writer_.journal = parts_.chain.empty() ? journal : parts_.chain.journal();
  writer_.epoch = parts_.chain.empty() ? 0 : parts_.chain.writer_epoch() + 1;
  writer_.detector_options = parts_.detector.options().text();
}

Status Worker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    parts_.board.beat();
    const auto begin = steady_clock::now();
    const Result<BatchClosed> closed = gather(stop);
    if (!closed) return closed.error();
    if (records_.empty()) {
      parts_.source.release();  // end-of-partition marks moved the position
      continue;
    }
    parts_.probe.stage("gather", seconds_since(begin));
    const auto oldest =
        std::min_element(records_.begin(), records_.end(), [](const Record& a, const Record& b) {
          return a.timestamp_ms < b.timestamp_ms;
        })->timestamp_ms;
    {
      const StageTimer timer(parts_.probe, "sign");
      if (signed_.size() < records_.size()) signed_.resize(records_.size());
      parts_.signers.run(records_, std::span(signed_).first(records_.size()));
    }
    // A batch whose journal record would grow too large goes out in several transactions.
    std::span<const Record> records(records_);
    std::span<const Signed> documents = std::span(signed_).first(records_.size());
    while (!records.empty()) {
      const std::size_t count = fitting(documents);
      {
        const StageTimer timer(parts_.probe, "decide");
        decide(records.first(count), documents.first(count));
      }
      if (Status status = publish(); !status) return status;
      parts_.probe.batch_committed(batch_.counts(), *closed);
      for (const auto& [partition, covered] : batch_.covered()) {
        parts_.probe.consumed(topic_names_[partition.first], partition.second, covered.records,
                              covered.bytes);
      }
      records = records.subspan(count);
      documents = documents.subspan(count);
    }
    if (oldest > 0) parts_.probe.end_to_end(wall_clock_seconds() - static_cast<double>(oldest) / 1000);
    parts_.probe.index(parts_.detector.size(), parts_.detector.bytes());
    records_.clear();
    parts_.source.release();
  }
  return {};
}

Result<BatchClosed> Worker::gather(const std::stop_token& stop) {
  steady_clock::time_point close{};
  std::size_t bytes = 0;
  for (;;) {
    if (stop.stop_requested()) return BatchClosed::kDrain;
    milliseconds wait = kIdleWait;
    if (!records_.empty()) {
      if (records_.size() >= options_.documents_max) return BatchClosed::kDocuments;
      if (bytes >= options_.bytes_max) return BatchClosed::kBytes;
      const auto left = std::chrono::ceil<milliseconds>(close - steady_clock::now());
      if (left <= milliseconds::zero()) return BatchClosed::kInterval;
      wait = std::min(wait, left);
    }
    const std::size_t before = records_.size();
    if (Status status = parts_.source.poll(records_, options_.documents_max - before, wait); !status)
      return status.error();
    parts_.board.beat();
    if (before == 0) {
      if (records_.empty()) return BatchClosed::kInterval;
      close = steady_clock::now() + options_.interval;
    }
    for (std::size_t i = before; i < records_.size(); ++i)
      bytes += records_[i].value ? records_[i].value->size() : 0;
  }
}

std::size_t Worker::fitting(std::span<const Signed> documents) const {
  std::size_t bytes =
      journal_frame_bytes_max(journal_topics_.size(), parts_.chain.positions().size() + documents.size());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bytes += journal_entry_bytes_max(documents[i].document.id.size(), documents[i].document.url.size(),
                                     kept_bytes_max(documents[i].route));
    if (bytes > kJournalRecordBytesMax) return std::max<std::size_t>(i, 1);
  }
  return documents.size();
}

// Deciding reads memory at random, so what the next documents will need is on its way meanwhile.
void Worker::decide(std::span<const Record> records, std::span<const Signed> documents) {
  constexpr std::size_t kAhead = 2;
  batch_.clear();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i + kAhead < records.size() && !documents[i + kAhead].reason) {
      parts_.detector.prefetch(documents[i + kAhead].arrival(records[i + kAhead].source));
    }
    if (documents[i].reason) {
      batch_.add_rejected(records[i], documents[i]);
      continue;
    }
    kept_.clear();
    const Decision decision = parts_.detector.apply(documents[i].arrival(records[i].source), &kept_);
    batch_.count_lookup(parts_.detector.candidates());
    if (decision.verdict == Verdict::kDuplicate) {
      const Unique leader = parts_.detector.unique(decision.sequence);
      batch_.add_decided(records[i], documents[i], decision, &leader, {});
    } else {
      batch_.add_decided(records[i], documents[i], decision, nullptr, kept_);
    }
  }
  batch_.seal(parts_.chain, journal_topics_, writer_);
}

Status Worker::publish() {
  const Transaction transaction = batch_.transaction();
  bool there = false;
  if (recycle_first_) {
    recycle_first_ = false;
    if (Status status = settle_doubt("a request of the last transaction timed out", there); !status)
      return status;
  }
  while (!there) {
    if (!parts_.leadership.held()) return Error{ErrorCode::kFenced, "another instance was elected"};
    const auto begin = steady_clock::now();
    const CommitAnswer answer = parts_.sink.commit(transaction);
    const auto kind = static_cast<TransactionResult>(answer.kind);
    parts_.probe.transaction(kind, seconds_since(begin), batch_.size());
    parts_.probe.stage("publish", seconds_since(begin));
    parts_.board.beat();
    switch (answer.kind) {
      case CommitAnswer::Kind::kFenced:
        return Error{ErrorCode::kFenced, answer.reason};
      case CommitAnswer::Kind::kInDoubt:
        if (Status status = settle_doubt(answer.reason, there); !status) return status;
        break;
      case CommitAnswer::Kind::kCommitted:
        recycle_first_ = answer.recycle_before_next;
        if (Status status = read_back(there); !status) return status;
        if (!there) {
          if (Status status = settle_doubt("committed, but the journal record does not show", there); !status)
            return status;
        }
        break;
    }
  }
  recycles_ = 0;
  return {};
}

Status Worker::read_back(bool& there) {
  const StageTimer timer(parts_.probe, "audit");
  Result<std::optional<std::string>> bytes = parts_.log.next(options_.read_back);
  if (!bytes) return bytes.error();
  if (!*bytes) return {};
  if (**bytes != batch_.journal_bytes()) {
    return Error{ErrorCode::kContradiction, "the journal holds another record than ours as number " +
                                                std::to_string(parts_.chain.next_number()) +
                                                ": another writer wrote it"};
  }
  there = true;
  return accept_own();
}

Status Worker::accept_own() { return parts_.chain.accept(batch_.journal_record(), batch_.journal_bytes()); }

Status Worker::settle_doubt(const std::string& reason, bool& there) {
  log_warning("journal record {} is in doubt, recycling the producer: {}", parts_.chain.next_number(),
              reason);
  if (++recycles_ > options_.recycles_max) {
    return Error{ErrorCode::kUnavailable,
                 std::to_string(options_.recycles_max) +
                     " producers in a row did not get a batch through, the last: " + reason};
  }
  const auto begin = steady_clock::now();
  if (Status status = parts_.sink.recycle(); !status) return status;
  // The old producer's transaction is finished now, one way or the other: the journal's end is its end.
  const Status status = parts_.log.read_to_end([&](std::string_view bytes, double) -> Status {
    if (there || bytes != batch_.journal_bytes()) {
      return Error{ErrorCode::kContradiction, "the journal holds a record that is not ours after number " +
                                                  std::to_string(parts_.chain.next_number() - 1) +
                                                  ": another writer wrote it"};
    }
    there = true;
    return accept_own();
  });
  if (!status) return status;
  parts_.probe.recycled(seconds_since(begin));
  log_info("recycled in {:.0f} ms: the batch {}", seconds_since(begin) * 1000,
           there ? "was committed" : "was not committed and is sent again");
  return {};
}

}  // namespace neardup
