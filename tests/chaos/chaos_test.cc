// A few rounds of each sort of fault, on one Kafka of one node; ./dev chaos --rounds runs more, of all sorts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/fault_point.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/sender.h"
#include "service/kafka/topics.h"
#include "service/kafka/writer.h"
#include "tests/chaos/round.h"
#include "tests/integration/open_transaction.h"
#include "tests/support/eventually.h"
#include "tests/support/private_kafka.h"

namespace neardup {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::chrono::seconds kPatience{60};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a healthy system may withhold: a disk that nobody may mount, and memory that a service does without.
bool may_miss(const RoundReport& report, ChaosFault fault) {
  return fault == ChaosFault::kAddressSpace || (fault == ChaosFault::kDiskFull && !report.can_mount);
}

// Runs the faults as one round, and expects each of them to have struck, but for what may miss, and every
// verdict to be right.
RoundReport run(const std::string& name, std::uint64_t seed, const std::vector<ChaosFault>& faults,
                int nodes = 1) {
  ChaosKafka kafka(nodes);
  RoundPlan plan;
  plan.seed = seed;
  plan.name = "test-" + name;
  plan.faults = faults;
  const RoundReport report = run_round(kafka, plan);
  EXPECT_THAT(report.findings.violations, IsEmpty());
  EXPECT_GE(report.findings.verdicts, plan.documents_min);
  EXPECT_EQ(report.findings.lost + report.findings.doubled + report.findings.wrong, 0U);
  std::uint64_t struck = 0;
  std::uint64_t missed = 0;
  for (std::size_t kind = 0; kind < report.faults.size(); ++kind) {
    struck += report.faults[kind];
    missed += report.skipped[kind];
    if (!may_miss(report, static_cast<ChaosFault>(kind))) {
      EXPECT_EQ(report.skipped[kind], 0U) << kChaosFaultNames[kind];
    }
  }
  EXPECT_EQ(struck + missed, faults.size());
  for (const std::string& note : report.notes) std::printf("%s: %s\n", name.c_str(), note.c_str());
  std::printf("table: chaos: %s | %llu faults, %llu verdicts | decided again in the journal's order | \n",
              name.c_str(), static_cast<unsigned long long>(struck),
              static_cast<unsigned long long>(report.findings.verdicts));
  return report;
}

TEST(Chaos, twenty_kills_of_the_service_change_no_verdict) {
  std::vector<ChaosFault> faults = {ChaosFault::kKill, ChaosFault::kKill, ChaosFault::kKill,
                                    ChaosFault::kKill};
  for (int i = 0; i < 5; ++i) faults.push_back(ChaosFault::kKillBoth);
  for (int i = 0; i < 6; ++i) faults.push_back(ChaosFault::kKillAtPoint);
  EXPECT_GE(run("kills", 1, faults).kills, 20U);
}

TEST(Chaos, a_broker_that_is_killed_ended_or_stopped_changes_no_verdict) {
  run("broker", 3, {ChaosFault::kBrokerKill, ChaosFault::kBrokerStop, ChaosFault::kBrokerTerminate});
}

TEST(Chaos, a_network_that_loses_the_answers_of_commits_changes_no_verdict) {
  const RoundReport report =
      run("network", 4,
          {ChaosFault::kCommitUnanswered, ChaosFault::kCommitLate, ChaosFault::kProxyCutAll,
           ChaosFault::kCommitUnanswered, ChaosFault::kCommitLate});
  EXPECT_GT(report.recycles_found, 0U);
  EXPECT_GT(report.recycles_resent, 0U);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_a_transaction_changes_no_verdict) {
  run("markers", 6, {ChaosFault::kMarkersLost}, 3);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_a_transaction_in_the_journal_changes_no_verdict) {
  run("markers-journal", 7, {ChaosFault::kMarkersLostInJournal}, 3);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_a_transaction_in_the_verdicts_changes_no_verdict) {
  run("markers-verdicts", 8, {ChaosFault::kMarkersLostInVerdicts}, 3);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_an_aborted_transaction_changes_no_verdict) {
  run("markers-abort", 9, {ChaosFault::kMarkersLostOfAbort}, 3);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_a_transaction_in_the_groups_positions_changes_no_verdict) {
  run("markers-group", 10, {ChaosFault::kMarkersLostInGroup}, 3);
}

// A broker's own min.insync.replicas is 1; default.replication.factor is 3 here, as topics create leaves it.
TEST(Chaos, a_new_journal_on_three_brokers_has_two_in_sync) {
  const PrivateKafka kafka("--nodes 3 --set min.insync.replicas=1");
  Config config;
  config.kafka.brokers = kafka.servers();
  const KafkaTopics& topics = config.kafka.topics;
  const TopicCreation creation = {.partitions = 1, .input = true};
  const auto made = create_topics(config.kafka, creation, kPatience);
  ASSERT_TRUE(made) << made.error().message;
  Result<std::map<std::string, TopicDescription>> described = Error{};
  const auto in_sync = [&](const std::string& topic) {
    return described->at(topic).settings.at("min.insync.replicas");
  };
  // Another broker than the one that showed it to create_topics may be behind that one.
  const std::vector<std::string> names = topic_names(topics);
  EXPECT_TRUE(eventually([&] {
    described = describe_topics(config.kafka, names, kPatience);
    return !described || (described->size() == names.size() && in_sync(topics.journal) == "2");
  }));
  ASSERT_TRUE(described) << described.error().message;
  EXPECT_EQ(described->at(topics.journal).replicas, 3);
  EXPECT_EQ(described->at(topics.journal).brokers, 3);
  EXPECT_EQ(in_sync(topics.unique), "1") << "the cluster's";
  EXPECT_TRUE(warn_of_topics(topics, *described).empty());
  const auto again = create_topics(config.kafka, creation, kPatience, [](const TopicChange& change) {
    ADD_FAILURE() << change.topic << ": " << change.done;
  });
  ASSERT_TRUE(again) << again.error().message;
}

// One broker cannot have the three copies, so there is no topic of groups, and nobody who coordinates one.
TEST(Chaos, groups_whose_rights_are_not_known_in_time_are_named) {
  const PrivateKafka kafka("--set offsets.topic.replication.factor=3");
  KafkaConfig config;
  config.brokers = kafka.servers();
  const auto rights = missing_rights(config, std::chrono::seconds(2));
  ASSERT_TRUE(rights) << rights.error().message;
  EXPECT_THAT(rights->untold, Contains(HasSubstr("group neardup")));
  EXPECT_THAT(rights->missing, IsEmpty());
}

// librdkafka tells a ListOffsets that nobody answered as a success without an offset: the journal's end
// would lie before all that is open in it, and the input's nowhere.
TEST(Chaos, where_logs_end_is_not_known_as_long_as_nobody_says_it) {
  ChaosKafka kafka(1);
  Config config;
  config.kafka.brokers = kafka.servers();
  config.kafka.group = "unanswered";
  ASSERT_TRUE(create_topics(config.kafka, {.partitions = 1, .input = true}, kPatience));
  OpenTransaction transaction(config, writer_properties(config.kafka), config.kafka.topics.journal);
  transaction.begin();

  config.kafka.brokers = kafka.proxied_servers();
  Probe probe;
  StateBoard board;
  const auto log = KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, probe, board, {});
  ASSERT_TRUE(log) << log.error().message;
  const ProxyRule unanswered = {.api = KafkaApi::kListOffsets, .times = 1};
  kafka.rules().add(unanswered);
  const Result<bool> settled = (*log)->is_settled();
  EXPECT_EQ(kafka.rules().struck(), 1U);
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_FALSE(*settled);

  std::vector<InputTopic> topics = {
      {.name = config.kafka.topics.input.front(), .partitions = 1, .bounds = {{}}}};
  kafka.rules().add(unanswered);
  const Status bounds = read_bounds(config.kafka, topics, std::chrono::milliseconds(2000));
  EXPECT_EQ(kafka.rules().struck(), 2U);
  ASSERT_FALSE(bounds);
  EXPECT_EQ(bounds.error().code, ErrorCode::kUnavailable) << bounds.error().message;
}

// librdkafka tells of it, and goes on somewhere else (tests/support/librdkafka-damaged-batch.patch).
TEST(Chaos, a_batch_that_the_network_damaged_is_fetched_again) {
  constexpr std::uint32_t kRecords = 500;
  ChaosKafka kafka(1);
  Config config;
  config.kafka.brokers = kafka.servers();
  config.kafka.group = "damaged";
  ASSERT_TRUE(create_topics(config.kafka, {.partitions = 1, .input = true}, kPatience));
  const std::string& pages = config.kafka.topics.input.front();
  Probe uncounted;
  std::vector<std::string> sent;
  const auto sender = KafkaSender::open(config.kafka, pages, uncounted);
  ASSERT_TRUE(sender) << sender.error().message;
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < kRecords; ++i) {
    std::string& record = sent.emplace_back();
    while (record.size() < 1000) record += std::to_string(random());
    ASSERT_TRUE((*sender)->send(std::nullopt, record));
  }
  ASSERT_TRUE((*sender)->finish(kPatience));

  class Errors final : public Probe {
   public:
    void kafka_error(std::string_view, std::string_view code) override {
      const std::lock_guard lock(mutex_);
      codes_.emplace_back(code);
    }
    std::vector<std::string> codes() {
      const std::lock_guard lock(mutex_);
      return codes_;
    }

   private:
    std::mutex mutex_;
    std::vector<std::string> codes_;
  } errors;
  config.kafka.brokers = kafka.proxied_servers();
  StateBoard board;
  const auto log = KafkaLogReader::open(config.kafka, pages, 0, errors, board, {});
  ASSERT_TRUE(log) << log.error().message;
  kafka.rules().add(
      {.api = KafkaApi::kFetch, .act = ProxyRule::Act::kDamage, .times = 3, .bytes_min = 20'000});
  std::vector<std::string> read;
  const Status status = (*log)->read_to_end([&](std::string_view bytes, double) -> Status {
    read.emplace_back(bytes);
    return {};
  });
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(kafka.rules().struck(), 3U);
  EXPECT_EQ(read, sent);
  EXPECT_THAT(errors.codes(), Contains("_BAD_MSG"));
}

TEST(Chaos, zombies_change_no_verdict) {
  run("zombies", 5,
      {ChaosFault::kZombie, ChaosFault::kTwoWriters, ChaosFault::kZombie, ChaosFault::kTwoWriters,
       ChaosFault::kTwoWriters});
}

// The seed draws, for the proxy, requests and answers that every transaction has, and no two faults without
// verdicts between them.
TEST(Chaos, a_stop_one_lost_message_a_full_disk_and_no_more_memory_change_no_verdict) {
  const std::vector<ChaosFault> faults = {
      ChaosFault::kTerminate, ChaosFault::kProxyCut,     ChaosFault::kProxyDelay,  ChaosFault::kProxyDrop,
      ChaosFault::kDiskFull,  ChaosFault::kAddressSpace, ChaosFault::kAddressSpace};
  const RoundReport report = run("others", 365, faults);
  std::set<std::string_view> missed;  // what is printed above says why
  for (const ChaosFault fault : faults) {
    const auto kind = static_cast<std::size_t>(fault);
    if (report.faults[kind] == 0) missed.insert(kChaosFaultNames[kind]);
  }
  if (!missed.empty()) GTEST_SKIP() << "all but: " << ::testing::PrintToString(missed);
}

TEST(Chaos, fault_points_are_in_the_test_build_alone) {
  const std::string shipped = bytes_of(NEARDUP_BINARY);
  const std::string chaos = bytes_of(NEARDUP_CHAOS_BINARY);
  for (const char* const trace : {"pass_fault_point", "fault_limit", "CHAOS_FAULT", "verdicts-queued"}) {
    EXPECT_NE(chaos.find(trace), std::string::npos) << trace;
    EXPECT_EQ(shipped.find(trace), std::string::npos) << trace;
  }
}

TEST(Chaos, a_round_is_drawn_from_its_seed_alone) {
  bool three = false;
  ChaosCounts drawn{};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const DrawnRound round = draw_round(seed);
    EXPECT_EQ(round.plan.faults, draw_round(seed).plan.faults);
    EXPECT_EQ(round.nodes, draw_round(seed).nodes);
    EXPECT_THAT(round.plan.faults, ::testing::Contains(ChaosFault::kKill));
    three = three || round.nodes == 3;
    for (const ChaosFault fault : round.plan.faults) ++drawn[static_cast<std::size_t>(fault)];
  }
  EXPECT_TRUE(three);
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_GT(drawn[i], 10U) << kChaosFaultNames[i];
}

}  // namespace
}  // namespace neardup
