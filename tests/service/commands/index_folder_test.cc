#include "service/commands/index_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/limits.h"
#include "service/snapshot/stored_records.h"
#include "tests/support/folder_test.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

std::vector<std::string> names(std::size_t count, std::size_t bytes) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(std::to_string(i));
    made.back().resize(bytes, 'x');
  }
  return made;
}

// A folder of files with one document each is as usual as one file with many lines.
TEST(ScanRecordRoom, a_record_has_as_many_documents_however_many_names_came_before) {
  const std::vector<std::string> files = names(200'000, 30);
  ScanRecordRoom room;
  std::size_t records = 0;
  for (std::uint32_t topic = 0; topic < files.size(); ++topic) {
    if (!room.take(topic, files, 200)) continue;
    ++records;
    room.clear();
  }
  EXPECT_EQ(records, files.size() / ScanRecordRoom::kDocumentsMax);
}

TEST(ScanRecordRoom, a_record_ends_before_its_documents_could_be_too_large) {
  const std::vector<std::string> files = names(1, 30);
  ScanRecordRoom room;
  std::size_t documents = 1;
  while (!room.take(0, files, kJournalEntryBytesMax)) ++documents;
  EXPECT_LE((documents + 1) * kJournalEntryBytesMax, kJournalRecordBytesMax);
  EXPECT_GE((documents + 3) * kJournalEntryBytesMax, kJournalRecordBytesMax);
}

class ScanJournalTest : public FolderTest {
 protected:
  std::string at() const { return (folder_ / "index").string(); }

  struct Index {
    JournalChain chain;
    Detector detector{DetectorOptions{}};
    Retention retention{RetentionOptions{}};
    std::unique_ptr<ScanJournal> journal;
  };
  void open(Index& index) const {
    auto opened = ScanJournal::open(at(), index.chain, index.detector, index.retention, 1);
    ASSERT_TRUE(opened) << opened.error().message;
    index.journal = *std::move(opened);
  }
};

// Paths may have 4096 bytes: what a record cannot hold is told, and what was written before is there.
TEST_F(ScanJournalTest, more_names_than_a_record_can_hold_are_refused_and_leave_a_whole_index) {
  const std::vector<std::string> files = names(13'000, 4000);
  Index index;
  open(index);
  index.journal->add_rejected({.topic = 9});
  ASSERT_TRUE(index.journal->end_record(0, 0, files));
  index.journal->add_rejected({.topic = 12'999});
  const Status refused = index.journal->end_record(0, 0, files);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  ASSERT_TRUE(index.journal->finish());
  index.journal.reset();
  Index again;
  open(again);
  EXPECT_EQ(again.chain.next_number(), 1U);
  EXPECT_EQ(again.chain.topics().size(), 10U);
}

// Its positions are offsets, with the mark of a transaction behind each record.
TEST_F(ScanJournalTest, a_service_s_index_is_refused_and_left_as_it_is) {
  {
    auto store = JournalStore::open(at(), "");
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->resume(JournalChain()));
    std::int64_t position = 1;
    for (const std::string& record : generated_records(3, 2)) {
      ASSERT_TRUE((*store)->append(record, position));
      position += 2;
    }
    ASSERT_TRUE((*store)->commit());
  }
  const auto before = files_in(at());
  Index index;
  const auto opened = ScanJournal::open(at(), index.chain, index.detector, index.retention, 1);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kContradiction);
  EXPECT_EQ(opened.error().message, at() + ": the index is a service's: ask it with --against");
  EXPECT_TRUE(files_in(at()) == before);
  Index asked;
  const Status loaded = load_index(at(), asked.chain, asked.detector, asked.retention, 1);
  EXPECT_TRUE(loaded) << loaded.error().message;
}

// Frames are whole, of another index that began alike.
TEST_F(ScanJournalTest, whole_records_that_are_not_those_promised_are_damage) {
  const auto scan = [&](std::int64_t offset) {
    Index index;
    open(index);
    index.journal->add_rejected({.offset = 0});
    EXPECT_TRUE(index.journal->end_record(0, 0, {"file"}));
    index.journal->add_rejected({.offset = offset});
    EXPECT_TRUE(index.journal->end_record(0, 0, {"file"}));
    EXPECT_TRUE(index.journal->finish());
  };
  scan(2);
  const std::string segment = at() + "/" + segment_name(0);
  const std::string others = (folder_ / "others").string();
  std::filesystem::rename(segment, others);
  std::filesystem::remove_all(at());
  scan(1);
  ASSERT_EQ(std::filesystem::file_size(others), std::filesystem::file_size(segment));
  std::filesystem::rename(others, segment);
  const auto before = files_in(at());
  const std::string why = at() +
                          ": the index is damaged: the last record is another than the manifest says. Bring "
                          "back a copy of it, or remove the folder and scan again";
  Index index;
  const auto opened = ScanJournal::open(at(), index.chain, index.detector, index.retention, 1);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, why);
  EXPECT_TRUE(files_in(at()) == before);
  Index asked;
  const Status loaded = load_index(at(), asked.chain, asked.detector, asked.retention, 1);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, why);
}

// What one scan left, another goes on with: also where that one began with other files.
TEST_F(ScanJournalTest, an_index_is_a_scan_s_after_any_number_of_runs) {
  std::vector<std::string> files;
  for (std::uint32_t run = 0; run < 3; ++run) {
    Index index;
    open(index);
    ASSERT_EQ(index.chain.topics().size(), run);
    files.push_back("file-" + std::to_string(run));
    index.journal->add_rejected({.topic = run});
    ASSERT_TRUE(index.journal->end_record(0, 0, files));
    ASSERT_TRUE(index.journal->finish());
  }
}

}  // namespace
}  // namespace neardup
