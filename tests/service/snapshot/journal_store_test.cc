#include "service/snapshot/journal_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/folder_test.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Of the record with this number, as a log with a mark behind each transaction has it.
std::int64_t position_of(std::uint64_t number) { return static_cast<std::int64_t>(2 * number + 1); }

class JournalStoreTest : public FolderTest {
 protected:
  std::string at() const { return (folder_ / "snapshot").string(); }

  std::unique_ptr<JournalStore> open(StoreOptions options = {}) {
    Result<std::unique_ptr<JournalStore>> store = JournalStore::open(at(), "", options);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return *std::move(store);
  }

  // Reads what is there, as a service that starts does, and makes the store ready to append.
  static std::vector<std::string> start(JournalStore& store) {
    std::vector<std::string> records;
    JournalChain chain;
    const Status status = store.read([&](const StoredRecord& record) -> Status {
      EXPECT_EQ(record.number, records.size());
      EXPECT_EQ(record.position, position_of(record.number));
      const Result<JournalRecord> decoded = decode_journal_record(record.bytes);
      EXPECT_TRUE(decoded.ok());
      if (Status accepted = chain.accept(*decoded, record.bytes); !accepted) return accepted;
      records.emplace_back(record.bytes);
      return {};
    });
    EXPECT_TRUE(status) << status.error().message;
    const Status resumed = store.resume(chain);
    EXPECT_TRUE(resumed) << resumed.error().message;
    return records;
  }

  static Status append(JournalStore& store, const std::vector<std::string>& records, std::size_t end) {
    while (store.next_number() < end) {
      const std::uint64_t number = store.next_number();
      if (Status status = store.append(records[number], position_of(number)); !status) return status;
    }
    return {};
  }

  // A folder with these records, as a good stop leaves it.
  void fill(const std::vector<std::string>& records, StoreOptions options = {}) {
    const auto store = open(options);
    start(*store);
    ASSERT_TRUE(append(*store, records, records.size()));
    ASSERT_TRUE(store->commit());
  }

  std::map<std::string, std::string> files() const { return files_in(at()); }
  void put(const std::map<std::string, std::string>& all) {
    std::filesystem::remove_all(at());
    for (const auto& [name, bytes] : all) write("snapshot/" + name, bytes);
  }

  // As far as it can be read, without touching it: a disk that is shared takes its time for each fsync.
  std::vector<std::string> readable() const {
    std::vector<std::string> read;
    Result<StoredRecords> records = StoredRecords::open(at());
    if (!records) return read;
    while (const std::optional<StoredRecord> record = records->next()) read.emplace_back(record->bytes);
    if (read.size() < records->manifest().records) {
      EXPECT_TRUE(records->damage().any());
    }
    return read;
  }

  // In place: a file that is written anew would have to reach the disk.
  void flip(const std::string& name, std::size_t at_byte, int bits) const {
    std::fstream file(at() + "/" + name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at_byte));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at_byte));
    file.put(static_cast<char>(byte ^ bits));
  }

  static void expect_prefix(const std::vector<std::string>& read, const std::vector<std::string>& records) {
    ASSERT_LE(read.size(), records.size());
    for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], records[i]);
  }
};

TEST_F(JournalStoreTest, what_was_committed_is_read_back_and_goes_on) {
  const std::vector<std::string> records = generated_records(40, 3);
  const auto half = std::vector<std::string>(records.begin(), records.begin() + 20);
  fill(half);
  {
    const auto store = open();
    EXPECT_EQ(store->committed().records, 20U);
    EXPECT_EQ(store->committed().uniques, 60U);
    EXPECT_EQ(start(*store), half);
    ASSERT_TRUE(append(*store, records, 40));
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(start(*open()), records);
}

// Whoever began it fell back, or died, before its first record was there for good.
TEST_F(JournalStoreTest, a_segment_without_a_record_is_no_promise_of_a_journal) {
  const std::vector<std::string> one = generated_records(2, 3, 1);
  const std::vector<std::string> other = generated_records(4, 3, 2);
  {
    const auto store = open();
    start(*store);
    ASSERT_TRUE(append(*store, one, 2));
    ASSERT_TRUE(store->fall_back());
    EXPECT_EQ(store->next_number(), 0U);
    ASSERT_EQ(store->committed().segments.size(), 1U) << "begun, and empty";
  }
  fill(other);
  const Result<StoredRecords> stored = StoredRecords::open(at());
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->manifest().journal, decode_journal_record(other[0])->journal);
  EXPECT_EQ(start(*open()), other);
}

TEST_F(JournalStoreTest, segments_are_bounded_and_two_manifests_are_kept) {
  const std::vector<std::string> records = generated_records(60, 4);
  fill(records, {.segment_bytes_max = 2000});
  const Result<SnapshotFiles> found = snapshot_files(at());
  ASSERT_TRUE(found);
  EXPECT_GT(found->segments.size(), 5U);
  EXPECT_EQ(found->manifests.size(), 2U);
  for (const auto& [name, bytes] : files()) {
    if (name.starts_with("segment-")) {
      EXPECT_LE(bytes.size(), 2000U) << name;
    }
  }
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, a_record_larger_than_a_segment_gets_one_of_its_own) {
  const std::vector<std::string> records = generated_records(3, 100);
  fill(records, {.segment_bytes_max = 100});
  EXPECT_EQ(snapshot_files(at())->segments.size(), 3U);
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, what_was_appended_and_not_committed_is_read_after_a_kill) {
  const std::vector<std::string> records = generated_records(10, 3);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(append(*store, records, 10));
  const auto as_killed = files();  // no commit, no good end
  put(as_killed);
  EXPECT_EQ(readable(), records);
}

// An fsync may have failed for it: then it reads well, no later fsync writes it, and to promise it would be
// false.
TEST_F(JournalStoreTest, what_nobody_promised_is_cut_off_at_a_start_and_written_anew) {
  const std::vector<std::string> records = generated_records(10, 3);
  const auto four = std::vector<std::string>(records.begin(), records.begin() + 4);
  std::map<std::string, std::string> as_promised;
  std::map<std::string, std::string> as_killed;
  {
    const auto store = open();
    start(*store);
    ASSERT_TRUE(append(*store, records, 4));
    ASSERT_TRUE(store->commit());
    as_promised = files();
    ASSERT_TRUE(append(*store, records, 10));
    as_killed = files();
  }
  put(as_killed);
  ASSERT_EQ(readable(), records);
  const auto store = open();
  EXPECT_EQ(start(*store), four);
  EXPECT_EQ(files(), as_promised);
  EXPECT_EQ(store->next_number(), 4U);
  EXPECT_EQ(store->position(), position_of(3));
  ASSERT_TRUE(append(*store, records, 10));
  EXPECT_EQ(files().at(segment_name(0)), as_killed.at(segment_name(0)));
}

TEST_F(JournalStoreTest, what_was_begun_and_promised_without_a_record_is_begun_again) {
  const std::vector<std::string> records = generated_records(3, 3);
  {
    const auto store = open();
    start(*store);
    ASSERT_TRUE(append(*store, records, 3));  // the promise is of a segment without a record
  }
  const auto store = open();
  EXPECT_TRUE(start(*store).empty());
  EXPECT_FALSE(store->damage().any());
  ASSERT_TRUE(append(*store, records, 3));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(readable(), records);
}

TEST_F(JournalStoreTest, the_same_records_make_the_same_bytes_however_often_it_was_stopped) {
  const std::vector<std::string> records = generated_records(50, 3);
  fill(records, {.segment_bytes_max = 3000});
  const auto at_once = files();
  std::filesystem::remove_all(at());
  for (const std::size_t end : {0, 1, 7, 7, 30, 50}) {
    const auto store = open({.segment_bytes_max = 3000});
    start(*store);
    ASSERT_TRUE(append(*store, records, end));
    ASSERT_TRUE(store->commit());
  }
  for (const auto& [name, bytes] : files()) {
    if (name.starts_with("segment-")) {
      EXPECT_EQ(bytes, at_once.at(name)) << name;
    }
  }
}

TEST_F(JournalStoreTest, a_file_cut_at_any_byte_gives_the_records_before_it_and_goes_on) {
  const std::vector<std::string> records = generated_records(6, 2);
  fill(records);
  const auto whole = files();
  const std::string segment = segment_name(0);
  const std::string& bytes = whole.at(segment);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto cut = whole;
    cut[segment].resize(size);
    put(cut);
    const std::vector<std::string> read = readable();
    ASSERT_LT(read.size(), records.size());
    expect_prefix(read, records);
    if (size % 199 != 0) continue;
    const auto store = open();
    ASSERT_EQ(start(*store), read);
    ASSERT_TRUE(append(*store, records, records.size()));
    ASSERT_TRUE(store->commit());
    ASSERT_EQ(files().at(segment), bytes) << "cut at " << size;
  }
}

TEST_F(JournalStoreTest, a_flipped_bit_anywhere_never_gives_a_wrong_record) {
  const std::vector<std::string> records = generated_records(12, 2);
  fill(records, {.segment_bytes_max = 700});
  const auto whole = files();
  std::size_t shorter = 0;
  for (const auto& [name, bytes] : whole) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      flip(name, i, 1 << (i % 8));
      const std::vector<std::string> read = readable();
      flip(name, i, 1 << (i % 8));
      expect_prefix(read, records);
      shorter += read.size() < records.size() ? 1 : 0;
      if (name.starts_with("segment-")) {
        EXPECT_LT(read.size(), records.size()) << name << " byte " << i;
      }
    }
  }
  EXPECT_GT(shorter, 100U);
}

TEST_F(JournalStoreTest, with_both_manifests_damaged_it_begins_anew_and_is_whole_again) {
  const std::vector<std::string> records = generated_records(12, 2);
  fill(records, {.segment_bytes_max = 700});
  auto damaged = files();
  for (auto& [name, bytes] : damaged) {
    if (name.starts_with("manifest-")) bytes[bytes.size() / 2] ^= 1;
  }
  put(damaged);
  {
    const auto store = open({.segment_bytes_max = 700});
    EXPECT_TRUE(start(*store).empty());
    ASSERT_TRUE(append(*store, records, 12));
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, each_reading_tells_of_what_it_met_itself) {
  fill(generated_records(12, 2), {.segment_bytes_max = 700});
  const std::string segment = at() + "/" + segment_name(snapshot_files(at())->segments.at(1));
  const std::string away = segment + "-away";
  std::filesystem::rename(segment, away);
  std::filesystem::create_symlink(segment, segment);
  const auto store = JournalStore::open(at(), "");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto damage_of_reading = [&] {
    EXPECT_TRUE((*store)->read([](const StoredRecord&) -> Status { return {}; }));
    return (*store)->damage();
  };
  const Damage first = damage_of_reading();
  EXPECT_TRUE(first.is_unread);
  EXPECT_EQ(damage_of_reading().clauses, first.clauses);
  std::filesystem::rename(away, segment);
  EXPECT_FALSE(damage_of_reading().any());
}

// A link to itself is what no right can read: the disk gives an error, and what lies there may be whole.
TEST_F(JournalStoreTest, a_manifest_that_cannot_be_read_costs_no_segment) {
  const std::vector<std::string> records = generated_records(12, 2);
  fill(records, {.segment_bytes_max = 700});
  const auto whole = files();
  std::vector<std::uint64_t> unread = snapshot_files(at())->manifests;
  ASSERT_EQ(unread.size(), 2U);
  for (; !unread.empty(); unread.erase(unread.begin())) {  // both, then the newest alone
    put(whole);
    for (const std::uint64_t generation : unread) {
      const std::string path = at() + "/" + manifest_name(generation);
      std::filesystem::remove(path);
      std::filesystem::create_symlink(path, path);
    }
    const auto refused = JournalStore::open(at(), "");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, HasSubstr(manifest_name(unread.back())));
    for (const auto& [name, bytes] : files()) {
      if (name.starts_with("segment-")) {
        EXPECT_EQ(bytes, whole.at(name)) << name;
      }
    }
    EXPECT_EQ(files().size(), whole.size());
  }
}

TEST_F(JournalStoreTest, a_segment_without_a_manifest_that_cannot_be_read_is_left_as_it_is) {
  const std::string segment = at() + "/" + segment_name(0);
  std::filesystem::create_directories(at());
  std::filesystem::create_symlink(segment, segment);
  const auto refused = JournalStore::open(at(), "");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr(segment));
}

TEST_F(JournalStoreTest, a_damaged_manifest_is_none_of_the_two_that_are_kept) {
  const std::vector<std::string> records = generated_records(20, 2);
  std::size_t stored = 0;
  {
    const auto store = open({.segment_bytes_max = 700});
    start(*store);
    // Up to a record with which a segment begins: the newest manifest promises no more than the one before.
    while (append(*store, records, stored + 1) && snapshot_files(at())->segments.size() == 1) {
      ASSERT_TRUE(store->commit());
      ++stored;
    }
  }
  const auto damage_newest = [&] { flip(manifest_name(snapshot_files(at())->manifests.back()), 20, 1); };
  damage_newest();
  const auto whole = std::vector<std::string>(records.begin(), records.begin() + stored);
  {
    const auto store = open({.segment_bytes_max = 700});
    EXPECT_EQ(start(*store), whole);
    ASSERT_TRUE(append(*store, records, stored + 1));
  }
  EXPECT_EQ(snapshot_files(at())->manifests.size(), 2U);
  damage_newest();
  EXPECT_EQ(readable(), whole) << "another one damaged costs no more than the first";
}

// It was loaded, and then removed as newer than itself: a scan's index was gone with it.
TEST_F(JournalStoreTest, a_manifest_with_the_name_of_another_is_damage_and_what_was_loaded_stays) {
  const std::vector<std::string> records = generated_records(8, 2);
  const auto four = std::vector<std::string>(records.begin(), records.begin() + 4);
  fill(four);
  fill(records);
  const std::vector<std::uint64_t> manifests = snapshot_files(at())->manifests;
  ASSERT_EQ(manifests, (std::vector<std::uint64_t>{2, 3}));
  std::filesystem::rename(at() + "/" + manifest_name(3), at() + "/" + manifest_name(9));
  {
    const auto store = open();
    EXPECT_THAT(store->damage().clauses, HasSubstr(manifest_name(9) + ": holds generation 3"));
    EXPECT_EQ(store->damage().code, ErrorCode::kCorrupt);
    EXPECT_EQ(store->committed().generation, 2U);
    EXPECT_EQ(start(*store), four);
    EXPECT_EQ(snapshot_files(at())->manifests, (std::vector<std::uint64_t>{2}));
    ASSERT_TRUE(append(*store, records, 8));
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, a_missing_segment_ends_the_reading_before_it) {
  const std::vector<std::string> records = generated_records(30, 2);
  fill(records, {.segment_bytes_max = 1000});
  const std::vector<std::uint64_t> segments = snapshot_files(at())->segments;
  ASSERT_GT(segments.size(), 4U);
  std::filesystem::remove(at() + "/" + segment_name(segments[2]));
  {
    const auto store = open({.segment_bytes_max = 1000});
    EXPECT_EQ(start(*store).size(), segments[2]);
    EXPECT_EQ(snapshot_files(at())->segments.size(), 2U) << "those behind the hole are gone";
    ASSERT_TRUE(append(*store, records, 30));
    ASSERT_TRUE(store->commit());
  }
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, a_segment_of_another_journal_is_not_taken) {
  const std::vector<std::string> records = generated_records(12, 2, 1);
  fill(generated_records(12, 2, 2), {.segment_bytes_max = 700});
  const auto foreign = files();
  std::filesystem::remove_all(at());
  fill(records, {.segment_bytes_max = 700});
  auto mixed = files();
  const std::uint64_t second = snapshot_files(at())->segments[1];
  ASSERT_TRUE(foreign.contains(segment_name(second)));
  mixed[segment_name(second)] = foreign.at(segment_name(second));
  put(mixed);
  EXPECT_EQ(start(*open()).size(), second);
}

TEST_F(JournalStoreTest, a_second_process_is_told_and_a_third_gets_it_when_the_first_has_ended) {
  int ready[2];
  int done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(done[1]);  // or its own end would keep it waiting when ours has gone with a failure
    const auto held = JournalStore::open(at(), "");
    char byte = held.ok() ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto second = JournalStore::open(at(), "");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, AllOf(HasSubstr(at()), HasSubstr("another process")));
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(JournalStore::open(at(), "").ok());
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
}

TEST_F(JournalStoreTest, other_signature_options_are_refused_with_both_named_and_a_way_out) {
  fill(generated_records(3, 2));
  const auto other = JournalStore::open(at(), "fingerprint.features=shingles");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kContradiction);
  EXPECT_THAT(other.error().message,
              AllOf(HasSubstr("made with fingerprint.features=words, but the configuration says "
                              "fingerprint.features=shingles: the two"),
                    HasSubstr("Use the settings and the version that it was made with. Only if"),
                    Not(HasSubstr("Remove the folder"))));
}

TEST_F(JournalStoreTest, a_full_disk_refuses_a_record_and_the_store_falls_back_to_what_is_durable) {
  const std::vector<std::string> records = generated_records(200, 5);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(append(*store, records, 10));
  ASSERT_TRUE(store->commit());
  const auto committed = files();

  // A file may not grow beyond this: what a full disk looks like to write(2).
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full = {files().at(segment_name(0)).size() + 1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status refused = append(*store, records, 200);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr(segment_name(0)));
  ASSERT_TRUE(store->fall_back());
  EXPECT_EQ(store->next_number(), 10U);
  EXPECT_EQ(files(), committed);
  ASSERT_TRUE(append(*store, records, 200));
  ASSERT_TRUE(store->commit());
  const auto reopened = [&] {
    const auto whole = files();
    put(whole);
    return start(*open());
  };
  EXPECT_EQ(reopened(), records);
}

TEST_F(JournalStoreTest, a_manifest_that_cannot_be_written_leaves_no_draft) {
  const std::vector<std::string> records = generated_records(10, 2);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(append(*store, records, 5));
  const std::filesystem::path in_the_way = at() + "/" + manifest_name(store->committed().generation + 1);
  std::filesystem::create_directory(in_the_way);
  const Status refused = store->commit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  std::filesystem::remove(in_the_way);
  for (const auto& [name, bytes] : files()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  ASSERT_TRUE(store->fall_back());
  ASSERT_TRUE(append(*store, records, 10));
  EXPECT_TRUE(store->commit());
}

// The name of a manifest that promises more is in the folder although its commit failed.
TEST_F(JournalStoreTest, what_is_written_anew_is_promised_by_no_manifest_before) {
  const std::vector<std::string> records = generated_records(10, 2);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(append(*store, records, 5));
  ASSERT_TRUE(store->commit());
  const std::string newer = manifest_name(store->committed().generation + 1);
  write("snapshot/" + newer, files().at(manifest_name(store->committed().generation)));
  ASSERT_TRUE(store->fall_back());
  EXPECT_FALSE(files().contains(newer));
  ASSERT_TRUE(append(*store, records, 10));
  EXPECT_TRUE(store->commit());
}

// As long as one does, nothing is cut off or written anew.
TEST_F(JournalStoreTest, what_is_damaged_is_cut_off_once_a_manifest_promises_less) {
  const std::vector<std::string> records = generated_records(10, 2);
  fill(records);
  auto damaged = files();
  damaged.at(segment_name(0)).back() ^= 1;
  put(damaged);
  const auto store = open();
  JournalChain chain;
  ASSERT_TRUE(store->read([&](const StoredRecord& record) -> Status {
    const Result<JournalRecord> decoded = decode_journal_record(record.bytes);
    return decoded ? chain.accept(*decoded, record.bytes) : Status(decoded.error());
  }));
  ASSERT_EQ(chain.next_number(), 9U);
  const std::filesystem::path in_the_way = at() + "/" + manifest_name(store->committed().generation + 1);
  std::filesystem::create_directory(in_the_way);
  EXPECT_FALSE(store->resume(chain));
  EXPECT_EQ(read(at() + "/" + segment_name(0)), damaged.at(segment_name(0)));
  std::filesystem::remove(in_the_way);
  // A second reading finds what is left whole, and the manifest in the folder promises more all the same.
  ASSERT_TRUE(store->read([](const StoredRecord&) { return Status(); }));
  ASSERT_TRUE(store->resume(chain));
  EXPECT_LT(files().at(segment_name(0)).size(), damaged.at(segment_name(0)).size());
  const Result<StoredRecords> stored = StoredRecords::open(at());
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->manifest().records, 9U);
  ASSERT_TRUE(append(*store, records, 10));
  ASSERT_TRUE(store->commit());
}

// Its files take every write as before, and nobody will ever read them.
TEST_F(JournalStoreTest, a_folder_that_was_emptied_under_its_writer_is_promised_nothing_and_begun_anew) {
  const std::vector<std::string> records = generated_records(40, 2);
  const auto store = open({.segment_bytes_max = 1000});
  start(*store);
  ASSERT_TRUE(append(*store, records, 20));
  ASSERT_TRUE(store->commit());
  ASSERT_GT(store->committed().segments.size(), 2U);
  for (const auto& [name, bytes] : files()) std::filesystem::remove(at() + "/" + name);
  const Status refused = append(*store, records, 40);  // the next segment begins
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr(at() + "/lock: somebody removed it"));
  EXPECT_FALSE(store->commit());
  EXPECT_TRUE(files().empty());

  const Status begun = store->fall_back();
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(JournalStore::open(at(), "").error().code, ErrorCode::kUnavailable) << "it is ours again";
  EXPECT_EQ(store->next_number(), 0U);
  EXPECT_EQ(store->position(), 0);
  EXPECT_EQ(store->committed().records, 0U);
  const Status nothing = store->commit();  // due before the journal's first record came
  EXPECT_TRUE(nothing) << nothing.error().message;
  ASSERT_TRUE(append(*store, records, 40));
  ASSERT_TRUE(store->commit());
  EXPECT_EQ(readable(), records);
}

TEST_F(JournalStoreTest, a_folder_that_another_took_after_it_was_emptied_is_left_to_that_one) {
  const std::vector<std::string> records = generated_records(10, 2);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(append(*store, records, 5));
  ASSERT_TRUE(store->commit());
  for (const auto& [name, bytes] : files()) std::filesystem::remove(at() + "/" + name);
  {
    const auto other = open();
    start(*other);
    ASSERT_TRUE(append(*other, records, 10));
    ASSERT_TRUE(other->commit());
    ASSERT_TRUE(append(*store, records, 7));
    const auto theirs = files();
    EXPECT_FALSE(store->commit());
    const Status taken = store->fall_back();
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(files(), theirs);
  }
  const auto left = files();
  const Status unknown = store->fall_back();
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr(at() + "/lock"), HasSubstr("Restart the process")));
  EXPECT_EQ(files(), left);
  EXPECT_EQ(start(*open()), records);
}

TEST_F(JournalStoreTest, a_segment_that_was_removed_under_its_writer_is_told_and_a_start_takes_what_is_left) {
  const std::vector<std::string> records = generated_records(40, 2);
  fill(std::vector<std::string>(records.begin(), records.begin() + 20), {.segment_bytes_max = 1000});
  const auto whole = files();
  const std::vector<std::uint64_t> segments = snapshot_files(at())->segments;
  ASSERT_GT(segments.size(), 3U);
  for (const std::uint64_t first : {segments[1], segments.back()}) {
    SCOPED_TRACE(first);
    put(whole);
    {
      const auto store = open({.segment_bytes_max = 1 << 20});
      start(*store);
      ASSERT_TRUE(append(*store, records, 30));
      std::filesystem::remove(at() + "/" + segment_name(first));
      const auto left = files();
      const Status refused = store->commit();
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kIo);
      EXPECT_THAT(refused.error().message,
                  HasSubstr(at() + "/" + segment_name(first) + ": somebody removed it"));
      const Status left_to_a_start = store->fall_back();
      ASSERT_FALSE(left_to_a_start);
      EXPECT_THAT(left_to_a_start.error().message, HasSubstr("Restart the process"));
      EXPECT_EQ(files(), left);
    }
    const auto store = open({.segment_bytes_max = 1000});
    EXPECT_EQ(start(*store).size(), first);
    ASSERT_TRUE(append(*store, records, 40));
    ASSERT_TRUE(store->commit());
    EXPECT_EQ(readable(), records);
  }
}

TEST_F(JournalStoreTest, a_record_that_does_not_follow_is_refused) {
  const std::vector<std::string> records = generated_records(5, 2);
  const auto store = open();
  start(*store);
  ASSERT_TRUE(store->append(records[0], 1));
  EXPECT_FALSE(store->append(records[2], 3).ok());
  ASSERT_TRUE(store->fall_back());
  ASSERT_TRUE(append(*store, records, 5));
  ASSERT_TRUE(store->commit());
}

TEST_F(JournalStoreTest, files_of_others_in_the_folder_are_left_alone) {
  write("snapshot/notes.txt", "mine");
  write("snapshot/segment-1", "mine");
  fill(generated_records(5, 2));
  start(*open());
  EXPECT_EQ(files().at("notes.txt"), "mine");
  EXPECT_EQ(files().at("segment-1"), "mine");
}

TEST_F(JournalStoreTest, folders_that_are_named_like_files_of_ours_are_left_alone) {
  const std::string manifest = at() + "/" + manifest_name(9);
  const std::string segment = at() + "/" + segment_name(7);
  std::filesystem::create_directories(manifest);
  write("snapshot/" + segment_name(7) + "/notes.txt", "mine");
  const std::vector<std::string> records = generated_records(5, 2);
  fill(records);
  EXPECT_EQ(start(*open()), records);
  EXPECT_EQ(snapshot_files(at())->manifests.back(), 2U);
  EXPECT_TRUE(std::filesystem::is_directory(manifest));
  EXPECT_TRUE(std::filesystem::exists(segment + "/notes.txt"));
}

}  // namespace
}  // namespace neardup
