// What the input's client does besides handing out records, on librdkafka's own mock of a cluster.

#include "service/kafka/input.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/kafka/message.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kTopic = "pages";

// What it reports.
struct Reports final : Probe {
  void brokers(std::uint64_t known, std::uint64_t) override {
    ++statistics;
    brokers_known = known;
  }
  void lag(std::string_view, std::int32_t, std::int64_t records, std::int64_t, double) override {
    lag_records = records;
  }
  void kafka_error(std::string_view, std::string_view) override { ++errors; }
  int statistics = 0;
  std::atomic<int> errors{0};
  std::uint64_t brokers_known = 0;
  std::optional<std::int64_t> lag_records;  // of the last partition
};

class Input : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.brokers = cluster_.servers();
    config_.group = "dedup";
    config_.topics.input = {kTopic};
    ASSERT_NO_FATAL_FAILURE(open());
  }

  void open(milliseconds rest_after = KafkaInput::kRestAfter, std::int32_t partitions = 1) {
    auto input = KafkaInput::open(config_, reports_, {}, rest_after);
    ASSERT_TRUE(input) << input.error().message;
    input_ = std::move(*input);
    std::vector<InputPosition> positions;
    for (std::int32_t partition = 0; partition < partitions; ++partition)
      positions.push_back({.topic_name = kTopic, .partition = partition, .log_begin = 0});
    ASSERT_TRUE(input_->assign(positions));
  }

  // Polls until so many records were handed out; no error comes meanwhile.
  bool reads(std::size_t count) {
    const bool is_over = eventually([&] {
      const Status status = input_->poll(records_, 10, milliseconds(100));
      EXPECT_TRUE(status) << status.error().message;
      return !status || records_.size() == count;
    });
    EXPECT_EQ(records_.size(), count);
    return is_over;
  }

  MockCluster cluster_{{kTopic}};
  KafkaConfig config_;
  Reports reports_;
  std::unique_ptr<KafkaInput> input_;
  std::vector<Record> records_;
};

// While the memory is full nobody polls, for days perhaps: statistics must not pile up, and lag must grow.
TEST_F(Input, takes_statistics_and_reports_its_lag_while_nobody_has_room_for_records) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.statistics >= 2 && reports_.lag_records == 3;
  }));
  EXPECT_EQ(reports_.brokers_known, 1U);
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return records_.size() == 3;
  })) << "they wait to be read";
}

// A writer that lost the election may stand by for months.
TEST_F(Input, leaves_no_numbers_behind) {
  cluster_.send(kTopic, {"one"});
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.brokers_known == 1 && reports_.lag_records == 1;
  }));
  input_.reset();
  EXPECT_EQ(reports_.brokers_known, 0U);
  EXPECT_EQ(reports_.lag_records, 0);
}

// What statistics tell is the end that the last fetch met, and behind a full queue nothing is fetched.
TEST_F(Input, lag_grows_while_the_queue_is_full_and_nothing_is_fetched) {
  config_.properties = {{"queued.min.messages", "1"}};
  input_.reset();
  cluster_.send(kTopic, {"one"});
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 1 && reports_.statistics >= 2;
  }));
  cluster_.send(kTopic, {"two", "three"});
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 3;
  })) << reports_.lag_records.value_or(-1);
  const int told = reports_.statistics;
  bool is_taken_back = false;
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    is_taken_back = is_taken_back || reports_.lag_records != 3;
    return reports_.statistics >= told + 3;
  }));
  EXPECT_FALSE(is_taken_back) << "by the end that statistics go on to tell";
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return records_.size() == 3;
  }));
  input_->close_batch();
  input_->release();
  EXPECT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 0;
  })) << "nothing of it stays behind";
}

// Whatever keeps a partition from being read must not look like the end of a crawl.
TEST_F(Input, lag_grows_while_nothing_of_a_partition_is_fetched_though_it_would_be_read) {
  config_.properties = {{"fetch.error.backoff.ms", "300000"}};
  ASSERT_NO_FATAL_FAILURE(open());
  cluster_.send(kTopic, {"one"});
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return records_.size() == 1;
  }));
  // Twice: of the fetch that is the first to meet the end, librdkafka tells the end in place of the error.
  cluster_.spoil(kTopic, 0);
  cluster_.spoil(kTopic, 0);
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return reports_.errors > 0;
  }));
  cluster_.send(kTopic, {"two", "three"});
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return reports_.lag_records == 3;
  })) << reports_.lag_records.value_or(-1);
  EXPECT_EQ(records_.size(), 1U);
}

TEST_F(Input, hears_where_the_others_end_while_a_partition_has_no_leader) {
  config_.properties = {{"queued.min.messages", "1"}};
  input_.reset();
  cluster_.forget(kTopic, 2);
  cluster_.depose(kTopic, 0);
  cluster_.send(kTopic, {"one"}, 1);
  ASSERT_NO_FATAL_FAILURE(open(KafkaInput::kRestAfter, 2));
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 1 && reports_.statistics >= 2;
  }));
  cluster_.send(kTopic, {"two", "three"}, 1);
  EXPECT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 3;
  }));
}

TEST_F(Input, is_let_go_while_nobody_has_answered_where_the_log_ends) {
  cluster_.send(kTopic, {"one"});
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 1 && reports_.statistics >= 2;
  }));
  cluster_.answer_late(MockCluster::kListOffsets, seconds(60));
  for (const auto until = Clock::now() + seconds(3); Clock::now() < until;) {
    const auto begin = Clock::now();
    input_->idle();
    EXPECT_LT(Clock::now() - begin, seconds(1)) << "who is asked is not waited for";
    std::this_thread::sleep_for(milliseconds(10));
  }
  const auto begin = Clock::now();
  input_.reset();
  EXPECT_LT(Clock::now() - begin, seconds(5));
}

TEST_F(Input, hands_out_the_first_record_when_it_comes) {
  const std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(200));
    cluster_.send(kTopic, {"one"});
  });
  const auto begin = Clock::now();
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 1000, seconds(20)));
    return !records_.empty();
  }));
  EXPECT_LT(Clock::now() - begin, seconds(15)) << "not when the time is over that it may take";
}

// A partition that has just come may be unknown to the broker that leads it: nothing of it is gone.
TEST_F(Input, asks_again_where_a_partition_begins_when_it_was_not_told) {
  cluster_.send(kTopic, {"one", "two"});
  input_.reset();
  cluster_.refuse(MockCluster::kListOffsets, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, 2);
  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_TRUE(reads(2));
}

// Retention passes a partition between the question where it begins and the first fetch.
TEST_F(Input, of_which_nothing_was_read_has_lost_nothing) {
  cluster_.send(kTopic, {"one", "two"});
  input_.reset();
  cluster_.spoil(kTopic, 0, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE);
  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_TRUE(reads(2));
  EXPECT_GT(reports_.errors, 0) << "it was told";

  Status status;
  EXPECT_TRUE(eventually([&] {
    cluster_.spoil(kTopic, 0, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE);
    return !(status = input_->poll(records_, 10, milliseconds(100)));
  }));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kContradiction) << "there is a position now";
}

// As of a follower whose log was not yet cut to where its leader's begins, and that leads now.
TEST_F(Input, hands_out_records_before_where_the_log_was_said_to_begin) {
  cluster_.send(kTopic, {"one", "two", "three"});
  const std::vector<InputPosition> positions = {{.topic_name = kTopic, .partition = 0, .log_begin = 5}};
  ASSERT_TRUE(input_->assign(positions));
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return records_.size() == 3;
  }));
}

// Behind the last record lies the mark of its transaction: who begins at the mark finds nothing there once
// retention has taken both, and cannot know that it was no record.
TEST_F(Input, that_rests_stands_behind_the_marks_of_transactions) {
  config_.properties = {{"check.crcs", "false"}};  // the mock's marks have none
  ASSERT_NO_FATAL_FAILURE(open(milliseconds(300)));
  ClientListener listener("feed", reports_);
  const auto producer = make_client(RD_KAFKA_PRODUCER, config_, {{"transactional.id", "crawler"}}, listener);
  ASSERT_TRUE(producer) << producer.error().message;
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(producer->get(), kTopic, nullptr);
  ASSERT_EQ(rd_kafka_init_transactions(producer->get(), 30000), nullptr);
  ASSERT_EQ(rd_kafka_begin_transaction(producer->get()), nullptr);
  ASSERT_EQ(queue_record(producer->get(), topic, 0, RD_KAFKA_MSG_F_COPY, std::nullopt, "one", {}),
            RD_KAFKA_RESP_ERR_NO_ERROR);
  ASSERT_EQ(rd_kafka_commit_transaction(producer->get(), 30000), nullptr);
  rd_kafka_topic_destroy(topic);

  std::vector<RestPosition> rests;
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    input_->take_rests(rests);
    return !rests.empty();
  }));
  ASSERT_EQ(records_.size(), 1U);
  ASSERT_EQ(rests.size(), 1U);
  EXPECT_EQ(rests[0].next, 2);
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
  input_->take_rests(rests);
  EXPECT_EQ(rests.size(), 1U) << "it is told once";
}

TEST_F(Input, that_rests_behind_a_record_has_nothing_to_tell) {
  ASSERT_NO_FATAL_FAILURE(open(milliseconds(1)));
  cluster_.send(kTopic, {"one"});
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
    return records_.size() == 1;
  }));
  std::this_thread::sleep_for(milliseconds(700));  // the end of the partition is told
  EXPECT_TRUE(input_->poll(records_, 10, milliseconds(10)));
  std::vector<RestPosition> rests;
  input_->take_rests(rests);
  EXPECT_TRUE(rests.empty());
}

TEST_F(Input, leaves_no_lag_behind_when_another_instance_reads_on) {
  cluster_.send(kTopic, {"one", "two", "three"});
  ASSERT_TRUE(eventually([&] {
    input_->idle();
    return reports_.lag_records == 3;
  }));
  input_.reset();
  EXPECT_EQ(reports_.lag_records, 0);
}

}  // namespace
}  // namespace neardup
