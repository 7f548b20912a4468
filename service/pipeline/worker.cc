#include "service/pipeline/worker.h"

#include <pthread.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "core/base/check.h"
#include "core/limits.h"
#include "service/clock.h"
#include "service/codec/document_codec.h"
#include "service/fault_point.h"
#include "service/log.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/signed_walk.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kIdleWait{100};  // how long one look at an empty input may take
constexpr milliseconds kBusyWait{5};    // the same, where a batch is to be closed as soon as it may

std::vector<std::string> names_of(std::span<const JournalChain::Topic> topics) {
  std::vector<std::string> names;
  for (const JournalChain::Topic& topic : topics) names.push_back(topic.name);
  return names;
}

// What a document says of itself, as part of a line for people.
std::string as_line(std::string_view text) {
  std::string line(text.substr(0, 200));
  std::ranges::replace_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return line;
}

constexpr std::string_view kAlarmPart = "clusters.alarm_share";
constexpr std::string_view kMemoryPart = "index.memory_limit";
constexpr std::string_view kAgePart = "index.age_max_hours";
constexpr std::string_view kElectionPart = "election";

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
    : parts_(parts),
      options_(options),
      topic_names_(names_of(topics)),
      ahead_(parts.chain),
      truncated_(parts.detector.lookup_counts().truncated),
      election_(parts.leadership.election()) {
  CHECK(parts_.detector.size() == parts_.chain.next_sequence(), "the detector holds what the chain says");
  journal_topics_.reserve(topics.size());
  for (std::size_t i = 0; i < topics.size(); ++i) journal_topics_.push_back({topic_names_[i], topics[i].id});
  writer_.journal = parts_.chain.empty() ? journal : parts_.chain.journal();
  writer_.epoch = parts_.chain.empty() ? 0 : parts_.chain.writer_epoch() + 1;
  writer_.detector_options = parts_.detector.options().text();
  writer_.cluster_rule = parts_.detector.cluster_rule();
  batches_.reserve(kBatches);
  for (std::size_t i = 0; i < kBatches; ++i)
    verified_.push(&batches_.emplace_back(topic_names_, options_.batch));
}

Worker::~Worker() {
  if (alarm_) parts_.board.warn(kAlarmPart, "");
  if (is_above_limit_) parts_.board.warn(kMemoryPart, "");
  if (is_ahead_of_clock_) parts_.board.warn(kAgePart, "");
  for (Intake& intake : intakes_) parts_.signers.cancel(intake.signing);
}

Status Worker::run(const std::stop_token& stop) {
  Status publishing;
  {
    const std::jthread gatherer([&](const std::stop_token& halt) {
      pthread_setname_np(pthread_self(), "gather");
      gathering_ = gather_all(stop, halt);
      gather_pulse_.end();
      gathered_.close();
    });
    const std::jthread decider([&](const std::stop_token& halt) {
      pthread_setname_np(pthread_self(), "decide");
      deciding_ = decide_all(stop, halt);
      decide_pulse_.end();
      decided_.close();
    });
    publishing = publish_all();
    // Whatever ends the publishing, an error too, halts the other two where they are.
  }
  if (!publishing) return publishing;
  return !deciding_ ? deciding_ : gathering_;
}

Status Worker::gather_all(const std::stop_token& stop, const std::stop_token& halt) {
  for (Intake& intake : intakes_) free_.push_back(&intake);
  const auto room = [&] { return !free_.empty() && bytes_under_way_ < kFullBatchesMax * options_.bytes_max; };
  while (!stop.stop_requested() && !halt.stop_requested()) {
    gather_pulse_.beat();
    take_back(halt, room() ? milliseconds(0) : kIdleWait);
    if (!room()) {
      parts_.source.idle();
      continue;
    }
    Intake& intake = *free_.back();
    const auto begin = Clock::now();
    if (Status status = gather(intake, stop, halt); !status) return status;
    intake.rests.clear();
    if (!stop.stop_requested()) parts_.source.take_rests(intake.rests);
    if (intake.records.empty() && intake.rests.empty()) continue;
    if (intake.records.empty()) {
      intake.oldest_ms = 0;
      intake.closed = BatchClosed::kInterval;
    }
    parts_.probe.stage("gather", seconds_since(begin));
    parts_.source.close_batch();
    intake.read = Clock::now();
    parts_.leadership.prepare_commit();
    std::erase(free_, &intake);
    bytes_under_way_ += intake.bytes;
    const std::size_t slots = std::min(intake.records.size(), parts_.signers.slots());
    if (intake.slots.size() < slots) intake.slots.resize(parts_.signers.slots());
    intake.signing = {.records = intake.records, .slots = std::span(intake.slots).first(slots)};
    parts_.signers.begin(intake.signing);
    gathered_.push(&intake);
  }
  return {};
}

void Worker::take_back(const std::stop_token& halt, milliseconds wait) {
  while (const auto published = published_.pop(halt, wait)) {
    parts_.source.release();
    bytes_under_way_ -= (*published)->bytes;
    free_.push_back(*published);
    wait = milliseconds(0);
  }
}

Status Worker::gather(Intake& intake, const std::stop_token& stop, const std::stop_token& halt) {
  std::vector<Record>& records = intake.records;
  records.clear();
  intake.bytes = 0;
  intake.oldest_ms = std::numeric_limits<std::int64_t>::max();
  Clock::time_point close{};
  for (;;) {
    intake.closed = BatchClosed::kDrain;
    if (stop.stop_requested() || halt.stop_requested()) return {};
    milliseconds wait = kIdleWait;
    if (!records.empty()) {
      intake.closed = BatchClosed::kDocuments;
      if (records.size() >= options_.documents_max) return {};
      intake.closed = BatchClosed::kBytes;
      if (intake.bytes >= options_.bytes_max) return {};
      intake.closed = BatchClosed::kInterval;
      const auto left = std::chrono::ceil<milliseconds>(close - Clock::now());
      if (left <= milliseconds::zero()) {
        take_back(halt, milliseconds(0));
        if (kIntakes - free_.size() < options_.under_way_max) return {};
        wait = kBusyWait;
      } else {
        wait = std::min(wait, left);
      }
    }
    const std::size_t before = records.size();
    if (Status status = parts_.source.poll(records, options_.documents_max - before, wait); !status)
      return status;
    gather_pulse_.beat();
    if (records.empty()) return {};
    if (before == 0) close = Clock::now() + options_.interval;
    for (const Record& record : std::span(records).subspan(before)) {
      intake.bytes += memory_of(record);
      intake.oldest_ms = std::min(intake.oldest_ms, record.timestamp_ms);
    }
  }
}

Status Worker::decide_all(const std::stop_token& stop, const std::stop_token& halt) {
  report_index();
  is_full_ = parts_.retention.must_stop(parts_.detector.bytes());
  Batch* batch = await_batch(halt);
  for (;;) {
    decide_pulse_.beat();
    const auto gathered = gathered_.pop(halt, kIdleWait);
    if (halt.stop_requested()) return {};
    if (!gathered) {
      if (gathered_.ended()) return {};
      continue;
    }
    Intake& intake = **gathered;
    // A batch whose journal record or verdicts would grow too large goes out in several transactions. With
    // the last of them the intake is no longer ours.
    const std::size_t count = intake.records.size();
    bool is_last = false;  // of no records there is one batch too: the input rests
    for (std::size_t begin = 0; !is_last;) {
      if (is_full_) {
        rest(stop, halt);
        return {};  // what is not decided is read again by the next writer
      }
      const Decisions decisions = decide(intake, begin, *batch);
      begin = decisions.end;
      is_last = begin == count;
      // Of those sealed one at most is not verified when another one is.
      Batch* const next = await_batch(halt);
      if (next == nullptr) return {};
      if (Status status = seal(*batch, decisions); !status) return status;
      decided_.push({.batch = batch, .intake = &intake, .last = is_last});
      batch = next;
    }
    report_index();
  }
}

// One that is free. Null: halted.
Batch* Worker::await_batch(const std::stop_token& halt) {
  while (!halt.stop_requested()) {
    if (const auto batch = verified_.pop(halt, kIdleWait)) return *batch;
    decide_pulse_.beat();
  }
  return nullptr;
}

void Worker::rest(const std::stop_token& stop, const std::stop_token& halt) {
  report_index();
  const bool evicts = parts_.retention.options().at_bytes_max == MemoryPolicy::kEvictOldest;
  const std::string why =
      memory_text() + (evicts
                           ? " and hardly any document would fit: the input is paused; allow more and restart"
                           : " and another batch may not fit: the input is paused; allow more "
                             "and restart, or set it with index.at_memory_limit: evict-oldest");
  log_warning("{}: {}", kMemoryPart, why);
  parts_.board.warn(kMemoryPart, why);
  while (!stop.stop_requested() && !halt.stop_requested()) {
    decide_pulse_.beat();
    std::this_thread::sleep_for(kIdleWait);
  }
  parts_.board.warn(kMemoryPart, "");
}

std::string Worker::memory_text() const {
  return std::to_string(parts_.detector.bytes()) + " of " +
         std::to_string(parts_.retention.options().bytes_max) + " bytes are taken";
}

// Where the oldest are forgotten, memory above the limit stops nothing, but should be known. It is well again
// a sixteenth below: some MiB come and go.
void Worker::report_memory() {
  const RetentionOptions& options = parts_.retention.options();
  if (options.bytes_max == 0 || options.at_bytes_max != MemoryPolicy::kEvictOldest) return;
  const std::size_t bytes = parts_.detector.bytes();
  const bool before = is_above_limit_;
  is_above_limit_ =
      parts_.retention.is_above(bytes) || (before && bytes > options.bytes_max - options.bytes_max / 16);
  if (is_above_limit_) {
    const std::string why = memory_text() +
                            ": the oldest documents are forgotten, so that it grows no more, but tables keep "
                            "the room that they once had";
    parts_.board.warn(kMemoryPart, why);
    if (!before) log_warning("{}: {}", kMemoryPart, why);
  } else if (before) {
    parts_.board.warn(kMemoryPart, "");
    log_info("{}: memory is below it again", kMemoryPart);
  }
}

// A clock that was far ahead for one batch is in the journal for good, as the time of that batch. What comes
// now counts as if it came then, so none of it is forgotten by its age before that time is here.
void Worker::report_age() {
  const std::int64_t age_max_ms = parts_.retention.options().age_max_ms;
  if (age_max_ms == 0) return;
  const std::int64_t ahead_ms = parts_.retention.now_ms() - wall_clock_ms();
  const bool before = std::exchange(is_ahead_of_clock_, ahead_ms > age_max_ms);
  if (is_ahead_of_clock_ == before) return;
  if (!is_ahead_of_clock_) {
    parts_.board.warn(kAgePart, "");
    log_info("{}: the time that the journal tells is near again", kAgePart);
    return;
  }
  const std::string why = "the journal tells a time that is " + std::to_string(ahead_ms / 3'600'000) +
                          " hours ahead, from a clock that was wrong, and until then nothing is forgotten by "
                          "its age: set index.documents_max, or begin anew with another journal and group "
                          "(kafka.topics.journal, kafka.group)";
  parts_.board.warn(kAgePart, why);
  log_warning("{}: {}", kAgePart, why);
}

void Worker::report_index() {
  const IndexCounts counts = index_counts(parts_.detector, truncated_);
  truncated_ += counts.truncated;
  parts_.probe.index(counts);
  report_alarm(counts.clusters);
  report_memory();
  report_age();
  const Status& file = parts_.detector.file_status();
  parts_.board.warn("index.directory", file ? "" : file.error().message);
  if (file.ok() == directory_is_well_) return;
  directory_is_well_ = file.ok();
  if (!file) {
    log_warning("index.directory: what belongs there is kept in memory for now: {}", file.error().message);
  } else {
    log_info("index.directory: the disk takes what belongs there again");
  }
}

// Who swallows how much of the stream. REQUIRES: there is an alarm.
std::string Worker::alarm_text(const ClusterCounts& counts) const {
  const StreamAlarm& alarm = *counts.alarm;
  const bool is_source = alarm.kind == StreamAlarm::Kind::kSource;
  std::string text = std::to_string(alarm.documents) + " of the last " +
                     std::to_string(parts_.detector.options().clusters.guard.window) +
                     " documents are duplicates of " +
                     (is_source ? "documents of one source, that of " : "one document, ");
  if (counts.alarm_leader < parts_.detector.oldest()) {
    return text + "cluster " + std::to_string(counts.alarm_leader) + ", which is forgotten by now";
  }
  const Unique leader = parts_.detector.unique(counts.alarm_leader);
  text += leader.url.empty()
              ? topic_names_[leader.source.topic] + "-" + std::to_string(leader.source.partition)
              : as_line(leader.url);
  return text + " (id " + as_line(leader.id) + ", cluster " + std::to_string(counts.alarm_leader) + ")";
}

void Worker::report_alarm(const ClusterCounts& counts) {
  const std::optional<StreamAlarm> before = std::exchange(alarm_, counts.alarm);
  if (alarm_) {
    const std::string what = alarm_text(counts);
    parts_.board.warn(kAlarmPart, what);
    if (!before || before->kind != alarm_->kind || before->key != alarm_->key)
      log_warning("{}: {}", kAlarmPart, what);
  } else if (before) {
    parts_.board.warn(kAlarmPart, "");
    log_info("{}: no one swallows the stream any more", kAlarmPart);
  }
}

void Worker::decide_deletion(const Record& record, const Signed& document, Batch& batch) {
  std::string_view id;
  if (const std::optional<RejectReason> reason = read_deletion(record, id)) {
    batch.add_rejected(record, *reason);
  } else {
    batch.add_deleted(record, document, id, parts_.detector.forget(id));
  }
}

void Worker::decide_document(const Record& record, const Signed& document, Batch& batch) {
  kept_.clear();
  const Decision decision = parts_.detector.apply(document.arrival(record.source), &kept_);
  batch.count_lookup(parts_.detector.candidates());
  std::optional<Unique> leader;  // made for those who have one alone
  std::optional<Unique> previous;
  Batch::Named named;
  ClusterState cluster;
  if (decision.verdict == Verdict::kDuplicate) {
    leader = parts_.detector.unique(decision.sequence);
    named.leader = &*leader;
    cluster = parts_.detector.cluster(decision.sequence);
  }
  if (decision.previous) {
    previous = parts_.detector.unique(*decision.previous);
    named.previous = &*previous;
  }
  batch.add_decided(record, document, decision, named, cluster, kept_);
}

Worker::Decisions Worker::decide(Intake& intake, std::size_t begin, Batch& batch) {
  const std::span<const Record> records(intake.records);
  const auto began = Clock::now();
  SignedWalk walk(parts_.signers, intake.signing, parts_.detector, begin);
  batch.clear();
  std::size_t bytes = 0;                        // of its journal record, besides the frame
  std::int64_t time_ms = 0;                     // the latest
  const std::int64_t now_ms = wall_clock_ms();  // producers stamp records, and some have broken clocks
  std::size_t i = begin;
  for (; i < records.size(); ++i) {
    if (walk.reach(i)) decide_pulse_.beat();
    const Signed& document = intake.signing.signed_record(i);
    bytes += journal_entry_bytes_max(document.document.id.size(), document.document.url.size(),
                                     Detector::kept_bytes_max(document.route));
    if (!records[i].value) bytes += kJournalDeletionBytesMax + records[i].key.value_or("").size();
    // A partition has one position, however many of its records the batch holds; this one's may be new.
    const std::size_t positions = batch.covered().size() + 1 + intake.rests.size();
    const std::size_t frame = journal_frame_bytes_max(journal_topics_.size(), positions);
    const bool is_full =
        frame + bytes > kJournalRecordBytesMax || batch.output_bytes() > options_.output_bytes_max;
    if (is_full && i > begin) break;
    const Record& record = records[i];
    if (!record.value && parts_.detector.options().by_id) {
      decide_deletion(record, document, batch);
    } else if (document.reason) {
      batch.add_rejected(record, *document.reason);
    } else {
      decide_document(record, document, batch);
      time_ms = std::max(time_ms, std::min(now_ms, parts_.retention.time_ms(document.document.event_time_ms,
                                                                            record.timestamp_ms)));
    }
  }
  if (i == records.size()) {
    for (const RestPosition& rest : intake.rests) batch.add_rest(rest);
  }
  const double waited_s = std::chrono::duration<double>(walk.waited()).count();
  parts_.probe.stage("sign", waited_s);
  return {.end = i, .time_ms = time_ms, .took_s = seconds_since(began) - waited_s};
}

Status Worker::seal(Batch& batch, const Decisions& decisions) {
  const auto began = Clock::now();
  const Retention::Answer answer = parts_.retention.decide({.oldest = parts_.detector.oldest(),
                                                            .size = parts_.detector.size(),
                                                            .time_ms = decisions.time_ms,
                                                            .bytes = parts_.detector.bytes()});
  batch.seal(ahead_, journal_topics_, writer_, {.oldest = answer.oldest, .time_ms = decisions.time_ms});
  parts_.detector.expire(answer.oldest);
  is_full_ = answer.must_stop;
  if (Status status = ahead_.accept(batch.journal_record(), batch.journal_digest()); !status) return status;
  CHECK(parts_.detector.size() == ahead_.next_sequence(), "the detector holds what the chain says");
  parts_.probe.stage("decide", decisions.took_s + seconds_since(began));
  return {};
}

Status Worker::publish_all() {
  for (;;) {
    beat();
    const auto decided = decided_.pop({}, kIdleWait);
    if (!decided) {
      if (decided_.ended()) return {};
      continue;
    }
    if (Status status = publish(*decided->batch, decided->intake->read); !status) return status;
    report(*decided);
    verified_.push(decided->batch);
    if (decided->last) published_.push(decided->intake);
  }
}

void Worker::report(const Decided& decided) {
  parts_.probe.batch_committed(decided.batch->counts(), decided.intake->closed);
  for (const auto& [partition, covered] : decided.batch->covered()) {
    parts_.probe.consumed(topic_names_[partition.first], partition.second, covered.records, covered.bytes);
  }
  const std::int64_t oldest_ms = decided.intake->oldest_ms;
  if (decided.last && oldest_ms > 0)
    parts_.probe.end_to_end(wall_clock_seconds() - static_cast<double>(oldest_ms) / 1000);
}

// Only this thread speaks for the others: a stage that hangs is a service that hangs.
void Worker::beat() {
  parts_.board.beat(std::min({Clock::now(), gather_pulse_.last(), decide_pulse_.last()}));
}

Status Worker::publish(const Batch& batch, Clock::time_point read) {
  bool there = false;
  for (;;) {
    Status status;
    if (parts_.leadership.election() != election_) status = take_up(batch, there);
    if (status) status = publish_as_elected(batch, read, there);
    if (status) break;
    if (status.error().code != ErrorCode::kFenced || another_wrote_) return status;
    if (Status elected = await_election(batch, status.error(), there); !elected) return elected;
  }
  recycles_ = 0;
  return {};
}

// Until it is another election that is held. An error: `lost`, if there will be none; or of a record that
// somebody else wrote.
Status Worker::await_election(const Batch& batch, const Error& lost, bool& there) {
  bool has_told = false;
  Status status = lost;
  while (parts_.leadership.may_return()) {
    if (parts_.leadership.held()) {
      if (parts_.leadership.election() != election_) status = {};
      break;
    }
    if (!std::exchange(has_told, true)) {
      const std::string waiting = "waiting to be elected again, with journal record " +
                                  std::to_string(batch.journal_record().number) +
                                  " in hand, unless another instance writes";
      log_warning("{}: {}", lost.message, waiting);
      parts_.board.warn(kElectionPart, waiting);
    }
    beat();
    if (const Result<bool> came = read_next(batch, options_.settle.again, there); !came) {
      status = came.error();
      break;
    }
  }
  if (has_told) parts_.board.warn(kElectionPart, "");
  return status;
}

// Whether what was sent is there is in doubt, as nobody knows who led meanwhile; and while nobody did, a
// person could move the group, which is for the next start to find.
Status Worker::take_up(const Batch& batch, bool& there) {
  election_ = parts_.leadership.election();
  recycles_ = 0;
  if (Status status = recycle(batch, "this instance was voted out and elected again", true, there); !status)
    return status;
  const Result<bool> moved = parts_.sink.is_group_moved(covered_by(parts_.chain));
  if (!moved) return moved.error();
  if (!*moved) return {};
  return Error{ErrorCode::kFenced, "elected again, and the group is not where the journal ends"};
}

Status Worker::publish_as_elected(const Batch& batch, Clock::time_point read, bool& there) {
  const Transaction transaction = batch.transaction();
  if (recycle_first_) {
    if (Status status = recycle(batch, "a request of the last transaction was not answered", false, there);
        !status)
      return status;
  }
  while (!there) {
    if (!parts_.leadership.may_commit(read))
      return Error{ErrorCode::kFenced, "the leadership is lost, or could not be confirmed"};
    const auto begin = Clock::now();
    const CommitAnswer answer = parts_.sink.commit(transaction);
    const auto kind = static_cast<TransactionResult>(answer.kind);
    parts_.probe.transaction(kind, seconds_since(begin), batch.size());
    parts_.probe.stage("publish", seconds_since(begin));
    beat();
    switch (answer.kind) {
      case CommitAnswer::Kind::kFenced:
        return Error{ErrorCode::kFenced, answer.reason};
      case CommitAnswer::Kind::kInDoubt:
        if (Status status = recycle(batch, answer.reason, true, there); !status) return status;
        break;
      case CommitAnswer::Kind::kCommitted:
        recycle_first_ = answer.recycle_before_next;
        if (Status status = audit(batch, transaction, there); !status) return status;
        break;
    }
  }
  return {};
}

// Can consumers see the record, and all verdicts?
Status Worker::audit(const Batch& batch, const Transaction& transaction, bool& there) {
  const StageTimer timer(parts_.probe, "audit");
  if (Status status = read_back(batch, there); !status) return status;
  if (!there) return recycle(batch, "committed, but the journal record does not show", true, there);
  const CommitAnswer shown = parts_.sink.await_shown(transaction);
  recycle_first_ = recycle_first_ || shown.recycle_before_next;
  if (shown.kind == CommitAnswer::Kind::kFenced) return Error{ErrorCode::kFenced, shown.reason};
  if (shown.kind == CommitAnswer::Kind::kInDoubt) return recycle(batch, shown.reason, true, there);
  return {};
}

Status Worker::read_back(const Batch& batch, bool& there) {
  const Result<bool> came = read_next(batch, options_.read_back, there);
  if (!came) return came.error();
  if (*came) FAULT_POINT(kReadBack);
  return {};
}

// The next record of the journal, which is the batch's or somebody else's.
Result<bool> Worker::read_next(const Batch& batch, milliseconds wait, bool& there) {
  return parts_.log.next(wait, [&](std::string_view bytes) { return accept(batch, bytes, there); });
}

Status Worker::accept(const Batch& batch, std::string_view bytes, bool& there) {
  if (there || bytes != batch.journal_bytes()) {
    another_wrote_ = true;
    return parts_.chain.not_ours(bytes);
  }
  there = true;
  return parts_.chain.accept(batch.journal_record(), batch.journal_digest());
}

Status Worker::recycle(const Batch& batch, const std::string& reason, bool sent, bool& there) {
  log_warning("journal record {} is {}, recycling the producer: {}", batch.journal_record().number,
              sent ? "in doubt" : "next", reason);
  if (recycles_ == 0) first_reason_ = reason;
  if (++recycles_ > options_.recycles_max) {
    // What broke it may have words of its own only once: what follows is what it broke.
    const std::string first = first_reason_ == reason ? "" : "the first: " + first_reason_ + "; ";
    return Error{ErrorCode::kUnavailable, std::to_string(options_.recycles_max) +
                                              " producers in a row did not get a batch through, " + first +
                                              "the last: " + reason};
  }
  const auto begin = Clock::now();
  if (Status status = parts_.sink.recycle(); !status) return status;
  recycle_first_ = false;
  const auto read = [&] {
    return parts_.log.read_to_end(
        [&](std::string_view bytes, double) { return accept(batch, bytes, there); });
  };
  // The old producer's transaction is finished now, one way or the other: the journal's end is its end.
  // Twice: what can be read now tells what may be done about that which cannot.
  Status status = read();
  if (status) {
    status = await_settled(parts_.log, parts_.chain, parts_.sink, parts_.leadership, parts_.board,
                           options_.settle);
  }
  if (status) status = read();
  if (status && sent && !there) status = ask_witness(batch, read, there);
  if (!status) return status;
  FAULT_POINT(kDoubtSettled);
  const RecycleOutcome outcome = there  ? RecycleOutcome::kFoundCommitted
                                 : sent ? RecycleOutcome::kResent
                                        : RecycleOutcome::kPrecaution;
  parts_.probe.recycled(outcome, seconds_since(begin));
  log_info("recycled in {:.0f} ms: {}", seconds_since(begin) * 1000,
           kRecycleOutcomeNames[static_cast<std::size_t>(outcome)]);
  return {};
}

// The leader of the journal that answered may lead no more, and tell an end that was: behind it lies nothing
// open, and the batch is not there. But it was committed if the group is where it would be, and is read until
// it shows: sent again, all of it would be there twice.
Status Worker::ask_witness(const Batch& batch, const std::function<Status()>& read, const bool& there) {
  const auto moves = [this](const JournalPosition& position) {
    const auto at = parts_.chain.positions().find({position.topic, position.partition});
    return at == parts_.chain.positions().end() || at->second.next != position.next;
  };
  if (std::ranges::none_of(batch.journal_record().positions, moves)) return {};  // the group cannot tell
  const Result<bool> committed = parts_.sink.is_group_at(batch.transaction().positions);
  if (!committed) return committed.error();
  if (!*committed) return {};
  log_warning("journal record {} was committed, as the group tells, and does not show: reading on",
              parts_.chain.next_number());
  for (int looks = 0; looks < options_.settle.looks; ++looks) {
    if (!parts_.leadership.held()) return voted_out();
    beat();
    std::this_thread::sleep_for(options_.settle.again);
    if (Status status = read(); !status || there) return status;
  }
  return Error{ErrorCode::kUnavailable, "journal record " + std::to_string(parts_.chain.next_number()) +
                                            " was committed, as the group tells, and the journal does not "
                                            "show it: the next start finds out"};
}

}  // namespace neardup
