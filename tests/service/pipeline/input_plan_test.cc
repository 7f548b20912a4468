#include "service/pipeline/input_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "service/journal/record.h"
#include "tests/support/memory_kafka.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Positions = std::vector<JournalPosition>;

// A journal of one record that has read `positions` of topic "pages".
JournalChain chain_at(const Positions& positions, std::vector<std::string>* journal = nullptr) {
  JournalChain chain;
  JournalRecord record;
  record.journal = {7};
  record.counts.rejected = 1;
  record.topics = {{"pages", {1}}};
  record.positions = positions;
  const std::string bytes = encode_journal_record(record);
  CHECK(chain.accept(record, bytes).ok(), "a first record");
  if (journal != nullptr) journal->push_back(bytes);
  return chain;
}

InputTopic pages(std::vector<PartitionBounds> bounds) {
  const auto partitions = static_cast<std::int32_t>(bounds.size());
  return {"pages", {1}, partitions, std::move(bounds)};
}

std::string refusal(const JournalChain& chain, const InputTopic& topic, const Accepted& accepted = {}) {
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), accepted);
  if (plan) return "";
  EXPECT_EQ(plan.error().code, ErrorCode::kContradiction);
  return plan.error().message;
}

// What was accepted must hold at the next start, without the option: the record goes into the journal and to
// the group, is read back, and nothing is refused then.
void expect_lasting(JournalChain chain, std::vector<std::string> journal, InputTopic topic,
                    const InputPlan& plan) {
  MemoryKafka kafka;
  kafka.journal = std::move(journal);
  MemorySink sink(kafka, [] { return Fate::kCommitted; });
  ASSERT_TRUE(sink.recycle());
  MemoryLog log(kafka);
  ASSERT_TRUE(log.read_to_end([&](std::string_view, double) { return Status(); }));
  const Status status =
      journal_acceptance(plan, sink, log, chain, {.journal = {7}, .read_back = std::chrono::milliseconds(1)});
  ASSERT_TRUE(status) << status.error().message;
  for (std::size_t partition = 0; partition < topic.bounds.size(); ++partition) {
    const auto at = kafka.group_offsets.find({topic.name, static_cast<std::int32_t>(partition)});
    if (at != kafka.group_offsets.end()) topic.bounds[partition].committed = at->second;
  }
  const Result<InputPlan> again = plan_input(chain, std::span(&topic, 1));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->accepted.empty());
  for (std::size_t i = 0; i < again->positions.size(); ++i)
    EXPECT_EQ(again->positions[i].next, plan.positions[i].next) << "partition " << i;
}

TEST(InputPlan, goes_on_where_journal_group_and_log_agree) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}});
  const InputTopic topic = pages({{.begin = 10, .end = 60, .committed = 50}, {.begin = 0, .end = 5}});
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->positions[0].next, 50);
  EXPECT_EQ(plan->positions[0].leader_epoch, 3);
  EXPECT_EQ(plan->positions[1].next, InputPosition::kFromBeginning);
  EXPECT_TRUE(plan->accepted.empty());
}

TEST(InputPlan, offsets_that_the_group_forgot_contradict_nothing) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}});
  EXPECT_EQ(refusal(chain, pages({{.begin = 0, .end = 60}})), "");
  // Somebody set the group to the beginning of a partition that nobody has read.
  EXPECT_EQ(refusal(chain, pages({{}, {.begin = 4, .end = 9, .committed = 4}})), "");
}

// Each row: what the cluster says of pages:0, at 50 in the journal; what the refusal says; what settles it,
// and where the partition goes on then.
TEST(InputPlan, each_loss_is_refused_with_its_choices_and_one_choice_settles_it_for_good) {
  const Accepted named = {.input_loss = {"pages:0"}};
  const Accepted all = {.input_loss = {"all"}};
  const Accepted journal = {.moved_offsets = Accepted::MovedOffsets::kJournal};
  const Accepted group = {.moved_offsets = Accepted::MovedOffsets::kGroup};
  struct Case {
    PartitionBounds bounds;
    std::string found;
    std::string option;
    Accepted accepted;
    std::int64_t next;
  };
  const Case cases[] = {
      {{.begin = 70, .end = 90, .committed = 50},
       "pages:0 begins at 70, the journal goes on at 50: up to 20 records are gone",
       "--accept-input-loss",
       named,
       70},
      {{.begin = 70, .end = 90, .committed = 50}, "are gone", "TOPIC:PARTITION, or all", all, 70},
      {{.begin = 0, .end = 30, .committed = 50},
       "pages:0 ends at 30, the journal goes on at 50: the log was truncated",
       "--accept-input-loss",
       named,
       30},
      {{.begin = 0, .end = 90, .committed = 20},
       "the journal goes on at 50 of pages:0, the group at 20",
       "--accept-moved-offsets journal",
       journal,
       50},
      {{.begin = 0, .end = 90, .committed = 80},
       "the group at 80",
       "--accept-moved-offsets group",
       group,
       80},
      {{.begin = 0, .end = 90, .committed = 80},
       "the group at 80",
       "--accept-moved-offsets journal",
       journal,
       50},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.found + ", " + c.option);
    std::vector<std::string> records;
    const JournalChain chain = chain_at({{0, 0, 0, 50, 3}}, &records);
    const InputTopic topic = pages({c.bounds});
    EXPECT_THAT(refusal(chain, topic), AllOf(HasSubstr(c.found), HasSubstr(c.option)));
    const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), c.accepted);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(plan->accepted, SizeIs(1));
    EXPECT_EQ(plan->positions[0].next, c.next);
    EXPECT_EQ(plan->positions[0].leader_epoch, -1);
    expect_lasting(chain, records, topic, *plan);
  }
}

TEST(InputPlan, accepting_one_kind_accepts_no_other) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}});
  const InputTopic truncated = pages({{.begin = 70, .end = 90, .committed = 50}});
  const Accepted everything_else = {
      .journal_loss = true, .recreated_topics = {"pages"}, .moved_offsets = Accepted::MovedOffsets::kGroup};
  EXPECT_THAT(refusal(chain, truncated, everything_else), HasSubstr("pages:0 begins at 70"));
  const InputTopic moved = pages({{.begin = 0, .end = 90, .committed = 20}});
  EXPECT_THAT(refusal(chain, moved, {.journal_loss = true, .input_loss = {"all"}}),
              HasSubstr("the group at 20"));
  EXPECT_THAT(refusal(chain, moved, {.moved_offsets = Accepted::MovedOffsets::kGroup}),
              HasSubstr("begin anew with another journal and group"))
      << "backwards would decide records twice";
}

TEST(InputPlan, a_log_that_was_cut_and_grew_again_is_accepted_by_name_alone) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}});
  const InputTopic topic = pages({{.begin = 0, .end = 90, .committed = 50}});
  const Accepted all = {.input_loss = {"all"}};
  const Result<InputPlan> unnamed = plan_input(chain, std::span(&topic, 1), all);
  ASSERT_TRUE(unnamed);
  EXPECT_EQ(unnamed->positions[0].leader_epoch, 3) << "the broker still checks the epoch";
  const Accepted named = {.input_loss = {"pages:0"}};
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), named);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->positions[0].next, 50);
  EXPECT_EQ(plan->positions[0].leader_epoch, -1);
  EXPECT_THAT(plan->moved, SizeIs(1));
}

TEST(InputPlan, a_topic_made_again_is_refused_until_it_is_named_and_then_read_from_its_beginning) {
  std::vector<std::string> records;
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 9, 3}}, &records);
  InputTopic again = pages({{.begin = 4, .end = 90, .committed = 50}});
  again.id = {2};
  EXPECT_THAT(refusal(chain, again), AllOf(HasSubstr("input topic pages was deleted and made again"),
                                           HasSubstr("--accept-recreated-topic NAME")));
  const Accepted accepted = {.recreated_topics = {"pages"}};
  const Result<InputPlan> plan = plan_input(chain, std::span(&again, 1), accepted);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_THAT(plan->topics, SizeIs(2));
  EXPECT_EQ(plan->topics[1].name, "pages") << "the ordinal of the old one is for ever";
  EXPECT_EQ(plan->positions[0].topic, 1U);
  EXPECT_EQ(plan->positions[0].next, 4);
  expect_lasting(chain, records, again, *plan);
}

TEST(InputPlan, an_empty_journal_beside_a_group_with_offsets_is_a_lost_journal) {
  const JournalChain chain;
  const InputTopic topic = pages({{.begin = 0, .end = 90, .committed = 50}, {.begin = 0, .end = 4}});
  EXPECT_THAT(refusal(chain, topic),
              AllOf(HasSubstr("the journal is empty, but the group has read pages:0 up to 50"),
                    HasSubstr("--accept-journal-loss")));
  const Accepted accepted = {.journal_loss = true};
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), accepted);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->positions[0].next, 50);
  EXPECT_EQ(plan->positions[1].next, InputPosition::kFromBeginning);
  expect_lasting(chain, {}, topic, *plan);
}

TEST(InputPlan, lost_partitions_and_every_other_finding_stand_in_one_message) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 9, 3}, {0, 2, 0, 9, 3}});
  EXPECT_THAT(refusal(chain, pages({{.begin = 60, .end = 90, .committed = 55}, {}})),
              AllOf(HasSubstr("has 2 partitions, but the journal has read partition 2"),
                    HasSubstr("pages:0 begins at 60"), HasSubstr("the group at 55")));
}

TEST(InputPlan, a_thousand_losses_are_counted_and_five_are_named) {
  Positions positions;
  for (std::int32_t partition = 0; partition < 1000; ++partition)
    positions.push_back({0, partition, 0, 50, 3});
  const JournalChain chain = chain_at(positions);
  const std::string message =
      refusal(chain, pages(std::vector<PartitionBounds>(1000, {.begin = 60, .end = 90, .committed = 50})));
  EXPECT_THAT(message, AllOf(HasSubstr("pages:4 begins"), HasSubstr("995 more")));
  EXPECT_LT(message.size(), 1500U);
}

TEST(InputPlan, a_name_that_fits_nothing_is_refused) {
  const JournalChain chain;
  const InputTopic topic = pages({{}});
  for (const Accepted& accepted : {Accepted{.input_loss = {"pages:1"}}, Accepted{.input_loss = {"page:0"}},
                                   Accepted{.recreated_topics = {"page"}}}) {
    const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), accepted);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalid);
  }
}

using Looked = Result<std::vector<InputTopic>>;

constexpr SecondLook kSoon = {.time = std::chrono::milliseconds(20), .again = std::chrono::milliseconds(1)};

// What a broker tells that leads no more, or has just come up.
std::vector<InputTopic> stale_answers() {
  InputTopic shrunk = pages({{.begin = 0, .end = 90, .committed = 50}});
  InputTopic recreated =
      pages({{.begin = 0, .end = 90, .committed = 50}, {.begin = 0, .end = 9, .committed = 5}});
  recreated.id = {2};
  return {pages({{.begin = 0, .end = 40, .committed = 50}, {.begin = 0, .end = 9, .committed = 5}}), shrunk,
          recreated};
}

TEST(SecondLook, one_answer_against_the_journal_halts_nothing_and_moves_nothing) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 5, 3}});
  const InputTopic right =
      pages({{.begin = 0, .end = 90, .committed = 50}, {.begin = 0, .end = 9, .committed = 5}});
  for (const InputTopic& stale : stale_answers()) {
    for (const Accepted& accepted :
         {Accepted(), Accepted{.recreated_topics = {"pages"}, .input_loss = {"all"}}}) {
      int looks = 0;
      const auto look = [&]() -> Looked { return std::vector{++looks == 1 ? stale : right}; };
      const Result<InputPlan> plan = plan_input(chain, look, accepted, {});
      ASSERT_TRUE(plan) << plan.error().message;
      EXPECT_EQ(plan->positions[0].next, 50);
      EXPECT_TRUE(plan->accepted.empty());
      EXPECT_EQ(looks, 2);
    }
  }
}

// The first answer may have been waited for until brokers were up again.
TEST(SecondLook, the_time_for_it_begins_behind_the_first_answer) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 5, 3}});
  int looks = 0;
  const auto look = [&]() -> Looked {
    if (++looks == 1) {
      std::this_thread::sleep_for(2 * kSoon.time);
      return std::vector{stale_answers().front()};
    }
    return std::vector{
        pages({{.begin = 0, .end = 90, .committed = 50}, {.begin = 0, .end = 9, .committed = 5}})};
  };
  const Result<InputPlan> plan = plan_input(chain, look, {}, {}, kSoon);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(looks, 2);
}

// The journal's reader may have been told an end that was, by a leader that leads no more: `look` reads on.
TEST(SecondLook, a_journal_that_shows_its_end_late_is_no_moved_group) {
  JournalChain chain;
  bool is_first = true;
  const auto look = [&]() -> Looked {
    if (!std::exchange(is_first, false) && chain.empty()) chain = chain_at({{0, 0, 0, 50, 3}});
    return std::vector{pages({{.begin = 0, .end = 90, .committed = 50}})};
  };
  const Result<InputPlan> plan = plan_input(chain, look, {}, {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->positions[0].next, 50);
}

TEST(SecondLook, an_answer_that_lasts_halts_or_is_accepted) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 5, 3}});
  for (const InputTopic& lasting : stale_answers()) {
    const auto look = [&]() -> Looked { return std::vector{lasting}; };
    const Result<InputPlan> plan = plan_input(chain, look, {}, {}, kSoon);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message, refusal(chain, lasting));
  }
  const auto truncated = [&]() -> Looked { return std::vector{stale_answers().front()}; };
  const Result<InputPlan> plan = plan_input(chain, truncated, {.input_loss = {"all"}}, {}, kSoon);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->positions[0].next, 40);
}

TEST(SecondLook, a_stop_ends_it_in_order) {
  const JournalChain chain = chain_at({{0, 0, 0, 50, 3}, {0, 1, 0, 5, 3}});
  std::stop_source stop;
  const auto look = [&]() -> Looked {
    stop.request_stop();
    return std::vector{stale_answers().front()};
  };
  const Result<InputPlan> plan = plan_input(chain, look, {}, stop.get_token());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kUnavailable);
}

TEST(Acceptance, a_commit_in_doubt_ends_it_and_the_chain_stays) {
  std::vector<std::string> records;
  JournalChain chain = chain_at({{0, 0, 0, 50, 3}}, &records);
  const InputTopic topic = pages({{.begin = 70, .end = 90, .committed = 50}});
  const Accepted accepted = {.input_loss = {"all"}};
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1), accepted);
  ASSERT_TRUE(plan);
  for (const Fate fate : {Fate::kLost, Fate::kThere, Fate::kSilent}) {
    MemoryKafka kafka;
    MemorySink sink(kafka, [fate] { return fate; });
    ASSERT_TRUE(sink.recycle());
    MemoryLog log(kafka);
    const Status status =
        journal_acceptance(*plan, sink, log, chain, {.read_back = std::chrono::milliseconds(1)});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(chain.next_number(), 1U);
  }
}

}  // namespace
}  // namespace neardup
