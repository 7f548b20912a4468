#include "service/commands/serve.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <thread>

#include "core/detector.h"
#include "service/codec/preset.h"
#include "service/commands/exit_code.h"
#include "service/http/server.h"
#include "service/http/status.h"
#include "service/journal/chain.h"
#include "service/kafka/election.h"
#include "service/kafka/input.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/topics.h"
#include "service/kafka/writer.h"
#include "service/log.h"
#include "service/metrics/registry.h"
#include "service/pipeline/recovery.h"
#include "service/pipeline/signer_settings.h"
#include "service/pipeline/worker.h"
#include "service/snapshot/stored_journal.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Turns the first SIGTERM or SIGINT into a stop request and the second into an end at once. The signals are
// blocked for every thread, so that this thread alone takes them.
class SignalThread {
 public:
  explicit SignalThread(std::stop_source& stop) : stop_(stop) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGUSR2);  // ends this thread
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { run(); });
  }
  ~SignalThread() {
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  void run() {
    for (;;) {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (signal == SIGUSR2) return;
      if (stop_.stop_requested()) _exit(128 + signal);
      log_info("signal {}: finishing the batch in hand, then stopping; a second signal ends at once", signal);
      stop_.request_stop();
    }
  }

  std::stop_source& stop_;
  sigset_t signals_{};
  std::thread thread_;
};

// Sleeps, but not past a stop request.
void pause(const std::stop_token& stop, milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(50));
}

// Asks until Kafka answers; says so every ten seconds.
Result<std::map<std::string, TopicDescription>> reach_kafka(const KafkaConfig& config, bool fail_fast,
                                                            StateBoard& board, const std::stop_token& stop) {
  for (;;) {
    auto described = describe_topics(config, topic_names(config.topics), milliseconds(9000));
    board.beat();
    if (described || described.error().code != ErrorCode::kUnavailable || fail_fast) return described;
    if (stop.stop_requested()) return Error{ErrorCode::kUnavailable, "asked to stop before Kafka answered"};
    log_warning("Kafka at {} does not answer, trying again: {}", config.brokers, described.error().message);
    board.set(State::kStarting, "Kafka at " + config.brokers + " does not answer");
    pause(stop, seconds(1));
  }
}

Uuid random_uuid() {
  std::random_device random;
  Uuid id{};
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(random());
  return id;
}

HeaderMode header_mode(const std::string& name) {
  return name == "none" ? HeaderMode::kNone : name == "full" ? HeaderMode::kFull : HeaderMode::kPacked;
}

// One term of office: checks the topics, waits to be elected, restores what the journal says and works, until
// `term` is asked to stop. Error kFenced: another instance was elected, or may have been.
Status serve_term(const Config& config, const Preset& preset, const SignerOptions& signing, bool fail_fast,
                  std::stop_source& term, JournalStore* snapshot, MetricsRegistry& metrics,
                  StateBoard& board) {
  const std::stop_token stop = term.get_token();
  board.set(State::kStarting, "reaching Kafka");
  const auto described = reach_kafka(config.kafka, fail_fast, board, stop);
  if (!described) return described.error();
  if (const std::vector<TopicProblem> problems = check_topics(config.kafka.topics, *described);
      !problems.empty()) {
    for (const TopicProblem& problem : problems) {
      log_error("topic {}: {}; mend it: {}", problem.topic, problem.what, problem.mend);
    }
    return Error{ErrorCode::kInvalid, std::to_string(problems.size()) +
                                          " topic setting(s) are wrong; `neardup topics check` lists them"};
  }
  std::vector<InputTopic> input_topics;
  for (const std::string& name : config.kafka.topics.input) {
    const TopicDescription& topic = described->at(name);
    input_topics.push_back({name, topic.id, topic.partitions});
    metrics.partitions(name, topic.partitions);
  }

  board.set(State::kStandby, "waiting for the election");
  log_info("standby: waiting to be elected the writer in group {}", config.kafka.group);
  Result<std::unique_ptr<Election>> election =
      Election::join(config.kafka, metrics, board, [&term] { term.request_stop(); });
  if (!election) return election.error();
  // The board's beat is the worker's; while we wait there is no worker to be stuck.
  while (!(*election)->wait_until_leader(stop, seconds(1))) {
    board.beat();
    if (stop.stop_requested()) return {};
  }

  // A new producer first: it fences every older one and finishes its transaction, so the journal's end is its
  // end.
  const KafkaWriter::PartitionCounts partitions = {described->at(config.kafka.topics.unique).partitions,
                                                   described->at(config.kafka.topics.duplicate).partitions,
                                                   described->at(config.kafka.topics.dead_letter).partitions};
  KafkaWriter writer(config.kafka, partitions, **election, metrics, board, stop);
  board.set(State::kRestoring, "opening the transaction log");
  if (Status status = writer.recycle(); !status) return status;

  Result<std::unique_ptr<KafkaLogReader>> log =
      KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, metrics, board, stop);
  if (!log) return log.error();
  JournalChain chain(signing.text());
  Detector detector(resolve_detector_options(config));
  Retention retention(resolve_retention_options(config));
  StateBoard catching_up;  // its beats are not the worker's
  std::optional<StoredJournal> stored;
  if (snapshot != nullptr) {
    const auto open_log = [&]() -> Result<std::unique_ptr<SeekableLog>> {
      auto own =
          KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, metrics, catching_up, stop);
      if (!own) return own.error();
      return std::unique_ptr<SeekableLog>(*std::move(own));
    };
    stored.emplace(StoredJournal::Parts{**log, *snapshot, chain, metrics, board}, open_log,
                   StoredJournalOptions{.interval = milliseconds(config.snapshot.interval_ms)});
  }
  JournalLog& journal = stored ? static_cast<JournalLog&>(*stored) : **log;
  board.set(State::kRestoring, stored ? "reading snapshot and journal" : "reading the journal");
  if (Status status = restore(journal, chain, detector, retention, metrics, board); !status) {
    return status.error().in("journal " + config.kafka.topics.journal);
  }
  const Result<InputPlan> plan = plan_input(chain, input_topics);
  if (!plan) return plan.error();
  log_info("restored {} uniques from {} journal records; {} more are forgotten",
           detector.size() - detector.oldest(), chain.next_number(), detector.oldest());

  Result<std::unique_ptr<KafkaInput>> input = KafkaInput::open(config.kafka, metrics);
  if (!input) return input.error();
  if (Status status = (*input)->assign(plan->positions); !status) return status;

  SignerPool signers(signing_threads(config.pipeline), preset, config.input, signing);
  Worker worker({.source = **input,
                 .sink = writer,
                 .log = journal,
                 .leadership = **election,
                 .signers = signers,
                 .detector = detector,
                 .retention = retention,
                 .chain = chain,
                 .probe = metrics,
                 .board = board},
                {.interval = milliseconds(config.batch.interval_ms),
                 .documents_max = static_cast<std::size_t>(config.batch.documents_max),
                 .bytes_max = config.batch.bytes_max,
                 .batch = {.headers = header_mode(config.output.headers),
                           .dead_letter_bytes_max =
                               described->at(config.kafka.topics.dead_letter).message_bytes_max()}},
                plan->topics, random_uuid());
  board.set(State::kRunning);
  log_info("running: {} input partitions, {} uniques, {:.1f} MB", plan->positions.size(),
           detector.size() - detector.oldest(), static_cast<double>(detector.bytes()) / 1e6);
  const std::stop_callback draining(stop,
                                    [&board] { board.set(State::kDraining, "finishing the batch in hand"); });
  Status status = worker.run(stop);
  if (status && !(*election)->held()) return Error{ErrorCode::kFenced, "this instance was voted out"};
  return status;
}

// Serves terms until asked to stop. An instance that loses an election (Kafka was away for longer than a
// session, say) forgets what it holds and stands by again: memory is a function of the journal, so nothing
// else can be right.
Status serve(const Config& config, const ServeOptions& options, const std::stop_token& stop,
             MetricsRegistry& metrics, StateBoard& board) {
  const Result<Preset> preset = resolve_preset(config.input);
  if (!preset) return preset.error();
  const Result<SignerOptions> signing = resolve_signer_options(config);
  if (!signing) return signing.error();
  if (const IdfTable* const idf = signing->features.idf.get(); idf != nullptr) {
    log_info("{} weighs {} features; {} lines are none", config.fingerprint.idf_file, idf->size(),
             idf->skipped());
  }
  std::unique_ptr<JournalStore> snapshot;
  if (!config.snapshot.directory.empty()) {
    signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write, not a death
    Result<std::unique_ptr<JournalStore>> opened =
        JournalStore::open(config.snapshot.directory, signing->text());
    if (!opened) return opened.error();
    snapshot = *std::move(opened);
  }
  for (bool first = true;; first = false) {
    std::stop_source term;
    const std::stop_callback stopping(stop, [&term] { term.request_stop(); });
    Status status = serve_term(config, *preset, *signing, options.fail_fast && first, term, snapshot.get(),
                               metrics, board);
    const bool voted_out = (!status && status.error().code == ErrorCode::kFenced) ||
                           (term.stop_requested() && !stop.stop_requested());
    if (!voted_out || stop.stop_requested()) return status;
    log_warning("the election was lost, standing by again: {}", status ? "" : status.error().message);
    pause(stop, seconds(1));
  }
}

}  // namespace

int run_serve(const LoadedConfig& loaded, const ServeOptions& options) {
  const Config& config = loaded.config;
  std::stop_source stop;
  const SignalThread signals(stop);
  StateBoard board;
  MetricsRegistry metrics({.librdkafka_version = librdkafka_version(),
                           .configuration = print_config({.config = config, .origin = {}})},
                          board);
  std::unique_ptr<HttpServer> http;
  if (!config.http.address.empty()) {
    Result<std::unique_ptr<HttpServer>> started = HttpServer::start(
        config.http, board, [&metrics] { return metrics.exposition(); },
        [&board, &metrics] { return status_json(board, metrics.counts()); });
    if (!started) {
      log_error("{}", started.error().message);
      return exit_code(started.error().code);
    }
    http = std::move(*started);
    log_info("metrics and health at http://{}:{}/", config.http.address, http->port());
  }
  const Status status = serve(config, options, stop.get_token(), metrics, board);
  if (status) {
    log_info("stopped");
    return kExitOk;
  }
  board.set(State::kHalted, status.error().message);
  log_error("halted: {}", status.error().message);
  return exit_code(status.error().code);
}

}  // namespace neardup
