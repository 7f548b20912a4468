#include "service/metrics/registry.h"

#include <fmt/core.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/decision.h"
#include "service/clock.h"
#include "service/metrics/process.h"
#include "service/version.h"

namespace neardup {
namespace {

using prometheus::MetricType;

struct MetricSpec {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // "topic, partition"
  std::string_view help;
  std::vector<double> buckets = {};  // of a histogram, upper bounds; +Inf is understood
};

constexpr std::string_view kNone = "none";  // the kind of a verdict that has none

const std::vector<MetricSpec>& specs() {
  static const std::vector<MetricSpec> table = {
      {"neardup_build_info", MetricType::Gauge, "version, revision, librdkafka_version, compiler",
       "Always 1; the labels tell which build runs."},
      {"neardup_config_info", MetricType::Gauge, "digest",
       "Always 1; instances with the same settings show the same digest."},
      {"neardup_state", MetricType::Gauge, "state", "1 for the state the service is in, 0 for the others."},
      {"neardup_records_consumed_total", MetricType::Counter, "topic, partition",
       "Input records whose verdict is committed."},
      {"neardup_consumed_bytes_total", MetricType::Counter, "topic, partition",
       "Bytes of the values of input records whose verdict is committed."},
      {"neardup_consumer_assigned_partitions", MetricType::Gauge, "",
       "Input partitions this instance reads: 0 on a standby."},
      {"neardup_consumer_lag_records", MetricType::Gauge, "topic, partition",
       "Records between the committed position and the end of what is stable."},
      {"neardup_consumer_unstable_records", MetricType::Gauge, "topic, partition",
       "Records from the last stable offset to the high watermark: hidden by a transaction without an end."},
      {"neardup_consumer_lag_seconds", MetricType::Gauge, "topic, partition",
       "Age of the oldest record not yet decided; 0 when there is none."},
      {"neardup_document_bytes",
       MetricType::Histogram,
       "",
       "Size of the input records' values.",
       {kDocumentByteBounds.begin(), kDocumentByteBounds.end()}},
      {"neardup_leader", MetricType::Gauge, "",
       "1 for the instance that was elected as the writer, 0 for a standby."},
      {"neardup_election_rebalances_total", MetricType::Counter, "outcome",
       "Rounds of the election, by what they meant for this instance."},
      {"neardup_worker_last_beat_timestamp_seconds", MetricType::Gauge, "",
       "When the worker last moved, since the epoch; it does at least each second while it is well."},
      {"neardup_verdicts_total", MetricType::Counter, "verdict, kind",
       "Committed verdicts; kind is none but for duplicates."},
      {"neardup_dead_letter_records_total", MetricType::Counter, "reason",
       "Records that could not be judged."},
      {"neardup_main_text_fallbacks_total", MetricType::Counter, "",
       "HTML pages of which no main text could be told (html.extract), so that all of their text was "
       "compared, menus and all."},
      {"neardup_deleted_uniques_total", MetricType::Counter, "",
       "Unique documents forgotten because records without a value deleted them by their ids (index.by_id)."},
      {"neardup_batches_closed_total", MetricType::Counter, "reason",
       "Committed batches by what closed them: interval is idle capacity, documents and bytes are load."},
      {"neardup_transactions_total", MetricType::Counter, "result",
       "Kafka transactions by what became of the attempt."},
      {"neardup_transaction_duration_seconds",
       MetricType::Histogram,
       "",
       "From begin to the answer of the commit.",
       {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}},
      {"neardup_transaction_records",
       MetricType::Histogram,
       "",
       "Records of a transaction.",
       {1, 10, 100, 500, 1000, 2500, 5000, 10000, 25000, 100000, 1000000}},
      {"neardup_recycles_total", MetricType::Counter, "outcome",
       "Times the producer was replaced after a doubtful transaction, by what became of the batch."},
      {"neardup_recycle_duration_seconds",
       MetricType::Histogram,
       "",
       "From the doubt to a working producer.",
       {.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}},
      {"neardup_stage_duration_seconds",
       MetricType::Histogram,
       "stage",
       "Time a batch spends in each stage.",
       {.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}},
      {"neardup_end_to_end_latency_seconds",
       MetricType::Histogram,
       "",
       "From a record's timestamp to its committed verdict, for the oldest record of each batch.",
       {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200}},
      {"neardup_match_hamming_distance",
       MetricType::Histogram,
       "",
       "Bits in which the fingerprints of a duplicate that is not exact and of its leader differ.",
       {kDistanceBounds.begin(), kDistanceBounds.end()}},
      {"neardup_lookup_candidates",
       MetricType::Histogram,
       "",
       "Sketches, texts or fingerprints compared to decide one document; 0 if its very text was known.",
       {kCandidateBounds.begin(), kCandidateBounds.end()}},
      {"neardup_index_entries", MetricType::Gauge, "", "Unique documents remembered."},
      {"neardup_index_bytes", MetricType::Gauge, "", "Memory of the index."},
      {"neardup_index_limit_bytes", MetricType::Gauge, "policy",
       "Memory that the index may have, and what happens then: the input rests (stop), or the oldest "
       "documents are forgotten (evict-oldest). 0: there is no limit."},
      {"neardup_index_file_bytes", MetricType::Gauge, "",
       "Size of the file that names the uniques; 0 without index.directory."},
      {"neardup_lookup_truncated_total", MetricType::Counter, "",
       "Bands of uniques that were not posted, since all their keys were full; in mode mgram uniques posted "
       "under no run, look-ups that met more texts than may be compared, and texts known by their beginning: "
       "what may have cost a duplicate."},
      {"neardup_hot_features", MetricType::Gauge, "",
       "Features so common that keys of them are extended: boilerplate that many documents share."},
      {"neardup_clusters", MetricType::Gauge, "",
       "Documents remembered that have duplicates: each leads a cluster."},
      {"neardup_largest_cluster_documents", MetricType::Gauge, "",
       "Documents of the largest cluster, its leader counted; 0 if there is no cluster."},
      {"neardup_cluster_bytes", MetricType::Gauge, "",
       "Memory of clusters and of the window that is watched; part of neardup_index_bytes."},
      {"neardup_cluster_hamming_distance", MetricType::Gauge, "",
       "Bits in which the fingerprints of two members of one of the 32 largest clusters differ, on the "
       "average, over the members since the start: low for copies, high for a template or a chain of "
       "rewrites."},
      {"neardup_swallowed_share_ratio", MetricType::Gauge, "by",
       "Largest share of the last clusters.alarm_window documents, decided since the start by this instance, "
       "that are duplicates of one document (by cluster), or of documents of one host (by source)."},
      {"neardup_swallow_alarm", MetricType::Gauge, "",
       "1 from when one of these shares is as large as clusters.alarm_share until it is less than seven "
       "eighths of that, else 0."},
      {"neardup_restore_progress_ratio", MetricType::Gauge, "", "Share of the journal read back, 0 to 1."},
      {"neardup_restore_records_replayed_total", MetricType::Counter, "",
       "Journal records that restores read."},
      {"neardup_restore_duration_seconds", MetricType::Gauge, "",
       "Time the last restore of all the journal took, or the running one has taken."},
      {"neardup_snapshot_timestamp_seconds", MetricType::Gauge, "",
       "When the snapshot last had all there was for good, since the epoch; 0: not yet, or there is none."},
      {"neardup_snapshot_records", MetricType::Gauge, "", "Journal records in the snapshot."},
      {"neardup_snapshot_bytes", MetricType::Gauge, "", "Bytes of the snapshot."},
      {"neardup_snapshot_behind_records", MetricType::Gauge, "",
       "Committed journal records that the snapshot lacked when it was last looked at."},
      {"neardup_snapshot_failures_total", MetricType::Counter, "",
       "Times that the disk refused the snapshot; the service goes on without."},
      {"neardup_journal_lag_offsets", MetricType::Gauge, "",
       "Offsets of the journal not yet read back: what a standby would have to read before it takes over. A "
       "batch takes two, its record and the mark of its commit."},
      {"neardup_journal_position", MetricType::Gauge, "",
       "Offset up to which this instance has read the journal. Where that of another is larger, this one is "
       "behind, whether it knows or not."},
      {"neardup_wrong_topic_settings", MetricType::Gauge, "",
       "Settings of topics that the next start will refuse; looked at by the writer."},
      {"neardup_kafka_brokers", MetricType::Gauge, "", "Brokers that the writer's input client knows."},
      {"neardup_kafka_brokers_connected", MetricType::Gauge, "",
       "Brokers that it is connected to; it connects to those that lead an input partition."},
      {"neardup_kafka_errors_total", MetricType::Counter, "client, code",
       "Errors the Kafka clients reported, by librdkafka's name; rare names count as other."},
      {"process_cpu_seconds_total", MetricType::Counter, "", "CPU time of the process, user and system."},
      {"process_resident_memory_bytes", MetricType::Gauge, "", "Memory in RAM."},
      {"process_virtual_memory_bytes", MetricType::Gauge, "", "Address space."},
      {"process_start_time_seconds", MetricType::Gauge, "", "When the process started, since the epoch."},
      {"process_threads", MetricType::Gauge, "", "Threads."},
      {"process_open_fds", MetricType::Gauge, "", "Open file descriptors."},
      {"process_max_fds", MetricType::Gauge, "", "Limit of open file descriptors."},
      {"neardup_memory_anonymous_bytes", MetricType::Gauge, "",
       "Memory in RAM that the kernel cannot take back: without pages of files, such as those of the file of "
       "the uniques."},
      {"neardup_memory_limit_bytes", MetricType::Gauge, "",
       "Memory that this process may have: the limit of its control group, or the machine's memory."},
  };
  return table;
}

const MetricSpec& spec(std::string_view name) {
  const auto found =
      std::find_if(specs().begin(), specs().end(), [&](const MetricSpec& s) { return s.name == name; });
  CHECK(found != specs().end(), "a metric without a row in the table");
  return *found;
}

std::string_view type_name(MetricType type) {
  return type == MetricType::Counter ? "counter" : type == MetricType::Gauge ? "gauge" : "histogram";
}

// A family whose values are read at the moment of asking.
prometheus::MetricFamily family_now(std::string_view name) {
  const MetricSpec& row = spec(name);
  return {std::string(row.name), std::string(row.help), row.type, {}};
}

prometheus::MetricFamily value_now(std::string_view name, double value) {
  prometheus::MetricFamily family = family_now(name);
  prometheus::ClientMetric metric;
  metric.counter.value = value;
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
  return family;
}

std::string digest_of(const std::string& text) { return fmt::format("{:016x}", digest128(text).high); }

template <const auto& kBounds>
void observe(prometheus::Histogram& histogram, const Tally<kBounds>& tally) {
  histogram.ObserveMultiple({tally.buckets.begin(), tally.buckets.end()}, static_cast<double>(tally.sum));
}

std::uint64_t whole(const prometheus::Counter* counter) {
  return static_cast<std::uint64_t>(counter->Value());
}

}  // namespace

// What the verbs write to. Pointers lead into families, which live as long as the registry.
struct MetricsRegistry::Series {
  struct Partition {
    prometheus::Counter* records;
    prometheus::Counter* bytes;
    prometheus::Gauge* lag_records;
    prometheus::Gauge* unstable_records;
    prometheus::Gauge* lag_seconds;
  };

  // The clients that kafka_error knows by name, and how many codes all of them together may have by name.
  static constexpr std::array<std::string_view, 5> kClients = {"input", "journal", "writer", "election",
                                                               "admin"};
  static constexpr std::size_t kCodesMax = 24;

  Series(const MetricsOptions& options, const StateBoard& the_board) : board(the_board) {
    const BuildInfo& build = build_info();
    gauges("neardup_build_info")
        .Add({{"version", std::string(build.version)},
              {"revision", std::string(build.revision)},
              {"librdkafka_version", options.librdkafka_version},
              {"compiler", std::string(build.compiler)}})
        .Set(1);
    gauges("neardup_config_info").Add({{"digest", digest_of(options.configuration)}}).Set(1);
    gauges("neardup_index_limit_bytes")
        .Add({{"policy", options.index_limit_policy}})
        .Set(static_cast<double>(options.index_limit_bytes));
    const auto verdict = [&](Verdict v, std::string_view kind) {
      return &verdicts.Add({{"verdict", std::string(name(v))}, {"kind", std::string(kind)}});
    };
    unique = verdict(Verdict::kUnique, kNone);
    exact = verdict(Verdict::kDuplicate, name(DuplicateKind::kExact));
    near = verdict(Verdict::kDuplicate, name(DuplicateKind::kNear));
    short_text = verdict(Verdict::kDuplicate, name(DuplicateKind::kShort));
    rejected = verdict(Verdict::kRejected, kNone);
    deleted = verdict(Verdict::kDeleted, kNone);
    each(dead_letters, "dead_letter_records", "reason", kRejectReasonNames);
    each(batches, "batches_closed", "reason", kBatchClosedNames);
    each(transactions, "transactions", "result", kTransactionResultNames);
    each(recycles, "recycles", "outcome", kRecycleOutcomeNames);
    each(elections, "election_rebalances", "outcome", kElectionOutcomeNames);
    const MetricSpec& stage_spec = spec("neardup_stage_duration_seconds");
    auto& stage_family = histograms(stage_spec.name);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      stages[i] = &stage_family.Add({{"stage", std::string(kStageNames[i])}}, stage_spec.buckets);
    }
    for (const std::string_view client : kClients) error_counter(client, "other");
  }

  prometheus::Family<prometheus::Counter>& counters(std::string_view metric) {
    return prometheus::BuildCounter()
        .Name(std::string(metric))
        .Help(std::string(spec(metric).help))
        .Register(registry);
  }
  prometheus::Family<prometheus::Gauge>& gauges(std::string_view metric) {
    return prometheus::BuildGauge()
        .Name(std::string(metric))
        .Help(std::string(spec(metric).help))
        .Register(registry);
  }
  prometheus::Family<prometheus::Histogram>& histograms(std::string_view metric) {
    return prometheus::BuildHistogram()
        .Name(std::string(metric))
        .Help(std::string(spec(metric).help))
        .Register(registry);
  }
  prometheus::Histogram& histogram(std::string_view metric) {
    return histograms(metric).Add({}, spec(metric).buckets);
  }

  // One counter for each value of the one label.
  template <std::size_t N>
  void each(std::array<prometheus::Counter*, N>& out, std::string_view metric, std::string_view label,
            const std::array<std::string_view, N>& values) {
    auto& family = counters("neardup_" + std::string(metric) + "_total");
    for (std::size_t i = 0; i < N; ++i) out[i] = &family.Add({{std::string(label), std::string(values[i])}});
  }

  // REQUIRES: mutex is held.
  Partition& partition(std::string_view topic, std::int32_t number) {
    std::pair<std::string, std::int32_t> key(topic, number);
    const auto found = partitions.find(key);
    if (found != partitions.end()) return found->second;
    const prometheus::Labels labels = {{"topic", key.first}, {"partition", std::to_string(number)}};
    const Partition made = {&records.Add(labels), &bytes.Add(labels), &lag_records.Add(labels),
                            &unstable_records.Add(labels), &lag_seconds.Add(labels)};
    return partitions.emplace(std::move(key), made).first->second;
  }

  prometheus::Counter& error_counter(std::string_view client, std::string_view code) {
    return errors.Add({{"client", std::string(client)}, {"code", std::string(code)}});
  }

  const StateBoard& board;
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& records = counters("neardup_records_consumed_total");
  prometheus::Family<prometheus::Counter>& bytes = counters("neardup_consumed_bytes_total");
  prometheus::Family<prometheus::Gauge>& lag_records = gauges("neardup_consumer_lag_records");
  prometheus::Family<prometheus::Gauge>& unstable_records = gauges("neardup_consumer_unstable_records");
  prometheus::Family<prometheus::Gauge>& lag_seconds = gauges("neardup_consumer_lag_seconds");
  prometheus::Family<prometheus::Counter>& verdicts = counters("neardup_verdicts_total");
  prometheus::Family<prometheus::Counter>& errors = counters("neardup_kafka_errors_total");
  prometheus::Gauge& assigned = gauges("neardup_consumer_assigned_partitions").Add({});
  prometheus::Histogram& transaction_seconds = histogram("neardup_transaction_duration_seconds");
  prometheus::Histogram& transaction_records = histogram("neardup_transaction_records");
  prometheus::Histogram& recycle_seconds = histogram("neardup_recycle_duration_seconds");
  prometheus::Histogram& end_to_end = histogram("neardup_end_to_end_latency_seconds");
  prometheus::Histogram& document_bytes = histogram("neardup_document_bytes");
  prometheus::Histogram& match_distance = histogram("neardup_match_hamming_distance");
  prometheus::Histogram& lookup_candidates = histogram("neardup_lookup_candidates");
  prometheus::Gauge& leader = gauges("neardup_leader").Add({});
  prometheus::Gauge& brokers_known = gauges("neardup_kafka_brokers").Add({});
  prometheus::Gauge& brokers_connected = gauges("neardup_kafka_brokers_connected").Add({});
  prometheus::Gauge& index_entries = gauges("neardup_index_entries").Add({});
  prometheus::Gauge& index_bytes = gauges("neardup_index_bytes").Add({});
  prometheus::Gauge& index_file_bytes = gauges("neardup_index_file_bytes").Add({});
  prometheus::Counter& lookup_truncated = counters("neardup_lookup_truncated_total").Add({});
  prometheus::Gauge& hot_features = gauges("neardup_hot_features").Add({});
  prometheus::Gauge& clusters = gauges("neardup_clusters").Add({});
  prometheus::Gauge& largest_cluster = gauges("neardup_largest_cluster_documents").Add({});
  prometheus::Gauge& cluster_bytes = gauges("neardup_cluster_bytes").Add({});
  prometheus::Gauge& cluster_distance = gauges("neardup_cluster_hamming_distance").Add({});
  prometheus::Family<prometheus::Gauge>& swallowed = gauges("neardup_swallowed_share_ratio");
  prometheus::Gauge& swallowed_by_cluster = swallowed.Add({{"by", "cluster"}});
  prometheus::Gauge& swallowed_by_source = swallowed.Add({{"by", "source"}});
  prometheus::Gauge& swallow_alarm = gauges("neardup_swallow_alarm").Add({});
  prometheus::Gauge& restore_progress = gauges("neardup_restore_progress_ratio").Add({});
  prometheus::Counter& restore_records = counters("neardup_restore_records_replayed_total").Add({});
  prometheus::Gauge& restore_seconds = gauges("neardup_restore_duration_seconds").Add({});
  prometheus::Gauge& journal_lag = gauges("neardup_journal_lag_offsets").Add({});
  prometheus::Gauge& journal_position = gauges("neardup_journal_position").Add({});

  prometheus::Gauge& snapshot_timestamp = gauges("neardup_snapshot_timestamp_seconds").Add({});
  prometheus::Gauge& snapshot_records = gauges("neardup_snapshot_records").Add({});
  prometheus::Gauge& snapshot_bytes = gauges("neardup_snapshot_bytes").Add({});
  prometheus::Gauge& snapshot_behind = gauges("neardup_snapshot_behind_records").Add({});
  prometheus::Gauge& wrong_topic_settings = gauges("neardup_wrong_topic_settings").Add({});
  prometheus::Counter& snapshot_failures = counters("neardup_snapshot_failures_total").Add({});

  prometheus::Counter& main_text_fallbacks = counters("neardup_main_text_fallbacks_total").Add({});
  prometheus::Counter& deleted_uniques = counters("neardup_deleted_uniques_total").Add({});
  prometheus::Counter* unique = nullptr;
  prometheus::Counter* exact = nullptr;
  prometheus::Counter* near = nullptr;
  prometheus::Counter* short_text = nullptr;
  prometheus::Counter* rejected = nullptr;
  prometheus::Counter* deleted = nullptr;
  std::array<prometheus::Counter*, kRejectReasonNames.size()> dead_letters{};
  std::array<prometheus::Counter*, kBatchClosedNames.size()> batches{};
  std::array<prometheus::Counter*, kTransactionResultNames.size()> transactions{};
  std::array<prometheus::Counter*, kRecycleOutcomeNames.size()> recycles{};
  std::array<prometheus::Counter*, kElectionOutcomeNames.size()> elections{};
  std::array<prometheus::Histogram*, kStageNames.size()> stages{};

  mutable std::mutex mutex;  // of what follows
  std::map<std::pair<std::string, std::int32_t>, Partition> partitions;
  std::set<std::string, std::less<>> error_codes;
};

MetricsRegistry::MetricsRegistry(const MetricsOptions& options, const StateBoard& board)
    : series_(std::make_unique<Series>(options, board)) {}

MetricsRegistry::~MetricsRegistry() = default;

std::string MetricsRegistry::exposition() const {
  std::vector<prometheus::MetricFamily> families = series_->registry.Collect();

  prometheus::MetricFamily state = family_now("neardup_state");
  const State current = series_->board.state();
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    prometheus::ClientMetric metric;
    metric.label = {{"state", std::string(kStateNames[i])}};
    metric.gauge.value = static_cast<State>(i) == current ? 1 : 0;
    state.metric.push_back(std::move(metric));
  }
  families.push_back(std::move(state));
  const double since_beat = std::chrono::duration<double>(series_->board.since_beat()).count();
  families.push_back(
      value_now("neardup_worker_last_beat_timestamp_seconds", wall_clock_seconds() - since_beat));

  const ProcessUsage usage = process_usage();
  families.push_back(value_now("process_cpu_seconds_total", usage.cpu_seconds));
  families.push_back(value_now("process_resident_memory_bytes", usage.resident_bytes));
  families.push_back(value_now("process_virtual_memory_bytes", usage.virtual_bytes));
  families.push_back(value_now("process_start_time_seconds", usage.start_time_seconds));
  families.push_back(value_now("process_threads", usage.threads));
  families.push_back(value_now("process_open_fds", usage.open_fds));
  families.push_back(value_now("process_max_fds", usage.max_fds));
  families.push_back(value_now("neardup_memory_anonymous_bytes", usage.anonymous_bytes));
  families.push_back(value_now("neardup_memory_limit_bytes", usage.memory_limit_bytes));
  return prometheus::TextSerializer().prometheus::Serializer::Serialize(families);
}

StatusCounts MetricsRegistry::counts() const {
  const Series& s = *series_;
  StatusCounts counts;
  counts.unique = whole(s.unique);
  counts.exact = whole(s.exact);
  counts.near = whole(s.near);
  counts.short_text = whole(s.short_text);
  counts.rejected = whole(s.rejected);
  counts.deleted = whole(s.deleted);
  counts.transactions = whole(s.transactions[static_cast<std::size_t>(TransactionResult::kCommitted)]);
  counts.index_entries = static_cast<std::uint64_t>(s.index_entries.Value());
  counts.index_bytes = static_cast<std::uint64_t>(s.index_bytes.Value());
  counts.clusters = static_cast<std::uint64_t>(s.clusters.Value());
  counts.largest_cluster = static_cast<std::uint64_t>(s.largest_cluster.Value());
  counts.restore_progress = s.restore_progress.Value();
  counts.journal_lag = static_cast<std::int64_t>(s.journal_lag.Value());
  const std::lock_guard lock(s.mutex);
  for (const auto& [key, partition] : s.partitions) {
    counts.consumed += whole(partition.records);
    counts.lag_records += static_cast<std::int64_t>(partition.lag_records->Value());
    counts.lag_seconds = std::max(counts.lag_seconds, partition.lag_seconds->Value());
  }
  return counts;
}

void MetricsRegistry::partitions(std::string_view topic, std::int32_t count) {
  const std::lock_guard lock(series_->mutex);
  for (std::int32_t number = 0; number < count; ++number) series_->partition(topic, number);
}

void MetricsRegistry::consumed(std::string_view topic, std::int32_t partition, std::uint64_t records,
                               std::uint64_t bytes) {
  const std::lock_guard lock(series_->mutex);
  Series::Partition& series = series_->partition(topic, partition);
  series.records->Increment(static_cast<double>(records));
  series.bytes->Increment(static_cast<double>(bytes));
}

void MetricsRegistry::batch_committed(const BatchCounts& counts, BatchClosed why) {
  Series& s = *series_;
  s.unique->Increment(static_cast<double>(counts.unique));
  s.exact->Increment(static_cast<double>(counts.exact));
  s.near->Increment(static_cast<double>(counts.near));
  s.short_text->Increment(static_cast<double>(counts.short_text));
  for (std::size_t i = 0; i < s.dead_letters.size(); ++i) {
    s.rejected->Increment(static_cast<double>(counts.rejected[i]));
    s.dead_letters[i]->Increment(static_cast<double>(counts.rejected[i]));
  }
  s.main_text_fallbacks.Increment(static_cast<double>(counts.fallbacks));
  s.deleted->Increment(static_cast<double>(counts.deleted));
  s.deleted_uniques.Increment(static_cast<double>(counts.forgotten));
  observe(s.document_bytes, counts.document_bytes);
  observe(s.match_distance, counts.near_distance);
  observe(s.lookup_candidates, counts.lookup_candidates);
  s.batches[static_cast<std::size_t>(why)]->Increment();
}

void MetricsRegistry::transaction(TransactionResult result, double seconds, std::uint64_t records) {
  series_->transactions[static_cast<std::size_t>(result)]->Increment();
  series_->transaction_seconds.Observe(seconds);
  series_->transaction_records.Observe(static_cast<double>(records));
}

void MetricsRegistry::recycled(RecycleOutcome outcome, double seconds) {
  series_->recycles[static_cast<std::size_t>(outcome)]->Increment();
  series_->recycle_seconds.Observe(seconds);
}

void MetricsRegistry::stage(std::string_view stage, double seconds) {
  const auto* const found = std::find(kStageNames.begin(), kStageNames.end(), stage);
  CHECK(found != kStageNames.end(), "a stage that kStageNames does not name");
  series_->stages[static_cast<std::size_t>(found - kStageNames.begin())]->Observe(seconds);
}

void MetricsRegistry::end_to_end(double seconds) { series_->end_to_end.Observe(std::max(seconds, 0.0)); }

void MetricsRegistry::index(const IndexCounts& counts) {
  series_->index_entries.Set(static_cast<double>(counts.entries));
  series_->index_bytes.Set(static_cast<double>(counts.bytes));
  series_->index_file_bytes.Set(static_cast<double>(counts.file_bytes));
  series_->lookup_truncated.Increment(static_cast<double>(counts.truncated));
  series_->hot_features.Set(static_cast<double>(counts.hot_features));
  const ClusterCounts& clusters = counts.clusters;
  series_->clusters.Set(static_cast<double>(clusters.clusters));
  series_->largest_cluster.Set(clusters.largest);
  series_->cluster_bytes.Set(static_cast<double>(clusters.bytes));
  series_->cluster_distance.Set(clusters.mean_distance);
  series_->swallowed_by_cluster.Set(clusters.cluster_share);
  series_->swallowed_by_source.Set(clusters.source_share);
  series_->swallow_alarm.Set(clusters.alarm ? 1 : 0);
}

void MetricsRegistry::lag(std::string_view topic, std::int32_t partition, std::int64_t records,
                          std::int64_t unstable, double seconds) {
  const std::lock_guard lock(series_->mutex);
  Series::Partition& series = series_->partition(topic, partition);
  // A clock that runs ahead at the producer must not show as a negative lag.
  series.lag_records->Set(static_cast<double>(std::max<std::int64_t>(records, 0)));
  series.unstable_records->Set(static_cast<double>(unstable));
  series.lag_seconds->Set(std::max(seconds, 0.0));
}

void MetricsRegistry::assigned_partitions(std::uint64_t partitions) {
  series_->assigned.Set(static_cast<double>(partitions));
}

void MetricsRegistry::restored(std::uint64_t journal_records, double progress) {
  series_->restore_records.Increment(static_cast<double>(journal_records));
  series_->restore_progress.Set(std::clamp(progress, 0.0, 1.0));
}

void MetricsRegistry::restore_time(double seconds) { series_->restore_seconds.Set(seconds); }

void MetricsRegistry::snapshot_written(std::uint64_t records, std::uint64_t bytes, bool is_current) {
  if (is_current) series_->snapshot_timestamp.Set(wall_clock_seconds());
  series_->snapshot_records.Set(static_cast<double>(records));
  series_->snapshot_bytes.Set(static_cast<double>(bytes));
}

void MetricsRegistry::snapshot_failed() { series_->snapshot_failures.Increment(); }

void MetricsRegistry::snapshot_behind(std::uint64_t records) {
  series_->snapshot_behind.Set(static_cast<double>(records));
}

void MetricsRegistry::wrong_topic_settings(std::uint64_t problems) {
  series_->wrong_topic_settings.Set(static_cast<double>(problems));
}

void MetricsRegistry::journal_read(std::int64_t position, std::int64_t end) {
  series_->journal_position.Set(static_cast<double>(position));
  series_->journal_lag.Set(static_cast<double>(std::max<std::int64_t>(end - position, 0)));
}

void MetricsRegistry::election(ElectionOutcome outcome) {
  series_->elections[static_cast<std::size_t>(outcome)]->Increment();
  if (outcome != ElectionOutcome::kUnchanged)
    series_->leader.Set(outcome == ElectionOutcome::kElected ? 1 : 0);
}

void MetricsRegistry::brokers(std::uint64_t known, std::uint64_t connected) {
  series_->brokers_known.Set(static_cast<double>(known));
  series_->brokers_connected.Set(static_cast<double>(connected));
}

void MetricsRegistry::kafka_error(std::string_view client, std::string_view code) {
  Series& s = *series_;
  const bool known =
      std::find(Series::kClients.begin(), Series::kClients.end(), client) != Series::kClients.end();
  CHECK(known, "a Kafka client without a name");
  const std::lock_guard lock(s.mutex);
  if (s.error_codes.find(code) == s.error_codes.end()) {
    if (s.error_codes.size() >= Series::kCodesMax) {
      code = "other";
    } else {
      s.error_codes.emplace(code);
    }
  }
  s.error_counter(client, code).Increment();
}

std::string metrics_markdown() {
  std::string out =
      "# Metrics\n"
      "\n"
      "What `/metrics` shows. Written from the table in service/metrics/registry.cc; do not edit.\n"
      "\n"
      "| metric | type | labels | what |\n"
      "|---|---|---|---|\n";
  for (const MetricSpec& row : specs()) {
    out += "| `" + std::string(row.name) + "` | " + std::string(type_name(row.type)) + " | " +
           std::string(row.labels) + " | " + std::string(row.help) + " |\n";
  }
  return out;
}

}  // namespace neardup
