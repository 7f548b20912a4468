#include "service/pipeline/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/index/growing_memory.h"
#include "core/limits.h"
#include "service/clock.h"
#include "service/codec/preset.h"
#include "service/codec/verdict_codec.h"
#include "service/journal/record.h"
#include "service/pipeline/input_plan.h"
#include "service/pipeline/recovery.h"
#include "tests/support/eventually.h"
#include "tests/support/generated_crawl.h"
#include "tests/support/memory_kafka.h"

namespace neardup {
namespace {

// A generated crawl, dealt to partitions at random; its pages come again and some are deleted, if so wished.
MemoryKafka crawl(std::size_t documents, std::size_t partitions, std::uint64_t seed, bool recurs = false) {
  std::mt19937_64 random(seed);
  MemoryKafka kafka;
  kafka.input.resize(partitions);
  std::int64_t time = 1000;
  const CrawlShape shape = {.documents = documents,
                            .families = documents / 4 + 1,
                            .broken_share = .1,
                            .pages = recurs ? documents / 3 : 0,
                            .deleted_share = recurs ? .1 : 0};
  for (GeneratedRecord& record : generate_crawl(shape, seed)) {
    kafka.input[random() % partitions].push_back({std::move(record.key), std::move(record.value), ++time});
  }
  return kafka;
}

// How many batches the worker has decided in this life, and how many of them it has sealed. Commits are told
// what happens to them on the thread that publishes; there a test waits for the next one, so that two batches
// are under way.
class Decisions {
 public:
  void begin_life() {
    const std::lock_guard lock(mutex_);
    decided_ = sealed_ = 0;
  }
  void one_decided() { add(decided_); }
  void one_sealed() { add(sealed_); }
  std::size_t sealed() const {
    const std::lock_guard lock(mutex_);
    return sealed_;
  }
  // False: it has not come to so many.
  bool wait_for_decided(std::size_t count) { return wait_for(decided_, count); }
  bool wait_for_sealed(std::size_t count) { return wait_for(sealed_, count); }

 private:
  void add(std::size_t& count) {
    const std::lock_guard lock(mutex_);
    ++count;
    changed_.notify_all();
  }
  bool wait_for(const std::size_t& counted, std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return counted >= count; });
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t decided_ = 0;
  std::size_t sealed_ = 0;
};

// What a life may have that differs from the usual.
struct Circumstances {
  Decisions* decisions = nullptr;
  std::chrono::milliseconds interval{0};
  std::size_t bytes_max = std::size_t{64} << 20;
  std::size_t output_bytes_max = std::size_t{64} << 20;
  std::function<void(MemorySource&)> prepare = nullptr;
  RetentionOptions retention = {};
  std::function<void(const Detector&)> after_batch = nullptr;  // on the thread that decides; once before all
  StateBoard* board = nullptr;
  MemoryLeadership* leadership = nullptr;
  bool by_id = false;
  HeaderMode headers = HeaderMode::kPacked;
  UniqueHolds unique_holds = UniqueHolds::kVerdicts;
  std::size_t unique_bytes_max = 1 << 20;
  // A window that is soon full: it counts as memory, and these streams are short.
  ClusterOptions clusters = {.guard = {.window = 1000}};
  int looks = 100;  // before what is open is taken for unmarked
};

// One life of the service: restore, then work to the end of the input or until it dies.
struct Life {
  Status status;
  bool crashed = false;
  int recycles = 0;
  std::vector<RecycleOutcome> doubts;  // of those that were no start
  Digest128 state;
  IndexCounts index;                // as last told
  BatchCounts counts;               // of its batches together
  std::vector<BatchClosed> closed;  // why, of each batch
};

// Adds up what the worker counted.
class CountingProbe final : public Probe {
 public:
  CountingProbe(Life& life, Decisions* decisions)
      : counts_(life.counts),
        closed_(life.closed),
        doubts_(life.doubts),
        index_(life.index),
        decisions_(decisions) {}
  void recycled(RecycleOutcome outcome, double) override { doubts_.push_back(outcome); }
  void batch_committed(const BatchCounts& counts, BatchClosed why) override {
    closed_.push_back(why);
    counts_.unique += counts.unique;
    counts_.exact += counts.exact;
    counts_.near += counts.near;
    counts_.short_text += counts.short_text;
    counts_.fallbacks += counts.fallbacks;
    for (std::size_t i = 0; i < std::size(counts.rejected); ++i) counts_.rejected[i] += counts.rejected[i];
    counts_.deleted += counts.deleted;
    counts_.forgotten += counts.forgotten;
    add(counts.document_bytes, counts_.document_bytes);
    add(counts.near_distance, counts_.near_distance);
    add(counts.lookup_candidates, counts_.lookup_candidates);
  }

  void index(const IndexCounts& counts) override {
    index_ = counts;
    if (on_index) on_index();
  }

  std::function<void()> on_index;

  void stage(std::string_view stage, double) override {
    if (decisions_ != nullptr && stage == "sign") decisions_->one_decided();
    if (decisions_ != nullptr && stage == "decide") decisions_->one_sealed();
  }

 private:
  template <class T>
  static void add(const T& from, T& to) {
    for (std::size_t i = 0; i < from.buckets.size(); ++i) to.buckets[i] += from.buckets[i];
    to.sum += from.sum;
  }

  BatchCounts& counts_;
  std::vector<BatchClosed>& closed_;
  std::vector<RecycleOutcome>& doubts_;
  IndexCounts& index_;
  Decisions* decisions_;
};

Life live(MemoryKafka& kafka, const std::function<Fate()>& fate, std::size_t documents_max, int threads = 1,
          std::size_t dead_letter_bytes_max = 1 << 20, const SignerOptions& signing = {},
          const Circumstances& circumstances = {}) {
  Life life;
  if (circumstances.decisions != nullptr) circumstances.decisions->begin_life();
  CountingProbe probe(life, circumstances.decisions);
  StateBoard own_board;
  StateBoard& board = circumstances.board != nullptr ? *circumstances.board : own_board;
  MemoryLeadership own_leadership;
  MemoryLeadership& leadership =
      circumstances.leadership != nullptr ? *circumstances.leadership : own_leadership;
  MemorySource source(kafka);
  MemorySink sink(kafka, fate);
  sink.leadership = &leadership;
  MemoryLog log(kafka);
  JournalChain chain(signing.text());
  DetectorOptions options;
  options.clusters = circumstances.clusters;
  options.by_id = circumstances.by_id;
  Detector detector(options);
  Retention retention(circumstances.retention);
  const InputConfig input;
  const Preset preset = resolve_preset(input);
  SignerPool signers(threads, preset, input, signing);
  std::stop_source stop;
  source.on_end = [&stop] { stop.request_stop(); };
  if (circumstances.prepare) circumstances.prepare(source);

  life.status = sink.recycle();
  if (life.status) life.status = restore(log, chain, detector, retention, probe, board);
  if (!life.status) return life;
  if (circumstances.after_batch) probe.on_index = [&] { circumstances.after_batch(detector); };
  const InputTopic topic{kafka.topic, {1}, static_cast<std::int32_t>(kafka.input.size())};
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1));
  if (!plan) {
    life.status = plan.error();
    return life;
  }
  if (life.status = source.assign(plan->positions); !life.status) return life;
  Worker worker({source, sink, log, leadership, signers, detector, retention, chain, probe, board},
                {.interval = circumstances.interval,
                 .documents_max = documents_max,
                 .bytes_max = circumstances.bytes_max,
                 .output_bytes_max = circumstances.output_bytes_max,
                 .batch = {.headers = circumstances.headers,
                           .unique_holds = circumstances.unique_holds,
                           .unique_bytes_max = circumstances.unique_bytes_max,
                           .dead_letter_bytes_max = dead_letter_bytes_max},
                 .read_back = std::chrono::milliseconds(1),
                 .settle = {.again = std::chrono::milliseconds(1), .looks = circumstances.looks}},
                plan->topics, {7});
  try {
    life.status = worker.run(stop.get_token());
  } catch (const Crash&) {
    life.crashed = true;
  }
  life.recycles = sink.recycles;
  life.state = detector.state_digest();
  return life;
}

// The worker in these circumstances, with batches of `documents_max`.
Life live_in(MemoryKafka& kafka, const std::function<Fate()>& fate, std::size_t documents_max,
             const Circumstances& circumstances) {
  return live(kafka, fate, documents_max, 2, 1 << 20, {}, circumstances);
}

// Every input record has exactly one verdict.
void expect_one_verdict_each(const MemoryKafka& kafka) {
  std::map<std::pair<std::int32_t, std::int64_t>, int> seen;
  for (const MemoryVerdict& verdict : kafka.verdicts) {
    if (verdict.topic == OutputTopic::kDeadLetter) {
      const std::map<std::string, std::string> headers(verdict.headers.begin(), verdict.headers.end());
      ++seen[{std::stoi(headers.at("neardup-partition")), std::stoll(headers.at("neardup-offset"))}];
      continue;
    }
    const Result<ParsedVerdict> parsed = parse_verdict_json(*verdict.value);
    ASSERT_TRUE(parsed) << *verdict.value;
    ++seen[{parsed->source.partition, parsed->source.offset}];
  }
  std::size_t records = 0;
  for (std::size_t partition = 0; partition < kafka.input.size(); ++partition) {
    for (std::size_t offset = 0; offset < kafka.input[partition].size(); ++offset) {
      EXPECT_EQ((seen[{static_cast<std::int32_t>(partition), static_cast<std::int64_t>(offset)}]), 1)
          << partition << "@" << offset;
      ++records;
    }
  }
  EXPECT_EQ(seen.size(), records);
}

Fate always_committed() { return Fate::kCommitted; }

TEST(Worker, publishes_one_verdict_for_every_record_and_stops_when_asked) {
  MemoryKafka kafka = crawl(500, 3, 1);
  const Life life = live(kafka, always_committed, 64);
  ASSERT_TRUE(life.status) << life.status.error().message;
  expect_one_verdict_each(kafka);
  for (std::size_t partition = 0; partition < kafka.input.size(); ++partition) {
    EXPECT_EQ((kafka.group_offsets[{"pages", static_cast<std::int32_t>(partition)}]),
              static_cast<std::int64_t>(kafka.input[partition].size()));
  }
}

TEST(Worker, counts_each_record_once_in_every_histogram_that_it_belongs_to) {
  MemoryKafka kafka = crawl(500, 3, 1);
  kafka.input[0].push_back({"key", "not JSON", 5});
  kafka.input[0].push_back({"key", R"({"id":"bare","html":"<title>No body of text</title>"})", 5});
  const BatchCounts counts = live(kafka, always_committed, 64).counts;
  const auto total = [](const auto& tally) {
    return std::accumulate(tally.buckets.begin(), tally.buckets.end(), std::uint64_t{0});
  };
  std::uint64_t bytes = 0;
  for (const auto& partition : kafka.input) {
    for (const MemoryRecord& record : partition) bytes += record.value.value_or("").size();
  }
  const std::uint64_t decided = counts.unique + counts.exact + counts.near + counts.short_text;
  EXPECT_GT(counts.near, 0U);
  EXPECT_GT(counts.lookup_candidates.sum, 0U);
  EXPECT_EQ(total(counts.near_distance), counts.near + counts.short_text);
  EXPECT_EQ(total(counts.lookup_candidates), decided);
  EXPECT_EQ(total(counts.document_bytes), 502U);
  EXPECT_EQ(counts.fallbacks, 1U);
  EXPECT_GT(total(counts.document_bytes), decided) << "a rejected record has a size too";
  EXPECT_EQ(counts.document_bytes.sum, bytes);
}

TEST(Worker, a_dead_letter_carries_the_raw_record_and_says_why) {
  MemoryKafka kafka;
  kafka.input = {{{"key", "{\"broken\":", 5}}};
  ASSERT_TRUE(live(kafka, always_committed, 10).status);
  ASSERT_EQ(kafka.verdicts.size(), 1U);
  EXPECT_EQ(kafka.verdicts[0].topic, OutputTopic::kDeadLetter);
  EXPECT_EQ(kafka.verdicts[0].key, "key");
  EXPECT_EQ(kafka.verdicts[0].value, "{\"broken\":");
  const std::map<std::string, std::string> headers(kafka.verdicts[0].headers.begin(),
                                                   kafka.verdicts[0].headers.end());
  EXPECT_EQ(headers.at("neardup-reason"), "not_json");
  EXPECT_EQ(headers.at("neardup-topic"), "pages");
  EXPECT_EQ(headers.at("neardup-partition"), "0");
  EXPECT_EQ(headers.at("neardup-offset"), "0");
}

TEST(Worker, a_verdict_has_the_headers_that_were_asked_for) {
  const auto names = [](HeaderMode headers) {
    MemoryKafka kafka;
    kafka.input = {{{"key", R"({"id":"a","text":"a good page about loaves"})", 5}}};
    EXPECT_TRUE(live(kafka, always_committed, 10, 1, 1 << 20, {}, {.headers = headers}).status);
    std::vector<std::string> seen;
    for (const auto& [name, value] : kafka.verdicts.at(0).headers) seen.push_back(name);
    return seen;
  };
  EXPECT_EQ(names(HeaderMode::kPacked), std::vector<std::string>{"neardup"});
  EXPECT_EQ(names(HeaderMode::kFull),
            (std::vector<std::string>{"neardup-verdict", "neardup-seq", "neardup-signature"}));
  EXPECT_EQ(names(HeaderMode::kNone), std::vector<std::string>{});
}

TEST(Worker, the_topic_of_uniques_may_hold_the_records_as_they_came) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const std::string page = R"({"id":"a","text":"a good page about loaves"})";
  const Headers own = {{"trace", "1"}, {"trace", "2"}};
  Headers forged = own;
  forged.insert(forged.begin() + 1, {"neardup", "duplicate"});
  forged.emplace_back("neardup-topic", "another");
  MemoryKafka kafka;
  kafka.input = {{{"key", page, 5, forged},
                  {"key", R"({"id":"b","text":"a good page about loaves"})", 5, own},
                  {"key", "no JSON", 5, own},
                  {"a", std::nullopt, 5, own}}};
  const Circumstances passed_on = {.by_id = true, .unique_holds = UniqueHolds::kRecords};
  ASSERT_TRUE(live(kafka, always_committed, 10, 1, 1 << 20, {}, passed_on).status);
  ASSERT_EQ(kafka.verdicts.size(), 4U);
  const auto with = [&](const std::string& verdict, const std::string& offset) {
    Headers headers = own;
    for (const auto& header : Headers{{"neardup", verdict},
                                      {"neardup-topic", "pages"},
                                      {"neardup-partition", "0"},
                                      {"neardup-offset", offset}})
      headers.push_back(header);
    return headers;
  };
  EXPECT_EQ(kafka.verdicts[0], (MemoryVerdict{OutputTopic::kUnique, "a", page, with("unique", "0")}));
  EXPECT_EQ(kafka.verdicts[1].topic, OutputTopic::kDuplicate);
  EXPECT_TRUE(parse_verdict_json(kafka.verdicts[1].value.value_or("")));
  EXPECT_EQ(kafka.verdicts[2].topic, OutputTopic::kDeadLetter);
  EXPECT_EQ(kafka.verdicts[3], (MemoryVerdict{OutputTopic::kUnique, "a", std::nullopt, with("deleted", "3")}))
      << "who keeps the documents deletes it too";
}

TEST(Worker, a_record_too_large_for_the_topic_of_uniques_leaves_its_place_to_the_verdict) {
  const std::string page = R"({"id":"a","text":"a good page about loaves)" + std::string(20000, ' ') + "\"}";
  const auto verdict = [&](std::size_t unique_bytes_max) {
    MemoryKafka kafka;
    kafka.input = {{{"key", page, 5}}};
    EXPECT_TRUE(live(kafka, always_committed, 10, 1, 1 << 20, {},
                     {.unique_holds = UniqueHolds::kRecords, .unique_bytes_max = unique_bytes_max})
                    .status);
    return kafka.verdicts.at(0);
  };
  EXPECT_EQ(verdict(page.size() + 5000).value, page);
  const MemoryVerdict told = verdict(page.size() + 100);
  const Result<ParsedVerdict> parsed = parse_verdict_json(told.value.value_or(""));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->id, "a");
  EXPECT_EQ(told.headers.back(),
            std::pair(std::string("neardup-truncated-from"), std::to_string(page.size())));
}

TEST(Worker, a_dead_letter_too_large_for_its_topic_is_cut_and_says_so) {
  MemoryKafka kafka;
  kafka.input = {{{"key", "{\"broken\":" + std::string(100000, 'x'), 5}}};
  ASSERT_TRUE(live(kafka, always_committed, 10, 1, 20000).status);
  ASSERT_EQ(kafka.verdicts.size(), 1U);
  EXPECT_LT(kafka.verdicts[0].value->size(), 20000U);
  EXPECT_TRUE(kafka.verdicts[0].value->starts_with("{\"broken\":xxxx"));
  const std::map<std::string, std::string> headers(kafka.verdicts[0].headers.begin(),
                                                   kafka.verdicts[0].headers.end());
  EXPECT_EQ(headers.at("neardup-truncated-from"), "100010");
  EXPECT_EQ(headers.at("neardup-reason"), "not_json");
}

// Whole but for them.
TEST(Worker, a_dead_letter_without_its_headers_says_so) {
  const std::string page = R"({"id":"a","text":"a good page about loaves"})";
  MemoryKafka kafka;
  kafka.input = {{{"key", page, 5, {}, true}}};
  ASSERT_TRUE(live(kafka, always_committed, 10).status);
  ASSERT_EQ(kafka.verdicts.size(), 1U);
  EXPECT_EQ(kafka.verdicts[0].topic, OutputTopic::kDeadLetter);
  EXPECT_EQ(kafka.verdicts[0].key, "key");
  EXPECT_EQ(kafka.verdicts[0].value, page);
  const std::map<std::string, std::string> headers(kafka.verdicts[0].headers.begin(),
                                                   kafka.verdicts[0].headers.end());
  EXPECT_EQ(headers.at("neardup-truncated-from"), std::to_string(page.size()));
  EXPECT_EQ(headers.at("neardup-reason"), "too_large");
}

// As it is where one is sent again as it was, and refused again.
TEST(Worker, a_dead_letter_has_each_of_its_own_headers_once) {
  MemoryKafka kafka;
  kafka.input = {{{"key",
                   "{",
                   5,
                   {{"trace", "1"},
                    {"neardup-reason", "too_deep"},
                    {"neardup-topic", "elsewhere"},
                    {"neardup-partition", "77"},
                    {"neardup-offset", "88"},
                    {"neardup-truncated-from", "99"}}}}};
  ASSERT_TRUE(live(kafka, always_committed, 10).status);
  ASSERT_EQ(kafka.verdicts.size(), 1U);
  std::map<std::string, std::string> headers(kafka.verdicts[0].headers.begin(),
                                             kafka.verdicts[0].headers.end());
  EXPECT_EQ(headers.size(), kafka.verdicts[0].headers.size()) << "none twice";
  EXPECT_NE(headers.at("neardup-topic"), "elsewhere");
  headers.erase("neardup-topic");
  EXPECT_EQ(headers, (std::map<std::string, std::string>{{"trace", "1"},
                                                         {"neardup-reason", "not_json"},
                                                         {"neardup-partition", "0"},
                                                         {"neardup-offset", "0"}}));
}

TEST(Worker, verdicts_and_state_do_not_hang_on_threads) {
  MemoryKafka one = crawl(400, 2, 5);
  MemoryKafka many = one;
  const Life a = live(one, always_committed, 50, 1);
  const Life b = live(many, always_committed, 50, 4);
  ASSERT_TRUE(a.status && b.status);
  EXPECT_EQ(one.journal, many.journal);
  EXPECT_EQ(one.verdicts, many.verdicts);
  EXPECT_EQ(a.state, b.state);
}

TEST(Worker, a_batch_too_large_for_one_journal_record_goes_out_in_several) {
  MemoryKafka kafka;
  kafka.input.resize(1);
  const std::string url(8000, 'u');
  for (int i = 0; i < 2500; ++i) {
    kafka.input[0].push_back({std::nullopt,
                              R"({"id":")" + std::string(4000, 'i') + std::to_string(i) + R"(","url":")" +
                                  url + R"(","text":"only )" + std::to_string(i * 7919) + "\"}",
                              1});
  }
  const Life life = live(kafka, always_committed, 5000);
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_GT(kafka.journal.size(), 1U);
  for (const std::string& record : kafka.journal) EXPECT_LE(record.size(), kJournalRecordBytesMax);
  expect_one_verdict_each(kafka);
}

// A journal record has a position for each partition, not for each record: were room for so many reserved, an
// intake of hundreds of thousands of records would go out one by one.
TEST(Worker, a_batch_fills_its_journal_record_however_many_records_it_holds) {
  const std::string key(16000, 'k');
  const std::size_t each =
      journal_entry_bytes_max(0, 0, Detector::kept_bytes_max({})) + kJournalDeletionBytesMax + key.size();
  const std::size_t fit = (kJournalRecordBytesMax - journal_frame_bytes_max(1, 2)) / each;
  for (const std::size_t records : {fit, fit + 1}) {
    MemoryKafka kafka;
    kafka.input = {std::vector<MemoryRecord>(records, MemoryRecord{key, std::nullopt, 1})};
    const Life life = live(kafka, always_committed, 5000);
    ASSERT_TRUE(life.status) << life.status.error().message;
    EXPECT_EQ(kafka.verdicts.size(), records);
    EXPECT_EQ(kafka.journal.size(), records == fit ? 1U : 2U);
  }
}

// Verdicts repeat their original's names, which may be long where their own are short.
TEST(Worker, a_batch_holds_as_many_verdicts_as_their_bytes_allow) {
  constexpr std::size_t kCopies = 200;
  constexpr std::size_t kNameBytes = 4000;
  const std::string text = R"(,"text":"one and the same text of some words, over and over again"})";
  MemoryKafka kafka;
  kafka.input = {{MemoryRecord{{}, R"({"id":")" + std::string(kNameBytes, 'n') + '"' + text, 1}}};
  for (std::size_t i = 0; i < kCopies; ++i)
    kafka.input[0].push_back(MemoryRecord{{}, R"({"id":")" + std::to_string(i) + '"' + text, 1});
  Circumstances circumstances;
  circumstances.output_bytes_max = kCopies * kNameBytes / 4;
  const Life life = live(kafka, always_committed, 5000, 1, 1 << 20, {}, circumstances);
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(life.counts.exact, kCopies);
  expect_one_verdict_each(kafka);
  EXPECT_GE(kafka.journal.size(), 4U);
  EXPECT_LE(kafka.journal.size(), 12U);
}

// Dead letters are the records as they came, which no verdict is written for.
TEST(Worker, a_batch_holds_as_many_records_passed_on_as_their_bytes_allow) {
  constexpr std::size_t kRecords = 40;
  constexpr std::size_t kBytes = 1000;
  MemoryKafka kafka;
  kafka.input = {std::vector<MemoryRecord>(kRecords, MemoryRecord{{}, std::string(kBytes, '['), 1})};
  Circumstances circumstances;
  circumstances.output_bytes_max = kRecords * kBytes / 4;
  const Life life = live(kafka, always_committed, 5000, 1, 1 << 20, {}, circumstances);
  ASSERT_TRUE(life.status) << life.status.error().message;
  expect_one_verdict_each(kafka);
  EXPECT_GE(kafka.journal.size(), 4U);
  EXPECT_LE(kafka.journal.size(), 6U);
}

TEST(Worker, a_lost_leadership_stops_before_the_next_transaction) {
  MemoryKafka kafka = crawl(50, 1, 2);
  int commits = 0;
  // A newer writer appears after the first commit: this one is fenced, whatever it believes.
  const Life life = live(
      kafka,
      [&] {
        if (++commits == 1) ++kafka.epoch;
        return Fate::kCommitted;
      },
      10);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kFenced);
  EXPECT_EQ(kafka.journal.size(), 1U);
}

// The fourth commit has this fate, and the election is lost with it.
std::function<Fate()> lose_at_fourth(MemoryLeadership& leadership, Fate fate) {
  return [&leadership, fate, commits = 0]() mutable {
    if (++commits != 4) return Fate::kCommitted;
    leadership.leader = false;
    return fate;
  };
}

// Kafka away for longer than a session: whoever is elected again, and finds the journal as it was, has
// nothing to forget.
TEST(Worker, elected_again_it_goes_on_with_what_it_had_in_hand) {
  MemoryKafka calm = crawl(100, 1, 2);
  const Life undisturbed = live(calm, always_committed, 10);
  ASSERT_TRUE(undisturbed.status) << undisturbed.status.error().message;
  for (const Fate fate : {Fate::kLost, Fate::kThere, Fate::kHidden, Fate::kLostOpen}) {
    SCOPED_TRACE(static_cast<int>(fate));
    MemoryKafka kafka = crawl(100, 1, 2);
    MemoryLeadership leadership;
    int waits = 0;
    leadership.on_wait = [&] {
      if (++waits == 5) {
        leadership.leader = true;
        ++leadership.elections;
      }
      return true;
    };
    StateBoard board;
    const Life life =
        live_in(kafka, lose_at_fourth(leadership, fate), 10, {.board = &board, .leadership = &leadership});
    ASSERT_TRUE(life.status) << life.status.error().message;
    EXPECT_EQ(waits, 5);
    EXPECT_EQ(kafka.journal, calm.journal);
    EXPECT_EQ(life.state, undisturbed.state);
    expect_one_verdict_each(kafka);
    const bool is_there = fate == Fate::kThere || fate == Fate::kHidden;
    ASSERT_EQ(life.doubts.size(), 1U);
    EXPECT_EQ(life.doubts[0], is_there ? RecycleOutcome::kFoundCommitted : RecycleOutcome::kResent);
    EXPECT_EQ(board.warning(), "");
  }
}

TEST(Worker, an_election_that_was_lost_and_won_unseen_is_a_doubt) {
  MemoryKafka kafka = crawl(50, 1, 2);
  MemoryLeadership leadership;
  int commits = 0;
  const auto passes = [&] {
    if (++commits == 3) ++leadership.elections;
    return Fate::kCommitted;
  };
  const Life life = live_in(kafka, passes, 10, {.leadership = &leadership});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(life.recycles, 2);
  expect_one_verdict_each(kafka);
}

TEST(Worker, who_waits_to_be_elected_again_ends_with_the_record_of_another) {
  for (const bool is_elected : {false, true}) {
    MemoryKafka kafka = crawl(100, 1, 2);
    MemoryLeadership leadership;
    leadership.on_wait = [&] {
      if (!leadership.leader && kafka.journal.size() == 3) {
        leadership.leader = is_elected;  // again, and somebody else was in between
        leadership.elections += is_elected ? 1 : 0;
        EXPECT_TRUE(live(kafka, always_committed, 7).status);
      }
      return true;
    };
    const Life life =
        live_in(kafka, lose_at_fourth(leadership, Fate::kLost), 10, {.leadership = &leadership});
    ASSERT_FALSE(life.status);
    EXPECT_EQ(life.status.error().code, ErrorCode::kFenced);
    expect_one_verdict_each(kafka);
  }
}

// The next record of another goes on from the one that was seen, which is in no chain of ours.
TEST(Worker, who_has_seen_the_record_of_another_does_not_wait_for_an_election) {
  MemoryKafka kafka = crawl(100, 1, 2);
  MemoryLeadership leadership;
  leadership.on_wait = [&] {
    leadership.leader = false;  // told just now
    return true;
  };
  int commits = 0;
  const auto loses = [&] {
    if (++commits != 4) return Fate::kCommitted;
    EXPECT_TRUE(live(kafka, always_committed, 7).status);
    return Fate::kLost;
  };
  const Life life = live_in(kafka, loses, 10, {.leadership = &leadership});
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kFenced) << life.status.error().message;
  expect_one_verdict_each(kafka);
}

TEST(Worker, elected_again_it_ends_if_the_group_was_moved_meanwhile) {
  MemoryKafka kafka = crawl(100, 1, 2);
  MemoryLeadership leadership;
  leadership.on_wait = [&] {
    kafka.group_offsets[{"pages", 0}] = 3;
    leadership.leader = true;
    leadership.elections = 2;
    return true;
  };
  const Life life = live_in(kafka, lose_at_fourth(leadership, Fate::kLost), 10, {.leadership = &leadership});
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kFenced);
  EXPECT_THAT(life.status.error().message, testing::HasSubstr("the group is not where the journal ends"));
  EXPECT_EQ(kafka.journal.size(), 3U);
}

TEST(Worker, who_has_lost_and_is_asked_to_end_does_not_wait) {
  MemoryKafka kafka = crawl(100, 1, 2);
  MemoryLeadership leadership;
  int waits = 0;
  leadership.on_wait = [&] { return ++waits < 4; };
  const Life life = live_in(kafka, lose_at_fourth(leadership, Fate::kLost), 10, {.leadership = &leadership});
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kFenced);
  EXPECT_EQ(waits, 4);
  EXPECT_EQ(kafka.journal.size(), 3U);
}

TEST(Worker, a_foreign_record_in_the_journal_stops_it_with_a_reason) {
  MemoryKafka kafka = crawl(100, 1, 3);
  int commits = 0;
  const Life life = live(
      kafka,
      [&] {
        if (++commits == 2) kafka.journal.push_back("a record of somebody else");
        return Fate::kCommitted;
      },
      10);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_NE(life.status.error().message.find("another writer"), std::string::npos)
      << life.status.error().message;
}

// It stood still without knowing it: another instance was elected, wrote, and it hears of that from the
// journal before it hears of it from the group. That is no contradiction for a person to settle.
TEST(Worker, another_instance_that_went_on_with_the_journal_is_a_lost_election) {
  MemoryKafka calm = crawl(64, 2, 8);
  const MemoryKafka input = calm;
  ASSERT_TRUE(live(calm, always_committed, 16).status);
  for (const Fate fate : {Fate::kLost, Fate::kSilent}) {
    SCOPED_TRACE("fate " + std::to_string(static_cast<int>(fate)));
    MemoryKafka kafka = input;
    int commits = 0;
    const Life life = live(
        kafka,
        [&] {
          if (++commits != 2) return Fate::kCommitted;
          MemoryKafka next = kafka;
          EXPECT_TRUE(live(next, always_committed, 16).status);
          kafka.journal = next.journal;
          kafka.verdicts = next.verdicts;
          kafka.group_offsets = next.group_offsets;
          return fate;
        },
        16);
    ASSERT_FALSE(life.status);
    EXPECT_EQ(life.status.error().code, ErrorCode::kFenced) << life.status.error().message;
    EXPECT_EQ(kafka.verdicts, calm.verdicts) << "it wrote nothing more";
  }
}

// Sent again it would be there twice. A journal that never shows it may have lost its end, and that is for
// the next start to find.
TEST(Worker, a_batch_that_the_group_has_is_not_sent_again_although_the_journal_does_not_show_it) {
  MemoryKafka kafka = crawl(20, 1, 5);
  const auto fate = [&] {
    kafka.stale_looks = 1000;
    return Fate::kCommitted;
  };
  const Life life = live(kafka, fate, 100);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kUnavailable) << life.status.error().message;
  EXPECT_EQ(kafka.journal.size(), 1U);
  kafka.stale_looks = 0;
  ASSERT_TRUE(live(kafka, always_committed, 100).status);
  expect_one_verdict_each(kafka);
}

TEST(Worker, producers_that_never_get_a_batch_through_end_it) {
  MemoryKafka kafka = crawl(20, 1, 4);
  const Life life = live(kafka, [] { return Fate::kLost; }, 10);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(kafka.verdicts.empty());
}

// The first tells what is wrong, and the last of what that has led to.
TEST(Worker, producers_that_failed_for_different_reasons_are_told_of_by_the_first_and_the_last) {
  MemoryKafka kafka = crawl(20, 1, 4);
  int tries = 0;
  const Life life = live(kafka, [&tries] { return tries++ == 0 ? Fate::kSilent : Fate::kLost; }, 10);
  ASSERT_FALSE(life.status);
  EXPECT_THAT(life.status.error().message, ::testing::MatchesRegex(".*, the first: .+; the last: .+"));
}

TEST(Worker, decides_two_batches_while_one_is_being_committed_and_seals_the_first_of_them) {
  MemoryKafka kafka = crawl(160, 1, 11);
  constexpr std::size_t kBatches = 10;
  Decisions decisions;
  std::size_t commits = 0;
  const Life life = live_in(kafka,
                            [&] {
                              ++commits;
                              EXPECT_TRUE(decisions.wait_for_sealed(std::min(commits + 1, kBatches)));
                              EXPECT_TRUE(decisions.wait_for_decided(std::min(commits + 2, kBatches)));
                              EXPECT_LE(decisions.sealed(), commits + 1)
                                  << "at most two batches are sealed and not verified";
                              return Fate::kCommitted;
                            },
                            16, {.decisions = &decisions});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(commits, kBatches);
  expect_one_verdict_each(kafka);
}

TEST(Worker, a_commit_that_hangs_pauses_the_input) {
  const auto handed_out_while_it_hangs = [](std::size_t bytes_max, std::size_t expected) {
    MemoryKafka kafka;
    kafka.input.resize(1);
    for (int i = 0; i < 100; ++i)
      kafka.input[0].push_back(
          {"id" + std::to_string(i), R"({"text":")" + std::string(1000, 'x') + "\"}", 1});
    MemorySource* source = nullptr;
    std::size_t handed_out = 0;
    const Life life =
        live_in(kafka,
                [&] {
                  if (handed_out == 0) {
                    for (int i = 0; i < 2000 && source->handed_out < expected; ++i)
                      std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // now it could go on
                    handed_out = source->handed_out;
                  }
                  return Fate::kCommitted;
                },
                10, {.bytes_max = bytes_max, .prepare = [&](MemorySource& made) { source = &made; }});
    EXPECT_TRUE(life.status);
    EXPECT_EQ(kafka.verdicts.size(), 100U) << "and afterwards it goes on";
    return handed_out;
  };
  EXPECT_EQ(handed_out_while_it_hangs(1 << 20, 10 * Worker::kIntakes), 10 * Worker::kIntakes);
  EXPECT_EQ(handed_out_while_it_hangs(9000, 20), 20U) << "by their bytes, two batches are as much as may be";
}

TEST(Worker, a_batch_says_why_it_was_closed) {
  using enum BatchClosed;
  const auto closed = [](std::size_t documents_max, const Circumstances& circumstances) {
    MemoryKafka kafka = crawl(20, 1, 12);
    const Life life = live_in(kafka, always_committed, documents_max, circumstances);
    EXPECT_TRUE(life.status);
    return life.closed;
  };
  const auto by_tens = [](MemorySource& source) { source.records_per_poll = 10; };
  EXPECT_EQ(closed(10, {.interval = std::chrono::hours(1)}), std::vector({kDocuments, kDrain}));
  EXPECT_EQ(closed(1000, {.prepare = by_tens}), std::vector({kInterval, kDrain}));
  EXPECT_EQ(closed(1000, {.interval = std::chrono::hours(1), .bytes_max = 100, .prepare = by_tens}),
            std::vector({kBytes, kDrain}));
}

TEST(Worker, keys_and_headers_take_room_in_a_batch_too) {
  const std::string large(1000, 'x');
  using Headers = decltype(MemoryRecord::headers);
  const auto none = std::make_pair(std::optional<std::string>(), Headers());
  const auto by_key = std::make_pair(std::optional(large), Headers());
  const auto by_header = std::make_pair(std::optional<std::string>(), Headers{{"cookie", large}});
  // Which take next to nothing as they are sent, and a hundred bytes each in memory.
  const auto by_headers = std::make_pair(std::optional<std::string>(), Headers(10, {"", ""}));
  for (const auto& [key, headers] : {none, by_key, by_header, by_headers}) {
    MemoryKafka kafka;
    kafka.input.resize(1);
    for (int i = 0; i < 20; ++i) {
      MemoryRecord& record = kafka.input[0].emplace_back();
      record.value = R"({"id":")" + std::to_string(i) + R"(","text":"some words of its own"})";
      record.key = key;
      record.headers = headers;
    }
    const Life life =
        live_in(kafka, always_committed, 1000,
                {.interval = std::chrono::hours(1), .bytes_max = 15'000, .prepare = [](MemorySource& source) {
                   source.records_per_poll = 10;
                 }});
    ASSERT_TRUE(life.status) << life.status.error().message;
    const bool has_room = !key && headers.empty();
    EXPECT_EQ(life.closed.front(), has_room ? BatchClosed::kDrain : BatchClosed::kBytes);
  }
}

// However many a record has: a verdict that does not fit into its topic would hold up its batch for ever.
TEST(Worker, carries_the_first_trace_header_of_each_name_to_the_verdict) {
  MemoryKafka kafka;
  kafka.input.resize(1);
  MemoryRecord& record = kafka.input[0].emplace_back();
  record.value = R"({"id":"a","text":"some words of its own"})";
  for (int i = 0; i < 4000; ++i) {
    record.headers.emplace_back("traceparent", std::to_string(i));
    record.headers.emplace_back("other", "x");
  }
  record.headers.emplace_back("tracestate", std::string(513, 'x'));
  record.headers.emplace_back("tracestate", "too late");
  ASSERT_TRUE(live(kafka, always_committed, 10).status);
  ASSERT_EQ(kafka.verdicts.size(), 1U);
  std::vector<std::pair<std::string, std::string>> carried;
  for (const auto& header : kafka.verdicts[0].headers)
    if (header.first != kVerdictHeaderName) carried.push_back(header);
  EXPECT_EQ(carried, (std::vector<std::pair<std::string, std::string>>{{"traceparent", "0"}}));
}

TEST(Worker, behind_two_batches_under_way_the_next_stays_open) {
  using enum BatchClosed;
  MemoryKafka kafka = crawl(100, 1, 13);
  const std::size_t all = kafka.input[0].size();
  MemorySource* source = nullptr;
  const Life life = live_in(kafka,
                            [&] {
                              // The first commit hangs until everything was taken in.
                              for (int i = 0; i < 2000 && source->handed_out < all; ++i)
                                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                              EXPECT_EQ(source->handed_out, all);
                              return Fate::kCommitted;
                            },
                            1000, {.prepare = [&](MemorySource& made) {
                              source = &made;
                              made.records_per_poll = 10;
                            }});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(life.closed, std::vector({kInterval, kInterval, kDrain}));
  expect_one_verdict_each(kafka);
}

TEST(Worker, an_input_that_is_lost_stops_it_behind_what_was_gathered_before) {
  MemoryKafka kafka = crawl(100, 1, 13);
  const Life life =
      live_in(kafka, always_committed, 10, {.prepare = [](MemorySource& source) { source.lost_from = 30; }});
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_EQ(kafka.verdicts.size(), 30U);
}

// Behind the last record may lie the mark of its transaction: with the next batch, or in one of its own, the
// journal goes on behind it, whatever leader wrote it.
TEST(Worker, an_input_that_rests_goes_on_behind_what_is_no_record) {
  MemoryKafka kafka = crawl(30, 2, 13);
  const auto end = [&](std::size_t partition) {
    return static_cast<std::int64_t>(kafka.input[partition].size());
  };
  const auto resting = [](std::vector<RestPosition> rests) {
    return Circumstances{.prepare = [rests](MemorySource& source) { source.rests = rests; }};
  };
  const Life first = live_in(kafka, always_committed, 100, resting({{0, 1, end(1) + 1}}));
  ASSERT_TRUE(first.status) << first.status.error().message;
  ASSERT_EQ(kafka.journal.size(), 1U);
  const Result<JournalRecord> together = decode_journal_record(kafka.journal[0]);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->positions,
            (std::vector<JournalPosition>{{0, 0, 0, end(0), -1}, {0, 1, 0, end(1) + 1, -1}}));

  const Life second = live_in(kafka, always_committed, 100, resting({{0, 0, end(0) + 7}}));
  ASSERT_TRUE(second.status) << second.status.error().message;
  ASSERT_EQ(kafka.journal.size(), 2U);
  const Result<JournalRecord> alone = decode_journal_record(kafka.journal[1]);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(is_acceptance(*alone)) << "it covers no input";
  EXPECT_EQ(alone->positions, (std::vector<JournalPosition>{{0, 0, end(0) + 7, end(0) + 7, -1}}));
  EXPECT_EQ(kafka.group_offsets[std::pair(kafka.topic, 0)], end(0) + 7);
  EXPECT_EQ(second.closed, std::vector{BatchClosed::kInterval});
  EXPECT_EQ(second.state, first.state);

  for (const Fate fate : {Fate::kLost, Fate::kThere, Fate::kHidden, Fate::kUnmarked, Fate::kSilent}) {
    std::size_t commits = 0;
    const Life third = live_in(
        kafka, [&] { return ++commits == 1 ? fate : Fate::kCommitted; }, 100, resting({{0, 0, end(0) + 8}}));
    ASSERT_TRUE(third.status) << third.status.error().message;
    EXPECT_EQ(third.recycles, fate == Fate::kUnmarked ? 3 : 2);
  }
  const Life last = live_in(kafka, always_committed, 100, {});
  ASSERT_TRUE(last.status) << last.status.error().message;
  EXPECT_EQ(kafka.journal.size(), 7U);
  EXPECT_EQ(last.state, first.state);
  expect_one_verdict_each(kafka);
}

// Whatever becomes of the first or of the second of two batches that are under way at once, the lives after
// it end with the verdicts of an undisturbed run.
TEST(Worker, a_fault_with_two_batches_under_way_changes_no_verdict) {
  MemoryKafka calm = crawl(48, 1, 14);
  const MemoryKafka input = calm;
  ASSERT_TRUE(live(calm, always_committed, 16).status);
  for (const Fate fault :
       {Fate::kLost, Fate::kThere, Fate::kHidden, Fate::kUnmarked, Fate::kShownLate, Fate::kNotShown,
        Fate::kLostOpen, Fate::kTimedOutInside, Fate::kSilent, Fate::kStale, Fate::kLostFenced,
        Fate::kThereFenced, Fate::kCrashBefore, Fate::kCrashAfter}) {
    for (const std::size_t faulty : {1U, 2U}) {
      SCOPED_TRACE("fate " + std::to_string(static_cast<int>(fault)) + " of commit " +
                   std::to_string(faulty));
      MemoryKafka kafka = input;
      Decisions decisions;
      std::size_t commits = 0;
      const auto fate = [&] {
        ++commits;
        if (commits <= faulty) {
          EXPECT_TRUE(decisions.wait_for_sealed(commits + 1)) << "two are under way";
        }
        return commits == faulty ? fault : Fate::kCommitted;
      };
      const Life first = live_in(kafka, fate, 16, {.decisions = &decisions});
      const bool crashes = fault == Fate::kCrashBefore || fault == Fate::kCrashAfter;
      const bool fenced = fault == Fate::kLostFenced || fault == Fate::kThereFenced;
      EXPECT_EQ(first.crashed, crashes);
      if (fenced) {
        ASSERT_FALSE(first.status);
        EXPECT_EQ(first.status.error().code, ErrorCode::kFenced);
      }
      if (crashes || fenced) {
        EXPECT_EQ(kafka.journal.size(),
                  faulty - (fault == Fate::kCrashBefore || fault == Fate::kLostFenced ? 1 : 0))
            << "the batch behind it was not published";
        ASSERT_TRUE(live(kafka, always_committed, 16).status);
      } else {
        ASSERT_TRUE(first.status) << first.status.error().message;
        const bool is_ended_again =
            fault == Fate::kUnmarked || fault == Fate::kLostOpen || fault == Fate::kNotShown;
        EXPECT_EQ(first.recycles, fault == Fate::kShownLate ? 1
                                  : is_ended_again          ? 3
                                                            : 2)
            << "one at the start";
        const bool is_there = fault == Fate::kThere || fault == Fate::kHidden || fault == Fate::kNotShown ||
                              fault == Fate::kStale;
        const RecycleOutcome outcome = is_there                         ? RecycleOutcome::kFoundCommitted
                                       : fault == Fate::kTimedOutInside ? RecycleOutcome::kPrecaution
                                                                        : RecycleOutcome::kResent;
        if (fault == Fate::kShownLate) {
          EXPECT_EQ(first.doubts, std::vector<RecycleOutcome>());
        } else {
          EXPECT_EQ(first.doubts, std::vector({outcome}));
        }
      }
      EXPECT_EQ(kafka.verdicts, calm.verdicts);
      EXPECT_EQ(kafka.group_offsets, calm.group_offsets);
    }
  }
}

TEST(Recovery, an_input_topic_made_again_is_refused) {
  MemoryKafka kafka = crawl(10, 1, 6);
  ASSERT_TRUE(live(kafka, always_committed, 10).status);
  JournalChain chain;
  const Result<JournalRecord> record = decode_journal_record(kafka.journal[0]);
  ASSERT_TRUE(record);
  ASSERT_TRUE(chain.accept(*record, kafka.journal[0]));
  const InputTopic again{"pages", {2}, 1};
  const Result<InputPlan> plan = plan_input(chain, std::span(&again, 1));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kContradiction);
}

TEST(Recovery, a_journal_of_other_feature_options_is_refused) {
  MemoryKafka kafka = crawl(20, 1, 6);
  SignerOptions shingles;
  shingles.features.source = FeatureSource::kShingles;
  ASSERT_TRUE(live(kafka, always_committed, 10, 1, 1 << 20, shingles).status);
  const auto verdicts = kafka.verdicts;
  kafka.input[0].push_back(kafka.input[0].front());
  const Life life = live(kafka, always_committed, 10);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_NE(life.status.error().message.find("made with fingerprint.features=shingles"), std::string::npos);
  EXPECT_EQ(kafka.verdicts, verdicts) << "nothing is decided by signatures that cannot be compared";
  EXPECT_TRUE(live(kafka, always_committed, 10, 1, 1 << 20, shingles).status) << "the way out";
}

TEST(Recovery, new_topics_and_partitions_begin_at_their_beginning_beside_known_ones) {
  MemoryKafka kafka = crawl(10, 2, 6);
  ASSERT_TRUE(live(kafka, always_committed, 100).status);
  JournalChain chain;
  ASSERT_TRUE(chain.accept(*decode_journal_record(kafka.journal[0]), kafka.journal[0]));
  const InputTopic topics[] = {{"news", {5}, 1}, {"pages", {1}, 3}};
  const Result<InputPlan> plan = plan_input(chain, topics);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->topics.size(), 2U);
  EXPECT_EQ(plan->topics[0].name, "pages") << "an ordinal is for ever";
  ASSERT_EQ(plan->positions.size(), 4U);
  EXPECT_EQ(plan->positions[0].topic, 1U);
  EXPECT_EQ(plan->positions[0].next, InputPosition::kFromBeginning);
  EXPECT_EQ(plan->positions[1].next, static_cast<std::int64_t>(kafka.input[0].size()));
  EXPECT_EQ(plan->positions[3].next, InputPosition::kFromBeginning);
}

constexpr std::int64_t kMinuteMs = 60'000;

// Text that no other seed makes: a page, or for every third a short text.
std::string text_of(std::size_t seed) {
  std::mt19937_64 random(seed + 1);
  std::string text;
  for (std::size_t words = seed % 3 == 0 ? 12 : 60; words > 0; --words) {
    text += 'w' + std::to_string(random() % 1'000'000) + ' ';
  }
  return text;
}

MemoryRecord record_of(std::size_t number, std::size_t seed) {
  return {"k" + std::to_string(number),
          R"({"id":"d)" + std::to_string(number) + R"(","url":"","text":")" + text_of(seed) + "\"}",
          static_cast<std::int64_t>(number + 1) * kMinuteMs};
}

// ---- Clusters ----

// What verdicts told, added up by hand: the size at each duplicate, and who represents it.
void expect_told_clusters(const MemoryKafka& kafka, bool longest) {
  struct Counted {
    std::uint32_t size = 1;
    std::size_t letters = 0;
    ParsedVerdict::Place representative;
  };
  const auto letters = [&](const ParsedVerdict& verdict) {
    const auto& [partition, offset] = std::pair(verdict.source.partition, verdict.source.offset);
    return kafka.input[static_cast<std::size_t>(partition)][static_cast<std::size_t>(offset)].value->size();
  };
  std::map<Sequence, Counted> clusters;
  std::size_t changed = 0;
  for (const MemoryVerdict& published : kafka.verdicts) {
    const Result<ParsedVerdict> verdict = parse_verdict_json(*published.value);
    ASSERT_TRUE(verdict) << *published.value;
    if (verdict->seq) clusters[*verdict->seq] = {1, letters(*verdict), verdict->source};
    if (verdict->verdict != Verdict::kDuplicate) continue;
    ASSERT_TRUE(verdict->cluster);
    Counted& counted = clusters.at(verdict->cluster->id);
    EXPECT_EQ(verdict->cluster->size, ++counted.size);
    if (!longest) {
      EXPECT_FALSE(verdict->representative);
      continue;
    }
    if (letters(*verdict) > counted.letters) {
      counted.letters = letters(*verdict);
      counted.representative = verdict->source;
      ++changed;
    }
    EXPECT_EQ(verdict->representative.value_or(verdict->duplicate_of->source), counted.representative);
  }
  EXPECT_EQ(changed > 10, longest);
}

// Four copies of each text, with none to three words more.
MemoryKafka families(std::size_t count) {
  MemoryKafka kafka;
  kafka.input.resize(2);
  for (std::size_t copy = 0; copy < 4; ++copy) {
    for (std::size_t family = 0; family < count; ++family) {
      std::string text;
      for (std::size_t i = 0; i < 100; ++i) text += "w" + std::to_string(family * 1000 + i) + ' ';
      // Ids have one length, so that the longest record has the longest text.
      const std::string id = std::to_string(1000 + copy * count + family);
      for (std::size_t more = 0; more < (copy + family) % 4; ++more) text += "more ";
      kafka.input[family % 2].push_back(
          {id, R"({"id":")" + id + R"(","url":"http://example.org/)" + id + R"(","text":")" + text + "\"}",
           1});
    }
  }
  return kafka;
}

TEST(Clusters, are_told_with_each_duplicate_and_are_the_same_with_any_threads) {
  for (const KeepPolicy keep : {KeepPolicy::kFirst, KeepPolicy::kLongest}) {
    MemoryKafka one = families(40);
    const MemoryKafka input = one;
    const Circumstances circumstances = {.clusters = {.keep = keep}};
    const Life first = live(one, always_committed, 17, 1, 1 << 20, {}, circumstances);
    ASSERT_TRUE(first.status) << first.status.error().message;
    expect_told_clusters(one, keep == KeepPolicy::kLongest);
    EXPECT_EQ(first.index.clusters.clusters, 40U);
    EXPECT_EQ(first.index.clusters.largest, 4U);
    EXPECT_LT(first.index.clusters.bytes, first.index.bytes);
    for (const int threads : {2, 3}) {
      MemoryKafka many = input;
      EXPECT_EQ(live(many, always_committed, 17, threads, 1 << 20, {}, circumstances).state, first.state);
      EXPECT_EQ(many.journal, one.journal);
      EXPECT_EQ(many.verdicts, one.verdicts);
    }
  }
}

// Lives that crash at every second batch end with the bytes of an undisturbed one, so what each of them
// restored was right; and the state behind the last record is what a restore makes of the journal.
TEST(Clusters, go_on_after_a_crash_as_if_there_had_been_none) {
  const ClusterOptions clusters = {.keep = KeepPolicy::kLongest};
  MemoryKafka calm = families(40);
  MemoryKafka kafka = calm;
  const Life undisturbed = live_in(calm, always_committed, 16, {.clusters = clusters});
  ASSERT_TRUE(undisturbed.status);
  Life life;
  int lives = 0;
  do {
    int commits = 0;
    const auto fate = [&] {
      if (++commits < 2) return Fate::kCommitted;
      return lives % 2 == 0 ? Fate::kCrashBefore : Fate::kCrashAfter;
    };
    life = live_in(kafka, fate, 16, {.clusters = clusters});
    ASSERT_LT(++lives, 100);
  } while (life.crashed);
  EXPECT_GT(lives, 4);
  EXPECT_EQ(kafka.verdicts, calm.verdicts);
  const Life restored = live_in(kafka, always_committed, 16, {.clusters = clusters});
  EXPECT_EQ(restored.state, undisturbed.state);
  EXPECT_NE(live_in(kafka, always_committed, 16, {}).state, undisturbed.state) << "ranks of another policy";
}

TEST(Clusters, one_that_swallows_the_stream_is_a_warning_until_it_no_longer_does) {
  MemoryKafka kafka;
  kafka.input.resize(1);
  for (std::size_t i = 0; i < 60; ++i) kafka.input[0].push_back(record_of(i, i < 30 ? 0 : i));
  StateBoard board;
  std::vector<std::string> warnings;
  std::vector<bool> alarms;
  const Life life = live_in(kafka, always_committed, 10,
                            {.interval = std::chrono::hours(1),
                             .after_batch =
                                 [&](const Detector& detector) {
                                   alarms.push_back(detector.cluster_counts().alarm.has_value());
                                   warnings.push_back(board.warning());  // of what was reported before
                                 },
                             .board = &board,
                             .clusters = {.guard = {.window = 20, .alarm_permille = 700}}});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(alarms, (std::vector<bool>{false, false, true, true, false, false, false}));
  ASSERT_EQ(warnings.size(), 7U);
  EXPECT_EQ(warnings[2], "");
  EXPECT_EQ(warnings[3],
            "clusters.alarm_share: 19 of the last 20 documents are duplicates of one document, pages-0 (id "
            "d0, cluster 0)");
  EXPECT_EQ(warnings[5], "");
  EXPECT_EQ(board.warning(), "");
}

// ---- Forgetting ----

constexpr std::size_t kWindow = 4000;
constexpr std::size_t kForgettingBatch = 500;

// So many documents, all of them new, one a minute.
MemoryKafka news(std::size_t documents) {
  MemoryKafka kafka;
  kafka.input.resize(1);
  for (std::size_t i = 0; i < documents; ++i) kafka.input[0].push_back(record_of(i, i));
  return kafka;
}

// The detector behind a batch.
struct Behind {
  Digest128 state;
  Sequence oldest = 0;
  Sequence size = 0;
  std::size_t bytes = 0;
};

struct Forgetful {
  Life life;
  std::vector<Behind> behind;  // [0]: before the first batch
};

Forgetful forget(MemoryKafka& kafka, const RetentionOptions& options) {
  Forgetful run;
  run.life = live_in(
      kafka, always_committed, kForgettingBatch,
      {.interval = std::chrono::hours(1), .retention = options, .after_batch = [&](const Detector& detector) {
         run.behind.push_back(
             {detector.state_digest(), detector.oldest(), detector.size(), detector.bytes()});
       }});
  EXPECT_TRUE(run.life.status) << run.life.status.error().message;
  return run;
}

std::size_t most_bytes(std::span<const Behind> behind) {
  return std::ranges::max_element(behind, {}, &Behind::bytes)->bytes;
}

RetentionOptions by_count() { return {.count_max = kWindow}; }
RetentionOptions by_age() {
  return {.age_max_ms = kWindow * kMinuteMs, .clock = RetentionClock::kArrivalTime};
}
// The stream of twenty windows, whatever bounds them: memory stands still; a new writer, who was told nothing
// but the journal, has the same state behind every batch.
void expect_a_flat_window_that_is_replayed(const RetentionOptions& options) {
  MemoryKafka kafka = news(20 * kWindow);
  const std::size_t last = 20 * kWindow - 1;
  kafka.input[0].push_back(record_of(last + 1, 0));
  kafka.input[0].push_back(record_of(last + 2, last - 10));
  const Forgetful run = forget(kafka, options);
  ASSERT_EQ(kafka.verdicts.size(), 20 * kWindow + 2);
  for (std::size_t i = 0; i <= last + 1; ++i) {
    ASSERT_EQ(kafka.verdicts[i].topic, OutputTopic::kUnique) << i << "; what is forgotten is new again";
  }
  EXPECT_EQ(kafka.verdicts.back().topic, OutputTopic::kDuplicate) << "what is not forgotten is not";

  ASSERT_EQ(run.behind.size(), kafka.journal.size() + 1);
  const std::span<const Behind> behind(run.behind);
  constexpr std::size_t kBatchesInWindow = kWindow / kForgettingBatch;
  // Columns give back huge pages, which a window this small shows: eleven windows of sketches are two of
  // them.
  const std::size_t middle = most_bytes(behind.subspan(4 * kBatchesInWindow, 8 * kBatchesInWindow));
  const std::size_t late = most_bytes(behind.subspan(12 * kBatchesInWindow));
  EXPECT_LT(late, middle + GrowingMemory::kHugePage);
  EXPECT_GT(run.behind.back().oldest, 18 * kWindow);

  MemoryKafka replayed;
  MemoryLog log(replayed);
  JournalChain chain;
  Detector detector(DetectorOptions{});
  Retention retention(options);
  Probe probe;
  StateBoard board;
  EXPECT_EQ(detector.state_digest(), behind[0].state);
  for (std::size_t i = 0; i < kafka.journal.size(); ++i) {
    replayed.journal.push_back(kafka.journal[i]);
    const Status status = restore(log, chain, detector, retention, probe, board);
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_EQ(detector.oldest(), behind[i + 1].oldest);
    ASSERT_EQ(detector.size(), behind[i + 1].size);
    ASSERT_EQ(detector.state_digest(), behind[i + 1].state) << "behind record " << i;
  }
}

TEST(Forgetting, by_count_is_a_flat_window_that_is_replayed) {
  expect_a_flat_window_that_is_replayed(by_count());
}
TEST(Forgetting, by_age_is_a_flat_window_that_is_replayed) {
  expect_a_flat_window_that_is_replayed(by_age());
}
TEST(Forgetting, a_record_of_the_future_forgets_nobody) {
  constexpr std::int64_t kYearMs = std::int64_t{365} * 24 * 60 * kMinuteMs;
  MemoryKafka kafka = news(3 * kForgettingBatch);  // of 1970
  kafka.input[0][kForgettingBatch].timestamp_ms = 229 * kYearMs;
  const Forgetful run = forget(kafka, {.age_max_ms = 100 * kYearMs, .clock = RetentionClock::kArrivalTime});
  EXPECT_EQ(run.behind.back().oldest, 0U);
  EXPECT_EQ(run.behind.back().size, 3 * kForgettingBatch);
}

// The writer's own clock was wrong for one batch: the next life has its own, and the journal.
TEST(Forgetting, a_journal_of_the_future_is_a_warning) {
  constexpr std::int64_t kAgeMs = 10 * 60 * kMinuteMs;
  for (const auto& [ahead_ms, is_far] : {std::pair(3 * kAgeMs, true), std::pair(kAgeMs / 2, false)}) {
    MemoryKafka kafka = news(1);
    ASSERT_TRUE(live(kafka, always_committed, 1).status);
    const std::string told = kafka.journal.back();
    Result<JournalRecord> record = decode_journal_record(told);
    ASSERT_TRUE(record) << record.error().message;
    record->time_ms = wall_clock_ms() + ahead_ms;
    kafka.journal.back() = encode_journal_record(*record);
    for (std::size_t i = 1; i < 4; ++i) kafka.input[0].push_back(record_of(i, i));

    StateBoard board;
    std::vector<std::string> warnings;
    const Life life = live_in(
        kafka, always_committed, 1,
        {.interval = std::chrono::hours(1),
         .retention = {.age_max_ms = kAgeMs},
         .after_batch = [&](const Detector&) { warnings.push_back(board.warning()); },  // reported before
         .board = &board});
    ASSERT_TRUE(life.status) << life.status.error().message;
    EXPECT_EQ(kafka.verdicts.size(), 4U);
    ASSERT_GE(warnings.size(), 2U);
    EXPECT_EQ(warnings.back().starts_with("index.age_max_hours: the journal tells a time that is "), is_far)
        << warnings.back();
    EXPECT_EQ(board.warning(), "");
  }
}

TEST(Forgetting, by_memory_stays_below_the_limit_and_is_replayed) {
  const RetentionOptions options{.bytes_max = std::size_t{20} << 20};
  MemoryKafka kafka = news(120'000);
  std::size_t most = 0;
  Sequence kept = 0;
  Sequence oldest = 0;
  const Life life = live_in(
      kafka, always_committed, 2000,
      {.interval = std::chrono::hours(1), .retention = options, .after_batch = [&](const Detector& detector) {
         most = std::max(most, detector.bytes());
         oldest = detector.oldest();
         kept = detector.size() - oldest;
       }});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(kafka.verdicts.size(), 120'000U);
  EXPECT_LT(most, options.bytes_max);
  EXPECT_GT(oldest, 30'000U);
  EXPECT_GT(kept, 45'000U) << "and no more is forgotten than needed";
  EXPECT_EQ(live(kafka, always_committed, 2000).state, life.state);
}

TEST(Forgetting, keeps_what_the_bound_says_behind_every_batch) {
  MemoryKafka counted = news(4 * kWindow);
  for (const Behind& behind : forget(counted, by_count()).behind) {
    EXPECT_EQ(behind.size - behind.oldest, std::min<Sequence>(behind.size, kWindow));
  }
  MemoryKafka aged = news(4 * kWindow);
  for (const Behind& behind : forget(aged, by_age()).behind) {
    const Sequence kept = behind.size - behind.oldest;
    EXPECT_GE(kept, std::min<Sequence>(behind.size, kWindow));
    EXPECT_LE(kept, kWindow + kWindow / 256 + kForgettingBatch);
  }
}

TEST(Forgetting, a_restart_changes_nothing_of_it) {
  for (const RetentionOptions& options : {by_count(), by_age()}) {
    MemoryKafka whole = news(3 * kWindow);
    const Forgetful undisturbed = forget(whole, options);
    MemoryKafka twice = news(3 * kWindow);
    const std::vector<MemoryRecord> input = twice.input[0];
    twice.input[0].resize(2 * kWindow);
    forget(twice, options);
    twice.input[0] = input;
    const Forgetful again = forget(twice, options);
    EXPECT_EQ(twice.verdicts, whole.verdicts);
    EXPECT_EQ(again.life.state, undisturbed.life.state);
    ASSERT_EQ(again.behind.size(), kWindow / kForgettingBatch + 1);
    EXPECT_EQ(again.behind[1].oldest, undisturbed.behind[2 * kWindow / kForgettingBatch + 1].oldest);
  }
}

TEST(Forgetting, bounds_that_are_taken_away_bring_nothing_back) {
  MemoryKafka kafka = news(2 * kWindow);
  const Forgetful bounded = forget(kafka, by_count());
  kafka.input[0].push_back(record_of(2 * kWindow, 0));
  const Forgetful unbounded = forget(kafka, {});
  EXPECT_EQ(unbounded.behind.front().state, bounded.behind.back().state);
  EXPECT_EQ(unbounded.behind.back().oldest, bounded.behind.back().oldest);
  EXPECT_EQ(kafka.verdicts.back().topic, OutputTopic::kUnique);
}

TEST(Forgetting, where_memory_must_not_be_freed_the_input_is_paused_and_the_service_lives) {
  MemoryKafka calm = news(5 * kWindow);
  MemoryKafka kafka = calm;
  ASSERT_TRUE(live(calm, always_committed, kForgettingBatch).status);
  const RetentionOptions options{.bytes_max = std::size_t{4} << 20, .at_bytes_max = MemoryPolicy::kStop};
  for (int life_number = 1; life_number <= 2; ++life_number) {
    SCOPED_TRACE(life_number);
    StateBoard board;
    MemorySource* source = nullptr;
    std::string warning;
    std::size_t went_on = 0;
    std::jthread operator_in_time;
    std::size_t bytes = 0;
    const Life life = live_in(
        kafka, always_committed, kForgettingBatch,
        {.prepare =
             [&](MemorySource& made) {
               source = &made;
               operator_in_time = std::jthread([&](const std::stop_token& end) {
                 while (!end.stop_requested() && board.warning().empty()) {
                   std::this_thread::sleep_for(std::chrono::milliseconds(5));
                 }
                 warning = board.warning();
                 std::this_thread::sleep_for(std::chrono::milliseconds(300));  // what is under way comes in
                 const std::size_t before = source->handed_out;
                 std::this_thread::sleep_for(std::chrono::milliseconds(300));
                 went_on = source->handed_out - before;
                 EXPECT_GT(source->idled, 0U) << "its client is not left alone";
                 EXPECT_LT(board.since_beat(), std::chrono::seconds(5));
                 source->on_end();
               });
             },
         .retention = options,
         .after_batch = [&](const Detector& detector) { bytes = detector.bytes(); },
         .board = &board});
    operator_in_time = {};
    ASSERT_TRUE(life.status) << life.status.error().message;
    EXPECT_NE(warning.find("index.memory_limit: "), std::string::npos) << warning;
    EXPECT_NE(warning.find("the input is paused"), std::string::npos) << warning;
    EXPECT_EQ(board.warning(), "");
    EXPECT_EQ(went_on, 0U);
    EXPECT_LT(bytes, options.bytes_max);
    EXPECT_GT(kafka.verdicts.size(), kWindow / 4);
    EXPECT_LT(kafka.verdicts.size(), calm.verdicts.size());
  }
  ASSERT_TRUE(live(kafka, always_committed, kForgettingBatch).status) << "with another limit it goes on";
  EXPECT_EQ(kafka.verdicts, calm.verdicts);
}

// Who watches counts from when it was last heard of, not from when the others took note of that.
TEST(Worker, is_silent_for_as_long_as_one_of_its_threads) {
  MemoryKafka kafka = crawl(10, 1, 1);
  StateBoard board;
  constexpr std::chrono::milliseconds kHangs{2000};
  std::chrono::nanoseconds silent{};
  const Life life = live(kafka, always_committed, 64, 1, 1 << 20, {},
                         {.prepare =
                              [&](MemorySource& source) {
                                source.on_end = [&, stop = source.on_end] {
                                  std::this_thread::sleep_for(kHangs);
                                  silent = std::max(silent, board.since_beat());
                                  stop();
                                };
                              },
                          .board = &board});
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_GE(silent, kHangs);
}

// Gathering and deciding end before the last batch is published, which may take long.
TEST(Worker, a_thread_that_has_ended_is_not_waited_for) {
  MemoryKafka kafka = crawl(10, 1, 1);
  StateBoard board;
  std::atomic<bool> is_stopping{false};
  StateBoard::Clock::time_point they_ended;
  const Life life = live(kafka,
                         [&] {
                           EXPECT_TRUE(eventually([&] { return is_stopping.load(); }));
                           std::this_thread::sleep_for(std::chrono::milliseconds(500));
                           they_ended = StateBoard::Clock::now();
                           return Fate::kCommitted;
                         },
                         64, 1, 1 << 20, {},
                         {.prepare =
                              [&](MemorySource& source) {
                                source.on_end = [&, stop = source.on_end] {
                                  stop();
                                  is_stopping = true;
                                };
                              },
                          .board = &board});
  ASSERT_TRUE(life.status) << life.status.error().message;
  const std::chrono::nanoseconds silent = board.since_beat();
  EXPECT_LT(silent, StateBoard::Clock::now() - they_ended) << "who publishes has beaten since";
}

TEST(Forgetting, a_restart_with_a_smaller_memory_limit_forgets_at_once_and_says_that_memory_stays) {
  MemoryKafka kafka = news(2 * kWindow);
  std::size_t bytes = 0;
  const Life first = live_in(kafka, always_committed, kForgettingBatch,
                             {.after_batch = [&](const Detector& detector) { bytes = detector.bytes(); }});
  ASSERT_TRUE(first.status);
  for (std::size_t i = 2 * kWindow; i < 3 * kWindow; ++i) kafka.input[0].push_back(record_of(i, i));
  StateBoard board;
  std::string warning;
  std::vector<std::uint64_t> kept;
  const Life second = live_in(kafka, always_committed, kForgettingBatch,
                              {.retention = {.bytes_max = bytes / 2},
                               .after_batch =
                                   [&](const Detector& detector) {
                                     warning = board.warning();
                                     kept.push_back(detector.remembered());
                                   },
                               .board = &board});
  ASSERT_TRUE(second.status) << second.status.error().message;
  EXPECT_NE(warning.find("index.memory_limit: "), std::string::npos) << warning;
  EXPECT_NE(warning.find("the oldest documents are forgotten"), std::string::npos) << warning;
  EXPECT_EQ(board.warning(), "");
  ASSERT_GT(kept.size(), 4U);
  for (const std::uint64_t uniques : std::span(kept).subspan(1)) EXPECT_LT(uniques, kWindow);
  EXPECT_GT(kept.back(), kWindow / 2) << "and no more than that";
  expect_one_verdict_each(kafka);
}

// ---- Documents known by their ids ----

MemoryRecord deletion_of(std::string id, std::size_t minute) {
  return {std::move(id), std::nullopt, static_cast<std::int64_t>(minute) * kMinuteMs};
}

MemoryRecord version_of(std::size_t document, std::size_t seed, std::size_t minute) {
  MemoryRecord record = record_of(document, seed);
  record.timestamp_ms = static_cast<std::int64_t>(minute) * kMinuteMs;
  return record;
}

// What is decided around a deletion, in one batch or in many.
MemoryKafka with_deletions() {
  MemoryKafka kafka;
  kafka.input = {{
      version_of(1, 10, 1),  // 0: unique
      version_of(1, 20, 2),  // 1: its revision
      version_of(2, 20, 3),  // 2: a duplicate of that
      deletion_of("d1", 4),  // 3: forgets both
      version_of(2, 20, 5),  // 4: unique: the text is new again
      version_of(1, 10, 6),  // 5: unique: nothing came before
      deletion_of("d1", 7),  // 6: forgets it
      deletion_of("d1", 8),  // 7: nothing is left
      deletion_of("", 9),    // 8: of nobody
      deletion_of(std::string(kIdBytesMax + 1, 'x'), 10),
      {std::nullopt, std::nullopt, 11},
      version_of(3, 20, 12),  // 11: a duplicate of 4
  }};
  return kafka;
}

TEST(ById, a_deletion_forgets_where_it_stands_and_is_told_with_the_uniques) {
  MemoryKafka kafka = with_deletions();
  const Life life = live_in(kafka, always_committed, 100, {.interval = std::chrono::hours(1), .by_id = true});
  ASSERT_TRUE(life.status) << life.status.error().message;
  ASSERT_EQ(kafka.journal.size(), 1U);
  expect_one_verdict_each(kafka);
  ASSERT_EQ(kafka.verdicts.size(), 12U);
  std::vector<ParsedVerdict> told;
  for (const MemoryVerdict& verdict : kafka.verdicts) {
    told.push_back(verdict.topic == OutputTopic::kDeadLetter ? ParsedVerdict{}
                                                             : *parse_verdict_json(*verdict.value));
  }
  EXPECT_FALSE(told[0].previous);
  EXPECT_EQ(told[1].relation, Relation::kRevision);
  ASSERT_TRUE(told[1].previous);
  EXPECT_EQ(told[1].previous->source, told[0].source);
  EXPECT_EQ(told[2].duplicate_of->source, told[1].source);
  EXPECT_EQ(
      *kafka.verdicts[3].value,
      R"({"id":"d1","verdict":"deleted","forgotten":2,"source":{"topic":"pages","partition":0,"offset":3},)"
      R"("event_time":"1970-01-01T00:04:00.000Z"})");
  EXPECT_EQ(kafka.verdicts[3].key, "d1");
  for (const std::size_t i : {3, 6, 7}) EXPECT_EQ(kafka.verdicts[i].topic, OutputTopic::kUnique) << i;
  EXPECT_EQ(told[4].seq, 2U);
  EXPECT_EQ(told[4].relation, Relation::kOther);
  EXPECT_EQ(told[5].seq, 3U);
  EXPECT_FALSE(told[5].previous);
  EXPECT_EQ(told[6].forgotten, 1U);
  EXPECT_EQ(told[7].forgotten, 0U);
  EXPECT_EQ(told[11].duplicate_of->source, told[4].source);
  const auto reason_of = [&](std::size_t i) {
    for (const auto& [name, value] : kafka.verdicts[i].headers)
      if (name == "neardup-reason") return value;
    return std::string();
  };
  EXPECT_EQ(reason_of(8), "missing_id");
  EXPECT_EQ(reason_of(9), "id_too_long");
  EXPECT_EQ(reason_of(10), "missing_id");
  EXPECT_EQ(life.counts.deleted, 3U);
  EXPECT_EQ(life.counts.forgotten, 3U);
  EXPECT_EQ(life.index.entries, 1U) << "of what was decided, one is remembered";

  const Result<JournalRecord> record = decode_journal_record(kafka.journal[0]);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->deletions, (std::vector<JournalDeletion>{{.behind = 2, .id = "d1", .forgotten = 2},
                                                             {.behind = 4, .id = "d1", .forgotten = 1},
                                                             {.behind = 4, .id = "d1", .forgotten = 0}}));
  EXPECT_EQ(record->counts.exact, 2U);
  ASSERT_EQ(record->clusters.size(), 1U) << "the cluster that was deleted gained nothing";
  EXPECT_EQ(record->clusters[0].leader, 2U);
}

TEST(ById, batches_change_nothing_of_it_and_a_restart_has_the_same_state) {
  MemoryKafka whole = with_deletions();
  const Circumstances by_id = {.interval = std::chrono::hours(1), .by_id = true};
  const Life undisturbed = live_in(whole, always_committed, 100, by_id);
  for (const std::size_t documents_max : {1, 2, 3, 5}) {
    MemoryKafka cut = with_deletions();
    EXPECT_EQ(live_in(cut, always_committed, documents_max, by_id).state, undisturbed.state);
    EXPECT_EQ(cut.verdicts, whole.verdicts) << documents_max;
    EXPECT_EQ(live_in(cut, always_committed, documents_max, by_id).state, undisturbed.state) << "read back";
  }
}

TEST(ById, without_it_a_record_without_a_value_is_a_dead_letter_and_a_journal_of_deletions_is_refused) {
  MemoryKafka kafka = with_deletions();
  const MemoryKafka input = kafka;
  const Life life = live(kafka, always_committed, 100);
  ASSERT_TRUE(life.status);
  EXPECT_EQ(life.counts.rejected[static_cast<std::size_t>(RejectReason::kNullValue)], 6U);
  EXPECT_EQ(kafka.verdicts[3].topic, OutputTopic::kDeadLetter);
  EXPECT_EQ(kafka.verdicts[3].key, "d1");
  EXPECT_EQ(kafka.verdicts[3].value, std::nullopt);
  const Life known = live_in(kafka, always_committed, 100, {.by_id = true});
  EXPECT_TRUE(known.status) << "a journal without deletions may be read by either";
  EXPECT_TRUE(live(kafka, always_committed, 100).status);

  MemoryKafka deleted = input;
  ASSERT_TRUE(live_in(deleted, always_committed, 100, {.by_id = true}).status);
  const Life refused = live(deleted, always_committed, 100);
  ASSERT_FALSE(refused.status);
  EXPECT_EQ(refused.status.error().code, ErrorCode::kContradiction);
  EXPECT_NE(refused.status.error().message.find("index.by_id: true"), std::string::npos)
      << refused.status.error().message;
}

TEST(ById, switched_on_over_a_journal_begun_without_it_a_deletion_finds_what_came_before) {
  MemoryKafka kafka;
  kafka.input = {{version_of(1, 10, 1), version_of(1, 20, 2)}};
  ASSERT_TRUE(live(kafka, always_committed, 100).status);
  kafka.input[0].push_back(deletion_of("d1", 3));
  kafka.input[0].push_back(version_of(2, 10, 4));
  const Life life = live_in(kafka, always_committed, 100, {.by_id = true});
  ASSERT_TRUE(life.status) << life.status.error().message;
  ASSERT_EQ(kafka.verdicts.size(), 4U);
  EXPECT_EQ(parse_verdict_json(*kafka.verdicts[2].value)->forgotten, 2U);
  EXPECT_EQ(parse_verdict_json(*kafka.verdicts[3].value)->verdict, Verdict::kUnique)
      << "the text is new again";
}

// The property that the service stands on: whatever goes wrong, the committed journal and verdicts are those
// of some undisturbed run: each record one verdict, and, since the order is fixed here, the very same bytes.
TEST(WorkerProperty, faults_and_crashes_change_no_verdict) {
  constexpr std::size_t kDocuments = 120;
  constexpr std::size_t kBatch = 16;
  constexpr std::size_t kFates = static_cast<std::size_t>(Fate::kCrashAfter) + 1;
  std::array<int, kFates> fates{};
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool by_id = seed % 2 == 0;
    MemoryKafka calm = crawl(kDocuments, 1, seed, by_id);
    MemoryKafka stormy = calm;
    ASSERT_TRUE(live_in(calm, always_committed, kBatch, {.by_id = by_id}).status);

    std::mt19937_64 random(seed * 1000003);
    Decisions decisions;
    const auto covered = [&] { return static_cast<std::size_t>(stormy.group_offsets[{stormy.topic, 0}]); };
    std::size_t start = 0;  // of this life
    std::size_t tried = 0;  // the batch behind this was to be committed last,
    int tries = 0;          // so often
    const auto storm = [&] {
      // Every commit finds the next batch sealed and the one behind it decided, if there are any.
      const std::size_t batch = (covered() - start) / kBatch;
      if (covered() + kBatch < kDocuments) {
        EXPECT_TRUE(decisions.wait_for_sealed(batch + 2));
      }
      if (covered() + 2 * kBatch < kDocuments) {
        EXPECT_TRUE(decisions.wait_for_decided(batch + 3));
      }
      EXPECT_LE(decisions.sealed(), batch + 2);
      tries = covered() == tried ? tries + 1 : 1;
      tried = covered();
      const std::uint64_t drawn = 1 + random() % (kFates + 7);  // one in three is committed
      Fate fate = drawn < kFates ? static_cast<Fate>(drawn) : Fate::kCommitted;
      // Producers enough in a row end a life. Before the next one works it would wait for what is open, as
      // `serve` does and no life here.
      const bool stays_open = fate == Fate::kStale || fate == Fate::kHidden || fate == Fate::kUnmarked ||
                              fate == Fate::kNotShown || fate == Fate::kLostOpen;
      if (stays_open && tries >= WorkerOptions().recycles_max) fate = Fate::kLost;
      ++fates[static_cast<std::size_t>(fate)];
      return fate;
    };
    for (int lives = 0;; ++lives) {
      ASSERT_LT(lives, 500);
      start = covered();
      const Life life =
          live_in(stormy, storm, kBatch, {.decisions = &decisions, .by_id = by_id, .looks = 10});
      if (life.crashed) continue;
      if (life.status) break;
      const ErrorCode why = life.status.error().code;
      ASSERT_TRUE(why == ErrorCode::kUnavailable || why == ErrorCode::kFenced) << life.status.error().message;
    }
    expect_one_verdict_each(stormy);
    // With one partition the order of decisions is the order of the input: the same verdicts, whatever the
    // batches.
    EXPECT_EQ(stormy.verdicts, calm.verdicts);
  }
  for (std::size_t fate = 0; fate < kFates; ++fate) EXPECT_GT(fates[fate], 0) << "fate " << fate;
}

}  // namespace
}  // namespace neardup
