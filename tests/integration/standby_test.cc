// Who writes, and may it? Standbys, takeovers, and every contradiction that a person must settle, on a real
// Kafka. The times are printed: they are what an operator waits for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <memory>
#include <set>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "service/kafka/election.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/writer.h"
#include "tests/integration/harness.h"
#include "tests/integration/open_transaction.h"
#include "tests/integration/operator.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kStart{30000};
constexpr const char* kFollows = "standby: following the writer";

// Counts committed verdicts as they come.
class VerdictClock {
 public:
  explicit VerdictClock(const Config& config) {
    auto log =
        KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, probe_, board_, std::stop_token());
    if (!log) throw std::runtime_error(log.error().message);
    log_ = std::move(*log);
  }

  // Seconds from `since` until `count` verdicts are there; throws after a minute.
  double seconds_until(std::uint64_t count, Clock::time_point since) {
    while (count_ < count) {
      if (Clock::now() - since > seconds(60))
        throw std::runtime_error(std::to_string(count_) + " of " + std::to_string(count) + " verdicts");
      const Result<bool> came = log_->next(milliseconds(10), [&](std::string_view bytes) -> Status {
        const Result<JournalRecord> record = decode_journal_record(bytes);
        if (!record) return record.error();
        count_ += record->counts.verdicts();
        return {};
      });
      if (!came) throw std::runtime_error(came.error().message);
    }
    return std::chrono::duration<double>(Clock::now() - since).count();
  }

 private:
  Probe probe_;
  StateBoard board_;
  std::unique_ptr<KafkaLogReader> log_;
  std::uint64_t count_ = 0;
};

std::vector<GeneratedRecord> some(std::size_t documents, std::uint64_t seed) {
  return generate_crawl({.documents = documents, .families = documents / 3 + 1, .words = 50}, seed);
}

std::vector<GeneratedRecord> slice(const std::vector<GeneratedRecord>& records, std::size_t begin,
                                   std::size_t end) {
  return {records.begin() + static_cast<std::ptrdiff_t>(begin),
          records.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Runs the service until `count` verdicts are committed, then stops it in order.
void run_until(const std::string& name, const Config& config, std::size_t count,
               const std::vector<std::string>& arguments = {"serve"}) {
  ServiceProcess service(name, config, arguments);
  wait_for_verdicts(service, config, count);
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

// Starts the service, which must refuse to go on, and returns what it said.
std::string halt_of(const std::string& name, const Config& config,
                    const std::vector<std::string>& arguments = {"serve"}) {
  ServiceProcess service(name, config, arguments);
  EXPECT_EQ(service.wait(kStart), 65) << service.log();
  return service.log();
}

TEST(Standby, takes_over_after_a_kill_and_after_a_stop_in_order) {
  Config config = test_config("takeover");
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records = some(600, 21);
  VerdictClock clock(config);

  auto first = std::make_unique<ServiceProcess>("takeover-first", config);
  ASSERT_TRUE(first->wait_for_log("running:", kStart)) << first->log();
  send_records(config, slice(records, 0, 200), 2);
  clock.seconds_until(200, Clock::now());
  ServiceProcess second("takeover-second", config);
  ASSERT_TRUE(second.wait_for_log(kFollows, kStart)) << second.log();

  // Who may be elected beside somebody else has read all before; who is alone waits for nobody.
  constexpr const char* kReadsFirst = "reading the journal before joining it";
  EXPECT_THAT(first->log(), Not(HasSubstr(kReadsFirst)));
  EXPECT_THAT(second.log(), HasSubstr(kReadsFirst));

  send_records(config, slice(records, 200, 300), 2);
  clock.seconds_until(300, Clock::now());
  std::this_thread::sleep_for(seconds(1));  // it follows

  Clock::time_point since = Clock::now();
  first->signal(SIGKILL);
  send_records(config, slice(records, 300, 400), 2);
  const double after_kill = clock.seconds_until(301, since);
  EXPECT_THAT(second.log(), HasSubstr(" journal records, 0 of them since the election"));
  std::printf("takeover after kill -9, session timeout 6 s: first verdict after %.2f s\n", after_kill);

  clock.seconds_until(400, Clock::now());
  ServiceProcess third("takeover-third", config);
  ASSERT_TRUE(third.wait_for_log(kFollows, kStart)) << third.log();
  since = Clock::now();
  second.signal(SIGTERM);
  send_records(config, slice(records, 400, 600), 2);
  const double after_stop = clock.seconds_until(401, since);
  std::printf("takeover after SIGTERM: first verdict after %.2f s\n", after_stop);
  EXPECT_EQ(second.wait(kStart), 0) << second.log();

  const Published published = wait_for_verdicts(third, config, records.size());
  expect_exactly_one_verdict(published, {300, 300});
  expect_brute_force_agrees(published, records, 2);
}

// What an open transaction hides is neither there nor not there.
TEST(Standby, a_journal_is_settled_once_its_last_transaction_has_ended) {
  Config config = test_config("settled");
  create_test_topics(config, 1);
  Probe probe;
  StateBoard board;
  const auto log = KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, probe, board, {});
  ASSERT_TRUE(log) << log.error().message;
  const auto is_settled = [&] {
    const Result<bool> settled = (*log)->is_settled();
    EXPECT_TRUE(settled) << settled.error().message;
    return settled && *settled;
  };
  EXPECT_TRUE(is_settled());

  OpenTransaction transaction(config, writer_properties(config.kafka), config.kafka.topics.journal);
  for (const bool committed : {true, false}) {
    transaction.begin();
    EXPECT_FALSE(is_settled());
    committed ? transaction.commit() : transaction.abort();
    // The end is marked a moment after it was answered.
    for (const auto end = Clock::now() + kStart; !is_settled();) {
      ASSERT_LT(Clock::now(), end);
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
}

TEST(Standby, a_joiner_never_steals) {
  Config config = test_config("joiners");
  create_test_topics(config, 1);
  ServiceProcess leader("joiners-leader", config);
  ASSERT_TRUE(leader.wait_for_log("running:", kStart)) << leader.log();
  for (int round = 0; round < 4; ++round) {
    ServiceProcess joiner("joiners-" + std::to_string(round), config);
    ASSERT_TRUE(joiner.wait_for_log(kFollows, kStart)) << joiner.log();
    std::this_thread::sleep_for(milliseconds(1500));  // the group settles within a heartbeat or two
    EXPECT_THAT(joiner.log(), Not(HasSubstr("running:")));
    joiner.signal(round % 2 == 0 ? SIGTERM : SIGKILL);
    joiner.wait(kStart);
  }
  EXPECT_THAT(leader.log(), AllOf(HasSubstr("running:"), Not(HasSubstr("the election was lost"))));
  EXPECT_EQ(leader.wait(milliseconds(0)), std::nullopt) << leader.log();
}

TEST(Standby, a_broker_that_comes_back_finds_the_writer_ready) {
  Config config = test_config("comeback");
  // Away for longer costs an election, and a loaded machine starts a broker slowly.
  config.kafka.session_timeout_ms = 180000;
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records = some(200, 28);
  VerdictClock clock(config);
  ServiceProcess service("comeback", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  send_records(config, slice(records, 0, 100), 2);
  clock.seconds_until(100, Clock::now());
  run_kafka("kill 1");
  std::this_thread::sleep_for(seconds(3));
  run_kafka("restart 1");
  const Clock::time_point since = Clock::now();
  send_records(config, slice(records, 100, 200), 2);
  const double back = clock.seconds_until(101, since);
  std::printf("single broker killed and back: first verdict %.2f s after it is ready\n", back);
  EXPECT_THAT(service.log(), Not(HasSubstr("the election was lost")));
  expect_exactly_one_verdict(wait_for_verdicts(service, config, 200), {100, 100});
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

// Everybody is voted out then, and nobody else elected: what is in hand is published, and the memory kept.
// The coordinator that comes back waits for the members that it knew, for a session: so who comes must be one
// of them (tests/support/librdkafka-kept-member.patch).
TEST(Standby, a_broker_away_for_longer_than_the_session_costs_no_memory) {
  Config config = test_config("away");
  config.kafka.session_timeout_ms = 6000;
  config.batch.interval_ms = 4000;  // so that a batch is in hand when the broker goes
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records = some(400, 31);
  VerdictClock clock(config);
  KafkaConfig other = config.kafka;
  other.group = "away.other";
  other.session_timeout_ms = 12000;
  Probe probe;
  StateBoard board;
  const auto member = Election::join(other, probe, board, [](bool) {});
  ASSERT_TRUE(member && (*member)->wait_until_leader({}, kStart));
  const auto member_id = [&] {
    return std::string(rd_kafka_consumer_group_metadata_member_id((*member)->group_metadata().get()));
  };
  const std::string elected = member_id();
  ServiceProcess service("away", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  send_records(config, slice(records, 0, 100), 2);
  clock.seconds_until(100, Clock::now());
  send_records(config, slice(records, 100, 200), 2);
  std::this_thread::sleep_for(seconds(2));
  run_kafka("kill 1");
  ASSERT_TRUE(service.wait_for_log("waiting to be elected again, with journal record 1 in hand", kStart))
      << service.log();
  ASSERT_TRUE(eventually([&] { return !(*member)->held(); }));
  run_kafka("restart 1");
  std::printf("single broker away for longer than the session: first verdict %.2f s after it is ready\n",
              clock.seconds_until(200, Clock::now()));
  ASSERT_TRUE(service.wait_for_log("the election was lost, standing by again", kStart)) << service.log();
  EXPECT_THAT(service.log(), HasSubstr("this instance was voted out and elected again"));
  ASSERT_TRUE((*member)->wait_until_leader({}, kStart));
  EXPECT_EQ(member_id(), elected);
  send_records(config, slice(records, 200, 300), 2);
  expect_exactly_one_verdict(wait_for_verdicts(service, config, 300), {150, 150});
  EXPECT_THAT(service.log(), Not(HasSubstr("read anew")));

  // So it is with a process that stood still: the group has voted it out, and it does not know.
  send_records(config, slice(records, 300, 400), 2);
  std::this_thread::sleep_for(seconds(2));
  service.signal(SIGSTOP);
  std::this_thread::sleep_for(seconds(9));
  service.signal(SIGCONT);
  expect_exactly_one_verdict(wait_for_verdicts(service, config, 400), {200, 200});
  EXPECT_THAT(service.log(), Not(HasSubstr("read anew")));
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

// Each is elected in its own group, so their producers alone keep them apart.
TEST(Standby, of_two_groups_on_one_journal_one_halts_and_no_record_is_decided_twice) {
  Config config = test_config("two-groups");
  create_test_topics(config, 2);
  Config other = config;
  other.kafka.group = "two-groups-other";
  const std::vector<GeneratedRecord> records = some(2000, 29);
  ServiceProcess first("two-groups-first", config);
  send_records(config, slice(records, 0, 200), 2);
  wait_for_verdicts(first, config, 200);

  ServiceProcess second("two-groups-second", other);
  std::size_t sent = 200;
  for (const auto end = Clock::now() + 2 * kStart; !first.wait(milliseconds(100)); sent += 2) {
    ASSERT_LT(Clock::now(), end) << first.log();
    ASSERT_LT(sent, records.size());
    send_records(config, slice(records, sent, sent + 2), 2);
  }
  EXPECT_EQ(first.wait(milliseconds(0)), 65) << first.log();
  EXPECT_THAT(first.log(), HasSubstr("an instance of another group (kafka.group) has written this journal"));

  const Published published = wait_for_verdicts(second, other, sent);
  const auto half = static_cast<std::int64_t>(sent / 2);
  expect_exactly_one_verdict(published, {half, half});
  expect_brute_force_agrees(published, slice(records, 0, sent), 2);
}

TEST(Input, new_partitions_are_read_from_their_beginning_while_it_runs) {
  Config config = test_config("growth");
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records = some(700, 22);
  send_records(config, slice(records, 0, 200), 2);
  ServiceProcess service("growth", config, {"serve", "--set", "kafka.metadata_interval_ms=300"});
  wait_for_verdicts(service, config, 200);
  add_partitions(config, config.kafka.topics.input.front(), 5);
  send_records(config, slice(records, 200, 700), 5);
  const Published published = wait_for_verdicts(service, config, 700);
  EXPECT_THAT(service.log(), HasSubstr("has 5 partitions now, it had 2"));
  expect_exactly_one_verdict(published, {200, 200, 100, 100, 100});
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
}

// To partition 0, in one transaction.
void send_transaction(const Config& config, const std::vector<GeneratedRecord>& records) {
  OpenTransaction transaction(config, {{"transactional.id", config.kafka.group + "-crawler"}},
                              config.kafka.topics.input.front());
  std::vector<std::string_view> values;
  for (const GeneratedRecord& record : records) values.push_back(*record.value);
  transaction.begin(values);
  transaction.commit();
}

// Behind the last record lies the mark of its transaction. Whoever stood before it could not know that no
// record was lost.
TEST(Input, transactions_that_retention_takes_while_nobody_writes_are_no_loss) {
  Config config = test_config("rests");
  create_test_topics(config, 1);
  const std::vector<GeneratedRecord> records = some(150, 24);
  send_transaction(config, slice(records, 0, 100));
  {
    ServiceProcess service("rests-first", config);
    wait_for_verdicts(service, config, 100);
    std::int64_t next = 0;
    for (const auto end = Clock::now() + kStart; next < 101 && Clock::now() < end;) {
      std::this_thread::sleep_for(milliseconds(500));
      const Published published = read_published(config);
      const Result<JournalRecord> last = decode_journal_record(published.journal.back());
      ASSERT_TRUE(last) << last.error().message;
      next = last->positions.back().next;
    }
    EXPECT_EQ(next, 101) << service.log();
    service.signal(SIGTERM);
    EXPECT_EQ(service.wait(kStart), 0) << service.log();
  }
  delete_records(config, config.kafka.topics.input.front(), 0, 101);
  send_transaction(config, slice(records, 100, 150));
  run_until("rests-second", config, 150);
}

TEST(Input, two_topics_make_one_index) {
  Config config = test_config("two-topics");
  config.kafka.topics.input.push_back("two-topics.news");
  create_test_topics(config, 2);
  const std::vector<GeneratedRecord> records = some(200, 23);
  send_records(config, records, 2);
  run_until("two-topics-first", config, 200);
  // The same documents in the other topic: none of them is new.
  Config news = config;
  news.kafka.topics.input = {"two-topics.news"};
  send_records(news, records, 2);
  ServiceProcess service("two-topics-again", config);
  const Published published = wait_for_verdicts(service, config, 400);
  std::set<std::string> topics;
  std::size_t unique = 0;
  for (const auto& [place, verdicts] : published.verdicts) {
    for (const ParsedVerdict& verdict : verdicts) {
      topics.insert(verdict.source.topic);
      if (verdict.verdict == Verdict::kUnique) {
        ++unique;
        EXPECT_EQ(verdict.source.topic, "two-topics.pages");
      }
    }
  }
  EXPECT_EQ(topics.size(), 2U);
  EXPECT_GT(unique, 0U);
}

// It sleeps meanwhile, so librdkafka goes on in the new topic, behind its first hundred, and meets no error.
// For a minute nobody looks at the topics but for the batch.
TEST(Halt, what_was_read_of_a_topic_made_again_is_not_committed) {
  Config config = test_config("again-unseen");
  config.kafka.session_timeout_ms = 60000;
  create_test_topics(config, 1);
  const std::string& topic = config.kafka.topics.input.front();
  const std::vector<GeneratedRecord> records = some(400, 25);
  send_records(config, slice(records, 0, 100), 1);
  ServiceProcess service("again-unseen", config, {"serve", "--set", "kafka.metadata_interval_ms=60000"});
  wait_for_verdicts(service, config, 100);
  service.signal(SIGSTOP);
  delete_topic(config, topic);
  create_test_topics(config, 1);
  send_records(config, slice(records, 100, 400), 1);
  service.signal(SIGCONT);
  EXPECT_EQ(service.wait(kStart), 65) << service.log();
  EXPECT_THAT(service.log(), HasSubstr("topic " + topic + " was deleted and made again while it was in use"));
  const Published published = read_published(config);
  EXPECT_EQ(published.verdicts.size() + published.rejected.size(), 100U);
}

TEST(Halt, a_topic_made_again_while_it_runs_stops_it_until_a_person_accepts) {
  Config config = test_config("again");
  create_test_topics(config, 1);
  const std::string& topic = config.kafka.topics.input.front();
  const std::vector<GeneratedRecord> records = some(300, 24);
  send_records(config, slice(records, 0, 100), 1);
  {
    ServiceProcess service("again-first", config, {"serve", "--set", "kafka.metadata_interval_ms=300"});
    wait_for_verdicts(service, config, 100);
    delete_topic(config, topic);
    create_test_topics(config, 1);
    EXPECT_EQ(service.wait(kStart), 65) << service.log();
    EXPECT_THAT(service.log(),
                AllOf(HasSubstr("while it was in use"), HasSubstr("--accept-recreated-topic " + topic)));
  }
  // Longer than our position: librdkafka alone would skip the first hundred in silence.
  send_records(config, slice(records, 100, 300), 1);
  EXPECT_THAT(halt_of("again-second", config),
              HasSubstr("was deleted and made again since the journal last saw it"));
  run_until("again-third", config, 300, {"serve", "--accept-recreated-topic", topic});
  // It holds without the option, and what was remembered was kept.
  send_records(config, slice(records, 0, 100), 1);
  ServiceProcess service("again-fourth", config);
  const Published published = wait_for_verdicts(service, config, 400);
  for (std::int64_t offset = 200; offset < 300; ++offset) {
    ASSERT_TRUE(published.verdicts.contains({0, offset}) || published.rejected.contains({0, offset}));
    if (!published.verdicts.contains({0, offset})) continue;
    EXPECT_EQ(published.verdicts.at({0, offset}).back().verdict, Verdict::kDuplicate) << offset;
  }
}

TEST(Halt, input_that_is_gone_stops_it_until_a_person_accepts) {
  Config config = test_config("gone");
  create_test_topics(config, 1);
  const std::string& topic = config.kafka.topics.input.front();
  const std::vector<GeneratedRecord> records = some(300, 25);
  send_records(config, slice(records, 0, 100), 1);
  run_until("gone-first", config, 100);
  send_records(config, slice(records, 100, 300), 1);
  delete_records(config, topic, 0, 250);
  EXPECT_THAT(
      halt_of("gone-second", config),
      AllOf(HasSubstr(topic + ":0 begins at 250, the journal goes on at 100: up to 150 records are gone"),
            HasSubstr("--accept-input-loss")));
  run_until("gone-third", config, 150, {"serve", "--accept-input-loss", topic + ":0"});
  ServiceProcess service("gone-fourth", config);
  EXPECT_TRUE(service.wait_for_log("running:", kStart)) << "it holds without the option: " << service.log();
  EXPECT_EQ(read_published(config).count, 150U);
}

// What was lost when it was started, not what is lost by the next time that it leads.
TEST(Halt, a_process_accepts_once_or_not_at_all) {
  Config config = test_config("once");
  create_test_topics(config, 1);
  const std::string& topic = config.kafka.topics.input.front();
  const std::vector<GeneratedRecord> records = some(300, 26);
  const std::vector<std::string> accepting = {"serve", "--accept-input-loss", "all"};
  send_records(config, slice(records, 0, 100), 1);
  ServiceProcess service("once", config, accepting);
  ASSERT_TRUE(service.wait_for_log("nothing contradicts: there is nothing to accept", kStart))
      << service.log();
  wait_for_verdicts(service, config, 100);
  {
    ServiceProcess standby("once-standby", config, accepting);
    ASSERT_TRUE(standby.wait_for_log(kFollows, kStart)) << standby.log();
    send_records(config, slice(records, 100, 150), 1);
    EXPECT_TRUE(standby.wait_for_log("another instance writes: there is nothing to accept", kStart))
        << standby.log();
    standby.signal(SIGTERM);
    EXPECT_EQ(standby.wait(kStart), 0) << standby.log();
  }
  wait_for_verdicts(service, config, 150);
  service.signal(SIGSTOP);
  send_records(config, slice(records, 150, 300), 1);
  delete_records(config, topic, 0, 250);
  std::this_thread::sleep_for(seconds(8));  // longer than its session
  service.signal(SIGCONT);
  EXPECT_EQ(service.wait(kStart), 65) << service.log();
  EXPECT_EQ(read_published(config).count, 150U);
}

TEST(Halt, a_verdict_topic_that_is_gone_is_told_with_the_command_that_makes_it) {
  Config config = test_config("gone-output");
  config.kafka.metadata_interval_ms = 200;
  create_test_topics(config, 1);
  ServiceProcess service("gone-output", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  delete_topic(config, config.kafka.topics.dead_letter);
  EXPECT_EQ(service.wait(kStart), 65) << service.log();
  EXPECT_THAT(service.log(),
              AllOf(HasSubstr(config.kafka.topics.dead_letter + " was deleted while it was in use"),
                    HasSubstr("neardup topics create")));
}

// The same source coordinates have one verdict, the first: whoever moves the group back changes nothing.
TEST(Halt, offsets_moved_by_an_operator_stop_it_and_no_record_is_decided_twice) {
  Config config = test_config("moved");
  create_test_topics(config, 1);
  const std::string& topic = config.kafka.topics.input.front();
  const std::vector<GeneratedRecord> records = some(300, 26);
  send_records(config, slice(records, 0, 200), 1);
  run_until("moved-first", config, 200);
  const Published before = read_published(config);
  move_group(config, topic, 0, 50);
  EXPECT_THAT(halt_of("moved-second", config),
              AllOf(HasSubstr("the journal goes on at 200 of " + topic + ":0, the group at 50"),
                    HasSubstr("--accept-moved-offsets journal")));
  EXPECT_THAT(halt_of("moved-third", config, {"serve", "--accept-moved-offsets", "group"}),
              HasSubstr("begin anew with another journal and group"));
  send_records(config, slice(records, 200, 300), 1);
  run_until("moved-fourth", config, 300, {"serve", "--accept-moved-offsets", "journal"});
  const Published after = read_published(config);
  expect_exactly_one_verdict(after, {300});
  for (const auto& [place, verdicts] : before.verdicts) {
    EXPECT_EQ(after.verdicts.at(place).front().verdict, verdicts.front().verdict);
    EXPECT_EQ(after.verdicts.at(place).front().seq, verdicts.front().seq);
  }
  expect_brute_force_agrees(after, records, 1);
}

// librdkafka says nothing of a topic that is gone: who reads it waits for records, and for its end, for ever.
TEST(Halt, a_journal_deleted_while_a_standby_restores_ends_the_reading) {
  // Frozen between its first look at the topics and the end of the journal: there is a tenth of a second to
  // do it in, and what it asked may be answered all the same. So it is tried again where that was too late.
  for (int tries = 0; tries < 10; ++tries) {
    Config config = test_config("gone-journal-" + std::to_string(tries));
    create_test_topics(config, 1);
    ServiceProcess standby("gone-journal", config, {"serve", "--set", "kafka.metadata_interval_ms=500"});
    ASSERT_TRUE(standby.wait_for_log("standby: joining group", kStart)) << standby.log();
    standby.signal(SIGSTOP);
    std::this_thread::sleep_for(milliseconds(200));  // it stops when it hears of that
    delete_topic(config, config.kafka.topics.journal);
    standby.signal(SIGCONT);
    ASSERT_EQ(standby.wait(kStart), 65) << standby.log();
    ASSERT_THAT(standby.log(), AllOf(HasSubstr("halted: topic " + config.kafka.topics.journal +
                                               " was deleted while it was in use"),
                                     HasSubstr("bring it back")));
    if (standby.log().find(kFollows) == std::string::npos) return;
  }
  FAIL() << "it was always too late";
}

TEST(Halt, a_journal_that_was_lost_is_noticed_by_the_groups_offsets) {
  Config config = test_config("lost");
  create_test_topics(config, 1);
  const std::vector<GeneratedRecord> records = some(200, 27);
  send_records(config, slice(records, 0, 100), 1);
  run_until("lost-first", config, 100);
  delete_topic(config, config.kafka.topics.journal);
  create_test_topics(config, 1);
  EXPECT_THAT(halt_of("lost-second", config), AllOf(HasSubstr("the journal is empty, but the group has read"),
                                                    HasSubstr("--accept-journal-loss")));
  send_records(config, slice(records, 100, 200), 1);
  run_until("lost-third", config, 100, {"serve", "--accept-journal-loss"});
  EXPECT_EQ(read_published(config).count, 200U) << "nothing is decided twice";
}

}  // namespace
}  // namespace neardup
