#include "service/pipeline/rebuilding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

struct Memory {
  JournalChain chain;
  Detector detector{DetectorOptions{}};
  Retention retention{RetentionOptions{}};
};

TEST(Rebuilding, makes_the_memory_that_record_after_record_makes) {
  const std::vector<std::string> records = generated_records(40, 25);
  Memory slow;
  for (const std::string& bytes : records) {
    PreparedRecord record(slow.detector.options());
    ASSERT_TRUE(record.prepare(bytes, slow.chain));
    ASSERT_TRUE(record.remember(slow.detector, slow.retention));
  }
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
