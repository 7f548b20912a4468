// How much of what Kafka gives does `neardup serve` use?
//
//   serve_bench         pages of 1 KiB and of 4 KiB, nine runs each; the figures go to
//                       build/bench/serve.json as well
//   serve_bench share   the share of the loop alone, five runs each; nothing written
//   serve_bench absence restart and takeover alone; nothing written
//   serve_bench tiny    a few thousand pages, once; nothing written
//
// Side by side on one broker of their own and the same records: `serve`, and a plain librdkafka loop with the
// same transactions, as many bytes out, and no work (raw_loop.h). Runs alternate, and each share is of a
// pair, so that a slow moment of the machine hits both; what hit one alone is not in the median of the pairs.
// What counts:
//
//   time    from "running", when the clients are ready, until the positions committed in the group cover all
//           input
//   CPU     of the whole child process, user and system, from its start to its end; beside it that of the
//           loop and of `neardup scan`, which signs and decides the same pages without Kafka: what serve
//           takes beyond their sum is the price of exactly once
//   faults  of memory pages, a document: few, as long as a batch gets the memory that those before it left
//   bound   the share of a loop that did scan's work as well and nothing else, on these cores, with the
//           broker on them: what all cores do for a page of the loop, and scan's part on top
//   latency at half of the documents/s of serve, sent at an even pace: from the moment when Kafka appends a
//           page, by its own stamp, until a consumer of committed records has the verdict. Sending and
//           reading take from serve what the machine has: so pages are packed before (packed_pages.h), and
//           one partition of each topic is read, a sample of one in eight. Beside it what it may be: two
//           intervals of a batch and the p99 of the same run's commits, as the service's own histogram has it
//
//   restart and takeover (serve_absence.h): for how long nobody decides, with ten million uniques to
//           remember, and when a leader goes that another instance waits for. restart_s is of a snapshot that
//           is in the page cache, as after a stop on the same machine; restart_cold_s reads it from the disk
//
// A run's topics are deleted behind it, and memory is warm before the first (warm_memory.h): else it is the
// host of a virtual machine that is measured, which takes longer to give a page than anyone here to fill it.
//
// After every run the committed records must be as many as the input's, and the journal of serve must cover
// each offset once. The order in which partitions are read is Kafka's, and with it which page of two is the
// first; so the digest of the answers is `neardup scan`'s of the same pages in file order.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "service/clock.h"
#include "service/journal/record.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/topics.h"
#include "service/log.h"
#include "service/metrics/state.h"
#include "tests/bench/packed_pages.h"
#include "tests/bench/raw_loop.h"
#include "tests/bench/serve_absence.h"
#include "tests/bench/serve_run.h"
#include "tests/bench/service_metrics.h"
#include "tests/bench/warm_memory.h"
#include "tests/integration/operator.h"
#include "tests/support/bench_report.h"
#include "tests/support/child_process.h"
#include "tests/support/generated_text.h"
#include "tests/support/private_kafka.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kRunMax{300};  // of one run, and of one look at what it left
constexpr milliseconds kLookEvery{10};
constexpr std::size_t kJournalSample = 100'000;  // documents
constexpr double kSendEvery_s = .005;            // pages at an even pace, those of so long together

struct Size {
  std::string_view name;
  std::size_t record_bytes = 0;
  std::size_t documents = 0;
};

struct Plan {
  std::array<Size, 2> sizes;
  int runs = 0;
  std::size_t warm_memory_mb = 0;  // more than Kafka and a run hold
  std::size_t warm_up = 0;  // pages before the first that counts, and of which the loop learns what to write
  int warm_ups = 1;         // pairs of runs on them, once that is learnt
  double paced_s = 0;       // for how long pages are sent at half of the load; 0: they are not
  std::size_t remembered = 0;  // documents decided before a restart; four in five are unique
  std::size_t journaled = 0;   // and those after its snapshot
  int takeovers = 0;
  int joiners = 0;
};

constexpr Plan kFull = {.sizes = {{{"1k", 1024, 1'000'000}, {"4k", 4096, 400'000}}},
                        .runs = 9,
                        .warm_memory_mb = 10'000,
                        .warm_up = 2'000'000,
                        .warm_ups = 2,
                        .paced_s = 10,
                        .remembered = 12'500'000,
                        .journaled = 100'000,
                        .takeovers = 3,
                        .joiners = 20};
constexpr Plan kShare = {.sizes = kFull.sizes,
                         .runs = 5,
                         .warm_memory_mb = kFull.warm_memory_mb,
                         .warm_up = kFull.warm_up,
                         .warm_ups = kFull.warm_ups};
constexpr Plan kTiny = {.sizes = {{{"1k", 1024, 25'000}, {"4k", 4096, 15'000}}},
                        .runs = 1,
                        .warm_memory_mb = 64,
                        .warm_up = 2'000,
                        .paced_s = 2,
                        .remembered = 10'000,
                        .journaled = 1'000,
                        .takeovers = 1,
                        .joiners = 1};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Page i goes to partition i % kPartitions, so this is where the input ends.
std::int64_t end_of(std::int32_t partition, std::size_t documents) {
  return (static_cast<std::int64_t>(documents) + kPartitions - 1 - partition) / kPartitions;
}

std::vector<std::string> verdict_topics(const Config& config) {
  const KafkaTopics& topics = config.kafka.topics;
  return {topics.unique, topics.duplicate, topics.dead_letter};
}

void delete_run_topics(const Config& config) {
  for (const std::string& topic : verdict_topics(config)) delete_topic(config, topic);
  delete_topic(config, config.kafka.topics.journal);
}

void fill(const Config& config, const Size& size) {
  create_run_topics(config);
  Pages pages(config, size.record_bytes, 1);
  for (std::size_t i = 0; i < size.documents; ++i) pages.send();
  pages.finish();
}

// Reads the committed records of the first partitions of topics from their beginning.
class TopicReader {
 public:
  TopicReader(const Config& config, const std::vector<std::string>& topics, std::int32_t partitions) {
    ClientProperties properties = consumer_properties(config.kafka.group + "-read");
    properties.emplace_back("fetch.wait.max.ms",
                            "50");  // the end of a partition shows with its next empty fetch
    client_ = or_throw(make_client(RD_KAFKA_CONSUMER, config.kafka, properties, listener_));
    const auto list = partition_list(partitions);
    for (const std::string& topic : topics) {
      for (std::int32_t i = 0; i < partitions; ++i)
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
    or_throw(rd_kafka_assign(client_.get(), list.get()));
  }
  ~TopicReader() { rd_kafka_consumer_close(client_.get()); }
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;

  // A record, the end of a partition, or null when neither came in a second.
  RdKafka<rd_kafka_message_t> next() {
    RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_.get(), 1000));
    if (message && message->err != RD_KAFKA_RESP_ERR_NO_ERROR &&
        message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
      throw std::runtime_error(rd_kafka_message_errstr(message.get()));
    return message;
  }

 private:
  ClientListener listener_{"bench", no_probe()};
  RdKafka<rd_kafka_t> client_;
};

struct Verdicts {
  std::size_t count = 0;
  std::size_t bytes = 0;  // of values and headers
};

std::size_t header_bytes(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  std::size_t bytes = 0;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return bytes;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    bytes += std::string_view(name).size() + size;
  }
  return bytes;
}

// Each record that is committed. REQUIRES: nobody writes any.
template <class Take>
void read_all(const Config& config, const std::vector<std::string>& topics, Take take) {
  TopicReader reader(config, topics, kPartitions);
  std::set<std::pair<const rd_kafka_topic_t*, std::int32_t>> ended;
  const auto deadline = steady_clock::now() + kRunMax;
  while (ended.size() < topics.size() * kPartitions) {
    if (steady_clock::now() > deadline) throw std::runtime_error("reading takes too long");
    const RdKafka<rd_kafka_message_t> message = reader.next();
    if (!message) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended.insert({message->rkt, message->partition});
    } else {
      take(*message);
    }
  }
}

Verdicts read_verdicts(const Config& config) {
  Verdicts verdicts;
  read_all(config, verdict_topics(config), [&](const rd_kafka_message_t& message) {
    ++verdicts.count;
    verdicts.bytes += message.len + header_bytes(message);
  });
  return verdicts;
}

struct Journal {
  JournalCounts counts;
  std::string bytes;  // of all records
};

// What the journal of serve says it decided. Throws unless it covers each offset of the input once.
Journal read_journal(const Config& config, std::size_t documents) {
  Journal journal;
  JournalCounts& sum = journal.counts;
  std::array<std::int64_t, kPartitions> next{};
  StateBoard board;
  const auto reader =
      or_throw(KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, no_probe(), board, {}));
  or_throw(reader->read_to_end([&](std::string_view bytes, double) -> Status {
    const JournalRecord record = or_throw(decode_journal_record(bytes));
    journal.bytes += bytes;
    for (const JournalPosition& position : record.positions) {
      std::int64_t& expected = next.at(static_cast<std::size_t>(position.partition));
      if (position.from != expected)
        throw std::runtime_error("the journal covers an offset twice, or not at all");
      expected = position.next;
    }
    sum.unique += record.counts.unique;
    sum.exact += record.counts.exact;
    sum.near += record.counts.near;
    sum.rejected += record.counts.rejected;
    return {};
  }));
  for (std::int32_t i = 0; i < kPartitions; ++i) {
    if (next[static_cast<std::size_t>(i)] != end_of(i, documents))
      throw std::runtime_error("the journal ends early");
  }
  if (sum.unique + sum.exact + sum.near + sum.rejected != documents)
    throw std::runtime_error("the journal counts other documents than it covers");
  return journal;
}

struct Run {
  double documents_per_s = 0;
  double cpu_s_per_million = 0;
  double busy_s_per_million = 0;  // all cores, whoever uses them, the broker above all
  double resident_bytes_max = 0;
  double page_faults = 0;  // a document
};

// Of all cores together, since the machine started.
double busy_seconds() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  std::array<double, 8> ticks{};  // user, nice, system, idle, iowait, irq, softirq, steal
  stat >> cpu;
  for (double& each : ticks) stat >> each;
  if (!stat) throw std::runtime_error("cannot read /proc/stat");
  return (std::accumulate(ticks.begin(), ticks.end(), 0.) - ticks[3] - ticks[4]) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

Run measure(const Config& config, std::vector<std::string> words, const std::string& log,
            std::size_t documents) {
  create_run_topics(config);
  GroupPositions positions(config);
  ChildProcess child(std::move(words), log);
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(config.kafka.group + " " + what + ":\n" + child.log());
  };
  if (!child.wait_for_log("running: ", seconds(60))) fail("did not start");
  const auto all = static_cast<std::int64_t>(documents);
  const auto running = steady_clock::now();
  auto start = running;
  auto end = running;
  std::int64_t before = 0;  // covered at `start`
  double busy = 0;
  for (std::int64_t covered = 0; covered < all;) {
    if (child.wait(milliseconds(0))) fail("ended");
    if (end - running > kRunMax) fail("takes too long");
    std::this_thread::sleep_for(kLookEvery);
    covered = positions.covered();
    end = steady_clock::now();
    if (before == 0 && covered < all) {
      before = covered;
      start = end;
      busy = busy_seconds();
    }
  }
  busy = busy_seconds() - busy;
  child.signal(SIGTERM);
  if (child.wait(seconds(30)) != 0) fail("did not end well");

  const std::size_t committed = read_verdicts(config).count;
  if (committed != documents) fail("committed " + std::to_string(committed) + " records");
  const auto count = static_cast<double>(documents);
  const ProcessUsage usage = child.usage();
  const double time = std::chrono::duration<double>(end - start).count();
  return {.documents_per_s = static_cast<double>(all - before) / time,
          .cpu_s_per_million = usage.cpu_seconds / count * 1e6,
          .busy_s_per_million = busy / static_cast<double>(all - before) * 1e6,
          .resident_bytes_max = static_cast<double>(usage.resident_bytes_max),
          .page_faults = static_cast<double>(usage.page_faults) / count};
}

struct Latency {
  double documents_per_s = 0;  // that came
  double p50_ms = 0;
  double p99_ms = 0;
  double commit_p99_ms = 0;
};

// page-0000000007
std::size_t number_of_page(const rd_kafka_message_t& message) {
  const std::string id(static_cast<const char*>(message.key), message.key_len);
  return std::stoull(id.substr(id.find('-') + 1));
}

// Of `serve` while pages of `record_bytes` come at an even pace, or as fast as they can be sent.
Latency measure_latency(const Config& config, std::vector<std::string> words, const std::string& log,
                        std::size_t record_bytes, double documents_per_s, double time_s) {
  const auto count = static_cast<std::size_t>(documents_per_s * time_s);
  const auto step = std::max<std::size_t>(1, static_cast<std::size_t>(documents_per_s * kSendEvery_s));
  std::vector<std::string> requests;  // made before, for nothing else is to run beside serve
  GeneratedText text(record_bytes, 2);
  std::vector<GeneratedText::Page> pages(step);
  for (std::size_t first = 0; first < count; first += step) {
    pages.resize(std::min(step, count - first));
    for (GeneratedText::Page& page : pages) text.next(page);
    requests.push_back(pack_pages(config.kafka.topics.input.front(), pages, first));
  }
  create_run_topics(config);
  ChildProcess child(std::move(words), log);
  if (!child.wait_for_log("running: ", seconds(60)))
    throw std::runtime_error(config.kafka.group + " did not start:\n" + child.log());
  GroupPositions positions(config);
  std::vector<std::int64_t> answered_ms(count);  // 0: not read
  std::exception_ptr failed;
  std::jthread reading([&](const std::stop_token& stop) {
    try {
      TopicReader reader(config, verdict_topics(config), 1);
      while (true) {
        const RdKafka<rd_kafka_message_t> message = reader.next();
        if (!message && stop.stop_requested()) return;
        if (!message || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
        answered_ms.at(number_of_page(*message)) = wall_clock_ms();
      }
    } catch (...) {
      failed = std::current_exception();
    }
  });
  PackedSender sender(config.kafka.brokers);
  const auto start = steady_clock::now();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const double due_s = static_cast<double>((i + 1) * step) / documents_per_s;
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(due_s)));
    sender.send(requests[i]);
  }
  sender.finish(seconds(60));
  const auto deadline = steady_clock::now() + kRunMax;
  while (positions.covered() < static_cast<std::int64_t>(count)) {
    if (steady_clock::now() > deadline) throw std::runtime_error("waiting for the verdicts takes too long");
    std::this_thread::sleep_for(kLookEvery);
  }
  reading.request_stop();
  reading.join();
  const double commit_p99_s = ServiceMetrics(child).quantile("neardup_transaction_duration_seconds", .99);
  child.signal(SIGTERM);
  if (child.wait(seconds(30)) != 0) throw std::runtime_error(config.kafka.group + " did not end well");
  if (failed) std::rethrow_exception(failed);

  std::vector<std::int64_t> appended_ms(count);
  read_all(config, config.kafka.topics.input, [&](const rd_kafka_message_t& message) {
    rd_kafka_timestamp_type_t kind{};
    appended_ms.at(number_of_page(message)) = rd_kafka_message_timestamp(&message, &kind);
    if (kind != RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME) throw std::runtime_error("Kafka stamps no appends");
  });
  std::vector<double> ms;
  for (std::size_t i = count * 3 / 10; i < count; ++i) {  // the first come to cold connections
    if (answered_ms[i] != 0) ms.push_back(static_cast<double>(answered_ms[i] - appended_ms[i]));
  }
  if (ms.size() < count / kPartitions / 2) throw std::runtime_error("too few verdicts were read");
  std::sort(ms.begin(), ms.end());
  const auto [first, last] = std::ranges::minmax(appended_ms);
  return {1000 * static_cast<double>(count) / static_cast<double>(last - first), ms[ms.size() / 2],
          ms[ms.size() * 99 / 100], 1000 * commit_p99_s};
}

struct Scan {
  std::string digest;  // of its verdicts
  double cpu_s_per_million = 0;
};

// Of `neardup scan` and the same pages.
Scan scan(const std::string& folder, std::size_t record_bytes, std::size_t documents) {
  const std::string pages = folder + "/pages.jsonl";
  {
    std::ofstream file(pages, std::ios::binary);
    GeneratedText text(record_bytes, 1);
    GeneratedText::Page page;
    for (std::size_t i = 0; i < documents; ++i) {
      text.next(page);
      file << page.record << '\n';
    }
    if (!file.flush()) throw std::runtime_error("cannot write " + pages);
  }
  ChildProcess child({"/bin/sh", "-c", R"(exec "$0" scan --quiet - <"$1")", NEARDUP_BINARY, pages},
                     folder + "/scan.log");
  const auto code = child.wait(kRunMax);
  const std::string verdicts = child.log();
  if (code != 0) throw std::runtime_error("scan failed: " + verdicts.substr(0, 1000));
  std::array<char, 17> digest{};
  std::snprintf(digest.data(), digest.size(), "%016llx", static_cast<unsigned long long>(digest64(verdicts)));
  return {digest.data(), child.usage().cpu_seconds / static_cast<double>(documents) * 1e6};
}

class ServeBench {
 public:
  ServeBench(const std::string& program, const Plan& plan, BenchReport& report)
      : program_(program), plan_(plan), report_(report) {}

  void run() {
    std::printf(
        "Kafka with one node, %d partitions, %u cores; transactions of at most %d documents or %d ms; %d "
        "run(s)\n",
        kPartitions, std::thread::hardware_concurrency(), Config().batch.documents_max,
        Config().batch.interval_ms, plan_.runs);
    std::printf("memory: %.1f GB touched before, %.2f GB/s\n", static_cast<double>(memory_.bytes()) / 1e9,
                memory_.touched_gbps());
    std::fflush(stdout);
    warm_up();
    for (const Size& size : plan_.sizes) compare(size);
    report_.number("p50_ms", worst_.p50_ms, 1);
    report_.number("p99_ms", worst_.p99_ms, 1);
  }

 private:
  struct Pair {
    Run raw;
    Run serve;
  };

  // The broker compiles what it runs often, at full load and at a pace; the first to come would pay for it.
  void warm_up() {
    const Size size = {"warm-up", plan_.sizes[0].record_bytes, plan_.warm_up};
    const Config config = run_config(kafka_.servers(), "warm-up", "warm-up");
    fill(config, size);
    run_serve(config, size.documents);
    written_.verdict = read_verdicts(config).bytes / size.documents;
    // Of the journal a piece is enough: to read and hold more would be counted as the loop's.
    written_.documents = std::min(size.documents, kJournalSample);
    const std::string journal = read_journal(config, size.documents).bytes;
    written_.journal = journal.substr(0, journal.size() / size.documents * written_.documents);
    std::ofstream file(journal_file(), std::ios::binary);
    file << written_.journal;
    if (!file.flush()) throw std::runtime_error("cannot write " + journal_file());
    std::printf("written: %zu bytes of verdict and %zu of journal a document\n", written_.verdict,
                written_.journal.size() / written_.documents);
    delete_run_topics(config);
    for (int i = 1; i <= plan_.warm_ups; ++i) {
      const Pair speed = pair("warm-up", "warm-up-" + std::to_string(i), size.documents);
      std::printf("warm-up %d: raw %.0f, serve %.0f documents/s\n", i, speed.raw.documents_per_s,
                  speed.serve.documents_per_s);
      std::fflush(stdout);
    }
    if (plan_.paced_s == 0) return;
    const auto rate = static_cast<double>(plan_.warm_up) / 10;
    measure_paced(size, "warm-up-paced", std::min(rate, 50'000.));
  }

  Run run_serve(const Config& config, std::size_t documents) {
    return measure(config, neardup_words(NEARDUP_BINARY, {"serve"}, config),
                   kafka_.folder() + "/" + config.kafka.group + ".log", documents);
  }

  Run run_raw(const Config& config, std::size_t documents) {
    return measure(config,
                   {program_, "raw", kafka_.servers(), config.kafka.topics.input.front(), config.kafka.group,
                    std::to_string(written_.verdict), journal_file(), std::to_string(written_.documents)},
                   kafka_.folder() + "/" + config.kafka.group + ".log", documents);
  }

  Latency measure_paced(const Size& size, const std::string& run, double documents_per_s) {
    Config config = run_config(kafka_.servers(), run, run);
    config.http = {.address = "127.0.0.1", .port = 0};
    return measure_latency(config, neardup_words(NEARDUP_BINARY, {"serve"}, config),
                           kafka_.folder() + "/" + run + ".log", size.record_bytes, documents_per_s,
                           plan_.paced_s);
  }

  Pair pair(const std::string& input, const std::string& run, std::size_t documents) {
    const Config raw = run_config(kafka_.servers(), input, run + "-raw");
    const Config serve = run_config(kafka_.servers(), input, run + "-serve");
    Pair pair;
    pair.raw = run_raw(raw, documents);
    delete_run_topics(raw);
    pair.serve = run_serve(serve, documents);
    counts_ = read_journal(serve, documents).counts;
    delete_run_topics(serve);
    return pair;
  }

  void compare(const Size& size) {
    const std::string name(size.name);
    fill(run_config(kafka_.servers(), "pages-" + name, "fill-" + name), size);
    std::vector<Pair> pairs;
    for (int run = 1; run <= plan_.runs; ++run)
      pairs.push_back(pair("pages-" + name, "run-" + name + "-" + std::to_string(run), size.documents));

    const auto of_all = [&](auto figure) {
      std::vector<double> values;
      for (const Pair& each : pairs) values.push_back(figure(each));
      return median(std::move(values));
    };
    const double share =
        of_all([](const Pair& p) { return p.serve.documents_per_s / p.raw.documents_per_s; });
    const auto run_of = [&](Run Pair::* who) {
      return Run{of_all([&](const Pair& p) { return (p.*who).documents_per_s; }),
                 of_all([&](const Pair& p) { return (p.*who).cpu_s_per_million; }),
                 of_all([&](const Pair& p) { return (p.*who).busy_s_per_million; }),
                 of_all([&](const Pair& p) { return (p.*who).resident_bytes_max; }),
                 of_all([&](const Pair& p) { return (p.*who).page_faults; })};
    };
    const Run raw = run_of(&Pair::raw);
    const Run serve = run_of(&Pair::serve);
    std::optional<Latency> latency;
    if (plan_.paced_s > 0) latency = measure_paced(size, "paced-" + name, serve.documents_per_s / 2);
    const Scan scanned = scan(kafka_.folder(), size.record_bytes, size.documents);
    const double overhead = serve.cpu_s_per_million / (raw.cpu_s_per_million + scanned.cpu_s_per_million);
    const double best = std::thread::hardware_concurrency() * 1e6 /
                        (raw.busy_s_per_million + scanned.cpu_s_per_million);  // documents/s
    const double bound = best / raw.documents_per_s;

    std::printf("\n%zu documents of %zu bytes\n", size.documents, size.record_bytes);
    std::printf("  %-6s %12s %8s %14s %14s %10s %12s   %s\n", "", "documents/s", "MB/s", "CPU s/million",
                "all cores' busy", "memory MB", "page faults", "each run");
    const auto print = [&](const char* who, const Run& run, Run Pair::* each) {
      std::printf("  %-6s %12.0f %8.1f %14.2f %14.2f %10.0f %12.3f  ", who, run.documents_per_s,
                  run.documents_per_s * static_cast<double>(size.record_bytes) / 1e6, run.cpu_s_per_million,
                  run.busy_s_per_million, run.resident_bytes_max / 1e6, run.page_faults);
      for (const Pair& p : pairs) std::printf(" %.0f", (p.*each).documents_per_s);
      std::printf("\n");
    };
    print("raw", raw, &Pair::raw);
    print("serve", serve, &Pair::serve);
    if (latency) report_latency(name, *latency);
    const auto percent = [&](std::uint64_t part) {
      return 100 * static_cast<double>(part) / static_cast<double>(size.documents);
    };
    std::printf("  share  %11.1f %%; of the loop with scan's work on top, on %u cores, at most %.1f %%\n",
                100 * share, std::thread::hardware_concurrency(), 100 * bound);
    std::printf("  verdicts: unique %.1f %%, exact %.1f %%, near %.1f %%, rejected %.1f %%\n",
                percent(counts_.unique), percent(counts_.exact), percent(counts_.near),
                percent(counts_.rejected));
    std::printf("  scan   %12s %8s %14.2f     answers: %s\n", "", "", scanned.cpu_s_per_million,
                scanned.digest.c_str());
    std::printf("  CPU of serve beside that of raw and scan: %.2f\n", overhead);
    std::fflush(stdout);

    report_.number("documents_" + name, static_cast<double>(size.documents));
    report_.number("share_of_raw_" + name, share, 4);
    report_.number("share_bound_" + name, bound, 4);
    report_.number("documents_per_s_" + name, serve.documents_per_s);
    report_.number("raw_documents_per_s_" + name, raw.documents_per_s);
    report_.number("cpu_s_per_million_" + name, serve.cpu_s_per_million, 3);
    report_.number("raw_cpu_s_per_million_" + name, raw.cpu_s_per_million, 3);
    report_.number("resident_bytes_max_" + name, serve.resident_bytes_max);
    report_.number("raw_resident_bytes_max_" + name, raw.resident_bytes_max);
    report_.number("page_faults_" + name, serve.page_faults, 3);
    report_.number("raw_page_faults_" + name, raw.page_faults, 3);
    report_.number("scan_cpu_s_per_million_" + name, scanned.cpu_s_per_million, 3);
    report_.number("cpu_vs_raw_and_scan_" + name, overhead, 3);
    report_.text("answers_" + name, scanned.digest);
  }

  void report_latency(const std::string& name, const Latency& latency) {
    const double allowed_ms = 2. * Config().batch.interval_ms + latency.commit_p99_ms;
    std::printf(
        "  latency of serve at %.0f documents/s: p50 %.0f ms, p99 %.0f ms; two intervals and the p99 "
        "of commits are %.0f ms\n",
        latency.documents_per_s, latency.p50_ms, latency.p99_ms, allowed_ms);
    worst_.p50_ms = std::max(worst_.p50_ms, latency.p50_ms);
    worst_.p99_ms = std::max(worst_.p99_ms, latency.p99_ms);
    report_.number("p99_ms_" + name, latency.p99_ms, 1);
    report_.number("p99_allowed_ms_" + name, allowed_ms, 1);
  }

  std::string program_;
  const Plan& plan_;
  const WarmMemory memory_{plan_.warm_memory_mb * 1'000'000};
  PrivateKafka kafka_{"--set log.message.timestamp.type=LogAppendTime --set log.segment.delete.delay.ms=100",
                      PrivateKafka::Place::kMemoryIfRoom, PrivateKafka::Jit::kFull};
  std::string journal_file() const { return kafka_.folder() + "/journal-records"; }

  JournalCounts counts_;  // of the last run of serve
  WrittenBytes written_;  // by serve, in the warm-up
  Latency worst_;         // of both sizes
  BenchReport& report_;
};

void measure_absence(const Plan& plan, BenchReport& report) {
  const PrivateKafka kafka(kLittleKept, PrivateKafka::Place::kMemoryIfRoom, PrivateKafka::Jit::kFull);
  const Restart restart = measure_restart(kafka.servers(), kafka.folder(), plan.remembered, plan.journaled);
  const double peak = restart.resident_bytes_max / restart.resident_bytes;
  std::printf(
      "\nrestart with %llu uniques, the last %zu documents in Kafka's journal alone: %.2f s until it "
      "decides with the snapshot in the page cache, %.2f s from the disk; memory at most %.2f times the %.0f "
      "MB afterwards\n",
      static_cast<unsigned long long>(restart.uniques), plan.journaled, restart.ready_s, restart.ready_cold_s,
      peak, restart.resident_bytes / 1e6);
  std::fflush(stdout);
  const Takeover takeover = measure_takeover(kafka.servers(), kafka.folder(), plan.takeovers, plan.joiners);
  std::printf(
      "takeover, session timeout %.0f s, worst of %d: first verdict %.2f s after kill -9, %.2f s after "
      "SIGTERM; %d of %d joiners led\n",
      kSessionMs / 1000., plan.takeovers, takeover.after_kill_s, takeover.after_stop_s, takeover.thieves,
      takeover.joiners);
  std::fflush(stdout);
  report.number("restart_uniques", static_cast<double>(restart.uniques));
  report.number("restart_s", restart.ready_s, 2);
  report.number("restart_cold_s", restart.ready_cold_s, 2);
  report.number("restart_peak_vs_steady", peak, 3);
  report.number("takeover_s", takeover.after_kill_s, 2);
  report.number("takeover_after_stop_s", takeover.after_stop_s, 2);
  report.number("joiners", takeover.joiners);
  report.number("joiners_that_led", takeover.thieves);
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 7 && words[0] == "raw") {  // the child process
    std::ifstream journal(words[5], std::ios::binary);
    run_raw_loop(run_config(words[1], words[2], words[3]),
                 {.verdict = std::stoull(words[4]),
                  .journal = std::string(std::istreambuf_iterator<char>(journal), {}),
                  .documents = std::stoull(words[6])});
    return 0;
  }
  const bool tiny = words == std::vector<std::string>{"tiny"};
  const bool share = words == std::vector<std::string>{"share"};
  const bool absence = words == std::vector<std::string>{"absence"};
  if (!words.empty() && !tiny && !share && !absence) {
    std::fprintf(stderr, "usage: serve_bench [share | absence | tiny]\n");
    return 64;
  }
  configure_log({.level = "error"});
  const Plan& plan = tiny ? kTiny : share ? kShare : kFull;
  BenchReport report;
  if (!absence)
    ServeBench("/proc/self/exe", plan, report).run();  // and its Kafka, which fills memory, is gone
  if (!share) measure_absence(plan, report);
  if (words.empty()) report.write("serve");
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  try {
    return neardup::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serve_bench: %s\n", error.what());
    return 1;
  }
}
