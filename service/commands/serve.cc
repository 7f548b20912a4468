#include "service/commands/serve.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/detector.h"
#include "service/choice.h"
#include "service/codec/preset.h"
#include "service/commands/exit_code.h"
#include "service/commands/streams.h"
#include "service/commands/watchdog.h"
#include "service/http/server.h"
#include "service/http/status.h"
#include "service/journal/chain.h"
#include "service/kafka/election.h"
#include "service/kafka/input.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/settings_watch.h"
#include "service/kafka/topic_watch.h"
#include "service/kafka/topics.h"
#include "service/kafka/writer.h"
#include "service/log.h"
#include "service/metrics/process.h"
#include "service/metrics/registry.h"
#include "service/pipeline/input_plan.h"
#include "service/pipeline/rebuilding.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/signer_settings.h"
#include "service/pipeline/worker.h"
#include "service/snapshot/stored_journal.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Turns the first SIGTERM, SIGINT, SIGQUIT or SIGHUP into a stop request and the second into an end at once;
// SIGUSR1 and SIGUSR2, which would end it without a word, into a line of the log. The signals are blocked for
// every thread, so that this thread alone takes them.
class SignalThread {
 public:
  explicit SignalThread(std::stop_source& stop) : stop_(stop) {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&signals_, signal);
    struct sigaction hangup{};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);  // nohup has it ignored
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { run(); });
  }
  ~SignalThread() {
    ending_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR2);  // wakes it
    thread_.join();
  }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  void run() {
    for (;;) {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (ending_) return;
      if (signal == SIGUSR1 || signal == SIGUSR2) {
        log_warning("signal {} means nothing here: going on. Settings are read at a start alone", signal);
        continue;
      }
      if (stop_.stop_requested()) _exit(128 + signal);
      stop_.request_stop();
      log_info("signal {}: finishing the batch in hand, then stopping; a second signal ends at once", signal);
    }
  }

  std::stop_source& stop_;
  sigset_t signals_{};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

// Sleeps, but not past a stop request.
void pause(const std::stop_token& stop, milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(50));
}

// Asks until Kafka answers; says so every ten seconds. `asks` is called before each time.
Result<std::map<std::string, TopicDescription>> reach_kafka(const KafkaConfig& config, bool fail_fast,
                                                            StateBoard& board, const std::stop_token& stop,
                                                            const std::function<void()>& asks) {
  LogLimiter limiter;
  for (;;) {
    asks();
    auto described = describe_topics(config, topic_names(config.topics), milliseconds(9000), stop);
    board.beat();
    if (described || described.error().code != ErrorCode::kUnavailable || fail_fast) return described;
    if (stop.stop_requested()) return Error{ErrorCode::kUnavailable, "asked to stop before Kafka answered"};
    const std::string& why = described.error().message;
    board.set(State::kStarting, "Kafka at " + config.brokers + ": " + why);
    limiter.log(LogLevel::kWarning, "", "Kafka at {}, trying again: {}", config.brokers, why);
    pause(stop, seconds(1));
  }
}

Uuid random_uuid() {
  std::random_device random;
  Uuid id{};
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(random());
  return id;
}

// What this instance knows of the journal, and the reader that goes on from there. As long as all of it came
// from the journal as read back it outlives a term: it is what every other instance knows.
struct Memory {
  Uuid topic{};  // id of the journal topic
  std::unique_ptr<KafkaLogReader> log;
  JournalChain chain;
  Detector detector;
  Retention retention;
  std::unique_ptr<StoredJournal> stored;  // `log` with a copy on the disk, if there is a folder for it

  JournalLog& journal() { return stored ? static_cast<JournalLog&>(*stored) : *log; }
};

// The last words, and the exit code.
int tell_end(const Status& status, const std::stop_token& stop) {
  if (status) {
    log_info("stopped");
    return kExitOk;
  }
  // Whatever was under way stays in doubt then: whoever writes next finds out, as after a crash.
  const ErrorCode code = status.error().code;
  if (stop.stop_requested() && (code == ErrorCode::kUnavailable || code == ErrorCode::kFenced)) {
    log_warning("stopped: {}", status.error().message);
    return kExitOk;
  }
  log_error("halted: {}", status.error().message);
  return exit_code(code);
}

// What a person can do about a topic that changed under us.
std::string choices_for(const std::string& topic, const KafkaTopics& topics,
                        const std::string& kafka_options) {
  if (topic == topics.journal)
    return ". It is the truth: bring it back, or begin anew with another journal and group "
           "(kafka.topics.journal, kafka.group)";
  if (std::find(topics.input.begin(), topics.input.end(), topic) != topics.input.end())
    return ". To read a topic made again from its beginning, what is remembered is kept: serve "
           "--accept-recreated-topic " +
           topic;
  return ". What nobody had read of it is gone; to go on, start again, and before that, if it is missing: `" +
         topics_command("create", kafka_options) + "`";
}

// What is behind `status`: records that are not where they should be may lie in another topic.
std::optional<TopicWatch::Contradiction> what_changed(TopicWatch& watch, const Status& status) {
  const bool missed = !status && status.error().code == ErrorCode::kContradiction;
  return missed ? watch.look_now() : watch.contradiction();
}

class Service {
 public:
  Service(const LoadedConfig& loaded, const ServeOptions& options, const Preset& preset,
          const SignerOptions& signing, const RetentionOptions& retention, JournalStore* snapshot,
          MetricsRegistry& metrics, StateBoard& board)
      : config_(loaded.config),
        kafka_options_(loaded.kafka_options),
        preset_(preset),
        signing_(signing),
        retention_(retention),
        fail_fast_(options.fail_fast),
        accepted_(options.accepted),
        snapshot_(snapshot),
        metrics_(metrics),
        board_(board) {}

  // Serves terms until asked to stop. Does not return if the snapshot's disk hangs.
  Status run(const std::stop_token& stop);

 private:
  using Topics = TopicWatch::Topics;
  using Growth = decltype(TopicWatch::Events::on_growth);

  Status serve_terms();
  Status serve_term(std::stop_source& term);
  void finish_snapshot(const Status& end);
  void drop_accepted(std::string_view why);
  Result<Topics> right_topics(const std::stop_token& stop);
  Result<Topics> topics_of_memory(const std::stop_token& stop);
  Status remember(const Uuid& journal);
  Status read_up(TopicWatch& watch, const std::stop_token& stop);
  Status stand_by(Election& election, TopicWatch& watch, const std::stop_token& stop);
  Status lead(const Election& election, std::stop_source& term);
  Status read_journal();
  Status read_settled(const Election& election, BatchSink& sink);
  Status read_rest(const Election& election, BatchSink& sink, std::stop_source& term);
  std::vector<InputTopic> input_topics(const Topics& topics);
  Result<InputPlan> plan(Topics& topics, const Election& election, KafkaWriter& writer,
                         std::stop_source& term);
  std::unique_ptr<TopicWatch> watch(Topics known, std::stop_source& term, Growth on_growth = {},
                                    std::function<void()> on_unchanged = {});
  Status changed(const TopicWatch::Contradiction& contradiction) const;

  const Config& config_;
  const std::string& kafka_options_;
  const Preset& preset_;
  const SignerOptions& signing_;
  const RetentionOptions retention_;
  bool fail_fast_;       // until Kafka was reached
  bool warned_ = false;  // of the topics; once is enough
  Accepted accepted_;    // until it was used, or there was no need of it
  JournalStore* const snapshot_;
  MetricsRegistry& metrics_;
  StateBoard& board_;
  std::stop_token stop_;
  // Ends this term's reading of the journal, and its writing: what they wait for may never come.
  std::stop_source reading_;
  std::unique_ptr<TopicLookup> lookup_;
  TopicWatch::Clock::time_point topics_asked_;  // the last time, for all of them
  // Of the snapshot's own reader: neither its beats nor its lag are the worker's.
  StateBoard catching_up_;
  ErrorsOnly catching_up_errors_{metrics_};
  std::optional<Memory> memory_;
  bool ahead_ = false;  // the memory may hold what the journal does not
};

// Asks for the topics until Kafka answers, refuses wrong ones, and warns of weak ones.
Result<Service::Topics> Service::right_topics(const std::stop_token& stop) {
  const auto asks = [this] {
    topics_asked_ = TopicWatch::Clock::now();
    lookup_->listen();  // the clients that outlive a term
    if (memory_) memory_->log->listen();
  };
  const auto ask = [&] {
    Result<Topics> described = reach_kafka(config_.kafka, fail_fast_, board_, stop, asks);
    if (described) fail_fast_ = false;
    return described;
  };
  Result<Topics> described = ask_until_right(config_.kafka.topics, ask, stop);
  if (!described) return described;
  const std::vector<TopicProblem> problems = check_topics(config_.kafka.topics, *described, kafka_options_);
  for (const TopicProblem& problem : problems)
    log_error("topic {}: {}; mend it: {}", problem.topic, problem.what, problem.mend);
  if (!problems.empty()) {
    return Error{ErrorCode::kInvalid, std::to_string(problems.size()) + " topic setting(s) are wrong; `" +
                                          topics_command("check", kafka_options_) + "` lists them"};
  }
  if (std::exchange(warned_, true)) return described;
  for (const TopicProblem& warning : warn_of_topics(config_.kafka.topics, *described, kafka_options_))
    log_warning("topic {}: {}; mend it: {}", warning.topic, warning.what, warning.mend);
  return described;
}

// The same, among them the journal whose records are known.
Result<Service::Topics> Service::topics_of_memory(const std::stop_token& stop) {
  Result<Topics> topics = right_topics(stop);
  const std::string& journal = config_.kafka.topics.journal;
  if (topics && topics->at(journal).id != memory_->topic)
    return changed({journal, "topic " + journal + " was deleted and made again"}).error();
  return topics;
}

// Keeps what is known if it is of this journal, and no more than it.
Status Service::remember(const Uuid& journal) {
  if (memory_ && memory_->topic == journal && !ahead_) return {};
  if (std::exchange(ahead_, false))
    log_warning("what was decided and is not in the journal is forgotten: all of the journal is read anew");
  finish_snapshot(Error{ErrorCode::kUnavailable, "the memory is to be read anew"});
  memory_.reset();
  Result<std::unique_ptr<KafkaLogReader>> log =
      KafkaLogReader::open(config_.kafka, config_.kafka.topics.journal, 0, metrics_, board_, stop_);
  if (!log) return log.error();
  DetectorOptions detector = resolve_detector_options(config_);
  detector.id_seed = secret_seed();
  memory_.emplace(Memory{.topic = journal,
                         .log = std::move(*log),
                         .chain = JournalChain(signing_.text()),
                         .detector = Detector(detector),
                         .retention = Retention(retention_),
                         .stored = nullptr});
  if (snapshot_ == nullptr) return {};
  const auto open_log = [this]() -> Result<std::unique_ptr<SeekableLog>> {
    auto own = KafkaLogReader::open(config_.kafka, config_.kafka.topics.journal, 0, catching_up_errors_,
                                    catching_up_, stop_);
    if (!own) return own.error();
    return std::unique_ptr<SeekableLog>(*std::move(own));
  };
  memory_->stored = std::make_unique<StoredJournal>(
      StoredJournal::Parts{*memory_->log, *snapshot_, memory_->chain, metrics_, board_}, open_log,
      StoredJournalOptions{.interval = milliseconds(config_.snapshot.interval_ms)});
  return {};
}

// Looks from `topics_asked_` on. A topic that changed ends the term, and the reading of a journal that may
// say nothing more.
std::unique_ptr<TopicWatch> Service::watch(Topics known, std::stop_source& term, Growth on_growth,
                                           std::function<void()> on_unchanged) {
  std::vector<std::string> names;
  for (const auto& [name, topic] : known) names.push_back(name);
  return std::make_unique<TopicWatch>(
      std::move(known), [this, names] { return lookup_->ask(names, milliseconds(2000)); },
      TopicWatch::Options{.interval = milliseconds(config_.kafka.metadata_interval_ms)},
      TopicWatch::Events{.on_growth = std::move(on_growth),
                         .on_contradiction =
                             [this, &term] {
                               reading_.request_stop();
                               term.request_stop();
                             },
                         .on_unchanged = std::move(on_unchanged)},
      topics_asked_);
}

Status Service::changed(const TopicWatch::Contradiction& contradiction) const {
  return Error{ErrorCode::kContradiction,
               contradiction.what + choices_for(contradiction.topic, config_.kafka.topics, kafka_options_)};
}

// Reads what the journal has by now.
Status Service::read_up(TopicWatch& watch, const std::stop_token& stop) {
  board_.set(State::kRestoring,
             snapshot_ == nullptr ? "reading the journal" : "reading snapshot and journal");
  const Status status =
      catch_up(memory_->journal(), memory_->chain, memory_->detector, memory_->retention, metrics_, board_,
               stop, remembering_threads(signing_threads(config_.pipeline)));
  if (const auto contradiction = what_changed(watch, status)) return changed(*contradiction);
  return status ? status : status.error().in("journal " + config_.kafka.topics.journal);
}

// Reads the journal as it is written, until elected or asked to stop.
Status Service::stand_by(Election& election, TopicWatch& watch, const std::stop_token& stop) {
  if (Status status = read_up(watch, stop); !status) return status;
  Status status;
  if (!stop.stop_requested()) {
    board_.set(State::kStandby, "waiting for the election");
    log_info("standby: following the writer, {} journal records so far", memory_->chain.next_number());
  }
  const std::uint64_t read = memory_->chain.next_number();
  while (status && !stop.stop_requested() && !election.wait_until_leader(stop, milliseconds(50))) {
    status = follow(memory_->journal(), memory_->chain, memory_->detector, memory_->retention,
                    milliseconds(1), metrics_, board_, stop);
    if (memory_->chain.next_number() > read) drop_accepted("another instance writes");
  }
  if (const auto contradiction = what_changed(watch, status)) return changed(*contradiction);
  return status ? status : status.error().in("journal " + config_.kafka.topics.journal);
}

// The input, its topics as they were at the last look.
std::vector<InputTopic> Service::input_topics(const Topics& topics) {
  std::vector<InputTopic> inputs;
  for (const std::string& name : config_.kafka.topics.input) {
    const TopicDescription& topic = topics.at(name);
    inputs.push_back({name, topic.id, topic.partitions});
    metrics_.partitions(name, topic.partitions);
  }
  return inputs;
}

// What a person has seen lost is accepted, not what will be lost by the next time that this instance leads.
void Service::drop_accepted(std::string_view why) {
  if (std::exchange(accepted_, {}) == Accepted{}) return;
  log_warning(
      "{}: there is nothing to accept, and this process will accept nothing; take the --accept options "
      "away, or the next start may",
      why);
}

// Where the input goes on; `topics` are as they were at the last look. What was accepted is in the journal
// when this returns.
Result<InputPlan> Service::plan(Topics& topics, const Election& election, KafkaWriter& writer,
                                std::stop_source& term) {
  const std::stop_token stop = term.get_token();
  // The end of the journal that was read may have been told by who leads it no more.
  const auto read_again = [&]() -> Status {
    if (Status status = read_rest(election, writer, term); !status) return status;
    Result<Topics> now = topics_of_memory(stop);
    if (!now) return now.error();
    topics = *std::move(now);
    return {};
  };
  bool is_read = true;
  const auto look = [&]() -> Result<std::vector<InputTopic>> {
    std::vector<InputTopic> inputs;
    const auto ask = [&]() -> Status {
      if (Status status = is_read ? Status() : read_again(); !status) return status;
      is_read = true;
      inputs = input_topics(topics);
      Status bounds = read_bounds(config_.kafka, inputs, milliseconds(9000), stop);
      is_read = bounds.ok();  // a topic may be gone since it was described
      return bounds;
    };
    const auto end = [&] { return writer.end_open_positions(covered_by(memory_->chain)); };
    if (Status status = await_positions(ask, end, board_, stop); !status) return status.error();
    is_read = false;
    return inputs;
  };
  Result<InputPlan> plan = plan_input(memory_->chain, look, accepted_, stop);
  if (!plan) return plan;
  if (plan->accepted.empty()) {
    drop_accepted("nothing contradicts");
    return plan;
  }
  for (const std::string& what : plan->accepted) log_warning("accepted: {}", what);
  const Status status =
      journal_acceptance(*plan, writer, memory_->journal(), memory_->chain,
                         {.journal = random_uuid(), .detector_options = memory_->detector.options().text()});
  if (!status) return status.error();
  log_warning("what was accepted is in the journal now: take the --accept options away");
  accepted_ = {};
  return plan;
}

// One term of office: checks the topics, stands by until elected, then works, until `term` is asked to stop.
// Error kFenced: another instance was elected, or may have been.
Status Service::serve_term(std::stop_source& term) {
  const std::stop_token stop = term.get_token();
  board_.set(State::kStarting, "reaching Kafka");
  const Result<Topics> topics = right_topics(stop);
  if (!topics) return topics.error();
  const std::string& journal = config_.kafka.topics.journal;
  if (Status status = remember(topics->at(journal).id); !status) return status;
  // A lost election does not end the reading: a standby reads the same, and what is in hand may still be
  // published by whoever is elected again.
  reading_ = std::stop_source();
  const std::stop_callback stopping(stop_, [this] { reading_.request_stop(); });
  memory_->log->stop_on(reading_.get_token());
  if (memory_->stored) memory_->stored->stop_on(reading_.get_token());

  auto watched = watch({{journal, topics->at(journal)}}, term);
  // Whoever comes back after a crash, before its session is over, may be elected as well as a standby that
  // has read all. If somebody is there, let it not lead before it knows as much. A group that does not
  // answer, or has nobody, is joined at once: the election then takes no time of its own.
  if (const Result<bool> members = has_members(config_.kafka, milliseconds(5000), stop);
      members && *members) {
    log_info("standby: somebody is in group {}: reading the journal before joining it", config_.kafka.group);
    if (Status status = read_up(*watched, stop); !status) return status;
  }
  if (stop.stop_requested()) return {};
  log_info("standby: joining group {}, whose leader is the writer", config_.kafka.group);
  const auto on_change = [this, &term](bool leads) {
    board_.set_role(leads ? Role::kWriter : Role::kStandby);
    if (!leads) term.request_stop();
  };
  Result<std::unique_ptr<Election>> election =
      Election::join(config_.kafka, metrics_, board_, on_change, stop);
  if (!election) return election.error();
  if (Status status = stand_by(**election, *watched, stop); !status) return status;
  watched.reset();
  if (stop_.stop_requested()) board_.set(State::kDraining, "leaving the election");
  if (stop.stop_requested()) return {};
  Status status = lead(**election, term);
  if (status && !(*election)->held()) return voted_out();
  return status;
}

Status Service::read_journal() {
  return restore(memory_->journal(), memory_->chain, memory_->detector, memory_->retention, metrics_, board_,
                 remembering_threads(signing_threads(config_.pipeline)));
}

// Twice: what can be read now tells what may be done about that which cannot.
Status Service::read_settled(const Election& election, BatchSink& sink) {
  Status status = read_journal();
  if (status) status = await_settled(memory_->journal(), memory_->chain, sink, election, board_);
  return status ? read_journal() : status;
}

// What the journal has gained since it was read. REQUIRES: every other writer is fenced.
Status Service::read_rest(const Election& election, BatchSink& sink, std::stop_source& term) {
  const std::string& journal = config_.kafka.topics.journal;
  const auto watched = watch({{journal, {.name = journal, .id = memory_->topic}}}, term);
  const Status status = read_settled(election, sink);
  if (const auto contradiction = what_changed(*watched, status)) return changed(*contradiction);
  return status ? status : status.error().in("journal " + journal);
}

// The elected one: reads the journal's rest and works.
Status Service::lead(const Election& election, std::stop_source& term) {
  const std::stop_token stop = term.get_token();
  const KafkaTopics& names = config_.kafka.topics;
  board_.set(State::kRestoring, "opening the transaction log");
  // Standing by may have taken months.
  Result<Topics> topics = topics_of_memory(stop);
  if (!topics) return topics.error();
  // A new producer first: it fences every older one and finishes its transaction, so the journal's end is its
  // end.
  KafkaWriter::PartitionCounts partitions{};
  std::ranges::transform(output_topic_names(names), partitions.begin(),
                         [&](const std::string& name) { return topics->at(name).partitions; });
  KafkaWriter writer(config_.kafka, partitions, election, metrics_, board_, reading_.get_token());
  if (Status status = writer.recycle(); !status) return status;
  board_.set(State::kRestoring, "reading the journal");
  const std::uint64_t followed = memory_->chain.next_number();
  if (Status status = read_rest(election, writer, term); !status) return status;
  const Detector& detector = memory_->detector;
  const std::uint64_t records = memory_->chain.next_number();
  log_info(
      "restored {} uniques from {} journal records, {} of them since the election; {} more are forgotten",
      detector.remembered(), records, records - followed, detector.size() - detector.remembered());
  const Result<InputPlan> plan = this->plan(*topics, election, writer, term);
  if (!plan) return plan.error();

  Result<std::unique_ptr<KafkaInput>> input = KafkaInput::open(config_.kafka, metrics_, stop);
  if (!input) return input.error();
  if (Status status = (*input)->assign(plan->positions); !status) return status;

  const auto on_growth = [&](const std::string& topic, std::int32_t before, std::int32_t now) {
    const auto known = std::find_if(plan->positions.begin(), plan->positions.end(),
                                    [&](const InputPosition& p) { return p.topic_name == topic; });
    if (known == plan->positions.end()) return;  // a verdict topic
    log_info("input topic {} has {} partitions now, it had {}: the new ones are read from their beginning",
             topic, now, before);
    std::vector<InputPosition> added;
    for (std::int32_t partition = before; partition < now; ++partition)
      added.push_back({.topic = known->topic, .topic_name = topic, .partition = partition});
    metrics_.partitions(topic, now);
    (*input)->add(std::move(added));
  };
  SettingsWatch settings(
      [this] { return lookup_->ask_with_settings(topic_names(config_.kafka.topics), milliseconds(1000)); },
      [this](const Topics& seen) { return check_topics(config_.kafka.topics, seen, kafka_options_); },
      metrics_, board_);
  const auto watched = watch(*topics, term, on_growth, [&settings] { settings.look(); });
  const WatchedLeadership leadership(election, *watched, board_, reading_.get_token());

  const auto record_bytes_max = [&](const std::string& topic) {
    return std::min(topics->at(topic).message_bytes_max(), KafkaWriter::kRecordBytesMax);
  };
  SignerPool signers(signing_threads(config_.pipeline), preset_, config_.input, signing_);
  Worker worker({.source = **input,
                 .sink = writer,
                 .log = memory_->journal(),
                 .leadership = leadership,
                 .signers = signers,
                 .detector = memory_->detector,
                 .retention = memory_->retention,
                 .chain = memory_->chain,
                 .probe = metrics_,
                 .board = board_},
                {.interval = milliseconds(config_.batch.interval_ms),
                 .documents_max = static_cast<std::size_t>(config_.batch.documents_max),
                 .bytes_max = config_.batch.bytes_max,
                 .batch = {.headers = choice<HeaderMode>(kHeaderModeNames, config_.output.headers),
                           .unique_holds = choice<UniqueHolds>(kUniqueHoldsNames, names.unique_holds),
                           .unique_bytes_max = record_bytes_max(names.unique),
                           .dead_letter_bytes_max = record_bytes_max(names.dead_letter)}},
                plan->topics, random_uuid());
  board_.set(State::kRunning);
  log_info("running: {} input partitions, {} uniques, {:.1f} MB", plan->positions.size(),
           memory_->detector.remembered(), static_cast<double>(memory_->detector.bytes()) / 1e6);
  Status status;
  {
    const std::stop_callback draining(
        stop, [this] { board_.set(State::kDraining, "finishing the batch in hand"); });
    ahead_ = true;
    status = worker.run(stop);
    ahead_ = !status;  // stopped in order, all that was decided was read back
  }
  if (const auto contradiction = what_changed(*watched, status)) return changed(*contradiction);
  return status;
}

// Everybody else waits for it no more: the group is left. A process whose disk hangs cannot end in order, for
// a thread of it does not. What is there for good stays, and the rest is in the journal topic.
void Service::finish_snapshot(const Status& end) {
  if (!memory_ || !memory_->stored || memory_->stored->finish()) return;
  log_warning(
      "snapshot {}: the disk does not answer: ending without it, the next start reads from Kafka what it "
      "lacks",
      snapshot_->folder());
  _exit(tell_end(end, stop_));
}

// An instance that loses an election stands by again, once what it had in hand is published or refused. It
// keeps what it knows only if all of it came from the journal or was read back from there: memory is a
// function of the journal, and nothing else can be right.
Status Service::serve_terms() {
  if (config_.index.memory_limit == 0 && retention_.bytes_max > 0) {
    log_info("index.memory_limit is not set: the index may take {:.0f} MB of what this process may have",
             static_cast<double>(retention_.bytes_max) / 1e6);
  }
  Result<std::unique_ptr<TopicLookup>> lookup = TopicLookup::open(config_.kafka, metrics_, stop_);
  if (!lookup) return lookup.error();
  lookup_ = std::move(*lookup);
  if (Status status = check_writer_properties(config_.kafka); !status) return status;
  for (;;) {
    std::stop_source term;
    const std::stop_callback stopping(stop_, [&term] { term.request_stop(); });
    Status status = serve_term(term);
    board_.set_role(Role::kStandby);  // it has left the election
    const bool lost = term.stop_requested() && (status || status.error().code == ErrorCode::kUnavailable);
    const bool was_voted_out = lost || (!status && status.error().code == ErrorCode::kFenced);
    if (!was_voted_out || stop_.stop_requested()) return status;
    log_warning("the election was lost, standing by again: {}",
                status ? "nothing is in hand" : status.error().message);
    pause(stop_, seconds(1));
  }
}

Status Service::run(const std::stop_token& stop) {
  stop_ = stop;
  const Status status = serve_terms();
  finish_snapshot(status);
  return status;
}

Status serve_with(const LoadedConfig& loaded, const ServeOptions& options, const RetentionOptions& retention,
                  const std::stop_token& stop, MetricsRegistry& metrics, StateBoard& board) {
  const Config& config = loaded.config;
  const Preset preset = resolve_preset(config.input);
  const Result<SignerOptions> signing = resolve_signer_options(config);
  if (!signing) return signing.error();
  if (const IdfTable* const idf = signing->features.idf.get(); idf != nullptr) {
    log_info("{} weighs {} features", config.fingerprint.idf_file, idf->size());
    if (const std::string remark = idf_remark(config, *signing); !remark.empty()) log_info("{}", remark);
  }
  std::unique_ptr<JournalStore> snapshot;
  if (!config.snapshot.directory.empty()) {
    board.set(State::kStarting, "opening snapshot " + config.snapshot.directory);
    Result<std::unique_ptr<JournalStore>> opened =
        open_store_if_disk_is_well(config.snapshot.directory, signing->text(), metrics, board);
    if (!opened) return opened.error();
    snapshot = *std::move(opened);
  }
  return Service(loaded, options, preset, *signing, retention, snapshot.get(), metrics, board).run(stop);
}

// All of its life, from the port on: when it returns, nothing of it is left.
Status serve(const LoadedConfig& loaded, const ServeOptions& options, const std::stop_token& stop) {
  const Config& config = loaded.config;
  StateBoard board;
  const auto memory = static_cast<std::uint64_t>(process_usage().memory_limit_bytes);
  const RetentionOptions retention = resolve_retention_options(config, memory);
  if (const std::uint64_t beside = bytes_beside_index(config); memory > 0 && beside > memory / 2) {
    log_warning(
        "batches, signing threads and the snapshot's queue may take {:.0f} MB of the {:.0f} MB that this "
        "process "
        "may have, and the kernel ends it past that; lower batch.bytes_max or pipeline.threads, or give it "
        "more",
        static_cast<double>(beside) / 1e6, static_cast<double>(memory) / 1e6);
  }
  MetricsRegistry metrics({.librdkafka_version = librdkafka_version(),
                           .configuration = print_config({.config = config, .origin = {}}),
                           .index_limit_bytes = retention.bytes_max,
                           .index_limit_policy = std::string(name(retention.at_bytes_max))},
                          board);
  std::unique_ptr<HttpServer> http;
  if (!config.http.address.empty()) {
    Result<std::unique_ptr<HttpServer>> started = HttpServer::start(
        config.http, board, [&metrics] { return metrics.exposition(); },
        [&board, &metrics] { return status_json(board, metrics.counts()); });
    if (!started) return started.error();
    http = std::move(*started);
    log_info("metrics and health at http://{}:{}/", config.http.address, http->port());
  }
  const Watchdog watchdog(board);
  return serve_with(loaded, options, retention, stop, metrics, board);
}

}  // namespace

int run_serve(const LoadedConfig& loaded, const ServeOptions& options) {
  end_by_read_errors(loaded.config.index.directory);
  ::signal(SIGPIPE, SIG_IGN);  // whoever read the log is gone: that is no reason to leave a batch in doubt
  std::stop_source stop;
  const SignalThread signals(stop);
  return tell_end(serve(loaded, options, stop.get_token()), stop.get_token());
}

}  // namespace neardup
