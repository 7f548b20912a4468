#include "service/pipeline/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "service/pipeline/rebuilding.h"
#include "tests/support/memory_kafka.h"

namespace neardup {
namespace {

// A sound journal of `count` records with two uniques each, and a duplicate of one of them, longer by one.
std::vector<std::string> journal_of(int count, std::string_view detector_options = {}) {
  std::vector<std::string> journal;
  JournalChain chain;
  for (int i = 0; i < count; ++i) {
    JournalRecord record;
    record.journal = {7};
    record.number = chain.next_number();
    record.previous = chain.last_digest();
    record.first_sequence = chain.next_sequence();
    record.counts.unique = 2;
    record.counts.exact = 1;
    record.detector_options = detector_options;
    record.cluster_rule = "clusters.keep=longest";
    record.clusters = {{.leader = static_cast<Sequence>(i),
                        .joined = 1,
                        .representative = Representative{{0, 0, 3 * i + 2}, 6}}};
    record.topics = {{"pages", {1}}};
    record.positions = {{0, 0, 3 * i, 3 * i + 3, 0}};
    const std::string ids[] = {"id" + std::to_string(2 * i), "id" + std::to_string(2 * i + 1)};
    for (int j = 0; j < 2; ++j) {
      Unique unique;
      unique.id = ids[j];
      unique.source = {0, 0, 3 * i + j};
      unique.signature.exact = digest128(ids[j]);
      unique.signature.fingerprint = {digest128(ids[j]).low};
      unique.signature.tokens = 5;
      record.uniques.push_back(unique);
    }
    journal.push_back(encode_journal_record(record));
    CHECK(chain.accept(record, journal.back()).ok(), "a sound journal");
  }
  return journal;
}

struct Memory {
  JournalChain chain;
  Detector detector{DetectorOptions{.mode = DetectorMode::kSimhash}};
  Retention retention{RetentionOptions{}};
};

constexpr std::chrono::milliseconds kNow{1};

TEST(Recovery, a_deletion_that_leaves_other_uniques_to_forget_is_a_contradiction) {
  for (const std::uint64_t forgotten : {0U, 1U, 2U}) {
    const std::vector<std::string> journal = journal_of(1);
    JournalRecord record = *decode_journal_record(journal[0]);
    record.clusters.clear();
    record.counts.exact = 0;
    const std::string first(record.uniques[0].id);
    record.deletions = {{.behind = 1, .id = first, .forgotten = forgotten}};
    record.counts.deleted = 1;
    Memory memory;
    memory.detector = Detector(DetectorOptions{.mode = DetectorMode::kSimhash, .by_id = true});
    const std::string bytes = encode_journal_record(record);
    const auto accepted = accept_record(bytes, memory.chain);
    ASSERT_TRUE(accepted) << accepted.error().message;
    RecordPortion portion(memory.detector.options());
    const Status status = remember_record(*accepted, portion, memory.detector, memory.retention);
    ASSERT_EQ(status.ok(), forgotten == 1) << forgotten;
    if (status) {
      EXPECT_EQ(memory.detector.remembered(), 1U);
      continue;
    }
    EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
    EXPECT_NE(status.error().message.find("leaves 1 uniques to forget, expected"), std::string::npos)
        << status.error().message;
  }
}

// In mode simhash an equal fingerprint ends a search where all uniques are known to be further apart.
TEST(Recovery, what_a_record_says_of_its_deciders_reaches_the_detector) {
  const auto compared = [](std::string_view detector_options) {
    const std::vector<std::string> journal = journal_of(600, detector_options);  // more than a scan is for
    Memory memory;
    RecordPortion portion(memory.detector.options());
    for (const std::string& bytes : journal) {
      const auto record = accept_record(bytes, memory.chain);
      EXPECT_TRUE(record && remember_record(*record, portion, memory.detector, memory.retention));
    }
    std::uint64_t candidates = 0;
    for (Sequence sequence = 0; sequence < memory.detector.size(); ++sequence) {
      const std::string id = "another" + std::to_string(sequence);
      Signature signature = memory.detector.unique(sequence).signature;
      signature.exact = digest128(id);
      const Arrival again = {.id = id, .url = {}, .source = {0, 0, 9999}, .signature = signature};
      EXPECT_EQ(memory.detector.check(again).sequence, sequence);
      candidates += memory.detector.candidates();
    }
    return candidates;
  };
  const std::string same = DetectorOptions{.mode = DetectorMode::kSimhash}.text();
  EXPECT_LT(3 * compared(same), compared("")) << "one table of six";
}

TEST(Recovery, a_standby_that_follows_knows_what_a_restore_reads) {
  const std::vector<std::string> journal = journal_of(20);
  Probe probe;
  StateBoard board;
  MemoryKafka kafka;
  Memory standby;
  MemoryLog tail(kafka);
  ASSERT_TRUE(restore(tail, standby.chain, standby.detector, standby.retention, probe, board));
  for (std::size_t i = 0; i < journal.size(); ++i) {
    kafka.journal.push_back(journal[i]);
    if (i % 3 == 0) continue;  // more than one record at once
    ASSERT_TRUE(follow(tail, standby.chain, standby.detector, standby.retention, kNow, probe, board));
    EXPECT_EQ(standby.chain.next_number(), i + 1);
  }
  // It is elected: little is left to read.
  kafka.journal.push_back(journal_of(21).back());
  ASSERT_TRUE(restore(tail, standby.chain, standby.detector, standby.retention, probe, board));

  Memory fresh;
  MemoryLog whole(kafka);
  board.set(State::kRestoring, "reading the journal");
  ASSERT_TRUE(restore(whole, fresh.chain, fresh.detector, fresh.retention, probe, board));
  // As soon as there is something to tell, of the first of 21 records; more is told a second later. (This log
  // says of each that it is the last.)
  EXPECT_EQ(board.detail(), "reading the journal; 1 records read, 100 % of the journal");
  board.set(State::kRunning);
  EXPECT_EQ(board.detail(), "");
  EXPECT_EQ(standby.detector.size(), 42U);
  EXPECT_EQ(standby.detector.state_digest(), fresh.detector.state_digest());
  EXPECT_EQ(standby.chain.last_digest(), fresh.chain.last_digest());
  EXPECT_EQ(standby.detector.cluster_counts().clusters, 21U);
  EXPECT_EQ(standby.detector.cluster(20).size, 2U);
  ASSERT_TRUE(standby.detector.cluster(20).representative);
  EXPECT_EQ(standby.detector.cluster(20).representative->source, (Source{0, 0, 62}));
}

// After an upgrade, or the way back from one. Whoever reads, from the beginning or as it is written, is told.
TEST(Recovery, a_journal_of_another_version_is_refused_with_the_choices) {
  const auto refusals = [](std::uint8_t version) {
    Probe probe;
    StateBoard board;
    MemoryKafka kafka;
    kafka.journal = journal_of(1);
    kafka.journal[0][4] = static_cast<char>(version);
    std::vector<Status> refused;
    Memory first;
    MemoryLog first_log(kafka);
    refused.push_back(restore(first_log, first.chain, first.detector, first.retention, probe, board));
    Memory second;
    MemoryLog second_log(kafka);
    refused.push_back(
        catch_up(second_log, second.chain, second.detector, second.retention, probe, board, {}));
    Memory third;
    MemoryLog third_log(kafka);
    refused.push_back(follow(third_log, third.chain, third.detector, third.retention, kNow, probe, board));
    return refused;
  };
  const std::string choices =
      "; or begin anew with another journal and group (kafka.topics.journal, kafka.group), and another "
      "snapshot.directory if there is one, as docs/upgrade.md tells";
  const std::string ours = ", this program reads " + std::to_string(kJournalVersion);
  for (const Status& older : refusals(kJournalVersionOldest - 1)) {
    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().code, ErrorCode::kUnsupportedVersion);
    EXPECT_EQ(older.error().message,
              "record 0: journal record: format version " + std::to_string(kJournalVersionOldest - 1) + ours +
                  ": it was written by an older neardup: run that one again" + choices);
  }
  for (const Status& newer : refusals(kJournalVersion + 1)) {
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().message,
              "record 0: journal record: format version " + std::to_string(kJournalVersion + 1) + ours +
                  ": it was written by a newer neardup, and this one is too old for it: "
                  "run the newer one again" +
                  choices);
  }
}

struct Restores final : Probe {
  void restored(std::uint64_t read, double /*progress*/) override { records += read; }
  void restore_time(double /*seconds*/) override { ++times; }
  std::uint64_t records = 0;
  int times = 0;
};

// After the election the rest is read in no time: a million records that were followed before are no million
// records in one step, and how long the start took is to be seen still.
TEST(Recovery, what_is_told_of_a_restore_is_what_it_read_and_how_long_all_of_it_took) {
  const std::vector<std::string> journal = journal_of(30);
  Restores told;
  StateBoard board;
  MemoryKafka kafka;
  MemoryLog log(kafka);
  Memory memory;
  const auto append = [&](std::size_t end) {
    while (kafka.journal.size() < end) kafka.journal.push_back(journal[kafka.journal.size()]);
  };
  append(10);
  ASSERT_TRUE(catch_up(log, memory.chain, memory.detector, memory.retention, told, board, {}));
  EXPECT_EQ(told.records, 10U);
  EXPECT_GT(told.times, 0);
  const int times = told.times;
  append(25);
  ASSERT_TRUE(follow(log, memory.chain, memory.detector, memory.retention, kNow, told, board));
  append(30);
  for (int look = 0; look < 2; ++look) {
    ASSERT_TRUE(restore(log, memory.chain, memory.detector, memory.retention, told, board));
    EXPECT_EQ(memory.chain.next_number(), 30U);
    EXPECT_EQ(told.records, 15U);
    EXPECT_EQ(told.times, times);
  }
}

// Reads to the end as it was when it began, while a writer appends one record for two that are read.
class GrowingLog final : public JournalLog {
 public:
  GrowingLog(MemoryKafka& kafka, std::vector<std::string> to_come)
      : kafka_(kafka), log_(kafka), to_come_(std::move(to_come)) {}

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override {
    for (std::size_t i = 0, end = left(); i < end; ++i) {
      const Result<bool> came = log_.next(kNow, [&](std::string_view bytes) { return take(bytes, 1); });
      if (!came) return came.error();
      if (i % 2 == 0 && appended_ < to_come_.size()) kafka_.journal.push_back(to_come_[appended_++]);
    }
    ++rounds;
    return {};
  }
  Result<bool> next(std::chrono::milliseconds wait,
                    const std::function<Status(std::string_view bytes)>& take) override {
    return log_.next(wait, take);
  }
  Result<bool> is_settled() override { return true; }

  std::size_t left() const { return kafka_.journal.size() - static_cast<std::size_t>(log_.position()); }
  int rounds = 0;

 private:
  MemoryKafka& kafka_;
  MemoryLog log_;
  std::vector<std::string> to_come_;
  std::size_t appended_ = 0;
};

TEST(Recovery, a_standby_has_caught_up_once_little_is_left) {
  std::vector<std::string> journal = journal_of(300);
  Probe probe;
  StateBoard board;
  MemoryKafka kafka;
  kafka.journal.assign(journal.begin(), journal.begin() + 100);
  journal.erase(journal.begin(), journal.begin() + 100);
  GrowingLog log(kafka, journal);
  Memory standby;
  ASSERT_TRUE(catch_up(log, standby.chain, standby.detector, standby.retention, probe, board, {}));
  EXPECT_EQ(kafka.journal.size(), 199U);
  EXPECT_EQ(standby.chain.next_number(), 195U) << "100, 50, 25, 13, and 7 are little";
  EXPECT_EQ(log.left(), 4U);
  EXPECT_EQ(standby.detector.size(), 390U);
}

TEST(Recovery, a_standby_stops_between_two_rounds_and_between_two_records) {
  std::vector<std::string> journal = journal_of(100);
  Probe probe;
  StateBoard board;
  MemoryKafka kafka;
  kafka.journal.assign(journal.begin(), journal.begin() + 50);
  journal.erase(journal.begin(), journal.begin() + 50);
  GrowingLog log(kafka, journal);
  Memory standby;
  std::stop_source stop;
  stop.request_stop();
  ASSERT_TRUE(
      catch_up(log, standby.chain, standby.detector, standby.retention, probe, board, stop.get_token()));
  EXPECT_EQ(log.rounds, 1);
  ASSERT_EQ(log.left(), 25U);
  ASSERT_TRUE(
      follow(log, standby.chain, standby.detector, standby.retention, kNow, probe, board, stop.get_token()));
  EXPECT_EQ(log.left(), 25U);
  EXPECT_EQ(standby.detector.size(), 2 * standby.chain.next_number()) << "all that was taken is remembered";
}

// Held for so many looks; notes what the board says at each.
class Told final : public Leadership {
 public:
  explicit Told(const StateBoard& board) : board_(board) {}
  bool held() const override {
    warnings.push_back(board_.warning());
    return warnings.size() < most;
  }
  mutable std::vector<std::string> warnings;
  std::size_t most = 100;

 private:
  const StateBoard& board_;
};

TEST(Recovery, waits_until_nothing_of_the_journal_is_hidden) {
  MemoryKafka kafka;
  kafka.journal = {"first", "second"};
  kafka.hidden = 1;
  kafka.looks_until_marked = 5;
  MemoryLog log(kafka);
  StateBoard board;
  Told leadership(board);
  const JournalChain chain;
  MemorySink sink(kafka, [] { return Fate::kCommitted; });
  ASSERT_TRUE(await_settled(log, chain, sink, leadership, board, {.again = std::chrono::milliseconds(1)}));
  EXPECT_EQ(kafka.hidden, 0U);
  ASSERT_EQ(leadership.warnings.size(), 4U);
  EXPECT_NE(leadership.warnings[3].find("kafka-transactions.sh"), std::string::npos);
  EXPECT_EQ(board.warning(), "");

  kafka.hidden = 1;
  kafka.looks_until_marked = 100;
  leadership.most = 6;
  const Status status =
      await_settled(log, chain, sink, leadership, board, {.again = std::chrono::milliseconds(1)});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kFenced);
  EXPECT_EQ(board.warning(), "");
  EXPECT_EQ(sink.asked_to_end, 0) << "a transaction may take its time";
}

TEST(Recovery, ends_what_is_hidden_for_good_as_it_was_seen_to_end) {
  const SettleOptions options = {.again = std::chrono::milliseconds(1), .looks = 3};
  const JournalChain chain;
  const MemoryLeadership leadership;
  StateBoard board;
  MemoryKafka kafka;
  kafka.journal = {"first", "second"};
  kafka.hidden = 1;
  kafka.looks_until_marked = 1000;
  kafka.is_seen = false;
  MemoryLog log(kafka);
  MemorySink sink(kafka, [] { return Fate::kCommitted; });
  ASSERT_TRUE(await_settled(log, chain, sink, leadership, board, options));
  EXPECT_EQ(kafka.journal, std::vector<std::string>({"first"}));
  EXPECT_EQ(sink.asked_to_end, 1);
  EXPECT_EQ(board.warning(), "");

  kafka.journal.emplace_back("second");
  kafka.hidden = 1;
  kafka.is_seen = true;
  ASSERT_TRUE(await_settled(log, chain, sink, leadership, board, options));
  EXPECT_EQ(kafka.journal, std::vector<std::string>({"first", "second"}));
  EXPECT_EQ(kafka.hidden, 0U) << "it can be read";
  EXPECT_EQ(sink.asked_to_end, 2);
}

// A batch that is sent again would commit them as well.
TEST(Recovery, waits_for_the_end_of_verdicts_too) {
  const SettleOptions options = {.again = std::chrono::milliseconds(1), .looks = 3};
  const MemoryVerdict verdict = {OutputTopic::kUnique, "key", "value", {}};
  StateBoard board;
  for (const bool is_committed : {false, true}) {
    MemoryKafka kafka;
    kafka.open_verdicts = {verdict};
    kafka.is_open_committed = is_committed;
    MemoryLog log(kafka);
    MemorySink sink(kafka, [] { return Fate::kCommitted; });
    ASSERT_TRUE(await_settled(log, JournalChain(), sink, MemoryLeadership(), board, options));
    EXPECT_EQ(sink.asked_to_end, 1);
    EXPECT_TRUE(kafka.open_verdicts.empty());
    EXPECT_EQ(kafka.verdicts.size(), is_committed ? 1U : 0U);
  }
}

// Asked to end what has no mark: notes what is covered, and gives its answer.
class AskedSink final : public BatchSink {
 public:
  explicit AskedSink(Result<Ending> answer) : answer_(std::move(answer)) {}
  CommitAnswer commit(const Transaction&) override { return {}; }
  CommitAnswer await_shown(const Transaction&) override { return {}; }
  Status recycle() override { return {}; }
  Result<bool> is_settled() override { return true; }
  Result<bool> is_group_at(std::span<const CommittedPosition>) override { return false; }
  Result<bool> is_group_moved(std::span<const CommittedPosition>) override { return false; }
  Result<Ending> end_unmarked(std::span<const CommittedPosition> positions) override {
    ++asked;
    for (const CommittedPosition& position : positions)
      covered.emplace_back(position.topic, position.partition, position.next);
    return answer_;
  }
  int asked = 0;
  std::vector<std::tuple<std::string, std::int32_t, std::int64_t>> covered;

 private:
  Result<Ending> answer_;
};

// A journal whose one record nobody can read yet, for so many looks.
struct HiddenJournal {
  explicit HiddenJournal(int looks) {
    kafka.journal = {"hidden"};
    kafka.hidden = 1;
    kafka.looks_until_marked = looks;
  }

  // Asks the sink after so many looks in vain.
  Status settle(BatchSink& sink, const JournalChain& chain = JournalChain(), int looks = 1,
                const Leadership& leadership = MemoryLeadership()) {
    return await_settled(log, chain, sink, leadership, board,
                         {.again = std::chrono::milliseconds(1), .looks = looks});
  }

  MemoryKafka kafka;
  MemoryLog log{kafka};
  StateBoard board;
};

// Offsets of the old topic mean other records: taken for those of the new one, they tell that verdicts that
// consumers saw are not there, or that some are.
TEST(Recovery, what_is_covered_of_a_topic_made_again_is_what_was_read_of_the_last_one) {
  JournalChain chain;
  JournalRecord record;
  record.journal = {7};
  record.topics = {{"pages", {1}}, {"news", {2}}, {"pages", {3}}};
  record.counts.rejected = 1;
  record.positions = {{0, 0, 0, 1000, 4}, {0, 1, 0, 700, 4}, {1, 0, 0, 300, 5}, {2, 0, 0, 50, 6}};
  const std::string bytes = encode_journal_record(record);
  ASSERT_TRUE(chain.accept(record, bytes));

  AskedSink sink(Ending::kAborted);
  HiddenJournal hidden(2);
  ASSERT_TRUE(hidden.settle(sink, chain));
  EXPECT_EQ(sink.covered, (std::vector<std::tuple<std::string, std::int32_t, std::int64_t>>{
                              {"news", 0, 300}, {"pages", 0, 50}}));
}

// As where Kafka has forgotten the transactional.id of who left it open.
TEST(Recovery, says_once_how_it_ended_what_stays_open_all_the_same) {
  AskedSink sink(Ending::kAborted);
  HiddenJournal hidden(10);
  testing::internal::CaptureStderr();
  const Status status = hidden.settle(sink);
  const std::string lines = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(status);
  EXPECT_EQ(sink.asked, 9) << "what it lacks may come back, a leader for one";
  const std::string ending = "it is aborted";
  const std::size_t first = lines.find(ending);
  ASSERT_NE(first, std::string::npos) << lines;
  EXPECT_EQ(lines.find(ending, first + 1), std::string::npos) << lines;
}

// A journal that has lost its end, for one: until a person has ended the transaction by hand nobody gets to
// the plan that would tell what was found.
TEST(Recovery, says_for_as_long_as_it_waits_why_what_is_open_cannot_be_ended) {
  HiddenJournal hidden(10);
  Told leadership(hidden.board);
  AskedSink sink(Error{ErrorCode::kContradiction, "it has lost its end"});
  ASSERT_TRUE(hidden.settle(sink, JournalChain(), 3, leadership));
  EXPECT_EQ(sink.asked, 3);
  ASSERT_EQ(leadership.warnings.size(), 9U);
  EXPECT_EQ(leadership.warnings[3].find("it has lost its end"), std::string::npos);
  for (std::size_t look = 4; look < 9; ++look) {
    EXPECT_NE(leadership.warnings[look].find("it has lost its end"), std::string::npos) << look;
    EXPECT_NE(leadership.warnings[look].find("kafka-transactions.sh"), std::string::npos) << look;
  }
  EXPECT_EQ(hidden.board.warning(), "");
}

// A file with a password that cannot be read, for one.
TEST(Recovery, what_a_person_must_mend_ends_the_wait_with_its_reason) {
  HiddenJournal hidden(1000);
  AskedSink sink(Error{ErrorCode::kInvalid, "kafka.sasl_password_file: cannot read it"});
  const Status status = hidden.settle(sink);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(status.error().message, "kafka.sasl_password_file: cannot read it");
  EXPECT_EQ(sink.asked, 1);
}

// What a cluster answers that is asked where the input goes on, one after the other, and the last for ever.
struct AskedCluster {
  explicit AskedCluster(std::vector<Status> told) : answers(std::move(told)) {}

  Status wait(const std::stop_token& stop = {}) {
    return await_positions(
        [this] {
          const Status answer = answers[std::min(looks, answers.size() - 1)];
          ++looks;
          details.push_back(board.detail());
          return answer;
        },
        [this]() -> Result<Ending> {
          ended_at.push_back(looks);
          if (on_end) on_end();
          return ending;
        },
        board, stop, {.again = std::chrono::milliseconds(1), .looks = 3});
  }

  std::vector<Status> answers;
  Result<Ending> ending = Ending::kCommitted;
  std::size_t looks = 0;
  std::function<void()> on_end;
  std::vector<std::size_t> ended_at;  // after so many looks
  std::vector<std::string> details;
  StateBoard board;
};
const Status kOpen = Error{ErrorCode::kUnsettled, "open"};
const Status kAway = Error{ErrorCode::kUnavailable, "away"};

TEST(AwaitPositions, ends_what_stays_open_and_nothing_that_gets_its_end) {
  AskedCluster mended({kOpen, kOpen, kOpen, Status()});
  ASSERT_TRUE(mended.wait());
  EXPECT_EQ(mended.ended_at, std::vector<std::size_t>({3}));
  EXPECT_EQ(mended.looks, 4U);

  AskedCluster late({kOpen, kOpen, Status()});
  ASSERT_TRUE(late.wait());
  EXPECT_TRUE(late.ended_at.empty());

  AskedCluster away({kOpen, kOpen, kAway, kOpen, kOpen, kAway, kAway, kAway, kAway, Status()});
  ASSERT_TRUE(away.wait());
  EXPECT_TRUE(away.ended_at.empty()) << "who comes back may end it";
  EXPECT_EQ(away.details[1], "open");
  EXPECT_EQ(away.details[3], "away");
}

TEST(AwaitPositions, tries_again_what_did_not_succeed) {
  AskedCluster cluster({kOpen, kOpen, kOpen, kOpen, kOpen, kOpen, Status()});
  cluster.ending = Error{ErrorCode::kUnavailable, "no coordinator"};
  testing::internal::CaptureStderr();
  const Status status = cluster.wait();
  const std::string lines = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(status);
  EXPECT_EQ(cluster.ended_at, std::vector<std::size_t>({3, 6}));
  const std::string why = "a transaction whose end Kafka lost could not be ended: no coordinator";
  const std::size_t first = lines.find("\"" + why);
  EXPECT_NE(first, std::string::npos) << lines;
  EXPECT_EQ(lines.find("\"" + why, first + 1), std::string::npos) << "once is enough: " << lines;
  EXPECT_EQ(cluster.details[2], "open");
  EXPECT_EQ(cluster.details[3], "open; " + why);
}

TEST(AwaitPositions, hears_of_a_stop_while_it_ends_what_is_open) {
  std::stop_source stop;
  AskedCluster cluster({kOpen, kOpen, kOpen, Status()});
  cluster.on_end = [&] { stop.request_stop(); };
  const Status status = cluster.wait(stop.get_token());
  ASSERT_FALSE(status) << "there may be no producer";
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(cluster.looks, 3U);
}

TEST(AwaitPositions, ends_itself_for_what_waiting_does_not_mend) {
  for (const ErrorCode code : {ErrorCode::kFenced, ErrorCode::kInvalid}) {
    AskedCluster cluster({kOpen});
    cluster.ending = Error{code, "why"};
    const Status status = cluster.wait();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, code);
  }
  AskedCluster broken({Error{ErrorCode::kInvalid, "settings"}});
  const Status status = broken.wait();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(broken.looks, 1U);

  std::stop_source stop;
  stop.request_stop();
  AskedCluster stopped({kOpen});
  const Status asked = stopped.wait(stop.get_token());
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, ErrorCode::kUnavailable) << "a stop is no fault";
  EXPECT_EQ(stopped.looks, 1U);
}

TEST(Recovery, a_standby_refuses_a_broken_journal_as_a_writer_does) {
  std::vector<std::string> journal = journal_of(3);
  Probe probe;
  StateBoard board;
  MemoryKafka kafka;
  kafka.journal = {journal[0], journal[2]};
  Memory standby;
  MemoryLog log(kafka);
  const Status status = follow(log, standby.chain, standby.detector, standby.retention, kNow, probe, board);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
  EXPECT_EQ(standby.detector.size(), 2U) << "the sound part was taken";

  kafka.journal = {journal[1], journal[2]};
  Memory late;
  MemoryLog head_gone(kafka);
  const Status gone = follow(head_gone, late.chain, late.detector, late.retention, kNow, probe, board);
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("those before it were deleted"), std::string::npos)
      << gone.error().message;
}

}  // namespace
}  // namespace neardup
