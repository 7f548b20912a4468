// A start from the local disk, on a real Kafka: the same verdicts as from the journal topic, through kills
// and damage, and a folder that cannot be the right one is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "service/snapshot/stored_records.h"
#include "tests/integration/harness.h"
#include "tests/integration/operator.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::int32_t kPartitions = 4;
constexpr milliseconds kStart{30000};

// Settings with an empty folder for the snapshot.
Config with_snapshot(const std::string& name) {
  Config config = test_config(name);
  config.batch.documents_max = 200;
  config.snapshot.directory = std::string(NEARDUP_TEST_LOGS) + "/snapshot-" + name;
  config.snapshot.interval_ms = 300;
  std::filesystem::remove_all(config.snapshot.directory);
  return config;
}

std::uint64_t stored_records(const Config& config) {
  Result<StoredRecords> stored = StoredRecords::open(config.snapshot.directory);
  if (!stored) return 0;
  while (stored->next()) {
  }
  EXPECT_EQ(stored->damage().clauses, "");
  return stored->records();
}

// How much is there for good.
Manifest promised(const Config& config) {
  const Result<StoredRecords> stored = StoredRecords::open(config.snapshot.directory);
  return stored ? stored->manifest() : Manifest();
}

TEST(Snapshot, kills_and_starts_from_the_disk_change_no_verdict) {
  const Config config = with_snapshot("snapshot-kills");
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 9000, .families = 3000, .words = 100, .broken_share = .002}, 21);
  std::vector<std::int64_t> counts(kPartitions, 0);
  const auto send = [&](std::size_t begin, std::size_t end) {
    const std::vector<std::int64_t> sent = send_records(
        config, {records.begin() + static_cast<long>(begin), records.begin() + static_cast<long>(end)},
        kPartitions);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += sent[i];
  };
  for (int life = 0; life < 3; ++life) {
    send(3000U * life, 3000U * (life + 1));
    ServiceProcess service("snapshot-kills", config);
    ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
    if (life > 0) {
      EXPECT_THAT(service.log(), HasSubstr("the journal topic goes on from there"));
    }
    if (life == 1) {  // a damaged block costs a longer start, and nothing else
      service.signal(SIGKILL);
      service.wait(seconds(5));
      const std::string segment = config.snapshot.directory + "/" + segment_name(0);
      std::fstream file(segment, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(promised(config).bytes() / 2));
      file.put('!');
      file.put('?');
      continue;
    }
    wait_for_verdicts(service, config, 3000U * (life + 1));
    // A kill costs what was not promised.
    EXPECT_TRUE(eventually([&] {
      const std::uint64_t kept = promised(config).records;
      return kept > 0 && kept == stored_records(config);
    }));
    service.signal(life == 0 ? SIGKILL : SIGTERM);
    service.wait(kStart);
    if (life == 2) {
      EXPECT_THAT(service.log(), HasSubstr("is damaged"));
    }
  }
  const Published published = read_published(config);
  EXPECT_EQ(published.count, records.size());
  expect_exactly_one_verdict(published, counts);
  expect_brute_force_agrees(published, records, kPartitions);
  EXPECT_EQ(stored_records(config), published.journal.size()) << "a good stop leaves all of it on the disk";

  ServiceProcess verify("snapshot-verify", config, {"snapshot", "verify", config.snapshot.directory});
  EXPECT_EQ(verify.wait(kStart), 0) << verify.log();
}

// By a retention that somebody set, say. The folder has what Kafka has no more.
TEST(Snapshot, a_journal_that_has_lost_its_beginning_is_warned_of) {
  const Config config = with_snapshot("snapshot-cut");
  create_test_topics(config, 1);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 300, .families = 100, .words = 50}, 23);
  send_records(config, records, 1);
  {
    ServiceProcess service("snapshot-cut", config);
    wait_for_verdicts(service, config, records.size());
    service.signal(SIGTERM);
    ASSERT_EQ(service.wait(kStart), 0) << service.log();
    EXPECT_EQ(service.log().find("begins at offset"), std::string::npos) << service.log();
  }
  delete_records(config, config.kafka.topics.journal, 0, 2);
  ServiceProcess service("snapshot-cut-again", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  EXPECT_THAT(service.log(), HasSubstr("topic " + config.kafka.topics.journal + ": begins at offset 2: "));
}

TEST(Snapshot, a_second_instance_on_the_same_folder_ends_and_says_so) {
  const Config config = with_snapshot("snapshot-shared");
  create_test_topics(config, 1);
  ServiceProcess first("snapshot-shared", config);
  ASSERT_TRUE(first.wait_for_log("running:", kStart)) << first.log();
  ServiceProcess second("snapshot-shared-second", config);
  EXPECT_EQ(second.wait(kStart), 69) << second.log();
  EXPECT_THAT(second.log(), HasSubstr("another process writes to this folder"));
}

TEST(Snapshot, a_disk_that_refuses_the_folder_stops_no_start) {
  Config config = with_snapshot("snapshot-refused");
  std::ofstream(config.snapshot.directory) << "a file, below which no folder can be made";
  config.snapshot.directory += "/below";
  create_test_topics(config, 1);
  ServiceProcess service("snapshot-refused", config);
  ASSERT_TRUE(service.wait_for_log("running:", kStart)) << service.log();
  EXPECT_THAT(service.log(), HasSubstr("the service goes on without a snapshot"));
}

// A pipe that nobody reads, where the first manifest's draft is to be: who opens it waits, as for a disk that
// hangs. No stop in order could wait for that thread.
TEST(Snapshot, a_disk_that_hangs_costs_neither_verdicts_nor_the_stop) {
  const Config config = with_snapshot("snapshot-hangs");
  create_test_topics(config, kPartitions);
  const std::vector<GeneratedRecord> records = generate_crawl({.documents = 500, .families = 100}, 5);
  const std::vector<std::int64_t> counts = send_records(config, records, kPartitions);
  std::filesystem::create_directory(config.snapshot.directory);
  const std::string draft = config.snapshot.directory + "/" + manifest_name(1) + ".tmp";
  ASSERT_EQ(mkfifo(draft.c_str(), 0600), 0);
  ServiceProcess service("snapshot-hangs", config);
  expect_exactly_one_verdict(wait_for_verdicts(service, config, records.size()), counts);
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kStart), 0) << service.log();
  EXPECT_THAT(service.log(), HasSubstr("the disk does not answer: ending without it"));

  std::filesystem::remove(draft);
  ServiceProcess next("snapshot-hangs-next", config);
  ASSERT_TRUE(next.wait_for_log("running:", kStart)) << next.log();
  next.signal(SIGTERM);
  EXPECT_EQ(next.wait(kStart), 0) << next.log();
  EXPECT_GT(stored_records(config), 0U);
}

TEST(Snapshot, the_folder_of_another_journal_is_refused_and_the_journal_alone_starts) {
  const Config config = with_snapshot("snapshot-one");
  create_test_topics(config, 1);
  const std::vector<GeneratedRecord> records =
      generate_crawl({.documents = 300, .families = 100, .words = 50}, 22);
  send_records(config, records, 1);
  {
    ServiceProcess service("snapshot-one", config);
    wait_for_verdicts(service, config, records.size());
    service.signal(SIGTERM);
    EXPECT_EQ(service.wait(kStart), 0) << service.log();
  }
  Config other = with_snapshot("snapshot-other");
  other.snapshot.directory = config.snapshot.directory;
  create_test_topics(other, 1);
  ServiceProcess refused("snapshot-other", other);
  EXPECT_EQ(refused.wait(kStart), 65) << refused.log();
  EXPECT_THAT(refused.log(), HasSubstr("Remove the folder"));
  std::filesystem::remove_all(config.snapshot.directory);
  ServiceProcess again("snapshot-other-again", other);
  EXPECT_TRUE(again.wait_for_log("running:", kStart)) << again.log();
}

}  // namespace
}  // namespace neardup
