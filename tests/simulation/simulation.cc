#include "tests/simulation/simulation.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/detector.h"
#include "service/codec/preset.h"
#include "service/log.h"
#include "service/pipeline/input_plan.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/worker.h"
#include "service/snapshot/stored_journal.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/cluster.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/instance.h"
#include "tests/simulation/oracle.h"
#include "tests/support/generated_crawl.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;

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

constexpr SettleOptions kSettle = {.again = milliseconds(1), .looks = 2};

struct Settled {
  const SimulatedInstance& instance;
  ~Settled() { instance.settle(); }
};

// Counts how doubts end.
struct CountingProbe final : Probe {
  explicit CountingProbe(SimulatedInstance& of) : instance(of) {}
  void recycled(RecycleOutcome outcome, double) override {
    if (outcome == RecycleOutcome::kResent) ++instance.resent;
    if (outcome == RecycleOutcome::kFoundCommitted) ++instance.found;
  }
  SimulatedInstance& instance;
};

// With which a start goes on.
std::uint64_t stored_records(const std::string& folder) {
  Result<StoredRecords> records = StoredRecords::open(folder);
  if (!records) return 0;
  while (records->records() < records->manifest().records && records->next()) {
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
    Draw draw = faults_.draw("partitions", 0, 0);
    const std::size_t first = 1 + draw.below(shape_.partitions);
    if (first < shape_.partitions && faults_.strikes(Fault::kInputGrows)) cluster_.begin_with(first);
  }
  ~Run() { std::filesystem::remove_all(scenario_.folder); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Outcome work() {
    // Those of other instances, which live while one of ours stands still, are counted as well.
    constexpr std::uint64_t kFaultyLives = 12;
    constexpr int kCalmLives = 4;  // behind them
    bool ended = false;
    for (int calm = 0; !ended && outcome_.violation.empty() && calm < kCalmLives;) {
      if (outcome_.lives >= kFaultyLives) {
        faults_.end();
        ++calm;
      }
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
    SimulatedInstance instance = {.faults = faults_,
                                  .cluster = cluster_,
                                  .disk = disk,
                                  .planted = scenario_.planted,
                                  .fault_share = shape_.fault_share,
                                  .life = ++terms_,
                                  .may_stand_still = place == 0,
                                  .other_lives = [this] { (void)live(1); }};
    instance.snapshot =
        !(faults_.draw("snapshot", instance.life, 0).one_in(10) && faults_.strikes(Fault::kSnapshotOff));
    std::optional<Status> status;  // nothing: it crashed
    try {
      status = serve(instance);
    } catch (const Crash&) {
      status.reset();
    }
    if (!instance.violation.empty()) wrong(instance.violation);
    if (status && !*status) check_end(instance, status->error());
    check_halted(instance, status && *status);
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
  SimulatedWorld world() const {
    SimulatedWorld world;
    const std::size_t partitions = cluster_.partitions();
    world.topic = {Cluster::kTopic, {1}, static_cast<std::int32_t>(partitions)};
    for (std::size_t i = 0; i < partitions; ++i)
      world.topic.bounds.push_back({.begin = 0,
                                    .end = static_cast<std::int64_t>(cluster_.input()[i].size()),
                                    .committed = cluster_.group_offset(static_cast<std::int32_t>(i))});
    return world;
  }

  // The cluster as it is, or as somebody left it.
  SimulatedWorld world_of(std::uint64_t life) {
    const SimulatedWorld world = this->world();
    Draw draw = faults_.draw("world", life, 0);
    if (!draw.one_in(8)) return world;
    const Fault fault = kMeddlings[draw.below(kMeddlings.size())];
    SimulatedWorld other = world;
    if (!meddle(fault, draw, other) || !faults_.strikes(fault)) return world;
    other.fault = fault;
    return other;
  }

  // False: there is nothing yet to lay hands on.
  bool meddle(Fault fault, Draw& draw, SimulatedWorld& world) const {
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
  bool cut_journal(Draw& draw, SimulatedWorld& world) const {
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

  // Whether a service may end so; counts how.
  void check_end(const SimulatedInstance& instance, const Error& error) {
    const bool allowed =
        error.code == ErrorCode::kUnavailable ||
        (instance.world.fault && !instance.world.is_accepted && error.code == ErrorCode::kContradiction) ||
        (instance.outlived && error.code == ErrorCode::kFenced);
    if (!allowed) return wrong("stopped: " + error.message);
    if (error.code == ErrorCode::kUnavailable) ++outcome_.unavailable;
    if (error.code == ErrorCode::kFenced) ++outcome_.fenced;
    if (error.code == ErrorCode::kContradiction)
      ++outcome_.halts[static_cast<std::size_t>(*instance.world.fault)];
  }

  // Who finds a cluster that somebody laid hands on publishes nothing, and does not end well.
  void check_halted(const SimulatedInstance& instance, bool ended_well) {
    if (!instance.world.fault || instance.world.is_accepted || !instance.committed) return;
    if (cluster_.committed().size() == *instance.committed && !ended_well) return;
    wrong(std::string("went on over a cluster where somebody laid hands on: ") +
          std::string(name(*instance.world.fault)));
  }

  // What an instance keeps from term to term: as Memory of service/commands/serve.cc.
  struct Memory {
    Memory(SimulatedInstance& instance, const Shape& shape, const RetentionOptions& served)
        : log(instance), detector(shape.detector), retention(served) {}
    JournalLog& journal() { return stored ? static_cast<JournalLog&>(*stored) : log; }

    SimulatedLog log;
    Detector detector;
    Retention retention;
    std::optional<StoredJournal> stored;
  };

  // As serve_terms of service/commands/serve.cc.
  Status serve(SimulatedInstance& instance) {
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
    CountingProbe probe(instance);
    StateBoard board;
    Memory memory(instance, shape_, retention_served());
    if (store) {
      memory.stored.emplace(stored_parts(memory.log, *store, instance.chain, probe, board), open_log(),
                            stored_options());
    }
    const Settled before_it_ends{instance};
    if (instance.may_stand_still && faults_.draw("stands by", instance.life, 0).one_in(8) &&
        faults_.strikes(Fault::kStandsBy)) {
      if (Status status = stand_by(instance, memory, probe, board); !status) return status;
    }
    for (bool again = false;; again = true, instance.life = ++terms_) {
      instance.begin_term();
      instance.world = world_of(instance.life);
      const bool reads = !again || scenario_.planted != Planted::kReadingOff;
      const Status status = lead(instance, memory, reads, probe, board);
      memory.log.lead_with(nullptr);
      if (!status || !instance.is_at_rest) return status;
      check_halted(instance, true);
      if (instance.may_stand_still && faults_.draw("elects", instance.life, 0).one_in(2)) {
        if (Status standing = stand_by(instance, memory, probe, board); !standing) return standing;
      }
    }
  }

  // As the function of this name there: what another instance does meanwhile, it does from start to end.
  Status stand_by(SimulatedInstance& instance, Memory& memory, Probe& probe, StateBoard& board) {
    JournalLog& journal = memory.journal();
    Status status = catch_up(journal, instance.chain, memory.detector, memory.retention, probe, board, {});
    if (!status) return status;
    instance.other_lives();
    if (faults_.draw("follows", instance.life, 0).one_in(3)) return {};  // it is elected before
    return follow(journal, instance.chain, memory.detector, memory.retention, milliseconds(1), probe, board);
  }

  // As serve_term there, from the election on.
  Status lead(SimulatedInstance& instance, Memory& memory, bool reads, Probe& probe, StateBoard& board) {
    SimulatedSink sink(instance);
    if (Status status = sink.recycle(); !status) return status;
    memory.log.lead_with(&sink);

    JournalLog& journal = memory.journal();
    JournalChain& chain = instance.chain;
    Detector& detector = memory.detector;
    Retention& retention = memory.retention;
    if (reads) {
      Status status = restore(journal, chain, detector, retention, probe, board);
      if (status) status = await_settled(journal, chain, sink, instance.leadership, board, kSettle);
      if (status) status = restore(journal, chain, detector, retention, probe, board);
      if (!status) return status;
    }
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
    instance.stop = [&] {
      source.come_to_rest();
      stop.request_stop();
    };
    if (Status status = source.assign(plan->positions); !status) return status;
    if (scenario_.planted == Planted::kReleasedEarly) {
      instance.before_commit = [&, first = chain.next_number()] {
        source.write_over(static_cast<std::size_t>(chain.next_number() - first));
      };
    }
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
    if (instance.leadership.election() > 1) ++outcome_.elected_again;
    state_ = detector.state_digest();
    if (instance.is_at_rest) return {};
    if (faults_.draw("stop", instance.life, 0).one_in(12) && faults_.strikes(Fault::kCrashAtStop))
      instance.die();
    return {};
  }

  RetentionOptions retention_served() const {
    RetentionOptions options = shape_.retention;
    if (scenario_.planted == Planted::kForgotten) options.count_max = 3;
    if (scenario_.planted == Planted::kAgeOff) options.age_max_ms = 0;
    return options;
  }

  static StoredJournal::Parts stored_parts(SeekableLog& log, JournalStore& store, const JournalChain& chain,
                                           Probe& probe, StateBoard& board) {
    return {.log = log, .store = store, .chain = chain, .probe = probe, .board = board};
  }
  StoredJournal::OpenLog open_log() {
    return [this] { return std::unique_ptr<SeekableLog>(std::make_unique<SimulatedLog>(cluster_)); };
  }
  StoredJournalOptions stored_options() const {
    // The cluster tells no end that was.
    return {.interval = std::chrono::hours(1),
            .retry = milliseconds(1),
            .promise = std::chrono::hours(1),
            .stale_end_max = milliseconds(0)};
  }

  void judge() {
    if (!cluster_.is_settled() || !cluster_.is_shown()) wrong("nobody can read what was written last");
    const Findings findings = check_committed(cluster_, shape_.detector, shape_.retention);
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
  const Preset preset_ = resolve_preset(input_);
  Cluster cluster_;
  std::array<Disk, 2> disks_;
  std::uint64_t terms_ = 0;  // of all lives
  Digest128 state_;          // of the last life that ended well
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
