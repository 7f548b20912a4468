#include "tests/chaos/round.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "service/commands/exit_code.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/topics.h"
#include "service/kafka/writer.h"
#include "tests/chaos/feeder.h"
#include "tests/chaos/instance.h"
#include "tests/chaos/small_disk.h"
#include "tests/integration/open_transaction.h"
#include "tests/integration/operator.h"
#include "tests/support/generated_crawl.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kDeadline{240000};  // for what must come; a loaded machine takes its time
constexpr milliseconds kPatience{15000};   // for what need not come
constexpr milliseconds kLookEvery{20};
constexpr int kSessionMs = 1500;
constexpr int kLongSessionMs = 12000;
constexpr int kDoubtMs = 2500;
constexpr int kShippedDoubtMs = 30000;
constexpr int kRequestMs = 3000;
constexpr int kScenesMax = 3;
constexpr std::size_t kAbortedRecords = 25;
constexpr int kQueryMs = 5000;
constexpr std::size_t kDocumentsMax = 40000;
constexpr std::uint64_t kProgress = 200;  // verdicts, so that one fault does not fall into the other

// What the service says of ends that Kafka lost.
constexpr std::string_view kInDoubt = "is in doubt, recycling the producer";
constexpr std::string_view kRecordHidden = "committed, but the journal record does not show";
constexpr std::string_view kVerdictsHidden = "verdicts that were committed cannot be seen yet";
constexpr std::string_view kAborted = "of which nobody saw anything: it is aborted";
constexpr std::string_view kCommitted = "of which some can be seen: it is committed";
constexpr std::string_view kMarkedAgain = "it is marked again";
constexpr std::string_view kGroupCommitted = "in the group's positions: it is committed there";
constexpr std::string_view kGroupAborted = "in the group's positions: it is aborted there";

// Something that must come did not.
struct Stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of every other seed pages come again and are deleted.
Config round_config(const ChaosKafka& kafka, const RoundPlan& plan) {
  const std::string& name = plan.name;
  Config config;
  config.kafka.brokers = kafka.servers();
  config.kafka.group = name;
  config.kafka.session_timeout_ms = kSessionMs;
  config.kafka.topics = {
      {name + ".pages"}, name + ".unique", name + ".duplicate", name + ".dead-letter", name + ".journal"};
  config.http.address = "";
  config.index.by_id = plan.seed % 2 == 1;
  config.batch.documents_max = 200;  // many transactions, so that a fault meets one
  config.snapshot.interval_ms = 200;
  return config;
}

// Where the group goes on, by partition of the input. Error kUnavailable: nobody knows, as nobody does before
// the end of a transaction is marked.
Result<std::map<std::int32_t, std::int64_t>> group_positions(const KafkaConfig& config,
                                                             std::int32_t partitions) {
  Probe probe;
  ClientListener listener("group", probe);
  const Result<RdKafka<rd_kafka_t>> client =
      make_client(RD_KAFKA_CONSUMER, config, consumer_properties(config.group), listener);
  if (!client) return client.error();
  const auto list = partition_list(partitions);
  for (std::int32_t partition = 0; partition < partitions; ++partition)
    rd_kafka_topic_partition_list_add(list.get(), config.topics.input.front().c_str(), partition);
  if (const rd_kafka_resp_err_t error = rd_kafka_committed(client->get(), list.get(), kQueryMs);
      error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return Error{ErrorCode::kUnavailable, describe(error)};
  std::map<std::int32_t, std::int64_t> positions;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& at = list->elems[i];
    if (at.err != RD_KAFKA_RESP_ERR_NO_ERROR) return Error{ErrorCode::kUnavailable, describe(at.err)};
    if (at.offset >= 0) positions[at.partition] = at.offset;  // negative: nowhere yet
  }
  return positions;
}

// What the instances say from now on.
class Said {
 public:
  explicit Said(const std::vector<Instance>& instances) : instances_(instances) {
    for (const Instance& instance : instances) before_[instance.log_path()] = instance.log().size();
  }

  bool operator()(std::string_view words) const {
    return std::ranges::any_of(instances_, [&](const Instance& instance) {
      const auto before = before_.find(instance.log_path());
      return instance.log().find(words, before == before_.end() ? 0 : before->second) != std::string::npos;
    });
  }

 private:
  const std::vector<Instance>& instances_;
  std::map<std::string, std::size_t> before_;  // by the log of a life; one that begins later has none
};

class Round {
 public:
  Round(ChaosKafka& kafka, const RoundPlan& plan)
      : kafka_(kafka), plan_(plan), random_(plan.seed), config_(round_config(kafka, plan)) {
    if (plan.has(ChaosFault::kDiskFull)) disk_.emplace(snapshot_folder());
    for (const char* who : {"a", "b"}) {
      Instance::Options options{.config = config_, .commit_ms = std::nullopt, .log_prefix = log_prefix(who)};
      options.config.kafka.brokers = kafka.proxied_servers();
      options.config.snapshot.directory = snapshot_folder() + "/" + who;
      if (plan.short_limits) {
        options.commit_ms = kDoubtMs;
        options.arguments.insert(options.arguments.end(),
                                 {"-X", "socket.timeout.ms=" + std::to_string(kRequestMs)});
      }
      instances_.emplace_back(std::move(options));
    }
  }

  RoundReport run() {
    const auto began = steady_clock::now();
    try {
      run_faults();
      finish();
      end_instances();
      if (report_.ok()) delete_topics();
    } catch (const std::exception& error) {
      report_.findings.violations.emplace_back(error.what());
    }
    clean_up();
    report_.seconds = std::chrono::duration<double>(steady_clock::now() - began).count();
    return std::move(report_);
  }

 private:
  std::string log_prefix(const std::string& who) const {
    return std::string(NEARDUP_CHAOS_LOGS) + "/" + plan_.name + "-" + who;
  }
  std::string snapshot_folder() const { return kafka_.folder() + "/snapshot-" + plan_.name; }

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  milliseconds up_to(std::uint64_t bound_ms) { return milliseconds(below(bound_ms)); }

  // ---- What a supervisor does ----

  void look() {
    for (Instance& instance : instances_) {
      if (const std::optional<int> code = instance.take_end()) {
        if (!instance.ended_well(*code))
          throw Stuck(fmt::format("an instance ended with {}: {}", *code, instance.log_path()));
        if (*code == kExitInternal && instance.hung())
          report_.notes.emplace_back("a call did not return: the watchdog ended an instance");
      }
      if (!instance.is_running() && !is_ending_) instance.start();
    }
  }

  bool wait_until(const std::function<bool()>& come, milliseconds time) {
    const auto deadline = steady_clock::now() + time;
    for (;;) {
      look();
      if (come()) return true;
      if (steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(kLookEvery);
    }
  }
  void must_come(const std::string& what, const std::function<bool()>& come) {
    if (!wait_until(come, kDeadline)) throw Stuck("waited in vain: " + what);
  }
  void pause(milliseconds time) {
    wait_until([] { return false; }, time);
  }

  Instance& leader() {
    Instance* leader = nullptr;
    must_come("a leader", [&] {
      for (Instance& instance : instances_)
        if (instance.leads()) leader = &instance;
      return leader != nullptr;
    });
    return *leader;
  }
  Instance& other(const Instance& instance) {
    return &instance == &instances_[0] ? instances_[1] : instances_[0];
  }
  void progress() {
    const std::uint64_t goal = live_->verdicts() + kProgress;
    must_come("verdicts", [&] { return live_->verdicts() >= goal; });
  }
  // It ends, and look() sees it.
  void end(Instance& instance, int signal) {
    const std::string before = instance.log_path();
    instance.signal(signal);
    must_come("the end of an instance",
              [&] { return !instance.is_running() || instance.log_path() != before; });
  }

  // ---- The faults ----

  void run_faults() {
    const KafkaTopics& topics = config_.kafka.topics;
    if (plan_.has_fragile_verdicts()) {
      for (const std::string& topic : {topics.unique, topics.duplicate, topics.dead_letter})
        kafka_.create_fragile_topic(topic, plan_.partitions, kafka_.nodes());
    }
    if (plan_.has_fragile_journal()) kafka_.create_fragile_topic(topics.journal, 1, kafka_.nodes());
    if (plan_.has_fragile_group()) kafka_.create_fragile_topic("__consumer_offsets", 4, kafka_.nodes());
    const auto made = create_topics(
        config_.kafka, {.partitions = plan_.partitions, .input = true, .alter = true}, seconds(60));
    if (!made) throw Stuck(made.error().message);
    live_.emplace(config_.kafka, partitions(false), config_.kafka.topics.journal);
    feeder_.emplace(config_,
                    generate_crawl({.documents = std::max(kDocumentsMax, plan_.documents_min),
                                    .families = kDocumentsMax / 4,
                                    .words = 60,
                                    .broken_share = .01,
                                    .pages = config_.index.by_id ? kDocumentsMax / 2 : 0,
                                    .deleted_share = config_.index.by_id ? .05 : 0},
                                   plan_.seed),
                    plan_.partitions, plan_.documents_min);
    for (Instance& instance : instances_) instance.start();
    progress();
    for (const ChaosFault fault : plan_.faults) {
      const bool struck = strike(fault);
      ++(struck ? report_.faults : report_.skipped)[static_cast<std::size_t>(fault)];
      kafka_.rules().clear();
      // Most faults find a service that works, some one that is still busy with the fault before.
      if (below(4) != 0) progress();
    }
  }

  bool strike(ChaosFault fault) {
    switch (fault) {
      case ChaosFault::kKill:
        return end_leader(SIGKILL);
      case ChaosFault::kKillBoth: {
        Instance& first = leader();
        pause(up_to(300));
        other(first).signal(SIGKILL);
        end(first, SIGKILL);
        return true;
      }
      case ChaosFault::kTerminate:
        return end_leader(SIGTERM);
      case ChaosFault::kKillAtPoint:
        return at_point(false);
      case ChaosFault::kTwoWriters:
        return at_point(true);
      case ChaosFault::kZombie: {
        Instance& zombie = leader();
        pause(up_to(200));
        zombie.signal(SIGSTOP);
        return outlive(zombie);
      }
      case ChaosFault::kBrokerKill:
      case ChaosFault::kBrokerTerminate:
      case ChaosFault::kBrokerStop:
        return hurt_broker(fault);
      case ChaosFault::kProxyCut:
        return disturb(ProxyRule::Act::kCut);
      case ChaosFault::kProxyDelay:
        return disturb(ProxyRule::Act::kDelay);
      case ChaosFault::kProxyDrop:
        return disturb(ProxyRule::Act::kDrop);
      case ChaosFault::kProxyCutAll:
        pause(up_to(300));
        return kafka_.cut_all() > 0;
      case ChaosFault::kCommitUnanswered:
        return doubt(ProxyRule::On::kAnswer);
      case ChaosFault::kCommitLate:
        return doubt(ProxyRule::On::kRequest);
      case ChaosFault::kDiskFull:
        return fill_disk();
      case ChaosFault::kAddressSpace:
        return starve();
      case ChaosFault::kMarkersLost:
      case ChaosFault::kMarkersLostInJournal:
      case ChaosFault::kMarkersLostInVerdicts:
        return lose_markers([&] { return lose_commit(fault); });
      case ChaosFault::kMarkersLostOfAbort:
        return lose_markers([&] { return lose_abort(); });
      case ChaosFault::kMarkersLostInGroup:
        return lose_markers([&] { return lose_in_group(Ending::kCommitted); }) &&
               lose_markers([&] { return lose_in_group(Ending::kAborted); });
    }
    return false;
  }

  bool end_leader(int signal) {
    Instance& instance = leader();
    pause(up_to(300));
    end(instance, signal);
    return true;
  }

  // An instance kills itself, or stops, at a point that is drawn.
  bool at_point(bool stops) {
    Arming arming;
    arming.stops = stops;
    const std::size_t points =
        stops ? static_cast<std::size_t>(FaultPoint::kReadBack) + 1 : kFaultPointNames.size();
    arming.point = static_cast<FaultPoint>(below(points));
    arming.passing = arming.point <= FaultPoint::kReadBack ? static_cast<int>(1 + below(6)) : 1;
    Instance& armed = pass(arming);
    return stops ? outlive(armed) : true;
  }

  // The end of the service's transaction is decided while the only broker of topics of it is away, and the
  // service ends it a second time.
  bool lose_markers(const std::function<bool()>& scene) {
    for (int i = 0; i < kScenesMax; ++i) {
      if (scene()) {
        // An aborted batch is sent again, and a committed one has a batch behind it: who dies before that
        // leaves topics, a journal and a group that are in step.
        end(leader(), SIGKILL);
        progress();
        return true;
      }
      progress();
    }
    report_.notes.push_back(fmt::format(
        "skipped: {} times no transaction got its end while the broker of its topics was away", kScenesMax));
    return false;
  }

  // An instance that stands still until a broker has ended, and is not to be voted out meanwhile.
  Instance& stop_before_commit() {
    return pass(
        {.point = FaultPoint::kBeforeCommit, .passing = 2, .stops = true, .session_ms = kLongSessionMs});
  }

  std::unique_ptr<KafkaLogReader> open_journal() {
    auto journal = KafkaLogReader::open(config_.kafka, config_.kafka.topics.journal, 0, probe_, board_, {});
    if (!journal) throw Stuck(journal.error().message);
    return *std::move(journal);
  }

  // Whether the commit was answered. Where the answer comes too late, the service is in a doubt of another
  // kind.
  bool lose_commit(ChaosFault fault) {
    const bool in_verdicts = fault == ChaosFault::kMarkersLostInVerdicts;
    const std::string_view hidden = in_verdicts ? kVerdictsHidden : kRecordHidden;
    Instance& armed = stop_before_commit();
    const std::string life = armed.log_path();
    const Said said(instances_);
    kafka_.terminate(kafka_.nodes());
    armed.signal(SIGCONT);
    must_come("a commit that does not show or is in doubt",
              [&] { return armed.log_path() != life || !armed.leads() || said(kInDoubt) || said(hidden); });
    const bool lost = armed.log_path() == life && said(hidden);
    kafka_.restart(kafka_.nodes());
    if (!lost) return false;
    must_come("a commit that is ended a second time", [&] {
      if (fault == ChaosFault::kMarkersLost) return said(kAborted);
      if (fault == ChaosFault::kMarkersLostInJournal) return said(kCommitted);
      // After a doubt, or an election, it is known by reading.
      return said(kMarkedAgain) || said(kCommitted);
    });
    return true;
  }

  // Whether the next writer aborted what a dead one left open after the broker had ended, and not before. The
  // journal tells: its own marker is written.
  bool lose_abort() {
    const auto journal = open_journal();
    const auto is_settled = [&] {
      const Result<bool> settled = journal->is_settled();
      return settled && *settled;
    };
    Instance& armed = stop_before_commit();
    const Said said(instances_);
    kafka_.terminate(kafka_.nodes());
    const bool lost = !is_settled();
    end(armed, SIGKILL);
    if (lost) must_come("the abort of what a dead instance left open", is_settled);
    kafka_.restart(kafka_.nodes());
    if (lost) must_come("an abort that is ended a second time", [&] { return said(kAborted); });
    return lost;
  }

  // Whether a transaction got such an end while the group's coordinator was away, and all but the group has
  // it. The next one must not come so far that its own end would end that; and another one is aborted behind
  // it, so that the journal's last record lies further back than its last offsets.
  bool lose_in_group(Ending ending) {
    const auto journal = open_journal();
    const auto ended = [&] {
      const Result<std::int64_t> end = journal->end();
      return end.ok() ? *end : 0;
    };
    Instance& armed = stop_before_commit();
    const std::string life = armed.log_path();
    const Said said(instances_);
    std::int64_t before = 0;
    must_come("the journal's end", [&] { return (before = ended()) > 0; });
    kafka_.terminate(kafka_.nodes());
    if (ending == Ending::kCommitted) {
      kafka_.rules().add({.api = KafkaApi::kAddOffsetsToTxn,
                          .on = ProxyRule::On::kRequest,
                          .act = ProxyRule::Act::kDrop,
                          .delay = {},
                          .times = 1000});
      armed.signal(SIGCONT);
      must_come("a commit that shows or is in doubt", [&] {
        return armed.log_path() != life || !armed.leads() || said(kInDoubt) || ended() > before;
      });
    }
    bool lost = ended() > before;
    end(armed, SIGKILL);
    kafka_.rules().clear();
    {
      OpenTransaction fencing(config_, writer_properties(config_.kafka), config_.kafka.topics.journal);
      if (ending == Ending::kAborted) lost = ended() > before;
      fencing.begin(std::vector<std::string_view>(kAbortedRecords, "record"));
    }
    kafka_.restart(kafka_.nodes());
    if (lost) {
      must_come("positions of the group that are ended a second time",
                [&] { return said(ending == Ending::kCommitted ? kGroupCommitted : kGroupAborted); });
    }
    return lost;
  }

  // One instance gets a life that ends, or stops, at a point, and then the office.
  Instance& pass(const Arming& arming) {
    Instance& armed = other(leader());
    is_ending_ = true;  // it shall not come back as it was
    end(armed, SIGTERM);
    // Segments are begun once in the life of a folder.
    if (arming.point == FaultPoint::kSegmentBegun)
      std::filesystem::remove_all(armed.config().snapshot.directory);
    is_ending_ = false;
    armed.start(arming);
    const std::string life = armed.log_path();
    const auto is_there = [&] { return armed.log_path() != life || armed.is_stopped(); };
    must_come("an armed instance that follows",
              [&] { return is_there() || armed.follows() || armed.leads(); });
    // A doubt of its own. Told before, the one that leads would not end for the doubt that it is in, be ended
    // by the second signal, and have the office again as it comes back.
    bool in_doubt = arming.point != FaultPoint::kDoubtSettled;
    auto told = steady_clock::time_point();
    must_come("the passing of " + std::string(kFaultPointNames[static_cast<std::size_t>(arming.point)]), [&] {
      if (is_there()) return true;
      if (!in_doubt && armed.leads()) {
        in_doubt = true;
        kafka_.rules().add({.api = KafkaApi::kEndTxn,
                            .on = ProxyRule::On::kRequest,
                            .act = ProxyRule::Act::kDrop,
                            .delay = {},
                            .times = 20});
      }
      if (other(armed).leads() && steady_clock::now() - told > seconds(4)) {
        other(armed).signal(SIGTERM);
        told = steady_clock::now();
      }
      return false;
    });
    kafka_.rules().clear();
    ++report_.points[static_cast<std::size_t>(arming.point)];
    return armed;
  }

  // The other one takes over and publishes; then `zombie` goes on, and must not get a record through.
  bool outlive(Instance& zombie) {
    must_come("another leader", [&] { return other(zombie).leads(); });
    progress();
    const std::string life = zombie.log_path();
    zombie.signal(SIGCONT);
    must_come("a zombie that sees what it is", [&] { return zombie.log_path() != life || !zombie.leads(); });
    return true;
  }

  bool hurt_broker(ChaosFault fault) {
    const int node = static_cast<int>(1 + below(static_cast<std::uint64_t>(kafka_.nodes())));
    pause(up_to(300));
    if (fault == ChaosFault::kBrokerStop) {
      kafka_.stop(node);
      pause(milliseconds(500) + up_to(4500));
      kafka_.go_on(node);
      return true;
    }
    if (fault == ChaosFault::kBrokerKill) {
      kafka_.kill(node);
    } else {
      kafka_.terminate(node);
    }
    pause(up_to(1500));
    kafka_.restart(node);
    return true;
  }

  bool struck_since(std::uint64_t before) {
    return wait_until([&] { return kafka_.rules().struck() > before; }, kPatience);
  }

  bool disturb(ProxyRule::Act act) {
    static constexpr std::array kApis = {
        KafkaApi::kProduce,         KafkaApi::kFetch,          KafkaApi::kListOffsets,
        KafkaApi::kHeartbeat,       KafkaApi::kInitProducerId, KafkaApi::kAddPartitionsToTxn,
        KafkaApi::kAddOffsetsToTxn, KafkaApi::kEndTxn,         KafkaApi::kTxnOffsetCommit,
        KafkaApi::kFindCoordinator, KafkaApi::kJoinGroup,      KafkaApi::kSyncGroup};
    ProxyRule rule;
    rule.api = kApis[below(kApis.size())];
    rule.on = below(2) == 0 ? ProxyRule::On::kRequest : ProxyRule::On::kAnswer;
    rule.act = act;
    rule.delay = milliseconds(50) + up_to(4000);
    rule.times = static_cast<int>(1 + below(3));
    const std::uint64_t before = kafka_.rules().struck();
    kafka_.rules().add(rule);
    // Some requests are made by who begins.
    if (rule.api == KafkaApi::kListOffsets || rule.api == KafkaApi::kInitProducerId ||
        rule.api == KafkaApi::kJoinGroup || rule.api == KafkaApi::kSyncGroup ||
        rule.api == KafkaApi::kFindCoordinator)
      end_leader(SIGTERM);
    if (struck_since(before)) return true;
    report_.notes.push_back(fmt::format("skipped: there was no {} of {} to strike",
                                        rule.on == ProxyRule::On::kRequest ? "request" : "answer",
                                        name(rule.api)));
    return false;
  }

  // A commit without an answer, for longer than a commit may take.
  bool doubt(ProxyRule::On on) {
    leader();
    const int limit = plan_.short_limits ? kDoubtMs : kShippedDoubtMs;
    const std::uint64_t before = kafka_.rules().struck();
    kafka_.rules().add({.api = KafkaApi::kEndTxn,
                        .on = on,
                        .act = ProxyRule::Act::kDelay,
                        .delay = milliseconds(limit + 2000),
                        .times = 1});
    must_come("a commit to disturb", [&] { return kafka_.rules().struck() > before; });
    progress();
    return true;
  }

  bool fill_disk() {
    if (!disk_->is_mounted()) {
      report_.can_mount = false;
      report_.notes.emplace_back("skipped: snapshot disk full, mounting a small disk is not permitted here");
      return false;
    }
    const Said said(instances_);  // the disk may have been full in this life before
    disk_->fill();
    progress();
    const bool noticed = wait_until([&] { return said("No space left"); }, kPatience);
    disk_->give_back();
    if (!noticed) report_.notes.emplace_back("skipped: nobody noticed that the snapshot disk was full");
    return noticed;
  }

  bool starve() {
    Instance& instance = leader();
    const std::string life = instance.log_path();
    if (!instance.limit_address_space(below(4) << 20)) {
      report_.notes.emplace_back("skipped: the address space of an instance could not be limited");
      return false;
    }
    feeder_->send_large();
    if (wait_until([&] { return instance.log_path() != life; }, milliseconds(5000))) return true;
    instance.unlimit_address_space();
    report_.notes.emplace_back("skipped: an instance lived on in the address space it had");
    return false;
  }

  // ---- The end ----

  std::vector<CommittedReader::Partition> partitions(bool input) const {
    const KafkaTopics& topics = config_.kafka.topics;
    std::vector<CommittedReader::Partition> all = {{topics.journal, 0}};
    for (std::int32_t partition = 0; partition < plan_.partitions; ++partition) {
      for (const std::string& topic : {topics.unique, topics.duplicate, topics.dead_letter})
        all.emplace_back(topic, partition);
      if (input) all.emplace_back(topics.input.front(), partition);
    }
    return all;
  }

  // How many records there are. What the brokers' deaths did to the feeder is not what is tried here: records
  // that it did not get through are no input.
  std::size_t end_input() {
    if (const Status status = feeder_->finish(); !status) {
      report_.notes.push_back("the feeder gave up: " + status.error().message);
      pause(seconds(1));  // a request that was on its way has arrived
    }
    std::int64_t records = 0;
    for (std::int32_t partition = 0; partition < plan_.partitions; ++partition) {
      StateBoard board;
      Probe probe;
      auto log = KafkaLogReader::open(config_.kafka, config_.kafka.topics.input.front(), partition, probe,
                                      board, {});
      if (!log) throw Stuck(log.error().message);
      const Result<std::int64_t> end = (*log)->end();
      if (!end) throw Stuck(end.error().message);
      records += *end;
    }
    return static_cast<std::size_t>(records);
  }

  void finish() {
    const std::size_t sent = end_input();
    must_come("a verdict for each record", [&] { return live_->verdicts() >= sent; });
    is_ending_ = true;
    for (Instance& instance : instances_) instance.signal(SIGTERM);
    must_come("a stop in order", [&] {
      return std::ranges::none_of(instances_, [](const Instance& instance) { return instance.is_running(); });
    });
    CommittedReader late(config_.kafka, partitions(true), config_.kafka.topics.journal);
    if (!late.wait_for_end(kDeadline) || !live_->wait_for_end(kDeadline))
      throw Stuck("the readers got stuck");
    const CommittedReader::Content content = late.take();
    ChaosFindings findings =
        check_chaos(config_.kafka.topics, content, live_->take(), {.by_id = config_.index.by_id});
    if (findings.violations.empty()) check_group(findings);
    for (const Instance& instance : instances_) {
      const std::string wrong =
          check_snapshot(instance.config().snapshot.directory, content.at({config_.kafka.topics.journal, 0}));
      if (!wrong.empty()) findings.violations.push_back("the snapshot " + wrong);
    }
    for (const std::string& before : report_.findings.violations)
      findings.violations.insert(findings.violations.begin(), before);
    std::size_t read = 0;
    for (const auto& [partition, records] : content)
      if (partition.first == config_.kafka.topics.input.front()) read += records.size();
    if (read != sent) findings.violations.push_back(fmt::format("{} records sent, {} there", sent, read));
    report_.findings = std::move(findings);
  }

  // Journal and group tell the same positions. Kafka may have lost the group's last marker, with the broker
  // of the round's last fault (service/DESIGN.md, Limits of the guarantee): then nothing can be compared.
  // Where no broker is hurt that is no excuse.
  void check_group(ChaosFindings& findings) {
    Result<std::map<std::int32_t, std::int64_t>> group = Error{};
    const bool same = wait_until(
        [&] {
          group = group_positions(config_.kafka, plan_.partitions);
          return group && *group == findings.positions;
        },
        plan_.hurts_brokers() ? kPatience : kDeadline);
    if (same) return;
    if (!group) {
      const std::string untold = "the group's positions cannot be told: " + group.error().message;
      (plan_.hurts_brokers() ? report_.notes : findings.violations).push_back(untold);
      return;
    }
    std::string found;
    for (const auto& [partition, next] : *group) found += fmt::format(" {} of partition {}", next, partition);
    findings.violations.push_back("the group is not where the journal goes on, but at" + found);
  }

  void end_instances() {
    is_ending_ = true;
    for (Instance& instance : instances_) {
      instance.signal(SIGKILL);
      while (instance.is_running() && !instance.take_end()) std::this_thread::sleep_for(kLookEvery);
      report_.kills += instance.kills();
      report_.recycles_found += instance.recycles_found();
      report_.recycles_resent += instance.recycles_resent();
    }
    instances_.clear();
  }

  void delete_topics() {
    const KafkaTopics& topics = config_.kafka.topics;
    for (const std::string& topic :
         {topics.input.front(), topics.unique, topics.duplicate, topics.dead_letter, topics.journal})
      delete_topic(config_, topic);
  }

  // Of a round that failed the topics and the logs stay, the brokers' too, for who looks for the reason.
  void clean_up() {
    kafka_.rules().clear();
    end_instances();
    feeder_.reset();
    live_.reset();
    disk_.reset();
    std::filesystem::remove_all(snapshot_folder());
    if (!report_.ok()) {
      for (int node = 1; node <= kafka_.nodes(); ++node) {
        const std::string name = "node" + std::to_string(node) + ".log";
        std::error_code ignored;
        std::filesystem::copy_file(kafka_.folder() + "/" + name, log_prefix("kafka-" + name), ignored);
      }
      return;
    }
    for (const auto& file : std::filesystem::directory_iterator(NEARDUP_CHAOS_LOGS))
      if (file.path().filename().string().starts_with(plan_.name + "-")) std::filesystem::remove(file);
  }

  ChaosKafka& kafka_;
  const RoundPlan& plan_;
  std::mt19937_64 random_;
  Config config_;
  Probe probe_;
  StateBoard board_;
  std::optional<SmallDisk> disk_;
  std::vector<Instance> instances_;
  std::optional<CommittedReader> live_;
  std::optional<Feeder> feeder_;
  bool is_ending_ = false;
  RoundReport report_;
};

}  // namespace

DrawnRound draw_round(std::uint64_t seed) {
  constexpr auto kDrawn = static_cast<std::size_t>(ChaosFault::kMarkersLost);
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15 + 1);
  DrawnRound drawn;
  drawn.nodes = random() % 5 == 0 ? 3 : 1;
  drawn.plan.seed = seed;
  drawn.plan.partitions = static_cast<std::int32_t>(1 + random() % 4);
  drawn.plan.documents_min = 6000;
  drawn.plan.short_limits = random() % 8 != 0;
  drawn.plan.faults = {ChaosFault::kKill};
  const std::size_t more = 2 + random() % 4;
  for (std::size_t i = 0; i < more; ++i)
    drawn.plan.faults.push_back(static_cast<ChaosFault>(random() % kDrawn));
  std::ranges::shuffle(drawn.plan.faults, random);
  if (drawn.nodes == 3 && random() % 2 == 0) {
    const std::size_t kinds = kChaosFaultNames.size() - kDrawn;
    drawn.plan.faults.push_back(static_cast<ChaosFault>(kDrawn + random() % kinds));
  }
  // A broker that goes at another time may lose such an end, too, and what follows then is a person's.
  if (drawn.plan.has_fragile_group()) {
    std::erase_if(drawn.plan.faults, [](ChaosFault fault) {
      return fault == ChaosFault::kBrokerKill || fault == ChaosFault::kBrokerTerminate;
    });
  }
  return drawn;
}

RoundReport run_round(ChaosKafka& kafka, const RoundPlan& plan) {
  std::filesystem::create_directories(NEARDUP_CHAOS_LOGS);
  return Round(kafka, plan).run();
}

}  // namespace neardup
