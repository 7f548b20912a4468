// The promise of the service, on a real Kafka: every input record has exactly one committed verdict, and it
// is the right one, whatever happens to the process in between.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>

#include "service/kafka/sender.h"
#include "service/kafka/topics.h"
#include "tests/integration/harness.h"
#include "tests/integration/open_transaction.h"
#include "tests/integration/operator.h"
#include "tests/support/eventually.h"
#include "tests/support/loopback_client.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int32_t kPartitions = 8;
constexpr milliseconds kStart{30000};

std::vector<GeneratedRecord> twenty_thousand(std::uint64_t seed) {
  return generate_crawl({.documents = 20000, .families = 6000, .words = 120, .broken_share = .002}, seed);
}

// Nobody listens there.
Config without_kafka(const std::string& name) {
  Config config = test_config(name);
  config.kafka.brokers = "127.0.0.1:1";
  return config;
}

// Where the service of this log answers on HTTP.
int http_port(const std::string& log) {
  const std::string_view place = "http://127.0.0.1:";
  return std::atoi(log.substr(log.find(place) + place.size(), 5).c_str());
}

// What the series that begin so add up to.
std::size_t sum_of(int port, std::string_view series) {
  std::istringstream metrics(http_get(port, "/metrics"));
  double counted = 0;
  for (std::string line; std::getline(metrics, line);) {
    if (line.starts_with(series)) counted += std::stod(line.substr(line.rfind(' ')));
  }
  return static_cast<std::size_t>(counted);
}

// How many verdicts it says that it has committed.
std::size_t verdicts_counted(int port) { return sum_of(port, "neardup_verdicts_total{"); }

TEST(Serve, gives_20000_documents_on_8_partitions_one_right_verdict_each) {
  const Config config = test_config("steady");
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records = twenty_thousand(11);
  const std::vector<std::int64_t> counts = send_records(config, records, kPartitions);
  ServiceProcess service("steady", config);
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, kPartitions);
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

TEST(Serve, five_kills_at_random_moments_change_nothing) {
  Config config = test_config("killed");
  config.http = {.address = "127.0.0.1", .port = 0};
  config.batch.documents_max = 500;  // many transactions, so that a kill meets one
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records = twenty_thousand(12);
  const std::vector<std::int64_t> counts = send_records(config, records, kPartitions);
  std::mt19937_64 random(20240501);
  for (int life = 0; life < 5; ++life) {
    ServiceProcess service("killed", config);
    // A life takes over after the session of the last one, and dies somewhere from its first transaction on;
    // every other one when it has committed some.
    ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
    if (life % 2 == 0) {
      const int port = http_port(service.log());
      ASSERT_TRUE(eventually([&] { return verdicts_counted(port) > 0; })) << service.log();
    }
    std::this_thread::sleep_for(milliseconds(random() % 100));
    service.signal(SIGKILL);
    EXPECT_EQ(service.wait(seconds(5)), 128 + SIGKILL);
  }
  const std::size_t first = read_published(config).count;
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, records.size()) << "the kills came too late to show anything";
  ServiceProcess service("killed", config);
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, kPartitions);
}

TEST(Serve, kills_change_nothing_where_uniques_are_passed_on) {
  Config config = test_config("passed-on");
  config.http = {.address = "127.0.0.1", .port = 0};
  config.batch.documents_max = 300;
  config.kafka.topics.unique_holds = "records";
  config.output.headers = "full";
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 6000, .families = 2500, .words = 120, .broken_share = .002}, 13);
  const std::vector<std::int64_t> counts = send_records(config, records, kPartitions);
  for (int life = 0; life < 2; ++life) {
    ServiceProcess service("passed-on", config);
    ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
    const int port = http_port(service.log());
    ASSERT_TRUE(eventually([&] { return verdicts_counted(port) > 0; })) << service.log();
    service.signal(SIGKILL);
    EXPECT_EQ(service.wait(seconds(5)), 128 + SIGKILL);
  }
  ServiceProcess service("passed-on", config);
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, kPartitions);
  EXPECT_GT(published.passed_on.size(), 2000U);
  for (const auto& [place, value] : published.passed_on)
    EXPECT_EQ(value, records[static_cast<std::size_t>(place.second * kPartitions + place.first)].value);
}

TEST(Serve, a_graceful_stop_and_a_new_start_leave_no_gap_and_no_repeat) {
  Config config = test_config("graceful");
  config.http = {.address = "127.0.0.1", .port = 0};
  config.batch.documents_max = 200;
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 12000, .families = 4000, .words = 100}, 13);
  const std::vector<std::int64_t> counts = send_records(config, records, kPartitions);
  {
    ServiceProcess service("graceful", config);
    ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
    const int port = http_port(service.log());
    ASSERT_TRUE(eventually([&] { return verdicts_counted(port) > 0; })) << service.log();
    service.signal(SIGTERM);
    EXPECT_EQ(service.wait(kStart), 0) << service.log();
  }
  const std::size_t first = read_published(config).count;
  EXPECT_GT(first, 0U);
  ServiceProcess service("graceful-again", config);
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, kPartitions);
  EXPECT_LT(first, records.size()) << "the stop came too late to show anything";
  // The first left the group, so the second needs not wait for its session to end.
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

TEST(Serve, every_poison_record_gets_its_verdict_and_its_neighbours_theirs) {
  Config config = test_config("poison");
  create_test_topics(config, 1);
  const auto good = [](const std::string& id) {
    return GeneratedRecord{
        "key", R"({"id":")" + id + R"(","text":"a good page about )" + id + " and nothing else\"}"};
  };
  const std::string deep(3000, '[');
  const std::vector<std::pair<GeneratedRecord, std::string>> poison = {
      {{"k", std::nullopt}, "null_value"},
      {{"k", "json failed to parse"}, "not_json"},
      {{"k", "{\"id\":\"a\",\"text\":\"cut off"}, "not_json"},
      {{"k", "[1,2,3]"}, "not_json"},
      {{"k", "{\"id\":\"a\",\"x\":" + deep + "}"}, "too_deep"},
      {{"k", R"({"id":"a","url":"http://x/"})"}, "missing_text"},
      {{"k", R"({"id":"a","text":{"no":"string"}})"}, "missing_text"},
      {{std::nullopt, R"({"text":"a page that nobody named"})"}, "missing_id"},
      {{"k", R"({"id":")" + std::string(5000, 'i') + R"(","text":"x"})"}, "id_too_long"},
      {{"k", R"({"id":"a","text":"... !!! ???"})"}, "no_tokens"},
      {{"k", R"({"id":"a","text":")" + std::string(900000, 'x') + "\"}"}, "too_large"},
      // Packed it is small enough for its topic; unpacked it is five times what that topic takes.
      {{"k", R"({"id":"a","text":")" + std::string(5000000, 'x') + "\"}"}, "too_large"},
  };
  std::vector<GeneratedRecord> records;
  for (std::size_t i = 0; i < poison.size(); ++i) {
    records.push_back(good("before-" + std::to_string(i)));
    records.push_back(poison[i].first);
  }
  records.push_back(good("last"));
  const std::vector<std::int64_t> counts = send_records(config, records, 1);
  ServiceProcess service("poison", config, {"serve", "--set", "input.document_bytes_max=512KiB"});
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  for (std::size_t i = 0; i < poison.size(); ++i) {
    const Place place = {0, static_cast<std::int64_t>(2 * i + 1)};
    ASSERT_TRUE(published.rejected.contains(place)) << poison[i].second;
    EXPECT_EQ(published.rejected.at(place).front(), poison[i].second);
    EXPECT_EQ(published.dead_letter_values.at(place), poison[i].first.value.value_or(""))
        << "the raw bytes are kept";
    EXPECT_TRUE(published.verdicts.contains({0, static_cast<std::int64_t>(2 * i)}));
  }
  EXPECT_EQ(service.wait(milliseconds(0)), std::nullopt) << "the service goes on: " << service.log();
}

TEST(Serve, a_deleted_document_is_forgotten_also_by_the_next_life) {
  Config config = test_config("deleted");
  config.index.by_id = true;
  create_test_topics(config, 1);
  const auto page = [](const std::string& id, const std::string& about) {
    return GeneratedRecord{id,
                           R"({"id":")" + id + R"(","text":"a page of news about )" + about + " and more\"}"};
  };
  const GeneratedRecord deletion = {"a", std::nullopt};
  const std::vector<GeneratedRecord> before = {page("a", "bridges"), page("a", "rivers and fish"),
                                               page("b", "rivers and fish"), deletion,
                                               page("b", "rivers and fish")};
  std::vector<std::int64_t> counts = send_records(config, before, 1);
  {
    ServiceProcess service("deleted", config);
    wait_for_verdicts(service, config, before.size());
    service.signal(SIGKILL);
    EXPECT_EQ(service.wait(seconds(5)), 128 + SIGKILL);
  }
  const std::vector<GeneratedRecord> after = {page("a", "bridges"), page("c", "rivers and fish"), deletion,
                                              deletion};
  counts[0] += send_records(config, after, 1)[0];
  ServiceProcess service("deleted-again", config);
  const Published published = wait_for_verdicts(service, config, before.size() + after.size());
  expect_exactly_one_verdict(published, counts);
  const auto verdict = [&](std::int64_t offset) { return published.verdicts.at({0, offset}).front(); };
  EXPECT_EQ(verdict(1).relation, Relation::kRevision);
  EXPECT_EQ(verdict(1).previous->source, verdict(0).source);
  EXPECT_EQ(verdict(2).duplicate_of->source, verdict(1).source);
  EXPECT_EQ(verdict(3).verdict, Verdict::kDeleted);
  EXPECT_EQ(verdict(3).forgotten, 2U);
  EXPECT_EQ(verdict(4).seq, 2U) << "the text is new again";
  EXPECT_EQ(verdict(5).seq, 3U) << "the next life knows that it was deleted";
  EXPECT_EQ(verdict(5).previous, std::nullopt);
  EXPECT_EQ(verdict(6).duplicate_of->source, verdict(4).source);
  EXPECT_EQ(verdict(7).forgotten, 1U);
  EXPECT_EQ(verdict(8).forgotten, 0U);
}

// Lag is 0 all the while, and no alert on it can fire.
TEST(Serve, a_transaction_that_a_producer_leaves_open_shows_in_what_it_hides) {
  Config config = test_config("hidden");
  config.http = {.address = "127.0.0.1", .port = 0};
  create_test_topics(config, 1);
  OpenTransaction transaction(config, {{"transactional.id", config.kafka.group + "-crawler"}},
                              config.kafka.topics.input.front());
  transaction.begin({R"({"id":"a","text":"a page that nobody can read yet"})",
                     R"({"id":"b","text":"another page, of the same transaction"})"});
  ServiceProcess service("hidden", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  const int port = http_port(service.log());
  const auto hidden = [port] { return sum_of(port, "neardup_consumer_unstable_records{"); };
  EXPECT_TRUE(eventually([&] { return hidden() == 2; })) << hidden();
  EXPECT_EQ(sum_of(port, "neardup_consumer_lag_records{"), 0U);
  transaction.commit();
  wait_for_verdicts(service, config, 2);
  EXPECT_TRUE(eventually([&] { return hidden() == 0; })) << hidden();
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

TEST(Serve, invalid_base64_is_rejected_with_its_reason) {
  Config config = test_config("base64");
  create_test_topics(config, 1);
  const std::vector<GeneratedRecord> records = {{"a", R"({"id":"a","text":"SGVsbG8gd29ybGQ="})"},
                                                {"b", R"({"id":"b","text":"%%%"})"}};
  send_records(config, records, 1);
  ServiceProcess service("base64", config, {"serve", "--set", "input.base64=always"});
  const Published published = wait_for_verdicts(service, config, 2);
  EXPECT_EQ(published.verdicts.size(), 1U);
  ASSERT_TRUE(published.rejected.contains({0, 1}));
  EXPECT_EQ(published.rejected.at({0, 1}).front(), "invalid_base64");
}

TEST(Serve, wrong_journal_settings_are_refused_with_the_command_that_mends_them) {
  const Config config = test_config("wrong");
  // A journal as a person would make it: the defaults would delete the truth after a week.
  Config plain = config;
  plain.kafka.topics.input = {"wrong.journal"};
  plain.kafka.topics.journal = "wrong.unused-journal";
  create_test_topics(plain, 2);
  const std::string file = NEARDUP_SOURCE_DIR "/config/minimal.yaml";
  ServiceProcess service("wrong", config, {"serve", "-c", file});
  EXPECT_EQ(service.wait(kStart), 78) << service.log();
  const std::string log = service.log();
  EXPECT_NE(log.find("has 2 partitions, it must have 1"), std::string::npos) << log;
  EXPECT_NE(log.find("retention.ms is 604800000, it must be -1"), std::string::npos) << log;
  EXPECT_NE(log.find("neardup topics create --alter -c " + file), std::string::npos) << log;
  EXPECT_NE(log.find("neardup topics check -c " + file), std::string::npos) << log;
  EXPECT_NE(log.find("does not exist"), std::string::npos) << log;
}

TEST(Serve, topics_create_alter_mends_what_topics_check_refused) {
  const Config config = test_config("mended");
  Config plain = config;
  plain.kafka.topics.input = {"mended.journal"};
  plain.kafka.topics.journal = "mended.unused-journal";
  create_test_topics(plain, 1);
  const std::string file = NEARDUP_SOURCE_DIR "/config/minimal.yaml";
  ServiceProcess wrong("mended-wrong", config, {"topics", "check", "-c", file});
  EXPECT_EQ(wrong.wait(kStart), 78);
  for (const std::string& line : std::vector<std::string>{
           "mended.pages: does not exist", "mended.journal: retention.ms is 604800000, it must be -1",
           "  mend it: neardup topics create --alter -c " + file}) {
    EXPECT_NE(wrong.log().find(line), std::string::npos) << line << "\n" << wrong.log();
  }
  ServiceProcess mend("mended-topics", config,
                      {"topics", "create", "--input", "--alter", "--partitions", "2"});
  EXPECT_EQ(mend.wait(kStart), 0) << mend.log();
  const auto described = describe_topics(config.kafka, topic_names(config.kafka.topics), seconds(10));
  ASSERT_TRUE(described);
  EXPECT_TRUE(check_topics(config.kafka.topics, *described).empty());
  for (const std::vector<std::string>& words : {std::vector<std::string>{"topics", "check"}, {"validate"}}) {
    ServiceProcess right("mended-" + words[0], config, words);
    EXPECT_EQ(right.wait(kStart), 0) << right.log();
    EXPECT_NE(right.log().find("all 5 topics are right"), std::string::npos) << right.log();
    EXPECT_EQ(right.log().find("warning: mended.journal"), std::string::npos)
        << "one broker is all there is\n"
        << right.log();
  }
}

// The next start would refuse it, and Kafka may delete the truth by then.
TEST(Serve, tells_of_a_journal_that_is_given_a_retention_while_it_works) {
  const Config config = test_config("given-retention");
  create_test_topics(config, 1);
  ServiceProcess service("given-retention", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  set_topic(config, config.kafka.topics.journal, "retention.ms", "3600000");
  EXPECT_TRUE(
      service.wait_for_log("retention.ms is 3600000, it must be -1; the next start will refuse it", kStart))
      << service.log();
  set_topic(config, config.kafka.topics.journal, "retention.ms", "-1");
  EXPECT_TRUE(service.wait_for_log("set right again", kStart)) << service.log();
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

TEST(Serve, topics_check_names_all_rights_that_are_missing) {
  const Config config = test_config("forbidden");
  create_test_topics(config, 1);
  const KafkaTopics& topics = config.kafka.topics;
  forbid(config, Resource::kTopic, topics.input.front(), Operation::kRead);
  forbid(config, Resource::kTopic, topics.unique, Operation::kWrite);
  forbid(config, Resource::kTopic, topics.journal, Operation::kDescribeConfigs);
  forbid(config, Resource::kTopic, topics.duplicate, Operation::kDescribeConfigs);
  forbid(config, Resource::kTopic, topics.dead_letter, Operation::kDescribe);
  forbid(config, Resource::kGroup, config.kafka.group, Operation::kRead);
  forbid(config, Resource::kGroup, config.kafka.group + "-input", Operation::kDescribe);
  ServiceProcess check("forbidden", config, {"topics", "check"});
  EXPECT_EQ(check.wait(kStart), 69) << "not all of them can be looked at";
  const std::string log = check.log();
  for (const std::string& line :
       {"topic " + topics.input.front() + ": Read: ", "topic " + topics.unique + ": Write: ",
        "topic " + topics.journal + ": DescribeConfigs: ",
        "topic " + topics.duplicate + ": DescribeConfigs: ", "topic " + topics.dead_letter + ": ",
        "group " + config.kafka.group + ": Read: ", "group " + config.kafka.group + "-input: Describe: "}) {
    EXPECT_NE(log.find(line), std::string::npos) << line << "\n" << log;
  }
}

TEST(Serve, topics_create_says_what_it_made_before_one_was_refused) {
  Config config = test_config("halfway");
  config.kafka.topics.duplicate = "halfway_unique";  // Kafka's metrics could not tell it from halfway.unique
  ServiceProcess halfway("halfway", config, {"topics", "create", "--partitions", "1"});
  EXPECT_EQ(halfway.wait(kStart), 69) << halfway.log();
  EXPECT_NE(halfway.log().find("halfway.unique: created with 1 partition\n"), std::string::npos)
      << halfway.log();
  EXPECT_NE(halfway.log().find("creating topic halfway_unique: "), std::string::npos) << halfway.log();
}

TEST(Serve, a_second_instance_stands_by_and_takes_over) {
  Config config = test_config("standby");
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 400, .families = 100, .words = 50}, 14);
  const std::vector<GeneratedRecord> early(records.begin(), records.begin() + 200);
  send_records(config, early, 2);
  ServiceProcess first("standby-first", config);
  ASSERT_EQ(wait_for_verdicts(first, config, 200).count, 200U);
  ServiceProcess second("standby-second", config);
  ASSERT_TRUE(second.wait_for_log("standby", kStart)) << second.log();
  send_records(config, {records.begin() + 200, records.begin() + 300}, 2);
  ASSERT_EQ(wait_for_verdicts(first, config, 300).count, 300U);
  EXPECT_EQ(second.log().find("running:"), std::string::npos) << "one writer at a time";
  first.signal(SIGKILL);
  first.wait(seconds(5));
  const std::vector<std::int64_t> counts = {200, 200};
  send_records(config, {records.begin() + 300, records.end()}, 2);
  const Published published = wait_for_verdicts(second, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, 2);
}

TEST(Serve, a_kafka_that_is_away_ends_it_only_with_fail_fast) {
  Config config = without_kafka("away");
  ServiceProcess hasty("away-hasty", config, {"serve", "--fail-fast"});
  EXPECT_EQ(hasty.wait(kStart), 69) << hasty.log();
  config.http = {.address = "127.0.0.1", .port = 0};
  ServiceProcess patient("away-patient", config);
  ASSERT_TRUE(patient.wait_for_log("trying again: describing topics", kStart)) << patient.log();
  const std::string ready = http_get(http_port(patient.log()), "/readyz?verbose");
  EXPECT_NE(ready.find("detail: Kafka at 127.0.0.1:1: describing topics"), std::string::npos) << ready;
  EXPECT_EQ(patient.wait(milliseconds(500)), std::nullopt);
  patient.signal(SIGTERM);
  EXPECT_EQ(patient.wait(kStart), 0) << patient.log();
}

TEST(Serve, a_broker_that_dies_and_comes_back_costs_time_and_no_verdict) {
  Config config = test_config("broker");
  config.http = {.address = "127.0.0.1", .port = 0};
  config.batch.documents_max = 200;
  create_test_topics(config, 4);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 8000, .families = 2000, .words = 80}, 15);
  const std::vector<std::int64_t> counts = send_records(config, records, 4);
  ServiceProcess service("broker", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  const int port = http_port(service.log());
  ASSERT_TRUE(eventually([&] { return verdicts_counted(port) > 0; })) << service.log();
  run_kafka("kill 1");
  const std::size_t first = verdicts_counted(port);
  EXPECT_LT(first, records.size()) << "the broker died too late to show anything";
  std::this_thread::sleep_for(milliseconds(500));
  run_kafka("restart 1");
  const Published published = wait_for_verdicts(service, config, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, 4);
  EXPECT_EQ(service.wait(milliseconds(0)), std::nullopt) << service.log();
}

// Of themselves they end a process without a word. Inside, one means the end of the thread that waits for
// signals, which nobody else may cause: a process that hears no signal any more can only be killed.
TEST(Serve, user_signals_from_outside_are_told_of_and_change_nothing) {
  Config config = without_kafka("deaf");
  config.http = {.address = "127.0.0.1", .port = 0};
  ServiceProcess service("deaf", config);
  ASSERT_TRUE(service.wait_for_log("metrics and health at", kStart)) << service.log();
  for (const int number : {SIGUSR1, SIGUSR2}) {
    service.signal(number);
    EXPECT_TRUE(
        service.wait_for_log("signal " + std::to_string(number) + " means nothing here: going on", kStart))
        << service.log();
  }
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

// What a terminal sends when it is closed, or for Ctrl-\. Nohup and scripts hide them from what they start.
TEST(Serve, a_hangup_or_a_quit_ends_it_in_order) {
  const Config config = without_kafka("hangup");
  for (const int number : {SIGHUP, SIGQUIT}) {
    ASSERT_NE(::signal(number, SIG_DFL), SIG_ERR);
    ServiceProcess service("hangup", config);
    ASSERT_TRUE(service.wait_for_log("kafka admin", kStart)) << service.log();
    service.signal(number);
    EXPECT_EQ(service.wait(kStart), 0) << service.log();
  }
}

// Who starts another in its place needs its port.
TEST(Serve, its_last_word_comes_when_its_port_is_free) {
  Config config = without_kafka("last-word");
  config.http = {.address = "127.0.0.1", .port = 0};
  ServiceProcess service("last-word", config);
  ASSERT_TRUE(service.wait_for_log("metrics and health at", kStart)) << service.log();
  const int port = http_port(service.log());
  ASSERT_TRUE(LoopbackClient(port).connected());
  service.signal(SIGTERM);
  ASSERT_TRUE(service.wait_for_log("stopped", kStart)) << service.log();
  EXPECT_FALSE(LoopbackClient(port).connected());
  EXPECT_EQ(service.wait(kStart), 0);
  const std::string log = service.log();
  EXPECT_NE(log.find("stopped", log.rfind('{')), std::string::npos) << log;
}

// Both wait when the first is taken: nothing that a stop has to finish comes between them.
TEST(Serve, a_second_signal_ends_it_at_once) {
  const Config config = without_kafka("hurry");
  ServiceProcess service("hurry", config);
  ASSERT_TRUE(service.wait_for_log("kafka admin", kStart)) << service.log();
  service.signal(SIGTERM);
  service.signal(SIGINT);
  const std::optional<int> code = service.wait(seconds(2));
  EXPECT_TRUE(code == 128 + SIGTERM || code == 128 + SIGINT) << code.value_or(-1) << service.log();
  EXPECT_NE(service.log().find("a second signal ends at once"), std::string::npos) << service.log();
}

}  // namespace
}  // namespace neardup
