// How a transaction ended whose journal record can be read or is gone, on librdkafka's mock of a cluster,
// which hides nothing from anybody. Records that are hidden are a real Kafka's: tests/chaos.

#include "service/kafka/unmarked.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "service/journal/record.h"
#include "tests/service/kafka/mock_cluster.h"

namespace neardup {
namespace {

std::string verdict(std::int32_t partition, std::int64_t offset) {
  return R"({"id":"a","verdict":"unique","seq":0,"source":{"topic":"pages","partition":)" +
         std::to_string(partition) + R"(,"offset":)" + std::to_string(offset) + "}}";
}

class UnmarkedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.brokers = cluster_.servers();
    config_.group = "dedup";
    config_.topics = {{"pages"}, "unique", "duplicate", "dead-letter", "journal"};
  }

  // The journal's next record: offsets 10 to 19 of one partition.
  void append_record() const {
    JournalRecord record;
    record.topics = {{"pages", {1}}};
    record.counts.rejected = 1;
    record.positions = {{0, 1, 10, 20, 4}};
    cluster_.send("journal", {encode_journal_record(record)});
  }

  // Those of these stable offsets of the uniques behind which something of ours is open.
  std::vector<UnmarkedPartition> ours(std::initializer_list<std::int64_t> stables) {
    std::vector<OpenPartition> open;
    for (const std::int64_t stable : stables)
      open.push_back({.topic = "unique", .partition = 0, .stable = stable});
    const auto found = ours_of(open, config_, board_, {});
    if (!found) {
      ADD_FAILURE() << found.error().message;
      return {};
    }
    return *found;
  }

  // What is unmarked when offset 1 of the uniques, and what lies behind, has no end; the journal had read the
  // partitions of the input up to 100 and 10 before its last record.
  Unmarked look() {
    const std::array covered = {CommittedPosition{.topic = "pages", .partition = 0, .next = 100},
                                CommittedPosition{.topic = "pages", .partition = 1, .next = 10}};
    const std::array partitions = {TopicPartition{"unique", 0}};
    const auto open = ours({1});
    cluster_.forget("unique");  // what is open is read once
    const Result<Unmarked> unmarked = look_at_unmarked(covered, config_, partitions, open, board_, {});
    if (!unmarked) {
      ADD_FAILURE() << unmarked.error().message;
      return {};
    }
    EXPECT_FALSE(unmarked->in_journal);
    return *unmarked;
  }

  MockCluster cluster_{{"pages", "unique", "duplicate", "dead-letter", "journal"}};
  KafkaConfig config_;
  StateBoard board_;
};

TEST_F(UnmarkedTest, verdicts_that_the_journal_covers_were_committed) {
  append_record();
  cluster_.send("unique", {verdict(0, 100), verdict(1, 19), verdict(1, 20)});  // the first open one tells
  const Unmarked unmarked = look();
  EXPECT_EQ(unmarked.ending, Ending::kCommitted);
  EXPECT_TRUE(unmarked.is_whole);
  ASSERT_FALSE(unmarked.positions.empty());
  const CommittedPosition& first = unmarked.positions[0];  // of a partition the first counts
  EXPECT_EQ(first.topic, "pages");
  EXPECT_EQ(first.partition, 1);
  EXPECT_EQ(first.next, 20);
  EXPECT_EQ(first.leader_epoch, 4);
}

TEST_F(UnmarkedTest, verdicts_behind_the_journal_were_aborted) {
  append_record();
  cluster_.send("unique", {verdict(0, 1), verdict(1, 20), verdict(0, 99)});  // the first open one tells
  EXPECT_EQ(look().ending, Ending::kAborted);
}

TEST_F(UnmarkedTest, a_verdict_of_a_partition_without_a_position_lies_behind) {
  cluster_.send("unique", {verdict(0, 1), verdict(2, 0)});
  EXPECT_EQ(look().ending, Ending::kAborted);
}

TEST_F(UnmarkedTest, is_not_ours_what_begins_with_no_verdict_on_our_input) {
  std::string of_others = verdict(0, 1);
  of_others.replace(of_others.find("pages"), 5, "other");
  cluster_.send("unique", {"somebody's", of_others, verdict(0, 1)});
  const std::vector<UnmarkedPartition> open = ours({0, 1, 2});
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].stable, 2);
  EXPECT_EQ(open[0].source, (ParsedVerdict::Place{"pages", 0, 1}));
}

// By the invariant that there is one transaction without an end: who breaks it must not choose.
TEST_F(UnmarkedTest, verdicts_of_two_batches_are_a_contradiction) {
  append_record();
  cluster_.send("unique", {verdict(1, 19), verdict(1, 20)});
  const Result<Unmarked> unmarked = look_at_unmarked({}, config_, {}, ours({0, 1}), board_, {});
  ASSERT_FALSE(unmarked);
  EXPECT_EQ(unmarked.error().code, ErrorCode::kContradiction);
}

}  // namespace
}  // namespace neardup
