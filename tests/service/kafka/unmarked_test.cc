// How a transaction ended whose journal record can be read or is gone, on librdkafka's mock of a cluster,
// which hides nothing from anybody. Records that are hidden are a real Kafka's: tests/chaos.

#include "service/kafka/unmarked.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/clock.h"
#include "service/journal/record.h"
#include "service/kafka/topics.h"
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
    const auto inputs = inputs_of_journal(config_, board_, {});
    if (!inputs) {
      ADD_FAILURE() << inputs.error().message;
      return {};
    }
    const auto found = ours_of(open, *inputs, config_, board_, {});
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

// Where a record lay that was passed on is in its headers, whatever it holds itself.
TEST_F(UnmarkedTest, a_record_that_was_passed_on_counts_as_its_verdict) {
  constexpr std::array<Header, 3> kHeaders = {
      {{"neardup-topic", "pages"}, {"neardup-partition", "1"}, {"neardup-offset", "19"}}};
  append_record();
  cluster_.send("unique", {verdict(0, 1)});
  cluster_.send("unique", {verdict(2, 7)}, 0, kHeaders);
  EXPECT_EQ(look().ending, Ending::kCommitted);
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

// With kafka.topics.unique_holds a verdict is a page: 20 000 of them were gigabytes, of each partition.
TEST(UnmarkedReading, ends_at_so_many_records_or_bytes_but_where_nothing_is_told) {
  const auto reach = [](std::uint64_t record_bytes, bool is_told) {
    std::int64_t looked_at = 320;
    for (int looks = 0; looks < 4; ++looks) {
      const std::uint64_t bytes = is_told ? static_cast<std::uint64_t>(looked_at) * record_bytes : 0;
      const std::int64_t next = internal::further_back(looked_at, bytes, is_told);
      if (next == 0) break;
      looked_at = next;
    }
    return looked_at;
  };
  EXPECT_EQ(reach(500, true), 20'480) << "10 MB";
  EXPECT_EQ(reach(10'000, true), 2'560) << "26 MB";
  EXPECT_EQ(reach(100'000, true), 320) << "32 MB";
  EXPECT_EQ(reach(500, false), 320 * 8 * 8 * 8 * 8) << "all that is hidden";
}

// An operator may do so while nobody knows yet how the last transaction ended.
TEST_F(UnmarkedTest, is_ours_what_is_of_a_topic_that_was_taken_out_of_the_settings) {
  append_record();
  cluster_.send("unique", {verdict(0, 1), verdict(1, 19)});
  config_.topics.input = {"others"};
  EXPECT_EQ(ours({1}).size(), 1U);
  EXPECT_EQ(look().ending, Ending::kCommitted);
}

TEST_F(UnmarkedTest, is_seen_what_is_of_a_topic_that_was_taken_out_of_the_settings) {
  JournalRecord batch;
  batch.topics = {{"pages", {1}}};
  batch.counts.rejected = 1;
  batch.positions = {{0, 1, 10, 20, 4}};
  cluster_.send("unique", {verdict(1, 10)});
  config_.topics.input = {"others"};
  const std::array partitions = {TopicPartition{"unique", 0}};
  const Result<bool> sees =
      sees_verdict_of(batch, wall_clock_ms(), std::nullopt, {}, config_, partitions, board_, {});
  ASSERT_TRUE(sees) << sees.error().message;
  EXPECT_TRUE(*sees);
}

// A verdict of now, when the journal's last readable record was sent at `last_ms`, and `batch`, which does
// not cover it, at `open_ms`.
class LostEndTest : public UnmarkedTest {
 protected:
  static constexpr std::int64_t kHourMs = 3'600'000;

  void SetUp() override {
    UnmarkedTest::SetUp();
    batch_.number = 7;
    batch_.topics = {{"pages", {1}}};
    batch_.counts.rejected = 1;
    batch_.positions = {{0, 1, 10, 20, 4}};
    cluster_.send("unique", {verdict(0, 500)});
  }

  // Whether it is told that the journal has lost its end.
  bool is_lost(std::int64_t open_ms, std::optional<std::int64_t> last_ms) {
    const std::array readable = {CommittedPosition{.topic = "pages", .partition = 0, .next = 500}};
    const std::array partitions = {TopicPartition{"unique", 0}};
    const Result<bool> sees =
        sees_verdict_of(batch_, open_ms, last_ms, readable, config_, partitions, board_, {});
    if (sees) {
      EXPECT_FALSE(*sees);
      return false;
    }
    EXPECT_EQ(sees.error().code, ErrorCode::kContradiction);
    EXPECT_NE(sees.error().message.find("pages:0@500"), std::string::npos) << sees.error().message;
    return true;
  }

  JournalRecord batch_;
  std::int64_t now_ms_ = wall_clock_ms();
};

TEST_F(LostEndTest, is_told_by_a_verdict_as_young_as_what_can_be_read) {
  EXPECT_TRUE(is_lost(now_ms_ + kHourMs, now_ms_ - kHourMs));
  EXPECT_TRUE(is_lost(now_ms_, now_ms_));
  EXPECT_TRUE(is_lost(now_ms_, now_ms_ + kHourMs)) << "who sent the last one had a clock that was ahead";
}

// Of an input topic that was made again, or whose positions were moved back.
TEST_F(LostEndTest, is_not_told_by_a_verdict_of_an_older_time) {
  EXPECT_FALSE(is_lost(now_ms_ + 2 * kHourMs, now_ms_ + kHourMs));
}

TEST_F(LostEndTest, is_not_told_by_an_old_verdict_to_a_journal_begun_anew) {
  EXPECT_TRUE(is_lost(now_ms_ + kHourMs, std::nullopt)) << "there were records before this one";
  batch_.number = 0;
  EXPECT_FALSE(is_lost(now_ms_ + kHourMs, std::nullopt));
  EXPECT_TRUE(is_lost(now_ms_, std::nullopt));
  batch_.counts = {};
  EXPECT_TRUE(is_lost(now_ms_ + kHourMs, std::nullopt)) << "an operator accepts that one was lost";
}

TEST_F(UnmarkedTest, a_record_of_a_topic_that_it_does_not_name_is_a_contradiction) {
  JournalRecord record;
  record.topics = {{"pages", {1}}};
  record.counts.rejected = 1;
  record.positions = {{1, 0, 10, 20, 4}};
  cluster_.send("journal", {encode_journal_record(record)});
  const Result<Unmarked> unmarked = look_at_unmarked({}, config_, {}, {}, board_, {});
  ASSERT_FALSE(unmarked);
  EXPECT_EQ(unmarked.error().code, ErrorCode::kContradiction);
  EXPECT_NE(unmarked.error().message.find("does not name"), std::string::npos) << unmarked.error().message;
}

// The journal ends at 20 of partition 1 and at 7 of partition 2, and has nothing of partition 0.
class OpenPositionsTest : public UnmarkedTest {
 protected:
  void SetUp() override {
    UnmarkedTest::SetUp();
    cluster_.forget("pages", 3);
  }

  Result<Unmarked> ask() {
    const std::array covered = {CommittedPosition{"pages", 1, 20, 4}, CommittedPosition{"pages", 2, 7, 4}};
    const std::array all = {CommittedPosition{"pages", 0}, covered[0], covered[1]};
    const std::array partitions = {TopicPartition{"unique", 0}};
    return look_at_open_positions(covered, all, config_, partitions, board_, {});
  }
  Unmarked look() {
    Result<Unmarked> unmarked = ask();
    if (!unmarked) {
      ADD_FAILURE() << unmarked.error().message;
      return {};
    }
    EXPECT_EQ(unmarked->positions.size(), 3U) << "a transaction that holds none has no end in the group";
    return *std::move(unmarked);
  }
  Ending ending_of_group_at(std::int64_t of_1, std::int64_t of_2) {
    cluster_.move_group(config_.group, "pages", 1, of_1);
    cluster_.move_group(config_.group, "pages", 2, of_2);
    return look().ending;
  }
};

TEST_F(OpenPositionsTest, were_committed_if_the_group_is_behind_the_journal) {
  EXPECT_EQ(ending_of_group_at(10, 7), Ending::kCommitted);
  EXPECT_EQ(ending_of_group_at(20, 6), Ending::kCommitted);
  const Unmarked unmarked = look();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(unmarked.positions[i].topic, "pages");
    EXPECT_EQ(unmarked.positions[i].partition, static_cast<std::int32_t>(i));
  }
  EXPECT_EQ(unmarked.positions[0].next, 0) << "nobody has read it";
  EXPECT_EQ(unmarked.positions[1].next, 20);
  EXPECT_EQ(unmarked.positions[1].leader_epoch, 4);
  EXPECT_EQ(unmarked.positions[2].next, 7);
  cluster_.move_group(config_.group, "pages", 0, 3);
  EXPECT_EQ(look().positions[0].next, 3) << "who moved it there meant it";
}

TEST_F(OpenPositionsTest, were_aborted_if_the_journal_does_not_have_them) {
  EXPECT_EQ(look().ending, Ending::kAborted) << "the group is nowhere, which contradicts nothing";
  EXPECT_EQ(ending_of_group_at(20, 7), Ending::kAborted);
  append_record();
  cluster_.send("unique", {verdict(1, 19), verdict(2, 6)});
  EXPECT_EQ(ending_of_group_at(20, 7), Ending::kAborted);
}

// The plan tells a person of it.
TEST_F(OpenPositionsTest, leave_the_group_where_somebody_has_moved_it) {
  EXPECT_EQ(ending_of_group_at(21, 7), Ending::kAborted);
  EXPECT_EQ(ending_of_group_at(21, 6), Ending::kAborted);
}

// It may have been told by who leads it no more: then the batch that is open was committed.
TEST_F(OpenPositionsTest, are_left_open_if_the_journal_lacks_a_verdict_that_can_be_seen) {
  append_record();
  cluster_.send("unique", {verdict(1, 20)});
  cluster_.move_group(config_.group, "pages", 1, 20);
  const Result<Unmarked> unmarked = ask();
  ASSERT_FALSE(unmarked);
  EXPECT_EQ(unmarked.error().code, ErrorCode::kContradiction);
  EXPECT_NE(unmarked.error().message.find("pages:1@20"), std::string::npos) << unmarked.error().message;
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
