#include "service/commands/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "service/snapshot/journal_store.h"
#include "tests/service/commands/command_test.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SnapshotCommand : public CommandTest {
 protected:
  // Twelve records of three uniques in segments of some.
  SnapshotCommand() {
    const auto store = JournalStore::open(at(), "", {.segment_bytes_max = 1000});
    EXPECT_TRUE((*store)->resume(JournalChain()));
    for (const std::string& record : generated_records(12, 3)) {
      EXPECT_TRUE((*store)->append(record, ++position_));
    }
    EXPECT_TRUE((*store)->commit());
  }

  std::string at() const { return (folder_ / "snapshot").string(); }
  Ran inspect(bool json) {
    return with_streams("",
                        [&](const Streams& streams) { return run_snapshot_inspect({at(), json}, streams); });
  }
  Ran verify(bool json) {
    return with_streams("",
                        [&](const Streams& streams) { return run_snapshot_verify({at(), json}, streams); });
  }

  std::int64_t position_ = 0;
};

TEST_F(SnapshotCommand, inspect_tells_what_the_manifest_promises) {
  const Ran table = inspect(false);
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.out, HasSubstr("records           12\nuniques           36\n"));
  EXPECT_THAT(table.out, HasSubstr("signatures        the defaults\n"));
  EXPECT_THAT(table.out, HasSubstr("segment-00000000000000000000"));

  const nlohmann::json json = nlohmann::json::parse(inspect(true).out);
  EXPECT_EQ(json["records"], 12);
  EXPECT_EQ(json["uniques"], 36);
  EXPECT_EQ(json["journal_position"], 12);
  EXPECT_EQ(json["topics"][0]["name"], "pages");
  EXPECT_EQ(json["positions"][0]["next"], 36);
  EXPECT_GT(json["segments"].size(), 2U);
}

TEST_F(SnapshotCommand, what_it_was_given_says_nothing_to_a_terminal) {
  const Result<StoredRecords> stored = StoredRecords::open(at());
  Manifest manifest = stored->manifest();
  manifest.signature_options = "\x1B[1m";
  manifest.topics[0].name = "pa\x1B[2Jges";
  ++manifest.generation;
  write("snapshot/" + manifest_name(manifest.generation), encode_manifest(manifest));
  const Ran table = inspect(false);
  EXPECT_THAT(table.out, HasSubstr("signatures        ?[1m\n"));
  EXPECT_THAT(table.out, HasSubstr("\npa?[2Jges "));
  for (const Ran& ran : {table, inspect(true), verify(false)}) {
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\x1B")));
  }
}

TEST_F(SnapshotCommand, verify_finds_a_whole_one_whole) {
  const Ran ran = verify(false);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, HasSubstr("12 (12 promised)"));
  EXPECT_THAT(ran.out, HasSubstr("\nwhole\n"));
}

TEST_F(SnapshotCommand, verify_finds_a_flipped_bit_in_a_segment) {
  const std::string name = "snapshot/" + segment_name(0);
  std::string bytes = read(folder_ / name);
  bytes[bytes.size() - 3] ^= 16;
  write(name, bytes);
  const Ran ran = verify(true);
  EXPECT_EQ(ran.exit_code, 65);
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["whole"], false);
  EXPECT_THAT(json["damage"].get<std::string>(), HasSubstr("checksum"));
}

TEST_F(SnapshotCommand, verify_finds_whole_frames_that_are_not_the_journal_promised) {
  // Frames are right, and the manifest is; but it speaks of other records.
  const Result<StoredRecords> stored = StoredRecords::open(at());
  Manifest manifest = stored->manifest();
  manifest.last_digest.low ^= 1;
  ++manifest.generation;
  write("snapshot/" + manifest_name(manifest.generation), encode_manifest(manifest));
  const Ran ran = verify(false);
  EXPECT_EQ(ran.exit_code, 65);
  EXPECT_THAT(ran.out, HasSubstr("the last record is another than the manifest says"));
}

TEST_F(SnapshotCommand, inspect_says_that_what_it_tells_is_not_the_newest) {
  EXPECT_EQ(nlohmann::json::parse(inspect(true).out)["damage"], "");
  const std::string newest = manifest_name(snapshot_files(at())->manifests.back());
  std::string bytes = read(folder_ / "snapshot" / newest);
  bytes[20] ^= 1;
  write("snapshot/" + newest, bytes);
  const std::string damage = at() + "/" + newest + ": its checksum does not match";
  for (const bool json : {false, true}) {
    const Ran ran = inspect(json);
    EXPECT_EQ(ran.exit_code, 65);
    EXPECT_EQ(ran.err, "neardup: this is an older one, the newest is damaged: " + damage + "\n");
    EXPECT_THAT(ran.out, HasSubstr("generation"));
    if (json) {
      EXPECT_EQ(nlohmann::json::parse(ran.out)["damage"], damage);
    }
  }
}

// As a process leaves it that dies when it has begun one.
TEST_F(SnapshotCommand, verify_misses_a_segment_that_was_promised_without_a_record) {
  {
    const auto store = JournalStore::open(at(), "", {.segment_bytes_max = 1});
    JournalChain chain;
    ASSERT_TRUE((*store)->read([&](const StoredRecord& record) -> Status {
      return chain.accept(*decode_journal_record(record.bytes), record.bytes);
    }));
    ASSERT_TRUE((*store)->resume(chain));
    ASSERT_TRUE((*store)->append(generated_records(13, 3).back(), ++position_));
    ASSERT_TRUE((*store)->fall_back());
    ASSERT_EQ((*store)->committed().segments.back().records, 0U);
  }
  EXPECT_EQ(verify(false).exit_code, 0);
  const std::string segment = at() + "/" + segment_name(12);
  ASSERT_TRUE(std::filesystem::remove(segment));
  const Ran ran = verify(false);
  EXPECT_EQ(ran.exit_code, 65);
  EXPECT_THAT(ran.out, HasSubstr("damaged: " + segment + ": opening it: No such file or directory\n"));
}

TEST_F(SnapshotCommand, a_record_that_was_being_written_is_no_damage) {
  const Result<StoredRecords> stored = StoredRecords::open(at());
  const std::string name = "snapshot/" + segment_name(stored->manifest().segments.back().first);
  write(name, read(folder_ / name) + "half a fra");
  const Ran ran = verify(false);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, HasSubstr("10 bytes of a record that is being written, or was"));
}

// A folder in the place of a segment cannot be read by root either, nor a link to itself.
TEST_F(SnapshotCommand, what_cannot_be_read_is_not_called_damaged) {
  const std::string segment = at() + "/" + segment_name(0);
  std::filesystem::remove(segment);
  std::filesystem::create_directory(segment);
  const Ran verified = verify(false);
  EXPECT_EQ(verified.exit_code, 74);
  EXPECT_THAT(verified.out, HasSubstr("unreadable: " + segment + ": reading: Is a directory\n"));

  std::string unreadable;
  const Result<SnapshotFiles> files = snapshot_files(at());
  for (const std::uint64_t generation : files->manifests) {
    const std::string path = at() + "/" + manifest_name(generation);
    std::filesystem::remove(path);
    std::filesystem::create_symlink(path, path);
    unreadable = path + ": opening it: Too many levels of symbolic links" + (unreadable.empty() ? "" : "; ") +
                 unreadable;
  }
  const Ran inspected = inspect(false);
  EXPECT_EQ(inspected.exit_code, 74);
  EXPECT_EQ(inspected.err, "neardup: " + unreadable + "\n");
}

TEST_F(SnapshotCommand, an_answer_that_nobody_gets_is_an_error_with_words) {
  const Ran ran = with_streams("", [&](const Streams& streams) {
    const int full = open("/dev/full", O_WRONLY);
    const int code = run_snapshot_inspect({at(), false}, {streams.in, full, streams.err});
    close(full);
    return code;
  });
  EXPECT_EQ(ran.exit_code, 74);
  EXPECT_EQ(ran.err, "neardup: standard output: No space left on device\n");
}

TEST_F(SnapshotCommand, a_folder_without_one_is_an_error) {
  std::filesystem::remove_all(at());
  EXPECT_EQ(inspect(false).exit_code, 74);
  EXPECT_THAT(verify(false).err, HasSubstr(at()));
}

}  // namespace
}  // namespace neardup
