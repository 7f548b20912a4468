#include "tests/simulation/simulation.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/detector.h"
#include "service/codec/preset.h"
#include "service/log.h"
#include "service/pipeline/input_plan.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/worker.h"
#include "service/snapshot/stored_journal.h"
#include "tests/simulation/cluster.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/oracle.h"
#include "tests/support/generated_crawl.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;

struct Crash {};  // thrown in place of a process that dies

// What a seed makes of a run besides its faults.
struct Shape {
  explicit Shape(const Faults& faults) {
    Draw draw = faults.draw("shape", 0, 0);
    partitions = 1 + draw.below(3);
    documents = 20 + draw.below(31);
    words = draw.one_in(3) ? 60 : 8;  // pages, or short texts
    batch_max = 1 + draw.below(8);
    threads = draw.one_in(8) ? 2 : 1;
    fault_share = 10 + draw.below(50);
    segment_bytes_max = 500 + draw.below(5000);
    if (draw.one_in(3)) retention.count_max = 4 + draw.below(20);
    if (draw.one_in(4)) retention.age_max_ms = static_cast<std::int64_t>(5'000 + draw.below(40'000));
    detector.clusters.keep = draw.one_in(2) ? KeepPolicy::kLongest : KeepPolicy::kFirst;
    detector.by_id = draw.one_in(2);
    deleted_share = draw.one_in(3) ? 0 : .15;
  }

  std::vector<std::vector<MemoryRecord>> crawl(Faults& faults) const {
    const std::uint64_t seed = faults.seed();
    std::mt19937_64 random(seed);
    std::vector<std::vector<MemoryRecord>> input(partitions);
    std::int64_t time = 1000;
    const CrawlShape crawl = {.documents = documents,
                              .families = documents / 3 + 1,
                              .words = words,
                              .broken_share = .1,
                              .pages = deleted_share > 0 ? documents / 2 : 0,
                              .deleted_share = deleted_share};
    std::uint64_t number = 0;
    for (GeneratedRecord& record : generate_crawl(crawl, seed)) {
      Draw draw = faults.draw("clock", 0, ++number);
      std::int64_t told = time += 1000;
      if (draw.one_in(30) && faults.strikes(Fault::kClockJumps))
        told += static_cast<std::int64_t>(draw.below(60'000)) - 30'000;
      input[random() % partitions].push_back({std::move(record.key), std::move(record.value), told});
    }
    return input;
  }

  std::size_t partitions;
  std::size_t documents;
  std::size_t words;
  std::size_t batch_max;
  int threads;
  std::uint64_t fault_share;  // of transactions, in percent
  std::uint64_t segment_bytes_max;
  RetentionOptions retention;  // by the time of arrival: the crawl tells no other
  DetectorOptions detector;
  double deleted_share;  // without detector.by_id these are dead letters
};

class SimulatedLeadership final : public Leadership {
 public:
  bool held() const override { return held_; }
  void lose() { held_ = false; }

 private:
  bool held_ = true;
};

// What a life is told of the cluster.
struct World {
  std::optional<Fault> fault;  // somebody laid hands on it
  bool is_accepted = false;    // and a person has said to go on where the journal is
  InputTopic topic;
  std::int64_t journal_end = std::numeric_limits<std::int64_t>::max();  // what is behind is lost
};

// One instance of the service, and what its clients share.
struct Instance {
  Faults& faults;
  Cluster& cluster;
  Disk& disk;
  Planted planted;
  std::uint64_t fault_share;
  std::uint64_t life;
  bool may_stand_still;               // no other instance waits for this one
  std::function<void()> other_lives;  // another instance, from its start to its end
  bool snapshot = false;              // it keeps one
  JournalChain chain = JournalChain();
  SimulatedLeadership leadership = {};
  World world = {};
  std::optional<std::size_t> committed = {};  // transactions, when it has seen the world and no input yet
  bool outlived = false;                      // another instance was elected
  std::string violation = "";
  std::uint64_t resent = 0;
  std::uint64_t found = 0;

  // The snapshot thread has done what it was given.
  void settle() const {
    if (snapshot) disk.settle(chain.next_number());
  }
  [[noreturn]] void die() const {
    settle();
    disk.crash();
    throw Crash();
  }
  // SIGSTOP, and some time later SIGCONT.
  void stand_still(Draw& draw) {
    other_lives();
    outlived = true;
    if (draw.one_in(2)) leadership.lose();  // else the election has not told it yet
  }
};

class SimulatedSource final : public RecordSource {
 public:
  SimulatedSource(Instance& instance, std::size_t batch_max, std::stop_source& at_end)
      : instance_(instance), batch_max_(batch_max), at_end_(at_end) {}

  Status assign(std::span<const InputPosition> positions) override {
    for (const InputPosition& position : positions)
      positions_.push_back({position.topic, position.partition, std::max<std::int64_t>(0, position.next)});
    return {};
  }

  // Takes from the partitions as drawn: their order is another one in every life.
  Status poll(std::vector<Record>& records, std::size_t records_max, milliseconds) override {
    Draw draw = instance_.faults.draw("poll", instance_.life, ++polls_);
    if (draw.one_in(80) && instance_.faults.strikes(Fault::kPollFails))
      return Error{ErrorCode::kUnavailable, "the input does not answer"};
    std::size_t count = std::min<std::size_t>(records_max, 1 + draw.below(batch_max_));
    if (draw.one_in(8) && instance_.faults.strikes(Fault::kPollEmpty)) count = 0;
    for (;;) {
      std::vector<Position*> filled;
      for (Position& position : positions_) {
        if (position.next < static_cast<std::int64_t>(log_of(position).size())) filled.push_back(&position);
      }
      if (filled.empty()) at_end_.request_stop();
      if (filled.empty() || count-- == 0) return {};
      Position& position = *filled[draw.below(filled.size())];
      const MemoryRecord& from = log_of(position)[static_cast<std::size_t>(position.next)];
      Record& record = records.emplace_back();
      record.source = {position.topic, position.partition, position.next++};
      if (from.key) record.key = *from.key;
      if (from.value) record.value = *from.value;
      if (!from.value && instance_.planted == Planted::kDeletionOff) record.key = "nobody";
      record.timestamp_ms = from.timestamp_ms;
    }
  }

  void close_batch() override { ++closed_; }
  void release() override {
    CHECK(closed_ > released_, "a closed batch that was not released");
    ++released_;
  }

 private:
  struct Position {
    std::uint32_t topic;
    std::int32_t partition;
    std::int64_t next;
  };

  const std::vector<MemoryRecord>& log_of(const Position& position) const {
    return instance_.cluster.input()[static_cast<std::size_t>(position.partition)];
  }

  Instance& instance_;
  std::size_t batch_max_;
  std::stop_source& at_end_;
  std::vector<Position> positions_;
  std::uint64_t polls_ = 0;
  std::size_t closed_ = 0;
  std::size_t released_ = 0;
};

MemoryVerdict kept(const OutputRecord& record) {
  MemoryVerdict verdict{record.topic, {}, {}, {}};
  if (record.key) verdict.key = *record.key;
  if (record.value) verdict.value = *record.value;
  for (const Header& header : record.headers)
    verdict.headers.emplace_back(header.name, header.value.value_or(""));
  return verdict;
}

// Of a verdict on a document, one digit of its signature.
void change(MemoryVerdict& verdict) {
  constexpr std::string_view kField = R"("signature":")";
  const std::size_t at = verdict.value ? verdict.value->find(kField) : std::string::npos;
  if (at == std::string::npos) return;
  char& digit = (*verdict.value)[at + kField.size()];
  digit = digit == '0' ? '1' : '0';
}

constexpr SettleOptions kSettle = {.again = milliseconds(1), .looks = 2};

class SimulatedSink final : public BatchSink {
 public:
  explicit SimulatedSink(Instance& instance) : instance_(instance) {}

  CommitAnswer commit(const Transaction& transaction) override {
    if (spent_ && instance_.planted != Planted::kRecycleOff)
      instance_.violation = "a producer in doubt began another transaction";
    journal_bytes_ = transaction.journal_record;
    read_back_fault_.reset();
    Draw draw = instance_.faults.draw("commit", instance_.life, ++attempts_);
    const std::optional<Fault> fault = draw_fault(draw);
    const std::size_t records = transaction.records.size();
    const std::size_t sends = records + 2;  // the journal record, verdicts, positions
    std::size_t place = sends;              // of what strikes while it is sent
    if (fault == Fault::kCrashBeforeBegin || fault == Fault::kZombieBeforeBegin) place = 0;
    if (fault == Fault::kCrashInProduce || fault == Fault::kZombieInProduce || fault == Fault::kProduceFailed)
      place = 1 + draw.below(std::max<std::size_t>(records, 1));  // what was accepted has none
    if (fault == Fault::kCrashBeforeOffsets) place = sends - 1;
    for (std::size_t i = 0;; ++i) {
      if (i == place && fault) {
        if (std::optional<CommitAnswer> answer = strike_while_sending(*fault, draw)) return *answer;
      }
      if (i == sends) break;
      const Cluster::Answer answer = instance_.cluster.send(epoch_, [&](Cluster::Content& content) {
        if (i == 0) {
          content.journal.emplace_back(transaction.journal_record);
        } else if (i <= records) {
          if (i == records && instance_.planted == Planted::kVerdictDropped) return;
          content.verdicts.push_back(kept(transaction.records[i - 1]));
          if (instance_.planted == Planted::kVerdictChanged) change(content.verdicts.back());
        } else {
          for (const CommittedPosition& position : transaction.positions)
            content.positions[position.partition] = position.next;
        }
      });
      if (answer == Cluster::Answer::kFenced) return fenced();
    }
    return end(fault, draw, sends);
  }

  Status recycle() override {
    Draw draw = instance_.faults.draw("recycle", instance_.life, ++recycles_);
    if (instance_.planted == Planted::kRecycleOff && epoch_ > 0) return {};
    if (late_ && draw.one_in(2)) (void)instance_.cluster.end(epoch_, true);
    late_ = false;
    if (!instance_.leadership.held()) return Error{ErrorCode::kFenced, "another instance was elected"};
    epoch_ = instance_.cluster.init_producer();
    spent_ = false;
    if (draw.one_in(30) && instance_.faults.strikes(Fault::kCrashInRecycle)) instance_.die();
    return {};
  }

  Result<bool> end_unmarked(std::span<const CommittedPosition>) override {
    if (instance_.cluster.is_unmarked_seen() && instance_.planted != Planted::kSeenOff) return false;
    if (!instance_.leadership.held()) return Error{ErrorCode::kFenced, "another instance was elected"};
    instance_.cluster.end_unmarked();
    if (Status status = recycle(); !status) return status.error();
    return true;
  }

  // What strikes when the record that was sent last is read back.
  std::optional<Fault> take_read_back_fault() { return std::exchange(read_back_fault_, std::nullopt); }
  const std::string& journal_bytes() const { return journal_bytes_; }

 private:
  static constexpr auto kFirst = static_cast<std::uint64_t>(Fault::kCrashBeforeBegin);
  static constexpr auto kLast = static_cast<std::uint64_t>(Fault::kReadBackFails);

  std::optional<Fault> draw_fault(Draw& draw) const {
    const auto fault = static_cast<Fault>(kFirst + draw.below(kLast - kFirst + 1));
    if (!draw.percent(instance_.fault_share)) return std::nullopt;
    const bool zombie = fault >= Fault::kZombieBeforeBegin && fault <= Fault::kZombieBeforeAnswer;
    if (zombie && (!instance_.may_stand_still || instance_.outlived)) return std::nullopt;
    return instance_.faults.strikes(fault) ? std::optional(fault) : std::nullopt;
  }

  std::optional<CommitAnswer> strike_while_sending(Fault fault, Draw& draw) {
    switch (fault) {
      case Fault::kCrashBeforeBegin:
      case Fault::kCrashInProduce:
      case Fault::kCrashBeforeOffsets:
      case Fault::kCrashBeforeCommit:
        instance_.die();
      case Fault::kZombieBeforeBegin:
      case Fault::kZombieInProduce:
      case Fault::kZombieBeforeCommit:
        instance_.stand_still(draw);
        return std::nullopt;
      case Fault::kProduceFailed:
        return doubt("a record was not delivered");
      case Fault::kAborted:
        if (instance_.cluster.end(epoch_, false) == Cluster::Answer::kFenced) return fenced();
        return doubt("the coordinator gave the transaction up");
      default:
        return std::nullopt;
    }
  }

  CommitAnswer end(std::optional<Fault> fault, Draw& draw, std::size_t sends) {
    if (fault == Fault::kCommitLost) return doubt("timed out");
    if (fault == Fault::kCommitLate) {
      // It arrives before the next producer is made, or is refused; of a producer that goes on, it ends what
      // is open then.
      late_ = true;
      if (instance_.planted == Planted::kRecycleOff)
        instance_.cluster.delay_end(epoch_, draw.below(2 * sends));
      return doubt("timed out");
    }
    if (fault == Fault::kMarkersLost) instance_.cluster.lose_markers(1 + draw.below(4), draw.one_in(2));
    const bool executed = fault != Fault::kCommitFalse && (fault != Fault::kVotedOut || draw.one_in(2));
    if (instance_.cluster.end(epoch_, executed) == Cluster::Answer::kFenced) return fenced();
    if (!fault) return {};
    switch (*fault) {
      case Fault::kCommitUnanswered:
      case Fault::kMarkersLost:
        return doubt("timed out");
      case Fault::kCommitRetried:
        instance_.cluster.delay_end(epoch_, draw.below(2 * sends));
        spent_ = true;
        return {CommitAnswer::Kind::kCommitted, "", true};
      case Fault::kCrashBeforeAnswer:
        instance_.die();
      case Fault::kZombieBeforeAnswer:
        instance_.stand_still(draw);
        return {};
      case Fault::kVotedOut:
        instance_.leadership.lose();
        instance_.outlived = true;
        return doubt("timed out");
      default:
        read_back_fault_ = fault;
        return {};
    }
  }

  CommitAnswer doubt(const char* reason) {
    spent_ = true;
    return {CommitAnswer::Kind::kInDoubt, reason, false};
  }
  static CommitAnswer fenced() { return {CommitAnswer::Kind::kFenced, "a newer writer is there", false}; }

  Instance& instance_;
  std::uint64_t epoch_ = 0;
  bool spent_ = false;
  bool late_ = false;
  std::uint64_t attempts_ = 0;
  std::uint64_t recycles_ = 0;
  std::string journal_bytes_;
  std::optional<Fault> read_back_fault_;
};

// The journal, read from the cluster; with faults if an instance reads it to publish.
class SimulatedLog final : public SeekableLog {
 public:
  explicit SimulatedLog(Cluster& cluster) : cluster_(cluster) {}
  SimulatedLog(Instance& instance, SimulatedSink& sink)
      : cluster_(instance.cluster), instance_(&instance), sink_(&sink) {}

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override {
    const std::int64_t end = journal_end();
    const bool restoring = !std::exchange(restored_, true);
    if (!restoring && planted(Planted::kChainOff)) {
      position_ = end;
      return {};
    }
    std::uint64_t records = 0;
    while (const std::optional<Cluster::JournalEntry> entry = cluster_.journal_at(position_, end)) {
      if (restoring && instance_ != nullptr) {
        if (Status status = strike_restoring(records); !status) return status;
      }
      ++records;
      position_ = entry->offset + 1;
      if (Status status = take(entry->bytes, static_cast<double>(position_) / static_cast<double>(end));
          !status)
        return status;
    }
    if (!restoring && instance_ != nullptr) ++(records > 0 ? instance_->found : instance_->resent);
    return {};
  }

  Result<std::optional<std::string>> next(milliseconds) override {
    const std::optional<Cluster::JournalEntry> entry = cluster_.journal_at(position_, journal_end());
    if (const std::optional<Fault> fault = sink_ != nullptr ? sink_->take_read_back_fault() : std::nullopt) {
      if (fault == Fault::kCrashAfterAnswer) instance_->die();
      if (fault == Fault::kReadBackLate) return std::optional<std::string>();
      if (fault == Fault::kReadBackFails)
        return Error{ErrorCode::kUnavailable, "the journal does not answer"};
    }
    if (planted(Planted::kAuditOff) && !entry) {
      ++position_;
      return std::optional(sink_->journal_bytes());
    }
    if (!entry) return std::optional<std::string>();
    position_ = entry->offset + 1;
    return std::optional(entry->bytes);
  }

  Result<bool> is_settled() override { return planted(Planted::kSettlingOff) || cluster_.is_settled(); }

  std::int64_t position() const override { return position_; }
  Result<std::int64_t> end() override { return journal_end(); }
  Status start_at(std::int64_t position) override {
    position_ = position;
    return {};
  }

 private:
  std::int64_t journal_end() const {
    const std::int64_t end = cluster_.journal_end();
    return instance_ == nullptr ? end : std::min(end, instance_->world.journal_end);
  }
  bool planted(Planted planted) const { return instance_ != nullptr && instance_->planted == planted; }

  Status strike_restoring(std::uint64_t record) const {
    Draw draw = instance_->faults.draw("restore", instance_->life, record);
    if (draw.one_in(120) && instance_->faults.strikes(Fault::kCrashInRestore)) instance_->die();
    if (draw.one_in(120) && instance_->faults.strikes(Fault::kRestoreFails))
      return Error{ErrorCode::kUnavailable, "the journal does not answer"};
    return {};
  }

  Cluster& cluster_;
  Instance* instance_ = nullptr;
  SimulatedSink* sink_ = nullptr;
  bool restored_ = false;
  std::int64_t position_ = 0;  // one past the record that was handed out last
};

struct Settled {
  const Instance& instance;
  ~Settled() { instance.settle(); }
};

std::uint64_t stored_records(const std::string& folder) {
  Result<StoredRecords> records = StoredRecords::open(folder);
  if (!records) return 0;
  while (records->next()) {
  }
  return records->records();
}

class Run {
 public:
  explicit Run(const Scenario& scenario)
      : scenario_(scenario),
        faults_(scenario.seed, scenario.off),
        shape_(faults_),
        cluster_(shape_.crawl(faults_), scenario.planted != Planted::kFencingOff),
        disks_{{{scenario.folder + "/first", faults_, scenario.planted != Planted::kFsyncOff},
                {scenario.folder + "/second", faults_, scenario.planted != Planted::kFsyncOff}}} {
    const Result<Preset> preset = resolve_preset(input_);
    CHECK(preset.ok(), "the default preset");
    preset_ = *preset;
  }
  ~Run() { std::filesystem::remove_all(scenario_.folder); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Outcome work() {
    constexpr std::uint64_t kFaultyLives = 12;
    constexpr std::uint64_t kLivesMax = kFaultyLives + 4;
    bool ended = false;
    while (!ended && outcome_.violation.empty() && outcome_.lives < kLivesMax) {
      if (outcome_.lives >= kFaultyLives) faults_.end();
      ended = live(0);
    }
    faults_.end();
    if (!ended) wrong("no life came to a good end");
    judge();
    outcome_.faults = faults_.counts();
    outcome_.strays = cluster_.strays_arrived();
    outcome_.transactions = cluster_.committed().size();
    return outcome_;
  }

 private:
  void wrong(const std::string& what) {
    if (outcome_.violation.empty())
      outcome_.violation = "life " + std::to_string(outcome_.lives) + ": " + what;
  }

  // One life of the service, on the first disk, or on the second while the first one's process stands still.
  // True: it came to a good end.
  bool live(std::size_t place) {
    Disk& disk = disks_[place];
    const std::uint64_t life = ++outcome_.lives;
    const std::uint64_t stored = stored_records(disk.path());
    if (stored < disk.promised()) {
      wrong("the snapshot had promised " + std::to_string(disk.promised()) + " records, and " +
            std::to_string(stored) + " are there");
    }
    disk.begin_life(life, stored);
    Instance instance = {.faults = faults_,
                         .cluster = cluster_,
                         .disk = disk,
                         .planted = scenario_.planted,
                         .fault_share = shape_.fault_share,
                         .life = life,
                         .may_stand_still = place == 0,
                         .other_lives = [this] { (void)live(1); }};
    instance.snapshot =
        !(faults_.draw("snapshot", life, 0).one_in(10) && faults_.strikes(Fault::kSnapshotOff));
    instance.world = world_of(life);
    std::optional<Status> status;  // nothing: it crashed
    try {
      status = serve(instance);
    } catch (const Crash&) {
      status.reset();
    }
    if (!instance.violation.empty()) wrong(instance.violation);
    if (status && !*status) check_end(instance, status->error());
    if (instance.world.fault && !instance.world.is_accepted && instance.committed &&
        (cluster_.committed().size() != *instance.committed || (status && *status)))
      wrong(std::string("went on over a cluster where somebody laid hands on: ") +
            std::string(name(*instance.world.fault)));
    log_info("seed {}, life {}{}: {}", scenario_.seed, life, place == 0 ? "" : ", while another stands still",
             !status         ? "crashed"
             : !status->ok() ? status->error().message
                             : "ended well");
    outcome_.resent += instance.resent;
    outcome_.found += instance.found;
    disk.end_life();
    disk.meddle();
    return status && status->ok();
  }

  // The cluster as it is.
  World world() const {
    World world;
    world.topic = {Cluster::kTopic, {1}, static_cast<std::int32_t>(shape_.partitions)};
    for (std::size_t i = 0; i < shape_.partitions; ++i)
      world.topic.bounds.push_back({.begin = 0,
                                    .end = static_cast<std::int64_t>(cluster_.input()[i].size()),
                                    .committed = cluster_.group_offset(static_cast<std::int32_t>(i))});
    return world;
  }

  // The cluster as it is, or as somebody left it.
  World world_of(std::uint64_t life) {
    const World world = this->world();
    Draw draw = faults_.draw("world", life, 0);
    if (!draw.one_in(8)) return world;
    constexpr std::array kKinds = {Fault::kOffsetsMoved, Fault::kInputTruncated, Fault::kInputDeleted,
                                   Fault::kInputRecreated, Fault::kJournalCut};
    const Fault fault = kKinds[draw.below(kKinds.size())];
    World other = world;
    if (!meddle(fault, draw, other) || !faults_.strikes(fault)) return world;
    other.fault = fault;
    return other;
  }

  // False: there is nothing yet to lay hands on.
  bool meddle(Fault fault, Draw& draw, World& world) const {
    const std::size_t partition = draw.below(world.topic.bounds.size());
    PartitionBounds& bounds = world.topic.bounds[partition];
    const std::int64_t next = bounds.committed.value_or(0);
    // Where it may go on just as well, if the markers of the last transaction are lost.
    const std::int64_t settled_next =
        cluster_.group_offset_without_unmarked(static_cast<std::int32_t>(partition)).value_or(0);
    if (settled_next == 0) return false;
    switch (fault) {
      case Fault::kOffsetsMoved: {
        const auto moved = static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(*bounds.end) + 1));
        bounds.committed = moved;
        world.is_accepted = draw.one_in(2);
        return moved != next && moved != settled_next;
      }
      case Fault::kInputTruncated:
        bounds.end = static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(settled_next)));
        return true;
      case Fault::kInputDeleted:
        bounds.begin = next + 1 + static_cast<std::int64_t>(draw.below(3));
        return true;
      case Fault::kInputRecreated:
        world.topic.id = {2};
        return true;
      default:
        return cut_journal(draw, world);
    }
  }

  // Loses the last records of the journal, one of them of a batch: what was accepted may be said again.
  bool cut_journal(Draw& draw, World& world) const {
    std::vector<std::pair<std::int64_t, bool>> records;  // position; of a batch
    for (std::int64_t at = 0;;) {
      const std::optional<Cluster::JournalEntry> entry = cluster_.journal_at(at, cluster_.journal_end());
      if (!entry) break;
      const Result<JournalRecord> record = decode_journal_record(entry->bytes);
      if (!record) return false;  // a mistake was planted
      records.emplace_back(entry->offset, !is_acceptance(*record));
      at = entry->offset + 1;
    }
    bool of_batch = false;
    std::uint64_t left = draw.below(records.size() + 1);
    for (; !records.empty() && (left > 0 || !of_batch); left -= left > 0) {
      world.journal_end = records.back().first;
      of_batch |= records.back().second;
      records.pop_back();
    }
    return of_batch;
  }

  // Whether a service may end so.
  void check_end(const Instance& instance, const Error& error) {
    const bool allowed =
        error.code == ErrorCode::kUnavailable ||
        (instance.world.fault && !instance.world.is_accepted && error.code == ErrorCode::kContradiction) ||
        (instance.outlived && error.code == ErrorCode::kFenced);
    if (!allowed) wrong("stopped: " + error.message);
  }

  // As serve_term of service/commands/serve.cc, from the election on.
  Status serve(Instance& instance) {
    const std::string& folder = instance.disk.path();
    std::unique_ptr<JournalStore> store;
    if (instance.snapshot) {
      Result<std::unique_ptr<JournalStore>> opened =
          JournalStore::open(folder, "", {.segment_bytes_max = shape_.segment_bytes_max});
      if (!opened) {
        // A flipped byte may claim a version to come: the message says that the folder can be removed.
        if (opened.error().code == ErrorCode::kUnsupportedVersion) std::filesystem::remove_all(folder);
        return Error{opened.error().code == ErrorCode::kUnsupportedVersion ? ErrorCode::kUnavailable
                                                                           : opened.error().code,
                     opened.error().message};
      }
      store = *std::move(opened);
    }
    Probe probe;
    StateBoard board;
    SimulatedSink sink(instance);
    SimulatedLog log(instance, sink);
    if (Status status = sink.recycle(); !status) return status;

    JournalChain& chain = instance.chain;
    Detector detector(shape_.detector);
    Retention retention{shape_.retention};
    std::optional<StoredJournal> stored;
    if (store) stored.emplace(stored_parts(log, *store, chain, probe, board), open_log(), stored_options());
    const Settled before_it_ends{instance};
    JournalLog& journal = stored ? static_cast<JournalLog&>(*stored) : log;
    if (Status status = restore(journal, chain, detector, retention, probe, board); !status) return status;
    if (Status status = await_settled(journal, chain, sink, instance.leadership, board, kSettle); !status)
      return status;
    if (Status status = restore(journal, chain, detector, retention, probe, board); !status) return status;
    instance.committed = cluster_.committed().size();
    if (!instance.world.fault) instance.world = world();  // of the group, settling may have taken a step back
    Accepted accepted;
    if (instance.world.is_accepted) accepted.moved_offsets = Accepted::MovedOffsets::kJournal;
    if (scenario_.planted == Planted::kPlanOff) instance.world.topic.bounds.clear();
    const Result<InputPlan> plan = plan_input(chain, std::span(&instance.world.topic, 1), accepted);
    if (!plan) return plan.error();
    if (!plan->accepted.empty()) {
      const Status status =
          journal_acceptance(*plan, sink, journal, chain,
                             {.detector_options = detector.options().text(), .read_back = milliseconds(1)});
      if (!status) return status;
    }

    std::stop_source stop;
    SimulatedSource source(instance, shape_.batch_max, stop);
    if (Status status = source.assign(plan->positions); !status) return status;
    SignerPool signers(shape_.threads, preset_, input_);
    Worker worker(
        {source, sink, journal, instance.leadership, signers, detector, retention, chain, probe, board},
        {.interval = milliseconds(0),
         .under_way_max = Worker::kIntakes,  // else the batches of a seed hang on how threads are scheduled
         .documents_max = shape_.batch_max,
         .batch = {},
         .read_back = milliseconds(1),
         .settle = kSettle},
        plan->topics, {7});
    if (Status status = worker.run(stop.get_token()); !status) return status;
    state_ = detector.state_digest();
    if (faults_.draw("stop", instance.life, 0).one_in(12) && faults_.strikes(Fault::kCrashAtStop))
      instance.die();
    return {};
  }

  static StoredJournal::Parts stored_parts(SeekableLog& log, JournalStore& store, const JournalChain& chain,
                                           Probe& probe, StateBoard& board) {
    return {.log = log, .store = store, .chain = chain, .probe = probe, .board = board};
  }
  StoredJournal::OpenLog open_log() {
    return [this] { return std::unique_ptr<SeekableLog>(std::make_unique<SimulatedLog>(cluster_)); };
  }
  StoredJournalOptions stored_options() const {
    return {.interval = std::chrono::hours(1), .retry = milliseconds(1)};
  }

  void judge() {
    const Findings findings = check_committed(cluster_, shape_.detector, shape_.retention.count_max);
    outcome_.verdicts = findings.verdicts;
    outcome_.committed = findings.committed;
    if (!findings.violation.empty()) wrong(findings.violation);
    if (!outcome_.violation.empty()) return;
    if (state_ != findings.state) wrong("the last life remembers something else than what was committed");
    check_restored(findings.state, false);
    check_restored(findings.state, true);
  }

  void check_restored(const Digest128& state, bool with_snapshot) {
    const std::string what = with_snapshot ? "snapshot and journal" : "the journal";
    Probe probe;
    StateBoard board;
    SimulatedLog log(cluster_);
    JournalChain chain;
    Detector detector(shape_.detector);
    Retention retention{shape_.retention};
    std::unique_ptr<JournalStore> store;
    std::optional<StoredJournal> stored;
    if (with_snapshot) {
      Result<std::unique_ptr<JournalStore>> opened = JournalStore::open(disks_[0].path(), "");
      if (!opened && opened.error().code == ErrorCode::kUnsupportedVersion) return;  // as above
      if (!opened) return wrong(what + ": " + opened.error().message);
      store = *std::move(opened);
      stored.emplace(stored_parts(log, *store, chain, probe, board), open_log(), stored_options());
    }
    JournalLog& journal = stored ? static_cast<JournalLog&>(*stored) : log;
    if (const Status status = restore(journal, chain, detector, retention, probe, board); !status)
      return wrong(what + " cannot be restored: " + status.error().message);
    if (detector.state_digest() != state) wrong(what + " restore another state than was committed");
  }

  const Scenario& scenario_;
  Faults faults_;
  const Shape shape_;
  const InputConfig input_;
  Preset preset_;
  Cluster cluster_;
  std::array<Disk, 2> disks_;
  Digest128 state_;  // of the last life that ended well
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Scenario& scenario) { return Run(scenario).work(); }

FaultSet shrink(Scenario scenario) {
  FaultSet needed;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (scenario.off[i]) continue;
    scenario.off[i] = true;
    if (!simulate(scenario).violation.empty()) continue;
    scenario.off[i] = false;
    needed[i] = true;
  }
  return needed;
}

}  // namespace neardup
