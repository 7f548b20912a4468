// What the writer says when a call of librdkafka does not come back, on librdkafka's own mock of a cluster.

#include "service/kafka/writer.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/kafka/log_reader.h"
#include "tests/service/kafka/login_broker.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

constexpr int kStepMs = 1500;

class Writer : public FolderTest {
 protected:
  void SetUp() override {
    config_.brokers = cluster_.servers();
    config_.group = "dedup";
    config_.topics = {{"pages"}, "unique", "duplicate", "dead-letter", "journal"};
    auto election = Election::join(config_, probe_, board_, [](bool) {});
    ASSERT_TRUE(election) << election.error().message;
    election_ = std::move(*election);
    ASSERT_TRUE(election_->wait_until_leader({}, std::chrono::seconds(30)));
    writer_ = std::make_unique<KafkaWriter>(config_, KafkaWriter::PartitionCounts{1, 1, 1}, *election_,
                                            probe_, board_, std::stop_token(), kStepMs);
    const Status status = writer_->recycle();
    ASSERT_TRUE(status) << status.error().message;
  }

  CommitAnswer commit() {
    const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = 1}};
    return writer_->commit({.journal_record = "record", .records = {}, .positions = positions});
  }

  CommitAnswer await_shown() {
    return writer_->await_shown({.journal_record = "record", .records = {}, .positions = {}});
  }

  MockCluster cluster_{{"pages", "unique", "duplicate", "dead-letter", "journal"}};
  KafkaConfig config_;
  Probe probe_;
  StateBoard board_;
  std::unique_ptr<Election> election_;
  std::unique_ptr<KafkaWriter> writer_;
};

TEST_F(Writer, commits_a_transaction) {
  const CommitAnswer answer = commit();
  EXPECT_EQ(answer.kind, CommitAnswer::Kind::kCommitted) << answer.reason;
}

// librdkafka sends it again by itself, and says nothing: but the first copy may arrive in the next
// transaction.
TEST_F(Writer, asks_for_a_new_producer_when_a_request_was_cut_off_and_the_commit_succeeded) {
  EXPECT_FALSE(commit().recycle_before_next);
  cluster_.cut(MockCluster::kEndTxn);
  const CommitAnswer answer = commit();
  EXPECT_EQ(answer.kind, CommitAnswer::Kind::kCommitted) << answer.reason;
  EXPECT_TRUE(answer.recycle_before_next);
  ASSERT_TRUE(writer_->recycle());
  EXPECT_FALSE(commit().recycle_before_next);
}

class UndeliveredCodes : public Probe {
 public:
  void kafka_error(std::string_view, std::string_view code) override { codes.emplace(code); }
  std::set<std::string> codes;
};

// Those of a topic, too; which of them may be set is the configuration's to say.
TEST_F(Writer, has_the_operators_properties_for_the_topics_it_writes) {
  config_.properties = {{"message.timeout.ms", "100"}};
  UndeliveredCodes probe;
  KafkaWriter writer(config_, {1, 1, 1}, *election_, probe, board_, std::stop_token(), kStepMs);
  ASSERT_TRUE(writer.recycle());
  cluster_.answer_late(MockCluster::kProduce, std::chrono::seconds(3));
  EXPECT_EQ(writer.commit({.journal_record = "record", .records = {}, .positions = {}}).kind,
            CommitAnswer::Kind::kInDoubt);
  EXPECT_EQ(probe.codes.count("_MSG_TIMED_OUT"), 1U);
}

// Each alone is one that librdkafka takes.
TEST(WriterProperties, that_do_not_go_together_are_refused_before_anybody_is_elected) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  EXPECT_TRUE(check_writer_properties(config));
  config.properties = {{"socket.timeout.ms", "90000"}};
  ASSERT_TRUE(check_property("socket.timeout.ms", "90000"));
  const Status status = check_writer_properties(config);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_NE(status.error().message.find("socket.timeout.ms"), std::string::npos) << status.error().message;
}

// Two groups that write on one journal must fence each other: nothing else keeps the chain one. The mock
// fences nobody; tests/integration/standby_test.cc does it to a real Kafka.
TEST(WriterFence, hangs_on_the_journal_whatever_the_group) {
  KafkaConfig config;
  KafkaConfig other_group = config;
  other_group.group = "another";
  EXPECT_EQ(writer_properties(config), writer_properties(other_group));
  KafkaConfig other_journal = config;
  other_journal.topics.journal = "another";
  EXPECT_NE(writer_properties(config), writer_properties(other_journal));
}

// An ACL may be missing for days.
TEST_F(Writer, says_why_it_waits_for_a_producer_and_not_with_each_try) {
  cluster_.refuse(MockCluster::kInitProducerId, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                  10000);
  std::stop_source stop;
  KafkaWriter writer(config_, {1, 1, 1}, *election_, probe_, board_, stop.get_token(), kStepMs);
  std::string warning;
  ::testing::internal::CaptureStderr();
  const std::jthread person([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    warning = board_.warning();
    stop.request_stop();
  });
  const Status status = writer.recycle();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(status);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = log.find("waiting for Kafka to open", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 1U) << log;
  EXPECT_NE(warning.find("TRANSACTIONAL_ID_AUTHORIZATION_FAILED"), std::string::npos) << warning;
  EXPECT_EQ(board_.warning(), "");
}

TEST_F(Writer, makes_no_producer_for_a_stop_and_does_not_lay_that_on_kafka) {
  std::stop_source stop;
  stop.request_stop();
  KafkaWriter writer(config_, {1, 1, 1}, *election_, probe_, board_, stop.get_token(), kStepMs);
  const Status status = writer.recycle();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(status.error().message.find("left to whoever writes next"), std::string::npos)
      << status.error().message;
}

// It waits for Kafka with the producer that it made when the file still held the old one.
TEST_F(Writer, logs_in_with_the_new_password_while_it_waits_for_its_producer) {
  LoginBroker broker("new");
  const KafkaConfig config = broker.config(write("password", "old\n"));
  std::stop_source stop;
  KafkaWriter writer(config, {1, 1, 1}, *election_, probe_, board_, stop.get_token(), kStepMs);
  std::jthread recycling([&] { EXPECT_FALSE(writer.recycle()) << "that broker answers nothing else"; });
  EXPECT_TRUE(eventually([&] { return !broker.logins().empty(); }));
  write("password", "new\n");
  EXPECT_TRUE(eventually([&] {
    const std::vector<std::string> logins = broker.logins();
    return !logins.empty() && logins.back() == "neardup new";
  }));
  stop.request_stop();
}

// A lost election ends the term as well: the stop that this is must not hide why.
TEST_F(Writer, is_fenced_and_asks_nothing_more_when_the_election_was_lost_before_a_new_producer) {
  std::stop_source stop;
  auto election = Election::join(config_, probe_, board_, [&](bool leads) {
    if (!leads) stop.request_stop();
  });
  ASSERT_TRUE(election) << election.error().message;
  election_.reset();
  ASSERT_TRUE((*election)->wait_until_leader({}, std::chrono::seconds(30)));
  KafkaWriter writer(config_, {1, 1, 1}, **election, probe_, board_, stop.get_token(), kStepMs);
  ASSERT_TRUE(writer.recycle());
  cluster_.refuse(MockCluster::kHeartbeat, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, 1);
  ASSERT_TRUE(eventually([&] { return !(*election)->held() && stop.stop_requested(); }));
  const Status status = writer.recycle();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kFenced) << status.error().message;
  const Result<bool> settled = writer.is_settled();
  ASSERT_FALSE(settled) << "there is no producer to ask with";
  EXPECT_EQ(settled.error().code, ErrorCode::kUnavailable) << settled.error().message;
}

// The mock keeps no positions of a transaction, and of a group with members takes theirs alone.
TEST_F(Writer, is_told_where_the_group_is) {
  KafkaConfig config = config_;
  config.group = "nobody";
  KafkaWriter writer(config, {1, 1, 1}, *election_, probe_, board_, {}, kStepMs);
  const auto is_at = [&](std::int64_t next) {
    const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = next}};
    const Result<bool> at = writer.is_group_at(positions);
    EXPECT_TRUE(at) << at.error().message;
    return at && *at;
  };
  const auto is_moved_from = [&](std::int64_t next) {
    const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = next}};
    const Result<bool> moved = writer.is_group_moved(positions);
    EXPECT_TRUE(moved) << moved.error().message;
    return moved && *moved;
  };
  EXPECT_FALSE(is_at(7)) << "it has no position";
  EXPECT_FALSE(is_moved_from(7)) << "a position that Kafka has forgotten was not moved";
  cluster_.move_group(config.group, "pages", 0, 7);
  EXPECT_TRUE(is_at(7));
  EXPECT_FALSE(is_at(8));
  EXPECT_FALSE(is_moved_from(7));
  EXPECT_TRUE(is_moved_from(8));
  cluster_.refuse(MockCluster::kOffsetFetch, RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, 10000);
  EXPECT_FALSE(is_at(7)) << "Kafka has lost an end there, and nobody can tell";
  EXPECT_TRUE(is_moved_from(7)) << "nor this";
}

// A batch that is taken for one that did not happen is sent again.
TEST_F(Writer, waits_for_who_knows_where_the_group_is_for_as_long_as_that_takes) {
  KafkaConfig config = config_;
  config.group = "nobody";
  cluster_.move_group(config.group, "pages", 0, 7);
  KafkaWriter writer(config, {1, 1, 1}, *election_, probe_, board_, {}, kStepMs);
  cluster_.refuse(MockCluster::kOffsetFetch, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, 10000);
  constexpr std::chrono::milliseconds kAway{2 * kStepMs};
  const auto begin = std::chrono::steady_clock::now();
  const std::jthread person([&] {
    std::this_thread::sleep_for(kAway);
    cluster_.refuse_no_more(MockCluster::kOffsetFetch);
  });
  const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = 7}};
  const Result<bool> at = writer.is_group_at(positions);
  ASSERT_TRUE(at) << at.error().message;
  EXPECT_TRUE(*at);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kAway);
}

// librdkafka drops the question for the group's coordinator when a broker that leaves the cluster took it
// along, and waits for ever. This error has the same effect.
TEST_F(Writer, is_in_doubt_when_librdkafka_waits_for_a_coordinator_without_limit) {
  cluster_.refuse(MockCluster::kFindCoordinator, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, 1);
  const CommitAnswer answer = commit();
  EXPECT_EQ(answer.kind, CommitAnswer::Kind::kInDoubt);
  EXPECT_NE(answer.reason.find("did not return"), std::string::npos) << answer.reason;

  const Status status = writer_->recycle();
  ASSERT_TRUE(status) << status.error().message;
  const CommitAnswer again = commit();
  EXPECT_EQ(again.kind, CommitAnswer::Kind::kCommitted) << again.reason;
}

// They are not copied, and whoever hears of a doubt may end, and what they are of with it.
TEST_F(Writer, looks_at_no_payload_once_its_commit_is_in_doubt) {
  cluster_.refuse(MockCluster::kProduce, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, 10000);
  std::string payload(100, 'a');
  const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = 1}};
  const CommitAnswer answer =
      writer_->commit({.journal_record = payload, .records = {}, .positions = positions});
  EXPECT_EQ(answer.kind, CommitAnswer::Kind::kInDoubt);
  payload.assign(payload.size(), 'x');
  cluster_.refuse_no_more(MockCluster::kProduce);
  const auto reader = KafkaLogReader::open(config_, "journal", 0, probe_, board_, {});
  ASSERT_TRUE(reader) << reader.error().message;
  // The mock hands out what is not committed, too.
  const Result<bool> came =
      (*reader)->next(std::chrono::seconds(3), [](std::string_view) { return Status(); });
  ASSERT_TRUE(came) << came.error().message;
  EXPECT_FALSE(*came);
}

TEST_F(Writer, waits_until_the_verdicts_of_a_commit_can_be_seen) {
  ASSERT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
  const CommitAnswer shown = await_shown();
  EXPECT_EQ(shown.kind, CommitAnswer::Kind::kCommitted) << shown.reason;
  const Result<bool> settled = writer_->is_settled();
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_TRUE(*settled);
}

// Verdicts go to all partitions that a topic has by now, whatever it had when the writer was made.
TEST_F(Writer, is_in_doubt_while_a_partition_that_a_verdict_topic_has_gained_cannot_be_read) {
  constexpr std::int32_t kPartitions = 3;
  cluster_.forget("unique", kPartitions);
  cluster_.depose("unique", kPartitions - 1);
  ASSERT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
  ::testing::internal::CaptureStderr();
  const CommitAnswer shown = await_shown();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(shown.kind, CommitAnswer::Kind::kInDoubt);
  EXPECT_NE(log.find("verdicts that were committed cannot be seen yet"), std::string::npos) << log;
  EXPECT_EQ(board_.warning(), "");
}

// Partitions are counted every few seconds, and librdkafka may know of a new one before: then verdicts lie
// there already.
TEST_F(Writer, looks_at_a_partition_that_it_has_written_to_and_nobody_has_counted) {
  constexpr std::int32_t kGained = 2;
  config_.properties = {{"topic.metadata.refresh.interval.ms", "100"}};
  ASSERT_TRUE(writer_->recycle());
  ASSERT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
  ASSERT_EQ(await_shown().kind, CommitAnswer::Kind::kCommitted);
  cluster_.forget("unique", kGained + 1);
  const auto reader = KafkaLogReader::open(config_, "unique", kGained, probe_, board_, {});
  ASSERT_TRUE(reader) << reader.error().message;
  std::vector<std::string> keys;
  for (int key = 0; key < 32; ++key) keys.push_back(std::to_string(key));
  std::vector<OutputRecord> records;
  for (const std::string& key : keys) {
    records.emplace_back();
    records.back().key = key;
    records.back().value = "verdict";
  }
  const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = 1}};
  ASSERT_TRUE(eventually([&] {
    const CommitAnswer answer =
        writer_->commit({.journal_record = "record", .records = records, .positions = positions});
    EXPECT_EQ(answer.kind, CommitAnswer::Kind::kCommitted) << answer.reason;
    const Result<std::int64_t> end = (*reader)->end();
    return answer.kind != CommitAnswer::Kind::kCommitted || (end && *end > 0);
  }));
  cluster_.depose("unique", kGained);
  EXPECT_EQ(await_shown().kind, CommitAnswer::Kind::kInDoubt);
}

// What the last producer had spread keys over went with it, and its batch may be what is in doubt.
TEST_F(Writer, counts_partitions_anew_with_each_producer) {
  constexpr std::int32_t kPartitions = 3;
  ASSERT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
  ASSERT_EQ(await_shown().kind, CommitAnswer::Kind::kCommitted);
  cluster_.forget("unique", kPartitions);
  cluster_.depose("unique", kPartitions - 1);
  ASSERT_TRUE(writer_->recycle());
  ASSERT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
  EXPECT_EQ(await_shown().kind, CommitAnswer::Kind::kInDoubt);
}

// A look comes every 2 to 100 ms. Clients that meet the fault ask some times at once, and then at longer and
// longer times: what counts is what comes after that.
TEST_F(Writer, asks_once_a_second_for_partitions_that_nobody_tells) {
  constexpr std::chrono::seconds kMet{1};
  constexpr std::chrono::seconds kCounted{2};
  cluster_.conceal("unique", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t asked = 0;
  std::chrono::duration<double> counted{};
  std::jthread person([&] {
    std::this_thread::sleep_for(kMet);
    cluster_.count_requests();
    const auto counted_from = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kCounted);
    const auto is_asked_again = [&] { return (asked = cluster_.requests(MockCluster::kMetadata)) >= 2; };
    EXPECT_TRUE(eventually(is_asked_again));
    counted = std::chrono::steady_clock::now() - counted_from;
    cluster_.conceal("unique", RD_KAFKA_RESP_ERR_NO_ERROR);
  });
  const Result<bool> settled = writer_->is_settled();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kMet + kCounted);
  person.join();
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_TRUE(*settled);
  EXPECT_LE(static_cast<double>(asked), 4 * counted.count())
      << "one a second, and what the clients ask for themselves";
}

TEST_F(Writer, ends_nothing_where_all_has_its_end) {
  const std::array covered = {CommittedPosition{.topic = "pages", .partition = 0, .next = 10}};
  cluster_.refuse(MockCluster::kAddPartitionsToTxn, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 1);
  const Result<Ending> ended = writer_->end_unmarked(covered);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, Ending::kNone);
}

// That the end of such a transaction ends another one is a real Kafka's to show (tests/chaos): the mock keeps
// no positions of a transaction. The group that is asked has no members, whose word alone would count.
class OpenPositionsWriter : public Writer {
 protected:
  void SetUp() override {
    Writer::SetUp();
    config_.group = "nobody";
    cluster_.count_requests();
  }
  Result<Ending> end() {
    const std::array covered = {CommittedPosition{.topic = "pages", .partition = 0, .next = 10}};
    return writer_->end_open_positions(covered);
  }
  std::size_t asked(std::int16_t api) const { return cluster_.requests(api); }
};

TEST_F(OpenPositionsWriter, aborts_what_the_journal_does_not_have) {
  cluster_.move_group(config_.group, "pages", 0, 10);
  const Result<Ending> ended = end();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, Ending::kAborted);
  EXPECT_EQ(asked(MockCluster::kTxnOffsetCommit), 1U);
  EXPECT_EQ(asked(MockCluster::kAddPartitionsToTxn), 0U) << "to its coordinator it is of the group alone";
  EXPECT_EQ(asked(MockCluster::kEndTxn), 0U) << "the next producer aborts it";
  EXPECT_EQ(asked(MockCluster::kInitProducerId), 1U);
  EXPECT_EQ(commit().kind, CommitAnswer::Kind::kCommitted);
}

TEST_F(OpenPositionsWriter, commits_what_the_group_lacks) {
  cluster_.move_group(config_.group, "pages", 0, 9);
  const Result<Ending> ended = end();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, Ending::kCommitted);
  EXPECT_EQ(asked(MockCluster::kTxnOffsetCommit), 1U);
  EXPECT_EQ(asked(MockCluster::kAddPartitionsToTxn), 0U);
  EXPECT_EQ(asked(MockCluster::kEndTxn), 1U);
  EXPECT_EQ(asked(MockCluster::kInitProducerId), 1U) << "late copies of its requests are fenced";
}

// The abort of the first try took along what was open.
TEST_F(OpenPositionsWriter, tries_a_commit_until_it_succeeds) {
  cluster_.move_group(config_.group, "pages", 0, 9);
  cluster_.refuse(MockCluster::kTxnOffsetCommit, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, 1);
  const Result<Ending> ended = end();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, Ending::kCommitted);
  EXPECT_EQ(asked(MockCluster::kInitProducerId), 2U);
  EXPECT_EQ(asked(MockCluster::kEndTxn), 1U);
}

TEST_F(OpenPositionsWriter, says_why_it_could_not_abort) {
  cluster_.refuse(MockCluster::kTxnOffsetCommit, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, 1);
  const Result<Ending> ended = end();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable) << "it is tried again";
  EXPECT_NE(ended.error().message.find("Group authorization failed"), std::string::npos)
      << ended.error().message;
  EXPECT_EQ(commit().kind, CommitAnswer::Kind::kCommitted) << "by a new producer";
}

// Another instance was elected: a new producer would fence it.
TEST_F(OpenPositionsWriter, that_is_fenced_makes_no_producer) {
  cluster_.move_group(config_.group, "pages", 0, 9);
  cluster_.refuse(MockCluster::kTxnOffsetCommit, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, 1);
  const Result<Ending> ended = end();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kFenced) << ended.error().message;
  EXPECT_EQ(asked(MockCluster::kInitProducerId), 0U);
}

// What was left without a mark is ended by a transaction that holds its partition and no record: one that is
// committed everybody would read (tests/support/librdkafka-empty-batch.patch).
TEST_F(Writer, librdkafka_adds_a_partition_without_a_record) {
  ClientListener listener("writer", probe_);
  auto client = make_client(RD_KAFKA_PRODUCER, config_,
                            {{"transactional.id", "another"}, {"enable.idempotence", "true"}}, listener);
  ASSERT_TRUE(client) << client.error().message;
  rd_kafka_t* const producer = client->get();
  const auto done = [](rd_kafka_error_t* error) {
    const RdKafka<rd_kafka_error_t> owned(error);
    return owned ? describe(*owned) : std::string();
  };
  ASSERT_EQ(done(rd_kafka_init_transactions(producer, 30000)), "");
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(producer, "unique", nullptr);
  const rd_kafka_metadata_t* metadata = nullptr;
  ASSERT_EQ(rd_kafka_metadata(producer, 0, topic, &metadata, 30000), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_metadata_destroy(metadata);

  const auto is_added = [&] { return rd_kafka_produce_batch(topic, 0, 0, nullptr, 0) == 1; };
  ASSERT_EQ(done(rd_kafka_begin_transaction(producer)), "");
  EXPECT_TRUE(eventually(is_added));
  EXPECT_EQ(done(rd_kafka_commit_transaction(producer, 30000)), "");
  const auto reader = KafkaLogReader::open(config_, "unique", 0, probe_, board_, {});
  ASSERT_TRUE(reader) << reader.error().message;
  const Result<std::int64_t> end = (*reader)->end();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(*end, 0) << "the mock writes no marks";

  cluster_.refuse(MockCluster::kAddPartitionsToTxn, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 1);
  ASSERT_EQ(done(rd_kafka_begin_transaction(producer)), "");
  EXPECT_FALSE(is_added()) << "it was added to the one before";
  EXPECT_TRUE(eventually([&] { return !done(rd_kafka_commit_transaction(producer, 30000)).empty(); }));
  rd_kafka_topic_destroy(topic);
}

}  // namespace
}  // namespace neardup
