#include "service/kafka/topics.h"

#include <gtest/gtest.h>

#include "core/limits.h"

namespace neardup {
namespace {

using Described = std::map<std::string, TopicDescription>;

// What `topics create` makes.
Described right(const KafkaTopics& topics) {
  Described described;
  for (const std::string& name : topic_names(topics))
    described[name] = {name, {}, 8, {{"max.message.bytes", "1048588"}}};
  for (const std::string& name : {topics.journal, topics.dead_letter}) {
    for (const TopicSetting& setting : wanted_settings(topics, name, described)) {
      described[name].settings[setting.name] = setting.value;
    }
  }
  described[topics.journal].partitions = 1;
  return described;
}

std::string only_problem(const KafkaTopics& topics, const Described& described) {
  const std::vector<TopicProblem> problems = check_topics(topics, described);
  return problems.size() == 1 ? problems[0].topic + ": " + problems[0].what + " | " + problems[0].mend
                              : std::to_string(problems.size()) + " problems";
}

TEST(Topics, what_create_makes_is_right) {
  const KafkaTopics topics;
  EXPECT_TRUE(check_topics(topics, right(topics)).empty());
}

TEST(Topics, a_missing_topic_is_named_with_the_command_that_makes_it) {
  const KafkaTopics topics;
  Described described = right(topics);
  described.erase(topics.unique);
  EXPECT_EQ(only_problem(topics, described), "neardup.unique: does not exist | neardup topics create");
  described = right(topics);
  described.erase("pages");
  EXPECT_EQ(only_problem(topics, described), "pages: does not exist | neardup topics create --input");
}

// An empty one in its place would be the loss.
TEST(Topics, a_missing_journal_is_to_be_brought_back_before_it_is_made) {
  const KafkaTopics topics;
  Described described = right(topics);
  described.erase(topics.journal);
  EXPECT_EQ(only_problem(topics, described),
            "neardup.journal: does not exist | if it was there before, bring it back or name the right one "
            "(kafka.topics.journal); only for a first start: neardup topics create");
}

// Without them the command would ask 127.0.0.1 for the default names.
TEST(Topics, the_command_has_the_options_that_name_the_topics) {
  const KafkaTopics topics;
  Described described = right(topics);
  described.erase("pages");
  described[topics.journal].settings["cleanup.policy"] = "compact";
  const std::vector<TopicProblem> problems =
      check_topics(topics, described, " -c /etc/neardup.yaml --set kafka.group=a");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].mend, "neardup topics create --input -c /etc/neardup.yaml --set kafka.group=a");
  EXPECT_EQ(problems[1].mend, "neardup topics create --alter -c /etc/neardup.yaml --set kafka.group=a");
}

TEST(Topics, a_journal_that_could_lose_records_is_refused) {
  const KafkaTopics topics;
  const std::pair<const char*, const char*> wrong[] = {{"cleanup.policy", "compact"},
                                                       {"cleanup.policy", "compact,delete"},
                                                       {"retention.ms", "604800000"},
                                                       {"retention.bytes", "1073741824"},
                                                       {"unclean.leader.election.enable", "true"},
                                                       {"max.message.bytes", "1048588"}};
  for (const auto& [setting, value] : wrong) {
    Described described = right(topics);
    described[topics.journal].settings[setting] = value;
    const std::string problem = only_problem(topics, described);
    EXPECT_NE(problem.find(std::string(setting) + " is " + value + ", it must be"), std::string::npos)
        << problem;
    EXPECT_NE(problem.find("neardup topics create --alter"), std::string::npos) << problem;
  }
}

TEST(Topics, a_journal_of_several_partitions_cannot_be_mended_but_replaced) {
  const KafkaTopics topics;
  Described described = right(topics);
  described[topics.journal].partitions = 3;
  EXPECT_NE(only_problem(topics, described).find("has 3 partitions, it must have 1"), std::string::npos);
}

// It would refuse the first record without a key, for ever; uniques and duplicates have one each.
TEST(Topics, a_compacted_dead_letter_topic_is_refused) {
  const KafkaTopics topics;
  for (const char* const policy : {"compact", "compact,delete"}) {
    Described described = right(topics);
    described[topics.unique].settings["cleanup.policy"] = policy;
    described[topics.dead_letter].settings["cleanup.policy"] = "delete";
    EXPECT_TRUE(check_topics(topics, described).empty());
    described[topics.dead_letter].settings["cleanup.policy"] = policy;
    const std::string problem = only_problem(topics, described);
    EXPECT_NE(
        problem.find("neardup.dead-letter: cleanup.policy is " + std::string(policy) + ", it must be delete"),
        std::string::npos)
        << problem;
  }
  const std::vector<TopicSetting> wanted = wanted_settings(topics, topics.dead_letter, right(topics));
  EXPECT_TRUE(std::ranges::any_of(wanted, [](const TopicSetting& setting) {
    return setting.name == "cleanup.policy" && setting.value == "delete";
  }));
}

TEST(Topics, a_dead_letter_topic_must_hold_every_input_record) {
  const KafkaTopics topics;
  Described described = right(topics);
  described["pages"].settings["max.message.bytes"] = "200000000";
  EXPECT_NE(only_problem(topics, described).find("neardup.dead-letter: max.message.bytes"),
            std::string::npos);
}

TEST(Topics, uniques_that_are_passed_on_need_the_room_of_dead_letters) {
  KafkaTopics topics;
  const Described verdicts = right(topics);
  topics.unique_holds = "records";
  EXPECT_NE(only_problem(topics, verdicts).find("neardup.unique: max.message.bytes is 1048588, it must be"),
            std::string::npos);
  Described records = verdicts;
  for (const TopicSetting& setting : wanted_settings(topics, topics.unique, verdicts))
    records[topics.unique].settings[setting.name] = setting.value;
  EXPECT_TRUE(check_topics(topics, records).empty());
  EXPECT_EQ(records[topics.unique].settings["max.message.bytes"],
            records[topics.dead_letter].settings["max.message.bytes"]);
  EXPECT_FALSE(records[topics.unique].settings.contains("cleanup.policy")) << "it may be compacted";
}

TEST(Topics, a_journal_takes_a_whole_batch) {
  const KafkaTopics topics;
  const Described described = right(topics);
  EXPECT_GT(std::stoull(described.at(topics.journal).settings.at("max.message.bytes")),
            kJournalRecordBytesMax);
}

// On a cluster of `brokers`, as a person made it.
Described journal_on(const KafkaTopics& topics, std::int32_t brokers, std::int32_t replicas,
                     const std::string& in_sync) {
  Described described = right(topics);
  described[topics.journal].brokers = brokers;
  described[topics.journal].replicas = replicas;
  described[topics.journal].settings["min.insync.replicas"] = in_sync;
  return described;
}

std::vector<std::string> warnings(const KafkaTopics& topics, const Described& described) {
  EXPECT_TRUE(check_topics(topics, described).empty()) << "it is a warning, never a refusal";
  std::vector<std::string> texts;
  for (const TopicProblem& one :
       warn_of_topics(topics, described, " -c /etc/neardup.yaml --set kafka.group=a"))
    texts.push_back(one.topic + ": " + one.what + " | " + one.mend);
  return texts;
}

TEST(Topics, a_journal_that_a_disk_may_take_away_is_warned_of) {
  const KafkaTopics topics;
  const std::string few =
      "neardup.journal: has 1 replica on a cluster of 3 brokers, it should have 3: with their disks the "
      "truth "
      "is lost | kafka-reassign-partitions.sh --execute, with a plan that names 3 brokers for partition 0 of "
      "neardup.journal";
  const std::string in_sync =
      "neardup.journal: min.insync.replicas is 1, it should be 2: what one broker alone has written is lost "
      "with its disk | ";
  const std::string alter = "neardup topics create --alter -c /etc/neardup.yaml --set kafka.group=a";
  using Texts = std::vector<std::string>;
  EXPECT_EQ(warnings(topics, journal_on(topics, 3, 1, "1")),
            (Texts{few, in_sync + "once it has 3 replicas: " + alter}));
  EXPECT_EQ(warnings(topics, journal_on(topics, 3, 1, "2")), (Texts{few}));
  EXPECT_EQ(warnings(topics, journal_on(topics, 3, 3, "1")), (Texts{in_sync + alter}));
  EXPECT_EQ(warnings(topics, journal_on(topics, 2, 3, "1")), (Texts{in_sync + alter})) << "one is away";
  EXPECT_EQ(warnings(topics, journal_on(topics, 5, 3, "2")), Texts{});
  EXPECT_EQ(warnings(topics, journal_on(topics, 4, 4, "3")), Texts{});
}

// Who has it in a snapshot starts, and nobody else does.
TEST(Topics, a_journal_whose_beginning_was_deleted_is_warned_of) {
  const KafkaTopics topics;
  Described described = journal_on(topics, 1, 1, "1");
  described[topics.journal].begin = 4;
  EXPECT_EQ(
      warnings(topics, described),
      std::vector<std::string>{
          "neardup.journal: begins at offset 4: what was before it is deleted, and only an instance whose "
          "snapshot.directory has it can start | keep that folder, and begin a new journal before it is "
          "lost (docs/upgrade.md)"});
  described[topics.journal].begin = 0;
  EXPECT_TRUE(warnings(topics, described).empty());
}

// A demo, a test, one machine: there is nothing to be done about it.
TEST(Topics, a_small_cluster_is_not_warned_of) {
  const KafkaTopics topics;
  EXPECT_TRUE(warnings(topics, right(topics)).empty()) << "nothing was told";
  EXPECT_TRUE(warnings(topics, journal_on(topics, 1, 1, "1")).empty());
  EXPECT_TRUE(warnings(topics, journal_on(topics, 2, 2, "1")).empty());
  Described missing = journal_on(topics, 3, 1, "1");
  missing.erase(topics.journal);
  EXPECT_TRUE(warn_of_topics(topics, missing).empty()) << "check_topics says it";
}

TEST(Topics, a_journal_of_three_replicas_is_made_with_two_in_sync_and_no_other) {
  const KafkaTopics topics;
  const auto in_sync = [&](const std::string& topic, std::int32_t replicas) -> std::string {
    const Described described = {{topic, {.name = topic, .replicas = replicas}}};
    for (const TopicSetting& setting : wanted_settings(topics, topic, described)) {
      if (setting.name == kInSyncSetting) return setting.value;
    }
    return "the cluster's";
  };
  EXPECT_EQ(in_sync(topics.journal, 3), "2");
  EXPECT_EQ(in_sync(topics.journal, 5), "2");
  EXPECT_EQ(in_sync(topics.journal, 2), "the cluster's") << "a broker that is away would stop it";
  EXPECT_EQ(in_sync(topics.journal, -1), "the cluster's") << "not known before it is made";
  EXPECT_EQ(in_sync(topics.unique, 3), "the cluster's");
}

TEST(Topics, a_verdict_topic_must_hold_the_longest_verdict) {
  const KafkaTopics topics;
  Described described = right(topics);
  described[topics.unique].settings["max.message.bytes"] = "200000";  // enough for one, not for a batch
  EXPECT_NE(only_problem(topics, described).find("neardup.unique: max.message.bytes"), std::string::npos);
}

constexpr SecondLook kSoon = {.time = std::chrono::milliseconds(20), .again = std::chrono::milliseconds(1)};

// A broker that has just come up may know less than the others, and none knows at once what was mended.
TEST(Topics, one_answer_that_lacks_a_topic_or_a_setting_is_not_believed) {
  const KafkaTopics topics;
  int asked = 0;
  const auto ask = [&]() -> Result<Described> {
    Described described = right(topics);
    ++asked;
    if (asked == 1) described.erase("pages");
    if (asked == 2) described[topics.dead_letter].settings["max.message.bytes"] = "1048588";
    return described;
  };
  const Result<Described> described = ask_until_right(topics, ask, {});
  ASSERT_TRUE(described);
  EXPECT_TRUE(check_topics(topics, *described).empty());
  EXPECT_EQ(asked, 3);
}

TEST(Topics, what_stays_wrong_is_wrong) {
  const KafkaTopics topics;
  int asked = 0;
  const auto ask = [&]() -> Result<Described> {
    ++asked;
    Described described = right(topics);
    described.erase("pages");
    return described;
  };
  const Result<Described> described = ask_until_right(topics, ask, {}, kSoon);
  ASSERT_TRUE(described);
  EXPECT_FALSE(check_topics(topics, *described).empty());
  EXPECT_GT(asked, 1);

  std::stop_source stop;
  stop.request_stop();
  const Result<Described> stopped = ask_until_right(topics, ask, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnavailable) << "a stop ends in order";
}

TEST(Topics, one_topic_for_two_uses_is_refused) {
  KafkaTopics topics;
  topics.duplicate = topics.unique;
  const std::vector<TopicProblem> problems = check_topics(topics, right(topics));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].topic, topics.unique);
}

}  // namespace
}  // namespace neardup
