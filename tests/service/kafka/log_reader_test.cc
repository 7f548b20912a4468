// What the reader of one partition does when the broker does not answer as it should, on librdkafka's own
// mock of a cluster.

#include "service/kafka/log_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stop_token>
#include <thread>

#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

constexpr const char* kTopic = "journal";

struct Counts final : Probe {
  void journal_read(std::int64_t read, std::int64_t end) override {
    position = read;
    lag = end - read;
  }
  void kafka_error(std::string_view, std::string_view) override { ++errors; }
  std::int64_t position = -1;
  std::int64_t lag = -1;
  std::atomic<int> errors{0};
};

// The next record, if there is one within `wait`.
Result<std::optional<std::string>> read_next(KafkaLogReader& reader, std::chrono::milliseconds wait) {
  std::optional<std::string> record;
  const Result<bool> came = reader.next(wait, [&](std::string_view bytes) -> Status {
    record.emplace(bytes);
    return {};
  });
  if (!came) return came.error();
  return record;
}

class LogReader : public ::testing::Test {
 protected:
  void open() { open(probe_, reader_); }
  void open(Probe& probe, std::unique_ptr<KafkaLogReader>& reader) {
    KafkaConfig config;
    config.brokers = cluster_.servers();
    config.group = "reader";
    auto opened = KafkaLogReader::open(config, kTopic, 0, probe, board_, {});
    ASSERT_TRUE(opened) << opened.error().message;
    reader = *std::move(opened);
  }

  MockCluster cluster_{{kTopic}};
  Counts probe_;
  StateBoard board_;
  std::unique_ptr<KafkaLogReader> reader_;
};

TEST_F(LogReader, asks_again_for_the_end_while_records_wait_to_be_read) {
  cluster_.send(kTopic, {"one", "two"});
  ASSERT_NO_FATAL_FAILURE(open());
  std::vector<std::string> read;
  const Result<std::optional<std::string>> first = read_next(*reader_, std::chrono::seconds(30));
  ASSERT_TRUE(first);
  ASSERT_TRUE(*first);
  EXPECT_EQ(**first, "one");  // and the other one is in the client's queue
  cluster_.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 2);
  ASSERT_TRUE(reader_->read_to_end([&](std::string_view bytes, double) -> Status {
    read.emplace_back(bytes);
    return {};
  }));
  EXPECT_EQ(read, std::vector<std::string>{"two"});
}

// While it matters most: an instance that starts has all of it to read.
TEST_F(LogReader, tells_how_far_it_has_still_to_read) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_NO_FATAL_FAILURE(open());
  std::vector<std::int64_t> left;
  ASSERT_TRUE(reader_->read_to_end([&](std::string_view, double) -> Status {
    left.push_back(probe_.lag);
    return {};
  }));
  EXPECT_EQ(left, (std::vector<std::int64_t>{2, 1, 0}));
  EXPECT_EQ(probe_.position, 3);
}

// A writer asks once for each record, and for nothing behind the last.
TEST_F(LogReader, tells_how_far_it_has_read_with_each_record) {
  cluster_.send(kTopic, {"one", "two"});
  ASSERT_NO_FATAL_FAILURE(open());
  for (const std::int64_t behind : {1, 2}) {
    const Result<std::optional<std::string>> record = read_next(*reader_, std::chrono::seconds(30));
    ASSERT_TRUE(record);
    ASSERT_TRUE(*record);
    EXPECT_EQ(probe_.position, behind);
  }
}

// A standby asks so, and does nothing else between two records.
TEST_F(LogReader, finds_what_is_there_however_short_it_waits) {
  cluster_.send(kTopic, {"one", "two"});
  ASSERT_NO_FATAL_FAILURE(open());
  std::vector<std::string> read;
  EXPECT_TRUE(eventually([&] {
    const Result<std::optional<std::string>> bytes = read_next(*reader_, std::chrono::milliseconds(1));
    EXPECT_TRUE(bytes);
    if (bytes && *bytes) read.push_back(**bytes);
    return read.size() == 2;
  }));
  EXPECT_EQ(read, (std::vector<std::string>{"one", "two"}));
  const Result<bool> settled = reader_->is_settled();
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_TRUE(*settled);
}

// Plain librdkafka takes what lies in its memory for the number of the partition, and often ends by a
// segmentation fault (tests/support/librdkafka-unknown-leader.patch).
TEST_F(LogReader, asks_for_a_leader_that_nobody_knew) {
  cluster_.send(kTopic, {"one"});
  ASSERT_NO_FATAL_FAILURE(open());
  const auto next = [&] {
    const Result<std::optional<std::string>> bytes = read_next(*reader_, std::chrono::seconds(30));
    EXPECT_TRUE(bytes);
    return bytes ? bytes->value_or("") : "";
  };
  EXPECT_EQ(next(), "one");
  ::testing::internal::CaptureStderr();
  for (int again = 0; again < 10; ++again) {
    cluster_.count_requests();
    cluster_.orphan(kTopic, 0);
    EXPECT_TRUE(eventually([&] { return cluster_.requests(MockCluster::kMetadata) > 0; }));
  }
  cluster_.send(kTopic, {"two"});
  EXPECT_EQ(next(), "two");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(log.find("METADATAUPDATE"), std::string::npos) << log;
}

TEST_F(LogReader, that_is_told_where_to_start_never_goes_back_to_the_beginning) {
  cluster_.send(kTopic, {"one", "two", "three"});
  cluster_.answer_late(MockCluster::kListOffsets, std::chrono::milliseconds(1500));
  ASSERT_NO_FATAL_FAILURE(open());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it would be asking where the log begins
  ASSERT_TRUE(reader_->start_at(2));
  const Result<std::optional<std::string>> last = read_next(*reader_, std::chrono::seconds(30));
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, "three");
  const Result<std::optional<std::string>> more = read_next(*reader_, std::chrono::milliseconds(3000));
  ASSERT_TRUE(more);
  EXPECT_EQ(*more, std::nullopt);
}

// So answers a broker that has not heard of a topic yet which was made a moment ago. Nothing is gone.
TEST_F(LogReader, asks_again_where_the_log_begins_when_it_was_not_told) {
  cluster_.send(kTopic, {"one", "two"});
  cluster_.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, 2);
  ASSERT_NO_FATAL_FAILURE(open());
  std::vector<std::string> read;
  EXPECT_TRUE(eventually([&] {
    const Result<std::optional<std::string>> bytes = read_next(*reader_, std::chrono::seconds(1));
    EXPECT_TRUE(bytes) << bytes.error().message;
    if (bytes && *bytes) read.push_back(**bytes);
    return !bytes || read.size() == 2;
  }));
  EXPECT_EQ(read, (std::vector<std::string>{"one", "two"}));
  EXPECT_GT(probe_.errors, 0);
}

// Between two terms it may be kept for as long as Kafka is away.
TEST_F(LogReader, takes_errors_while_nobody_reads_and_leaves_records_alone) {
  cluster_.send(kTopic, {"one", "two"});
  ASSERT_NO_FATAL_FAILURE(open());
  const Result<std::optional<std::string>> first = read_next(*reader_, std::chrono::seconds(30));
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, "one");
  for (int i = 0; i < 100; ++i) cluster_.cut(MockCluster::kFetch);
  EXPECT_TRUE(eventually([&] {
    reader_->listen();
    return probe_.errors > 0;
  }));
  cluster_.refuse_no_more(MockCluster::kFetch);
  const Result<std::optional<std::string>> second = read_next(*reader_, std::chrono::seconds(30));
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, "two");
}

// The snapshot's own reader catches up beside the one whose lag is shown.
TEST_F(LogReader, that_counts_only_errors_leaves_the_lag_of_another_alone) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_TRUE(reader_->read_to_end([](std::string_view, double) { return Status(); }));
  ASSERT_TRUE(read_next(*reader_, std::chrono::milliseconds(1)));
  EXPECT_EQ(probe_.lag, 0);

  ErrorsOnly errors(probe_);
  std::unique_ptr<KafkaLogReader> behind;
  ASSERT_NO_FATAL_FAILURE(open(errors, behind));
  for (const char* const expected : {"one", "two"}) {
    const Result<std::optional<std::string>> bytes = read_next(*behind, std::chrono::seconds(30));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, expected);
    EXPECT_EQ(probe_.lag, 0);
  }
  cluster_.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 2);
  ASSERT_TRUE(behind->end());
  EXPECT_EQ(probe_.errors, 1);
}

// A topic that was deleted is an error that librdkafka keeps to itself: no record, no end, no word.
TEST_F(LogReader, waits_for_what_never_comes_until_it_is_asked_to_stop) {
  cluster_.send(kTopic, {"one", "two"});
  ASSERT_NO_FATAL_FAILURE(open());
  for (const std::int16_t api : {MockCluster::kFetch, MockCluster::kListOffsets}) {
    std::stop_source term;
    reader_->stop_on(term.get_token());
    cluster_.refuse(api, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, 10000);
    auto reading = std::async(std::launch::async, [&] {
      return reader_->read_to_end([](std::string_view, double) { return Status(); });
    });
    ASSERT_EQ(reading.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
    term.request_stop();
    ASSERT_EQ(reading.wait_for(std::chrono::seconds(5)), std::future_status::ready);
    const Status status = reading.get();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  }
}

// As a broker's disk that was lost, or an unclean election, leaves it.
TEST_F(LogReader, never_waits_for_records_that_the_log_has_lost) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_NO_FATAL_FAILURE(open());
  cluster_.refuse(MockCluster::kFetch, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, 10000);
  auto reading = std::async(std::launch::async, [&] {
    return reader_->read_to_end([](std::string_view, double) { return Status(); });
  });
  ASSERT_EQ(reading.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
  cluster_.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, 10000);
  cluster_.forget(kTopic);
  cluster_.send(kTopic, {"one"});
  cluster_.refuse_no_more(MockCluster::kFetch);
  cluster_.refuse_no_more(MockCluster::kListOffsets);
  ASSERT_EQ(reading.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  const Status status = reading.get();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
  EXPECT_EQ(status.error().message, "topic journal ends at 1, it ended at 3: committed records are gone");
}

// What was read is gone: whoever took this for the end would write on behind it.
TEST_F(LogReader, a_log_that_ends_before_what_was_read_has_lost_records) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_NO_FATAL_FAILURE(open());
  const auto read = [&] { return reader_->read_to_end([](std::string_view, double) { return Status(); }); };
  ASSERT_TRUE(read());
  cluster_.refuse(MockCluster::kFetch, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, 10000);
  cluster_.forget(kTopic);
  cluster_.send(kTopic, {"one"});
  const Status status = read();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
  EXPECT_EQ(status.error().message, "topic journal ends at 1, it ended at 3: committed records are gone");
}

}  // namespace
}  // namespace neardup
