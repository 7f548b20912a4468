#include "service/pipeline/worker.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>

#include "core/limits.h"
#include "service/codec/preset.h"
#include "service/codec/verdict_codec.h"
#include "service/pipeline/input_plan.h"
#include "service/pipeline/recovery.h"
#include "tests/support/generated_crawl.h"
#include "tests/support/memory_kafka.h"

namespace neardup {
namespace {

// A generated crawl, dealt to partitions at random.
MemoryKafka crawl(std::size_t documents, std::size_t partitions, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  MemoryKafka kafka;
  kafka.input.resize(partitions);
  std::int64_t time = 1000;
  for (GeneratedRecord& record :
       generate_crawl({.documents = documents, .families = documents / 4 + 1, .broken_share = .1}, seed)) {
    kafka.input[random() % partitions].push_back({std::move(record.key), std::move(record.value), ++time});
  }
  return kafka;
}

// One life of the service: restore, then work to the end of the input or until it dies.
struct Life {
  Status status;
  bool crashed = false;
  int recycles = 0;
  Digest128 state;
  BatchCounts counts;  // of its batches together
};

// Adds up what the worker counted.
class CountingProbe final : public Probe {
 public:
  explicit CountingProbe(BatchCounts& counts) : counts_(counts) {}
  void batch_committed(const BatchCounts& counts, BatchClosed) override {
    counts_.unique += counts.unique;
    counts_.exact += counts.exact;
    counts_.near += counts.near;
    for (std::size_t i = 0; i < std::size(counts.rejected); ++i) counts_.rejected[i] += counts.rejected[i];
    add(counts.document_bytes, counts_.document_bytes);
    add(counts.near_distance, counts_.near_distance);
    add(counts.lookup_candidates, counts_.lookup_candidates);
  }

 private:
  template <class T>
  static void add(const T& from, T& to) {
    for (std::size_t i = 0; i < from.buckets.size(); ++i) to.buckets[i] += from.buckets[i];
    to.sum += from.sum;
  }

  BatchCounts& counts_;
};

Life live(MemoryKafka& kafka, const std::function<Fate()>& fate, std::size_t documents_max, int threads = 1,
          std::size_t dead_letter_bytes_max = 1 << 20, const SignerOptions& signing = {}) {
  Life life;
  CountingProbe probe(life.counts);
  StateBoard board;
  MemoryLeadership leadership;
  MemorySource source(kafka);
  MemorySink sink(kafka, fate);
  MemoryLog log(kafka);
  JournalChain chain(signing.text());
  Detector detector(DetectorOptions{});
  const InputConfig input;
  const Result<Preset> preset = resolve_preset(input);
  CHECK(preset.ok(), "the default preset");
  SignerPool signers(threads, *preset, input, signing);
  std::stop_source stop;
  source.on_end = [&stop] { stop.request_stop(); };

  life.status = sink.recycle();
  if (life.status) life.status = restore(log, chain, detector, probe, board);
  if (!life.status) return life;
  const InputTopic topic{kafka.topic, {1}, static_cast<std::int32_t>(kafka.input.size())};
  const Result<InputPlan> plan = plan_input(chain, std::span(&topic, 1));
  if (!plan) {
    life.status = plan.error();
    return life;
  }
  if (life.status = source.assign(plan->positions); !life.status) return life;
  Worker worker({source, sink, log, leadership, signers, detector, chain, probe, board},
                {.interval = std::chrono::milliseconds(0),
                 .documents_max = documents_max,
                 .batch = {.dead_letter_bytes_max = dead_letter_bytes_max},
                 .read_back = std::chrono::milliseconds(1)},
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
  const BatchCounts counts = live(kafka, always_committed, 64).counts;
  const auto total = [](const auto& tally) {
    return std::accumulate(tally.buckets.begin(), tally.buckets.end(), std::uint64_t{0});
  };
  std::uint64_t bytes = 0;
  for (const auto& partition : kafka.input) {
    for (const MemoryRecord& record : partition) bytes += record.value.value_or("").size();
  }
  const std::uint64_t decided = counts.unique + counts.exact + counts.near;
  EXPECT_GT(counts.near, 0U);
  EXPECT_GT(counts.lookup_candidates.sum, 0U);
  EXPECT_EQ(total(counts.near_distance), counts.near);
  EXPECT_EQ(total(counts.lookup_candidates), decided);
  EXPECT_EQ(total(counts.document_bytes), 501U);
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

TEST(Worker, producers_that_never_get_a_batch_through_end_it) {
  MemoryKafka kafka = crawl(20, 1, 4);
  const Life life = live(kafka, [] { return Fate::kLost; }, 10);
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(kafka.verdicts.empty());
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

// The property that the service stands on: whatever goes wrong, the committed journal and verdicts are those
// of some undisturbed run: each record one verdict, and, since the order is fixed here, the very same bytes.
TEST(WorkerProperty, faults_and_crashes_change_no_verdict) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryKafka calm = crawl(120, 1, seed);
    MemoryKafka stormy = calm;
    ASSERT_TRUE(live(calm, always_committed, 16).status);

    std::mt19937_64 random(seed * 1000003);
    const auto storm = [&] {
      switch (random() % 12) {
        case 0:
          return Fate::kLost;
        case 1:
          return Fate::kThere;
        case 2:
          return Fate::kTimedOutInside;
        case 3:
          return Fate::kSilent;
        case 4:
          return Fate::kCrashBefore;
        case 5:
          return Fate::kCrashAfter;
        default:
          return Fate::kCommitted;
      }
    };
    for (int lives = 0;; ++lives) {
      ASSERT_LT(lives, 500);
      const Life life = live(stormy, storm, 16);
      if (life.crashed) continue;
      ASSERT_TRUE(life.status || life.status.error().code == ErrorCode::kUnavailable)
          << life.status.error().message;
      if (life.status) break;
    }
    expect_one_verdict_each(stormy);
    // With one partition the order of decisions is the order of the input: the same verdicts, whatever the
    // batches.
    EXPECT_EQ(stormy.verdicts, calm.verdicts);
  }
}

}  // namespace
}  // namespace neardup
