#include "service/metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "service/metrics/control_group.h"
#include "service/metrics/process.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The value of exactly this series, or "absent".
std::string value_of(const MetricsRegistry& metrics, const std::string& series) {
  for (const std::string& line : lines_of(metrics.exposition())) {
    if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
  }
  return "absent";
}

std::size_t series_in(const std::string& exposition) {
  const std::vector<std::string> lines = lines_of(exposition);
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [](const std::string& line) { return !line.empty() && line[0] != '#'; }));
}

// Runs promtool on the text; its words when it is not content.
std::string promtool(const std::string& exposition) {
  char name[] = "/tmp/neardup-metrics-XXXXXX";
  const int fd = mkstemp(name);
  EXPECT_GE(fd, 0);
  close(fd);
  std::ofstream(name) << exposition;
  const std::string command = std::string("promtool check metrics < ") + name + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string words;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) words += buffer;
  const int status = pclose(pipe);
  std::remove(name);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    words += "(exit " + std::to_string(WEXITSTATUS(status)) + ")";
  return words;
}

class MetricsTest : public testing::Test {
 protected:
  StateBoard board_;
  MetricsRegistry metrics_{{.librdkafka_version = "2.15.1", .configuration = "detector:\n  distance: 3\n"},
                           board_};
};

// Every verb once, so that every family has something to show.
void use_every_verb(MetricsRegistry& metrics, std::int32_t partitions) {
  metrics.partitions("pages", partitions);
  metrics.consumed("pages", 0, 10, 1000);
  BatchCounts counts;
  counts.unique = 5;
  counts.exact = 2;
  counts.near = 1;
  counts.rejected[static_cast<std::size_t>(RejectReason::kNotJson)] = 2;
  counts.fallbacks = 6;
  counts.deleted = 1;
  counts.forgotten = 3;
  for (const std::uint64_t bytes : {100, 256, 300, 20 << 20}) counts.document_bytes.add(bytes);
  counts.near_distance.add(3);
  for (const std::uint64_t candidates : {0, 61, 1000000}) counts.lookup_candidates.add(candidates);
  metrics.batch_committed(counts, BatchClosed::kInterval);
  metrics.transaction(TransactionResult::kCommitted, .02, 10);
  metrics.recycled(RecycleOutcome::kResent, .6);
  for (const std::string_view stage : kStageNames) metrics.stage(stage, .001);
  metrics.end_to_end(.15);
  metrics.index({.entries = 5,
                 .bytes = 4096,
                 .file_bytes = 262144,
                 .truncated = 7,
                 .hot_features = 2,
                 .clusters = {.clusters = 3,
                              .largest = 9,
                              .bytes = 512,
                              .mean_distance = 1.5,
                              .cluster_share = .125,
                              .source_share = .25,
                              .alarm = StreamAlarm{}}});
  metrics.lag("pages", 1, 7, 40, 1.5);
  metrics.assigned_partitions(static_cast<std::uint64_t>(partitions));
  metrics.restored(3, .5);
  metrics.election(ElectionOutcome::kUnchanged);
  metrics.election(ElectionOutcome::kElected);
  metrics.brokers(3, 2);
  metrics.kafka_error("writer", "_TRANSPORT");
}

TEST_F(MetricsTest, promtool_finds_nothing_to_say) {
  EXPECT_EQ(promtool(metrics_.exposition()), "");
  use_every_verb(metrics_, 4);
  EXPECT_EQ(promtool(metrics_.exposition()), "");
  // The test itself would see a complaint.
  EXPECT_THAT(promtool("# HELP neardup_bad_bits x\n# TYPE neardup_bad_bits counter\nneardup_bad_bits 1\n"),
              HasSubstr("neardup_bad_bits"));
}

TEST_F(MetricsTest, known_labels_exist_with_zero_from_the_start) {
  for (const char* series : {"neardup_verdicts_total{kind=\"none\",verdict=\"unique\"}",
                             "neardup_verdicts_total{kind=\"exact\",verdict=\"duplicate\"}",
                             "neardup_verdicts_total{kind=\"near\",verdict=\"duplicate\"}",
                             "neardup_verdicts_total{kind=\"none\",verdict=\"rejected\"}",
                             "neardup_verdicts_total{kind=\"none\",verdict=\"deleted\"}",
                             "neardup_main_text_fallbacks_total",
                             "neardup_deleted_uniques_total",
                             "neardup_index_entries",
                             "neardup_lookup_truncated_total",
                             "neardup_clusters",
                             "neardup_largest_cluster_documents",
                             "neardup_swallowed_share_ratio{by=\"cluster\"}",
                             "neardup_swallowed_share_ratio{by=\"source\"}",
                             "neardup_swallow_alarm",
                             "neardup_kafka_errors_total{client=\"journal\",code=\"other\"}",
                             "neardup_stage_duration_seconds_count{stage=\"audit\"}",
                             "neardup_leader",
                             "neardup_kafka_brokers",
                             "neardup_kafka_brokers_connected",
                             "neardup_document_bytes_count",
                             "neardup_lookup_candidates_count",
                             "neardup_match_hamming_distance_bucket{le=\"0\"}",
                             "neardup_transaction_duration_seconds_count"}) {
    EXPECT_EQ(value_of(metrics_, series), "0") << series;
  }
  for (const std::string_view reason : kRejectReasonNames) {
    EXPECT_EQ(value_of(metrics_, "neardup_dead_letter_records_total{reason=\"" + std::string(reason) + "\"}"),
              "0");
  }
  for (const std::string_view reason : kBatchClosedNames) {
    EXPECT_EQ(value_of(metrics_, "neardup_batches_closed_total{reason=\"" + std::string(reason) + "\"}"),
              "0");
  }
  for (const std::string_view result : kTransactionResultNames) {
    EXPECT_EQ(value_of(metrics_, "neardup_transactions_total{result=\"" + std::string(result) + "\"}"), "0");
  }
  for (const std::string_view outcome : kRecycleOutcomeNames) {
    EXPECT_EQ(value_of(metrics_, "neardup_recycles_total{outcome=\"" + std::string(outcome) + "\"}"), "0");
  }
  for (const std::string_view outcome : kElectionOutcomeNames) {
    EXPECT_EQ(
        value_of(metrics_, "neardup_election_rebalances_total{outcome=\"" + std::string(outcome) + "\"}"),
        "0");
  }
  EXPECT_EQ(value_of(metrics_, "neardup_records_consumed_total{partition=\"0\",topic=\"pages\"}"), "absent");
  metrics_.partitions("pages", 2);
  for (const char* metric : {"records_consumed_total", "consumed_bytes_total", "consumer_lag_records",
                             "consumer_unstable_records", "consumer_lag_seconds"}) {
    for (const char* partition : {"0", "1"}) {
      EXPECT_EQ(value_of(metrics_, std::string("neardup_") + metric + "{partition=\"" + partition +
                                       "\",topic=\"pages\"}"),
                "0");
    }
  }
}

TEST_F(MetricsTest, each_verb_moves_its_numbers) {
  use_every_verb(metrics_, 2);
  use_every_verb(metrics_, 2);
  for (const auto& [series, value] : std::vector<std::pair<std::string, std::string>>{
           {"neardup_records_consumed_total{partition=\"0\",topic=\"pages\"}", "20"},
           {"neardup_consumed_bytes_total{partition=\"0\",topic=\"pages\"}", "2000"},
           {"neardup_verdicts_total{kind=\"none\",verdict=\"unique\"}", "10"},
           {"neardup_verdicts_total{kind=\"exact\",verdict=\"duplicate\"}", "4"},
           {"neardup_verdicts_total{kind=\"near\",verdict=\"duplicate\"}", "2"},
           {"neardup_verdicts_total{kind=\"none\",verdict=\"rejected\"}", "4"},
           {"neardup_verdicts_total{kind=\"none\",verdict=\"deleted\"}", "2"},
           {"neardup_main_text_fallbacks_total", "12"},
           {"neardup_deleted_uniques_total", "6"},
           {"neardup_dead_letter_records_total{reason=\"not_json\"}", "4"},
           {"neardup_batches_closed_total{reason=\"interval\"}", "2"},
           {"neardup_transactions_total{result=\"committed\"}", "2"},
           {"neardup_transaction_duration_seconds_bucket{le=\"0.01\"}", "0"},
           {"neardup_transaction_duration_seconds_bucket{le=\"0.025\"}", "2"},
           {"neardup_transaction_records_sum", "20"},
           {"neardup_recycles_total{outcome=\"resent\"}", "2"},
           {"neardup_recycles_total{outcome=\"found_committed\"}", "0"},
           {"neardup_recycle_duration_seconds_count", "2"},
           {"neardup_stage_duration_seconds_count{stage=\"sign\"}", "2"},
           {"neardup_end_to_end_latency_seconds_bucket{le=\"0.25\"}", "2"},
           {"neardup_document_bytes_bucket{le=\"256\"}", "4"},
           {"neardup_document_bytes_bucket{le=\"1024\"}", "6"},
           {"neardup_document_bytes_bucket{le=\"16777216\"}", "6"},
           {"neardup_document_bytes_count", "8"},
           {"neardup_match_hamming_distance_bucket{le=\"2\"}", "0"},
           {"neardup_match_hamming_distance_bucket{le=\"3\"}", "2"},
           {"neardup_lookup_candidates_bucket{le=\"0\"}", "2"},
           {"neardup_lookup_candidates_bucket{le=\"100\"}", "4"},
           {"neardup_lookup_candidates_count", "6"},
           {"neardup_lookup_candidates_sum", "2000122"},
           {"neardup_election_rebalances_total{outcome=\"unchanged\"}", "2"},
           {"neardup_leader", "1"},
           {"neardup_kafka_brokers", "3"},
           {"neardup_kafka_brokers_connected", "2"},
           {"neardup_index_entries", "5"},
           {"neardup_index_bytes", "4096"},
           {"neardup_index_file_bytes", "262144"},
           {"neardup_lookup_truncated_total", "14"},
           {"neardup_hot_features", "2"},
           {"neardup_clusters", "3"},
           {"neardup_largest_cluster_documents", "9"},
           {"neardup_cluster_bytes", "512"},
           {"neardup_cluster_hamming_distance", "1.5"},
           {"neardup_swallowed_share_ratio{by=\"cluster\"}", "0.125"},
           {"neardup_swallowed_share_ratio{by=\"source\"}", "0.25"},
           {"neardup_swallow_alarm", "1"},
           {"neardup_consumer_lag_records{partition=\"1\",topic=\"pages\"}", "7"},
           {"neardup_consumer_unstable_records{partition=\"1\",topic=\"pages\"}", "40"},
           {"neardup_consumer_lag_seconds{partition=\"1\",topic=\"pages\"}", "1.5"},
           {"neardup_consumer_assigned_partitions", "2"},
           {"neardup_restore_progress_ratio", "0.5"},
           {"neardup_kafka_errors_total{client=\"writer\",code=\"_TRANSPORT\"}", "2"}}) {
    EXPECT_EQ(value_of(metrics_, series), value) << series;
  }
  const StatusCounts counts = metrics_.counts();
  EXPECT_EQ(counts.consumed, 20U);
  EXPECT_EQ(counts.unique, 10U);
  EXPECT_EQ(counts.exact, 4U);
  EXPECT_EQ(counts.near, 2U);
  EXPECT_EQ(counts.rejected, 4U);
  EXPECT_EQ(counts.deleted, 2U);
  EXPECT_EQ(counts.transactions, 2U);
  EXPECT_EQ(counts.index_entries, 5U);
  EXPECT_EQ(counts.clusters, 3U);
  EXPECT_EQ(counts.largest_cluster, 9U);
  EXPECT_EQ(counts.lag_records, 7);
  EXPECT_DOUBLE_EQ(counts.lag_seconds, 1.5);
}

TEST_F(MetricsTest, a_second_restore_adds_its_records_to_those_of_the_first) {
  metrics_.restored(100, .1);
  metrics_.restore_time(2);
  metrics_.restored(120, 7);
  metrics_.restore_time(3);
  EXPECT_EQ(value_of(metrics_, "neardup_restore_records_replayed_total"), "220");
  EXPECT_EQ(value_of(metrics_, "neardup_restore_progress_ratio"), "1");
  EXPECT_EQ(value_of(metrics_, "neardup_restore_duration_seconds"), "3");
}

TEST_F(MetricsTest, the_moment_of_the_snapshot_is_when_it_had_all_there_was) {
  metrics_.snapshot_written(7, 7000, false);
  EXPECT_EQ(value_of(metrics_, "neardup_snapshot_records"), "7");
  EXPECT_EQ(value_of(metrics_, "neardup_snapshot_bytes"), "7000");
  EXPECT_EQ(value_of(metrics_, "neardup_snapshot_timestamp_seconds"), "0");
  metrics_.snapshot_written(8, 8000, true);
  const std::string moment = value_of(metrics_, "neardup_snapshot_timestamp_seconds");
  EXPECT_NE(moment, "0");
  metrics_.snapshot_written(9, 9000, false);
  EXPECT_EQ(value_of(metrics_, "neardup_snapshot_timestamp_seconds"), moment);
}

TEST_F(MetricsTest, who_lost_the_election_is_no_leader) {
  metrics_.election(ElectionOutcome::kElected);
  metrics_.election(ElectionOutcome::kUnchanged);
  EXPECT_EQ(value_of(metrics_, "neardup_leader"), "1") << "a standby that joins changes nothing";
  metrics_.election(ElectionOutcome::kLost);
  EXPECT_EQ(value_of(metrics_, "neardup_leader"), "0");
}

TEST_F(MetricsTest, other_settings_show_another_digest) {
  const auto digest = [](const MetricsRegistry& metrics) {
    const std::string text = metrics.exposition();
    return text.substr(text.find("neardup_config_info{"), 60);
  };
  const MetricsRegistry same({.librdkafka_version = "2.15.1", .configuration = "detector:\n  distance: 3\n"},
                             board_);
  const MetricsRegistry other({.librdkafka_version = "2.15.1", .configuration = "detector:\n  distance: 2\n"},
                              board_);
  EXPECT_EQ(digest(metrics_), digest(same));
  EXPECT_NE(digest(metrics_), digest(other));
}

TEST_F(MetricsTest, the_limit_of_the_index_is_named_by_what_happens_there) {
  const MetricsRegistry stops({.librdkafka_version = "",
                               .configuration = "",
                               .index_limit_bytes = 4096,
                               .index_limit_policy = "stop"},
                              board_);
  EXPECT_EQ(value_of(stops, "neardup_index_limit_bytes{policy=\"stop\"}"), "4096");
  EXPECT_EQ(value_of(stops, "neardup_index_limit_bytes{policy=\"evict-oldest\"}"), "absent");
}

TEST_F(MetricsTest, the_last_beat_is_a_moment_of_now) {
  board_.beat();
  const double beat = std::stod(value_of(metrics_, "neardup_worker_last_beat_timestamp_seconds"));
  EXPECT_NEAR(beat, static_cast<double>(std::time(nullptr)), 10);
}

TEST_F(MetricsTest, exactly_one_state_is_one) {
  for (std::size_t now = 0; now < kStateNames.size(); ++now) {
    board_.set(static_cast<State>(now));
    for (std::size_t i = 0; i < kStateNames.size(); ++i) {
      EXPECT_EQ(value_of(metrics_, "neardup_state{state=\"" + std::string(kStateNames[i]) + "\"}"),
                i == now ? "1" : "0");
    }
  }
}

TEST_F(MetricsTest, truncated_look_ups_of_several_batches_add_up) {
  metrics_.index({.truncated = 7, .clusters = {}});
  metrics_.index({.truncated = 0, .clusters = {}});
  EXPECT_EQ(value_of(metrics_, "neardup_swallow_alarm"), "0") << "an alarm ends";
  metrics_.index({.truncated = 2, .clusters = {}});
  EXPECT_EQ(value_of(metrics_, "neardup_lookup_truncated_total"), "9");
}

TEST(StateBoard, shows_the_warnings_of_all_parts_until_each_takes_its_own_back) {
  StateBoard board;
  EXPECT_EQ(board.warning(), "");
  board.warn("snapshot", "no space left");
  board.warn("index.directory", "read-only");
  EXPECT_EQ(board.warning(), "index.directory: read-only; snapshot: no space left");
  board.warn("index.directory", "no space left");
  board.warn("snapshot", "");
  EXPECT_EQ(board.warning(), "index.directory: no space left");
  board.warn("index.directory", "");
  EXPECT_EQ(board.warning(), "");
}

TEST_F(MetricsTest, sixty_four_partitions_stay_under_a_thousand_series) {
  use_every_verb(metrics_, 64);
  for (int code = 0; code < 1000; ++code) {
    for (const char* client : {"input", "journal", "writer", "election", "admin"})
      metrics_.kafka_error(client, "_E" + std::to_string(code));
  }
  const std::size_t series = series_in(metrics_.exposition());
  EXPECT_LT(series, 1000U);
  EXPECT_GT(series, 64U * 4);
  std::cout << "table: metrics, at most | " << series
            << " series | with 64 partitions; the bound is 1000 |\n";
  EXPECT_THAT(value_of(metrics_, "neardup_kafka_errors_total{client=\"input\",code=\"other\"}"),
              testing::Ne("0"));
}

TEST_F(MetricsTest, the_table_names_what_is_shown_and_the_reference_is_current) {
  use_every_verb(metrics_, 1);
  std::set<std::string> shown;
  for (const std::string& line : lines_of(metrics_.exposition())) {
    if (line.starts_with("# TYPE ")) shown.insert(line.substr(7, line.find(' ', 7) - 7));
  }
  std::set<std::string> told;
  for (const std::string& line : lines_of(metrics_markdown())) {
    if (line.starts_with("| `")) told.insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(shown, told);
  const std::string path = std::string(NEARDUP_SOURCE_DIR) + "/docs/metrics.md";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << metrics_markdown();
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), metrics_markdown()) << "run this test with UPDATE_GOLDEN=1 in the environment";
}

TEST_F(MetricsTest, hostile_names_stay_inside_their_label) {
  metrics_.partitions("a\"} 1\nb\\", 1);
  EXPECT_EQ(promtool(metrics_.exposition()), "");
  EXPECT_THAT(metrics_.exposition(), HasSubstr(R"(topic="a\"} 1\nb\\")"));
}

TEST_F(MetricsTest, any_thread_may_count_while_another_looks) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 1000; ++i) {
        metrics_.consumed("pages", t, 1, 2);
        metrics_.kafka_error("writer", "_E" + std::to_string(i % 50));
        metrics_.stage("sign", .001);
      }
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_THAT(metrics_.exposition(), Not(HasSubstr("nan")));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics_.counts().consumed, 4000U);
}

TEST(Process, usage_is_what_this_process_uses) {
  const ProcessUsage usage = process_usage();
  EXPECT_GT(usage.resident_bytes, 1e6);
  EXPECT_GE(usage.virtual_bytes, usage.resident_bytes);
  EXPECT_EQ(usage.threads, 1);
  EXPECT_GE(usage.open_fds, 3);
  EXPECT_GT(usage.max_fds, usage.open_fds);
  EXPECT_GT(usage.memory_limit_bytes, usage.resident_bytes);
  const double now = static_cast<double>(std::time(nullptr));
  EXPECT_NEAR(usage.start_time_seconds, now, 600);
  volatile double sink = 0;
  while (process_usage().cpu_seconds < usage.cpu_seconds + 0.05) sink = sink + 1;
}

TEST(Process, anonymous_memory_is_without_the_pages_of_files) {
  // Beside the program: temporary folders may lie in memory themselves.
  std::string name = std::filesystem::read_symlink("/proc/self/exe").string() + "-pages-XXXXXX";
  const int file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  unlink(name.c_str());
  struct statfs system{};
  ASSERT_EQ(fstatfs(file, &system), 0);
  if (system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "the program lies in memory";
  const std::vector<char> bytes(std::size_t{16} << 20, 'x');
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));

  const ProcessUsage before = process_usage();
  void* const pages = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const ProcessUsage mapped = process_usage();
  const std::vector<char> copy = bytes;
  const ProcessUsage allocated = process_usage();
  const auto of_files = [](const ProcessUsage& usage) {
    return usage.resident_bytes - usage.anonymous_bytes;
  };
  const double most = 0.75 * static_cast<double>(copy.size());  // what the kernel counts lags behind a little
  EXPECT_GT(of_files(mapped) - of_files(before), most);
  EXPECT_LT(of_files(allocated) - of_files(mapped), most / 2);
  EXPECT_GT(allocated.anonymous_bytes - mapped.anonymous_bytes, most);
  munmap(pages, bytes.size());
  close(file);
}

TEST(ControlGroup, folders_are_those_of_the_group_and_all_around_it) {
  using Folders = std::vector<std::string>;
  EXPECT_EQ(control_group_folders("0::/kube.slice/pod1/a\n", "cpu"),
            (Folders{"/sys/fs/cgroup/kube.slice/pod1/a", "/sys/fs/cgroup/kube.slice/pod1",
                     "/sys/fs/cgroup/kube.slice", "/sys/fs/cgroup", "/sys/fs/cgroup/cpu"}));
  EXPECT_EQ(
      control_group_folders("5:cpuset:/c\n4:memory:/m\n3:cpu,cpuacct:/a/b\n1:name=systemd:/s\n", "cpu"),
      (Folders{"/sys/fs/cgroup/cpu/a/b", "/sys/fs/cgroup/cpu/a", "/sys/fs/cgroup", "/sys/fs/cgroup/cpu"}));
  const Folders roots = {"/sys/fs/cgroup", "/sys/fs/cgroup/memory"};
  for (const char* const self : {"", "0::/\n", "4:memory:/\n", "no such line\n", "0::\n", "::", ":"})
    EXPECT_EQ(control_group_folders(self, "memory"), roots) << self;
}

TEST(ControlGroup, a_quota_is_time_by_period) {
  EXPECT_EQ(quota_of_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(quota_of_cpu_max("20000 10000"), 2.0);
  for (const char* const none : {"max 100000\n", "", "\n", "max", "150000", "0 100000", "1 0", "x y", " "})
    EXPECT_EQ(quota_of_cpu_max(none), std::nullopt) << none;
  EXPECT_EQ(quota_of_cfs("250000\n", "100000\n"), 2.5);
  EXPECT_EQ(quota_of_cfs("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(quota_of_cfs("", ""), std::nullopt);
}

TEST(ControlGroup, cores_are_those_that_may_run_at_once) {
  EXPECT_EQ(cores_within(64, std::nullopt), 64);
  EXPECT_EQ(cores_within(64, 2.0), 2);
  EXPECT_EQ(cores_within(64, 1.5), 2) << "a part of a core is one more thread";
  EXPECT_EQ(cores_within(64, 0.25), 1);
  EXPECT_EQ(cores_within(2, 64.0), 2);
  EXPECT_EQ(cores_within(2, 1e18), 2);
  EXPECT_EQ(cores_within(0, std::nullopt), 1);
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace neardup
