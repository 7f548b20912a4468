#include "service/pipeline/rebuilding.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/fingerprint/signer.h"

#include "tests/support/allocated.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

struct Memory {
  explicit Memory(const DetectorOptions& options = {}) : detector(options) {}

  JournalChain chain;
  Detector detector;
  Retention retention{RetentionOptions{}};
};

void remember(const std::string& bytes, Memory& memory) {
  const auto record = accept_record(bytes, memory.chain);
  ASSERT_TRUE(record) << record.error().message;
  RecordPortion portion(memory.detector.options());
  ASSERT_TRUE(remember_record(*record, portion, memory.detector, memory.retention));
}

TEST(Rebuilding, makes_the_memory_that_record_after_record_makes) {
  const std::vector<std::string> records = generated_records(40, 25);
  Memory slow;
  for (const std::string& bytes : records) remember(bytes, slow);
  for (const int threads : {1, 2, 3}) {
    Memory fast;
    Rebuilding rebuilding(fast.chain, fast.detector, fast.retention, threads);
    for (const std::string& bytes : records) {
      ASSERT_TRUE(rebuilding.take(std::string(bytes))) << "its bytes are gone when it returns";
      ASSERT_EQ(fast.chain.last_digest(), digest128(bytes)) << "the chain is the caller's";
    }
    ASSERT_TRUE(rebuilding.finish());
    EXPECT_EQ(fast.detector.size(), 1000U);
    EXPECT_EQ(fast.detector.state_digest(), slow.detector.state_digest());
    EXPECT_EQ(fast.chain.next_number(), 40U);
  }
}

// At the seams of its portions, too.
TEST(Rebuilding, of_a_large_record_forgets_each_document_at_its_place) {
  constexpr std::size_t kUniques = 2 * RecordPortion::kCountMax + 100;
  const std::string generated = generated_records(1, kUniques)[0];
  JournalRecord record = *decode_journal_record(generated);
  record.clusters.clear();
  record.counts.near = 0;
  constexpr std::size_t kSeam = RecordPortion::kCountMax;
  struct Deleted {
    std::size_t behind;
    std::size_t document;
    std::uint64_t forgotten;
  };
  const std::vector<Deleted> deleted = {{1, 0, 1},        {kSeam - 1, kSeam - 1, 0},  {kSeam, kSeam - 1, 1},
                                        {kSeam, 7, 1},    {kSeam, kSeam, 0},          {kSeam + 1, kSeam, 1},
                                        {kUniques, 0, 0}, {kUniques, kUniques - 1, 1}};
  std::vector<std::string> ids;
  for (const Deleted& one : deleted) ids.push_back("document-" + std::to_string(one.document));
  for (std::size_t i = 0; i < deleted.size(); ++i)
    record.deletions.push_back(
        {.behind = deleted[i].behind, .id = ids[i], .forgotten = deleted[i].forgotten});
  record.counts.deleted = record.deletions.size();
  const std::string bytes = encode_journal_record(record);

  const DetectorOptions options = {.by_id = true};
  Detector plain(options);
  std::size_t at = 0;
  for (const JournalDeletion& deletion : record.deletions) {
    ASSERT_TRUE(plain.restore(std::span(record.uniques).subspan(at, deletion.behind - at)));
    at = deletion.behind;
    ASSERT_EQ(plain.forget(deletion.id).size(), deletion.forgotten) << deletion.id;
  }
  for (const int threads : {1, 2, 3}) {
    Memory memory(options);
    Rebuilding rebuilding(memory.chain, memory.detector, memory.retention, threads);
    ASSERT_TRUE(rebuilding.take(bytes));
    ASSERT_TRUE(rebuilding.finish());
    EXPECT_EQ(memory.detector.size(), kUniques);
    EXPECT_EQ(memory.detector.state_digest(), plain.state_digest());
  }
}

// A record of the uniques that `options` make of as many texts of so many letters, all of them different.
std::string record_of(const DetectorOptions& options, std::size_t texts, std::size_t letters) {
  SignerOptions signing;
  signing.routes = options.routes();
  signing.layout = options.layout();
  Signer signer(signing);
  Detector detector(options);
  JournalEncoder encoder;
  std::mt19937_64 random(letters);
  for (std::size_t i = 0; i < texts; ++i) {
    Document document;
    document.id = "d" + std::to_string(i);
    for (std::size_t at = 0; at < letters; ++at)
      document.body += "abcdefghijklmnopqrstuvwxyz  "[random() % 28];
    Signature signature;
    RouteSignature route;
    EXPECT_EQ(signer.sign(document, signature, route), std::nullopt);
    std::string kept;
    const Decision decision = detector.apply(
        {.id = document.id, .url = {}, .source = {}, .signature = signature, .route = &route}, &kept);
    EXPECT_EQ(decision.verdict, Verdict::kUnique);
    encoder.add({.id = document.id, .url = {}, .source = {}, .signature = signature, .kept = kept});
  }
  const std::string name = "pages";
  const std::string by = options.text();
  const std::string signed_by = signing.text();
  JournalRecord record;
  record.counts.unique = encoder.uniques();
  record.detector_options = by;
  record.signature_options = signed_by;
  record.topics = {{name, {1}}};
  record.positions = {{0, 0, 0, static_cast<std::int64_t>(texts), 0}};
  return std::string(encoder.encode(record));
}

// What a record's uniques are signed to is many times what the record has of them, and a start has it beside
// the index.
TEST(Rebuilding, of_a_large_record_prepares_a_portion_at_a_time) {
  if (allocated() == 0) GTEST_SKIP() << "the allocator does not tell";
  struct Case {
    DetectorOptions options;
    std::size_t texts;
    std::size_t letters;
  };
  for (const auto& [options, texts, letters] :
       {Case{.options = {}, .texts = 20'000, .letters = 30},
        Case{.options = {.mode = DetectorMode::kMgram}, .texts = 4'000, .letters = 800}}) {
    SCOPED_TRACE(options.text());
    const std::string bytes = record_of(options, texts, letters);
    SignerOptions signing;
    signing.routes = options.routes();
    signing.layout = options.layout();
    JournalChain chain(signing.text());
    const auto record = accept_record(bytes, chain);
    ASSERT_TRUE(record) << record.error().message;
    RecordPortion portion(options);
    const std::size_t before = allocated();
    std::size_t portions = 0;
    std::size_t begin = 0;
    do {
      ASSERT_TRUE(portion.prepare(*record, begin));
      ASSERT_GT(portion.end(), begin);
      begin = portion.end();
      ++portions;
      EXPECT_LT(allocated() - before, std::size_t{48} << 20);
    } while (!portion.is_last());
    EXPECT_EQ(begin, texts);
    EXPECT_GT(portions, 2U);
  }
}

TEST(Rebuilding, refuses_a_record_that_does_not_follow_and_remembers_those_before) {
  const std::vector<std::string> records = generated_records(9, 25);
  Memory memory;
  Rebuilding rebuilding(memory.chain, memory.detector, memory.retention);
  for (std::size_t i = 0; i < 7; ++i) ASSERT_TRUE(rebuilding.take(records[i]));
  const Status status = rebuilding.take(records[8]);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
  ASSERT_TRUE(rebuilding.finish());
  EXPECT_EQ(memory.detector.size(), 7 * 25U);
}

// The journal is sound, but of a detector that keeps something else.
TEST(Rebuilding, tells_what_the_detector_refuses) {
  const std::vector<std::string> records = generated_records(2, 5);
  JournalChain chain;
  Detector detector(DetectorOptions{.mode = DetectorMode::kMgram});
  Retention retention{RetentionOptions{}};
  Rebuilding rebuilding(chain, detector, retention);
  const Status status = rebuilding.take(records[0]);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(status.error().message.find("record 0"), std::string::npos) << status.error().message;
}

TEST(Rebuilding, nothing_is_lost_if_nobody_waits) {
  const std::vector<std::string> records = generated_records(3, 25);
  Memory memory;
  {
    Rebuilding rebuilding(memory.chain, memory.detector, memory.retention);
    for (const std::string& bytes : records) ASSERT_TRUE(rebuilding.take(bytes));
  }
  EXPECT_EQ(memory.detector.size(), 75U);
}

}  // namespace
}  // namespace neardup
