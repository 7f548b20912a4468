// Which numbers does the world see, and under which names?
//
// MetricsRegistry is the Probe that counts: one table of metrics (name, type, labels, buckets, help) makes
// the series, their exposition in Prometheus' text format, and the reference in docs/metrics.md. Every label
// combination that is known beforehand exists with 0 from the start, so that rate() sees the first event;
// those of a partition exist since `partitions`. State and process metrics are read when they are asked for.
//
// Cost:    a verb is some atomic adds and, for histograms, a short mutex; verbs are per batch. Fewer than
//          1000 series with 64 input partitions.
// Threads: any thread may call anything.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "service/metrics/probe.h"
#include "service/metrics/state.h"

namespace neardup {

struct MetricsOptions {
  std::string librdkafka_version;       // of the library as it runs; "" leaves the label empty
  std::string configuration;            // the resolved settings; a digest of them is shown
  std::uint64_t index_limit_bytes = 0;  // 0: none
  std::string index_limit_policy = {};  // what happens there: stop, or evict-oldest
};

// What /status tells at a glance.
struct StatusCounts {
  std::uint64_t consumed = 0;
  std::uint64_t unique = 0;
  std::uint64_t exact = 0;
  std::uint64_t near = 0;
  std::uint64_t short_text = 0;
  std::uint64_t rejected = 0;
  std::uint64_t deleted = 0;
  std::uint64_t transactions = 0;
  std::uint64_t index_entries = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t clusters = 0;
  std::uint64_t largest_cluster = 0;  // documents
  std::int64_t lag_records = 0;       // over all partitions
  double lag_seconds = 0;             // of the partition that is furthest behind
  double restore_progress = 0;        // 0 .. 1
  std::int64_t journal_lag = 0;       // offsets
};

class MetricsRegistry final : public Probe {
 public:
  // `board` must outlive the registry.
  MetricsRegistry(const MetricsOptions& options, const StateBoard& board);
  ~MetricsRegistry() override;

  // All series as text (version 0.0.4 of the format).
  std::string exposition() const;
  StatusCounts counts() const;

  void partitions(std::string_view topic, std::int32_t count) override;
  void consumed(std::string_view topic, std::int32_t partition, std::uint64_t records,
                std::uint64_t bytes) override;
  void batch_committed(const BatchCounts& counts, BatchClosed why) override;
  void transaction(TransactionResult result, double seconds, std::uint64_t records) override;
  void recycled(RecycleOutcome outcome, double seconds) override;
  void stage(std::string_view stage, double seconds) override;
  void end_to_end(double seconds) override;
  void index(const IndexCounts& counts) override;
  void lag(std::string_view topic, std::int32_t partition, std::int64_t records, std::int64_t unstable,
           double seconds) override;
  void assigned_partitions(std::uint64_t partitions) override;
  void restored(std::uint64_t journal_records, double progress) override;
  void restore_time(double seconds) override;
  void snapshot_written(std::uint64_t records, std::uint64_t bytes, bool is_current) override;
  void snapshot_failed() override;
  void snapshot_behind(std::uint64_t records) override;
  void wrong_topic_settings(std::uint64_t problems) override;
  void journal_read(std::int64_t position, std::int64_t end) override;
  void election(ElectionOutcome outcome) override;
  void brokers(std::uint64_t known, std::uint64_t connected) override;
  void kafka_error(std::string_view client, std::string_view code) override;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

// Every metric as a table: what docs/metrics.md is.
std::string metrics_markdown();

}  // namespace neardup
