// The oracle of the chaos rounds says yes to a right run, and finds every planted mistake.

#include "tests/chaos/chaos_oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "core/detector.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/pipeline/batch.h"
#include "service/pipeline/signer_pool.h"
#include "service/snapshot/journal_store.h"
#include "tests/support/folder_test.h"
#include "tests/support/generated_crawl.h"

namespace neardup {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::int32_t kPartitions = 2;
constexpr std::size_t kBatches = 3;

KafkaTopics topics() { return {{"pages"}, "unique", "duplicate", "dead-letter", "journal"}; }

constexpr DetectorOptions kById{.by_id = true};

// What a right run leaves behind: batches of records of two partitions, in an order of their own.
CommittedReader::Content right_run(const DetectorOptions& options = {}) {
  const KafkaTopics names = topics();
  CommittedReader::Content content;
  MemoryKafka kafka;
  const std::vector<GeneratedRecord> crawl = generate_crawl({.documents = 120,
                                                             .families = 30,
                                                             .words = 30,
                                                             .broken_share = .05,
                                                             .pages = options.by_id ? std::size_t{40} : 0,
                                                             .deleted_share = options.by_id ? .15 : 0},
                                                            5);
  std::vector<Record> records;
  std::deque<std::vector<Header>> headers;
  for (std::size_t i = 0; i < crawl.size(); ++i) {
    const auto partition = static_cast<std::int32_t>(i % kPartitions);
    auto& kept = content[{"pages", partition}];
    const auto offset = static_cast<std::int64_t>(kept.size());
    kept.push_back(
        {.offset = offset, .record = {crawl[i].key, crawl[i].value, 0}, .headers = crawl[i].headers});
    Record& record = records.emplace_back();
    record.source = {0, partition, offset};
    if (crawl[i].key) record.key = *crawl[i].key;
    if (crawl[i].value) record.value = *crawl[i].value;
    std::vector<Header>& own = headers.emplace_back();
    for (const auto& [name, value] : crawl[i].headers) own.push_back({name, value});
    record.headers = own;
  }
  const InputConfig input;
  const Preset preset = resolve_preset(input);
  std::vector<Signed> documents(records.size());
  SignerPool(1, preset, input).run(records, documents);

  const std::vector<JournalTopic> journal_topics = {{"pages", {1}}};
  JournalChain chain;
  Detector detector{options};
  for (std::size_t b = 0; b < kBatches; ++b) {
    Batch batch(names.input, {});
    // One partition's share of the batch, then the other's: not the order in which they were sent.
    for (std::int32_t partition = kPartitions - 1; partition >= 0; --partition) {
      const std::size_t share = records.size() / kBatches;
      for (std::size_t i = b * share; i < (b + 1) * share; ++i) {
        if (records[i].source.partition != partition) continue;
        if (std::string_view id; options.by_id && !records[i].value && !read_deletion(records[i], id)) {
          batch.add_deleted(records[i], documents[i], id, detector.forget(id));
          continue;
        }
        if (documents[i].reason) {
          batch.add_rejected(records[i], *documents[i].reason);
          continue;
        }
        std::string kept;
        const Decision decision = detector.apply(documents[i].arrival(records[i].source), &kept);
        const bool duplicate = decision.verdict == Verdict::kDuplicate;
        std::optional<Unique> leader;
        std::optional<Unique> previous;
        if (decision.previous) previous = detector.unique(*decision.previous);
        ClusterState cluster;
        if (duplicate) {
          leader = detector.unique(decision.sequence);
          cluster = detector.cluster(decision.sequence);
        }
        batch.add_decided(
            records[i], documents[i], decision,
            {.leader = leader ? &*leader : nullptr, .previous = previous ? &*previous : nullptr}, cluster,
            kept);
      }
    }
    batch.seal(chain, journal_topics,
               {.journal = {7},
                .epoch = 0,
                .detector_options = detector.options().text(),
                .cluster_rule = detector.cluster_rule()},
               {});
    EXPECT_TRUE(chain.accept(batch.journal_record(), batch.journal_bytes()));
    kafka.commit(batch.transaction());
  }
  for (const std::string& bytes : kafka.journal)
    content[{"journal", 0}].push_back({.offset = 0, .record = {std::nullopt, bytes, 0}, .headers = {}});
  for (const MemoryVerdict& verdict : kafka.verdicts) {
    const std::string& topic = verdict.topic == OutputTopic::kUnique      ? names.unique
                               : verdict.topic == OutputTopic::kDuplicate ? names.duplicate
                                                                          : names.dead_letter;
    content[{topic, 0}].push_back(
        {.offset = 0, .record = {verdict.key, verdict.value, 0}, .headers = verdict.headers});
  }
  for (auto& [partition, kept] : content) {
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i].offset = static_cast<std::int64_t>(2 * i);
  }
  return content;
}

CommittedReader::Content without_input(CommittedReader::Content content) {
  std::erase_if(content, [](const auto& entry) { return entry.first.first == "pages"; });
  return content;
}

// What the oracle finds when both readers saw the planted mistake.
ChaosFindings after(const std::function<void(CommittedReader::Content&)>& plant,
                    const DetectorOptions& options = {}) {
  CommittedReader::Content content = right_run(options);
  plant(content);
  return check_chaos(topics(), content, without_input(content), options);
}

TEST(ChaosOracle, finds_nothing_in_a_right_run) {
  const ChaosFindings findings = after([](auto&) {});
  EXPECT_THAT(findings.violations, IsEmpty());
  EXPECT_EQ(findings.verdicts, 120U);
  EXPECT_EQ(findings.lost + findings.doubled + findings.wrong, 0U);
  const CommittedReader::Content content = right_run();
  for (const char* topic : {"unique", "duplicate", "dead-letter"})
    EXPECT_THAT(content.at({topic, 0}), Not(IsEmpty())) << topic;
}

// The first deletion that had something to forget.
std::string& deletion_in(CommittedReader::Content& content) {
  for (auto& record : content.at({"unique", 0})) {
    std::string& value = *record.record.value;
    if (value.find(R"("forgotten":1)") != std::string::npos) return value;
  }
  ADD_FAILURE() << "nothing was deleted";
  return *content.at({"unique", 0})[0].record.value;
}

TEST(ChaosOracle, finds_nothing_in_a_right_run_of_pages_that_come_again_and_are_deleted) {
  const ChaosFindings findings = after([](auto& content) { deletion_in(content); }, kById);
  EXPECT_THAT(findings.violations, IsEmpty());
  EXPECT_EQ(findings.verdicts, 120U);
}

TEST(ChaosOracle, finds_a_deletion_that_forgot_something_else) {
  const ChaosFindings findings = after(
      [](auto& content) {
        std::string& value = deletion_in(content);
        value.replace(value.find(R"("forgotten":1)"), 13, R"("forgotten":2)");
      },
      kById);
  EXPECT_GT(findings.wrong, 0U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("fits nowhere in the journal's order")));
}

TEST(ChaosOracle, finds_a_lost_verdict) {
  const ChaosFindings findings = after([](auto& content) { content.at({"duplicate", 0}).pop_back(); });
  EXPECT_EQ(findings.lost, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("have no verdict")));
}

TEST(ChaosOracle, finds_a_doubled_verdict) {
  const ChaosFindings findings = after([](auto& content) {
    auto& records = content.at({"dead-letter", 0});
    records.push_back(records.back());
  });
  EXPECT_EQ(findings.doubled, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("two verdicts")));
}

TEST(ChaosOracle, finds_a_changed_verdict) {
  const ChaosFindings findings = after([](auto& content) {
    std::string& value = *content.at({"unique", 0})[3].record.value;
    value.replace(value.find("http://example.org"), 18, "http://example.com");
  });
  EXPECT_EQ(findings.wrong, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("different")));
}

// The first record of `topic` that has such a header.
CommittedRecord& with_header(CommittedReader::Content& content, const char* topic, std::string_view name) {
  auto& records = content.at({topic, 0});
  const auto found = std::ranges::find_if(records, [&](const CommittedRecord& record) {
    return std::ranges::any_of(record.headers, [&](const auto& header) { return header.first == name; });
  });
  if (found != records.end()) return *found;
  ADD_FAILURE() << "no record of " << topic << " has the header " << name;
  return records[0];
}

TEST(ChaosOracle, finds_a_verdict_whose_header_says_something_else) {
  const ChaosFindings findings = after([](auto& content) {
    std::string& says = with_header(content, "duplicate", "neardup").headers.front().second;
    says.back() = says.back() == '0' ? '1' : '0';
  });
  EXPECT_EQ(findings.wrong, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("different")));
}

TEST(ChaosOracle, finds_a_verdict_without_the_trace_of_its_record) {
  const ChaosFindings findings =
      after([](auto& content) { with_header(content, "unique", "traceparent").headers.pop_back(); });
  EXPECT_EQ(findings.wrong, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("different")));
}

TEST(ChaosOracle, finds_a_verdict_with_a_header_that_is_not_its_own) {
  const ChaosFindings findings =
      after([](auto& content) { content.at({"unique", 0})[3].headers.emplace_back("crawler", "spider-0"); });
  EXPECT_EQ(findings.wrong, 1U);
}

TEST(ChaosOracle, finds_a_dead_letter_of_another_key) {
  const ChaosFindings findings =
      after([](auto& content) { content.at({"dead-letter", 0})[0].record.key = "k"; });
  EXPECT_EQ(findings.wrong, 1U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("should be a dead letter")));
}

TEST(ChaosOracle, finds_a_dead_letter_that_lost_a_header) {
  const ChaosFindings findings = after([](auto& content) {
    auto& headers = with_header(content, "dead-letter", "crawler").headers;
    std::erase_if(headers, [](const auto& header) { return header.first == "crawler"; });
  });
  EXPECT_EQ(findings.wrong, 1U);
}

TEST(ChaosOracle, finds_a_verdict_on_nothing) {
  const ChaosFindings findings = after([](auto& content) {
    std::string& value = *content.at({"unique", 0})[3].record.value;
    const std::size_t at = value.find("\"offset\":") + 9;
    value.insert(at, "9000");
  });
  EXPECT_GT(findings.wrong, 0U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("about nothing that was sent")));
}

TEST(ChaosOracle, finds_verdicts_out_of_their_partitions_order) {
  const ChaosFindings findings = after([](auto& content) {
    auto& records = content.at({"unique", 0});
    std::swap(records.front(), records.back());
  });
  EXPECT_THAT(findings.violations, Contains(HasSubstr("out of order")));
}

TEST(ChaosOracle, finds_a_journal_record_that_is_gone) {
  const ChaosFindings findings = after([](auto& content) {
    auto& journal = content.at({"journal", 0});
    journal.erase(journal.begin() + 1);
  });
  EXPECT_THAT(findings.violations, Contains(HasSubstr("journal record 1")));
}

TEST(ChaosOracle, finds_a_journal_that_remembers_something_else) {
  const ChaosFindings findings = after([](auto& content) {
    std::string& last = *content.at({"journal", 0}).back().record.value;
    const std::string before = last;
    Result<JournalRecord> batch = decode_journal_record(before);
    ASSERT_TRUE(batch) << batch.error().message;
    ASSERT_THAT(batch->uniques, Not(IsEmpty()));
    batch->uniques.back().url = "http://example.com/";
    last = encode_journal_record(*batch);
  });
  EXPECT_EQ(findings.wrong, 0U);
  EXPECT_THAT(findings.violations, Contains(HasSubstr("restores another state")));
}

TEST(ChaosOracle, tells_where_the_journal_goes_on) {
  EXPECT_THAT(after([](auto&) {}).positions, UnorderedElementsAre(Pair(0, 60), Pair(1, 60)));
}

class ChaosSnapshot : public FolderTest {
 protected:
  ChaosSnapshot() : journal_(right_run().at({"journal", 0})) {
    const Result<std::unique_ptr<JournalStore>> store = JournalStore::open(at(), "");
    EXPECT_TRUE(store);
    EXPECT_TRUE((*store)->resume(JournalChain()));
    for (const CommittedRecord& record : journal_)
      EXPECT_TRUE((*store)->append(*record.record.value, record.offset + 1));
    EXPECT_TRUE((*store)->commit());
  }

  std::string at() const { return (folder_ / "snapshot").string(); }

  std::vector<CommittedRecord> journal_;
};

TEST_F(ChaosSnapshot, that_holds_what_the_journal_does_is_right) {
  EXPECT_EQ(check_snapshot(at(), journal_), "");
  journal_.push_back(journal_.back());
  EXPECT_EQ(check_snapshot(at(), journal_), "") << "it may be behind";
  EXPECT_EQ(check_snapshot(at() + "-of-nobody", journal_), "");
}

TEST_F(ChaosSnapshot, that_holds_another_record_is_wrong) {
  std::vector<CommittedRecord> other = journal_;
  std::string& bytes = *other[1].record.value;
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(check_snapshot(at(), other), HasSubstr("holds as record 1 another"));
  other = journal_;
  ++other[1].offset;
  EXPECT_THAT(check_snapshot(at(), other), HasSubstr("holds as record 1 one from another place"));
  other = journal_;
  other.pop_back();
  EXPECT_THAT(check_snapshot(at(), other), HasSubstr("holds as record 2 what the journal does not have"));
}

TEST_F(ChaosSnapshot, that_is_damaged_is_wrong) {
  const std::string path = at() + "/" + segment_name(0);
  std::string bytes = read(path);
  char& byte = bytes[bytes.size() / 2];
  byte = static_cast<char>(byte ^ 1);
  write("snapshot/" + segment_name(0), bytes);
  EXPECT_THAT(check_snapshot(at(), journal_), HasSubstr(segment_name(0)));
}

TEST(ChaosOracle, finds_a_reader_that_saw_something_else) {
  const CommittedReader::Content content = right_run();
  CommittedReader::Content live = without_input(content);
  live.at({"unique", 0}).pop_back();
  live.at({"duplicate", 0}).front().offset = 1;
  const ChaosFindings findings = check_chaos(topics(), content, live, {});
  EXPECT_THAT(findings.violations, Contains(HasSubstr("one that came later")));
  EXPECT_THAT(findings.violations, Contains(HasSubstr("saw another record at duplicate:0@1")));
}

}  // namespace
}  // namespace neardup
