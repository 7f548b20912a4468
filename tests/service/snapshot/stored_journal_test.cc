#include "service/snapshot/stored_journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/detector.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"
#include "tests/support/generated_journal.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A committed journal: a mark of its transaction lies behind every record, so that a record's position is not
// its number. Shared by the logs that read it.
struct Journal {
  std::mutex mutex;
  std::vector<std::string> records;
  int stale_ends = 0;  // so many answers are an end that was,
  std::int64_t stale_end = 0;

  void add(const std::string& record) {
    const std::lock_guard lock(mutex);
    records.push_back(record);
  }
};

// The ends of logs: each lasts as long as this.
struct Closing {
  std::atomic<bool> hold{false};
  std::atomic<int> begun{0};
  std::atomic<int> done{0};
};

class TestLog final : public SeekableLog {
 public:
  explicit TestLog(Journal& journal, std::atomic<int>* reads = nullptr) : journal_(journal), reads_(reads) {}
  TestLog(Journal& journal, Closing& closing) : journal_(journal), closing_(&closing) {}
  ~TestLog() override {
    if (closing_ == nullptr) return;
    ++closing_->begun;
    EXPECT_TRUE(eventually([&] { return !closing_->hold; }));
    ++closing_->done;
  }

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override {
    for (;;) {
      const Result<bool> came = next(milliseconds(0), [&](std::string_view bytes) { return take(bytes, 1); });
      if (!came) return came.error();
      if (!*came) return {};
    }
  }
  Result<bool> next(milliseconds wait, const std::function<Status(std::string_view bytes)>& take) override {
    std::optional<std::string> record;
    {
      const std::lock_guard lock(journal_.mutex);
      const std::size_t index = static_cast<std::size_t>(next_ + 1) / 2;
      if (index < journal_.records.size()) {
        behind_last_ = 2 * static_cast<std::int64_t>(index) + 1;
        next_ = behind_last_;
        if (reads_ != nullptr) ++*reads_;
        record = journal_.records[index];
      }
    }
    if (!record) {
      std::this_thread::sleep_for(std::min(wait, milliseconds(1)));
      return false;
    }
    if (Status status = take(*record); !status) return status.error();
    return true;
  }
  Result<bool> is_settled() override { return true; }
  std::int64_t position() const override { return behind_last_; }
  Result<std::int64_t> end() override {
    const std::lock_guard lock(journal_.mutex);
    if (journal_.stale_ends > 0) {
      --journal_.stale_ends;
      return journal_.stale_end;
    }
    return static_cast<std::int64_t>(2 * journal_.records.size());
  }
  Status start_at(std::int64_t position) override {
    next_ = behind_last_ = position;
    return {};
  }

 private:
  Journal& journal_;
  std::atomic<int>* reads_ = nullptr;
  Closing* closing_ = nullptr;
  std::int64_t next_ = 0;  // records lie at even positions
  std::int64_t behind_last_ = 0;
};

struct Counts final : Probe {
  void snapshot_written(std::uint64_t stored, std::uint64_t, bool is_current) override {
    records = stored;
    if (is_current) {
      current = stored;
    } else {
      ++not_current;
      if (on_not_current) on_not_current();
    }
    for (; hold; held = true) std::this_thread::sleep_for(milliseconds(1));
  }
  void snapshot_failed() override { ++failures; }
  void snapshot_behind(std::uint64_t lacking) override { behind = lacking; }
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> current{0};  // records when it last had all
  std::atomic<int> not_current{0};        // commits that did not
  std::function<void()> on_not_current;
  std::atomic<std::uint64_t> behind{0};
  std::atomic<int> failures{0};
  std::atomic<bool> hold{false};  // each commit lasts as long as this, as on a slow disk
  std::atomic<bool> held{false};
};

class StoredJournalTest : public FolderTest {
 protected:
  // One life of a service: it starts, and then reads back what `work` commits.
  struct Life {
    Status status;
    std::uint64_t records = 0;
    Digest128 state;
    int log_reads = 0;    // records that came from the journal at start
    double progress = 0;  // the last one told
    bool progress_fell = false;
  };

  std::string at() const { return (folder_ / "snapshot").string(); }

  Life live(const std::function<void(const std::function<void(std::size_t)>& read_back)>& work = {},
            StoredJournalOptions options = {}) {
    Life life;
    const auto store = JournalStore::open(at(), "", {.segment_bytes_max = 4000});
    if (!store) {
      life.status = store.error();
      return life;
    }
    std::atomic<int> reads{0};
    TestLog log(journal_, &reads);
    JournalChain chain;
    Detector detector(DetectorOptions{});
    const auto take = [&](std::string_view bytes, double progress) -> Status {
      const Result<JournalRecord> record = decode_journal_record(bytes);
      if (!record) return record.error();
      if (Status status = chain.accept(*record, bytes); !status) return status;
      for (const Unique& unique : record->uniques)
        if (!detector.restore(unique)) return Error{ErrorCode::kCorrupt, "kept"};
      for (const ClusterGain& gain : record->clusters)
        if (!detector.restore(gain, record->cluster_rule)) return Error{ErrorCode::kCorrupt, "gain"};
      life.progress_fell |= progress < life.progress;
      life.progress = progress;
      return {};
    };
    {
      StoredJournal stored(
          {log, **store, chain, probe_, board_},
          [&] { return std::unique_ptr<SeekableLog>(std::make_unique<TestLog>(journal_, closing_)); },
          options);
      life.status = stored.read_to_end(take);
      life.log_reads = reads;
      if (life.status && work) {
        work([&](std::size_t count) {
          for (std::size_t i = 0; i < count; ++i) {
            const Result<bool> came =
                stored.next(milliseconds(0), [&](std::string_view bytes) { return take(bytes, 1); });
            ASSERT_TRUE(came) << came.error().message;
            ASSERT_TRUE(*came);
          }
        });
      }
    }
    life.records = chain.next_number();
    life.state = detector.state_digest();
    return life;
  }

  void commit(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) journal_.add(truth_.next(3));
  }

  // A bit of a segment's first record.
  void damage(std::size_t segment) {
    const Result<SnapshotFiles> files = snapshot_files(at());
    ASSERT_TRUE(files.ok());
    ASSERT_GT(files->segments.size(), segment);
    const std::string name = segment_name(files->segments[segment]);
    std::string bytes = read(at() + "/" + name);
    bytes[kSegmentHeaderBytes + 40] ^= 4;
    write("snapshot/" + name, bytes);
  }

  // Three records are read back while a commit lasts: with a queue of one byte the second finds no room.
  bool leave_records_out(const std::function<void(std::size_t)>& read_back) {
    probe_.hold = true;
    const bool held = eventually([&] { return probe_.held.load(); });
    commit(3);
    read_back(3);
    probe_.hold = false;
    return held;
  }

  GeneratedJournal truth_{1};
  Journal journal_;
  Closing closing_;  // of the logs inside
  Counts probe_;
  StateBoard board_;
};

TEST_F(StoredJournalTest, a_second_start_reads_the_disk_and_ends_in_the_same_state) {
  commit(50);
  const Life first = live([&](const auto& read_back) {
    commit(30);
    read_back(30);
  });
  ASSERT_TRUE(first.status) << first.status.error().message;
  EXPECT_EQ(first.log_reads, 50);
  EXPECT_EQ(probe_.records, 80U);
  EXPECT_EQ(probe_.behind, 0U);

  commit(5);
  const Life second = live();
  ASSERT_TRUE(second.status) << second.status.error().message;
  EXPECT_EQ(second.log_reads, 1 + 5) << "the last one stored, and what is new";
  EXPECT_EQ(second.records, 85U);
  EXPECT_FALSE(second.progress_fell);
  std::filesystem::remove_all(at());
  const Life anew = live();
  EXPECT_EQ(anew.log_reads, 85);
  EXPECT_EQ(anew.state, second.state);
}

TEST_F(StoredJournalTest, an_empty_journal_and_an_empty_folder_are_a_good_start) {
  const Life life = live([&](const auto& read_back) {
    commit(1);
    read_back(1);
  });
  ASSERT_TRUE(life.status);
  EXPECT_EQ(live().records, 1U);
}

TEST_F(StoredJournalTest, a_journal_that_lost_records_is_named) {
  commit(20);
  ASSERT_TRUE(live().status);
  journal_.records.resize(15);
  const Life life = live({}, {.stale_end_max = milliseconds(150)});
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_THAT(life.status.error().message,
              AllOf(HasSubstr(at()), HasSubstr("the journal lost records"), HasSubstr("Remove the folder")));
}

// As a broker gives that stood still and does not know yet that it leads no more.
TEST_F(StoredJournalTest, an_end_that_was_is_no_journal_that_lost_records) {
  commit(20);
  ASSERT_TRUE(live().status);
  commit(5);
  journal_.stale_end = 30;
  journal_.stale_ends = 2;
  const auto begin = std::chrono::steady_clock::now();
  const Life life = live();
  ASSERT_TRUE(life.status) << life.status.error().message;
  EXPECT_EQ(life.records, 25U);
  EXPECT_EQ(life.log_reads, 1 + 5);
  EXPECT_EQ(journal_.stale_ends, 0);
  EXPECT_LT(board_.since_beat(), std::chrono::steady_clock::now() - begin) << "who waits is alive";
}

TEST_F(StoredJournalTest, a_snapshot_of_another_journal_is_named) {
  commit(20);
  ASSERT_TRUE(live().status);
  journal_.records = generated_records(30, 3, 99);
  const Life life = live();
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_THAT(life.status.error().message,
              AllOf(HasSubstr(at()), HasSubstr("is of another journal"), HasSubstr("Remove the folder")));
}

// What is damaged is cut off, and all behind it: not before it is known whose it is.
TEST_F(StoredJournalTest, a_damaged_snapshot_of_another_journal_is_left_as_it_is) {
  commit(60);
  ASSERT_TRUE(live().status);
  journal_.records = generated_records(70, 3, 99);
  for (const std::size_t segment : {1, 0}) {
    damage(segment);
    const auto before = files_in(at());
    const Life life = live();
    ASSERT_FALSE(life.status) << segment;
    EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
    EXPECT_THAT(life.status.error().message, HasSubstr("is of another journal"));
    EXPECT_EQ(files_in(at()), before) << segment;
  }
}

// Its manifest was whole and tells how much it had.
TEST_F(StoredJournalTest, a_journal_that_lost_records_is_named_by_a_damaged_snapshot_too) {
  commit(60);
  ASSERT_TRUE(live().status);
  journal_.records.resize(55);
  for (const std::size_t segment : {1, 0}) {
    damage(segment);
    const auto before = files_in(at());
    const Life life = live({}, {.stale_end_max = milliseconds(50)});
    ASSERT_FALSE(life.status) << segment;
    EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
    EXPECT_THAT(life.status.error().message,
                AllOf(HasSubstr("ends at position 119"), HasSubstr("the journal lost records")));
    EXPECT_EQ(files_in(at()), before) << segment;
  }
}

// The folder was copied without its manifests, or both are damaged.
TEST_F(StoredJournalTest, segments_without_a_manifest_are_left_to_their_journal) {
  commit(60);
  ASSERT_TRUE(live().status);
  const auto remove_manifests = [&] {
    const Result<SnapshotFiles> files = snapshot_files(at());
    ASSERT_TRUE(files.ok());
    for (const std::uint64_t generation : files->manifests)
      std::filesystem::remove(at() + "/" + manifest_name(generation));
  };
  remove_manifests();
  const auto before = files_in(at());
  const std::vector<std::string> ours = journal_.records;
  for (const auto& [records, words] :
       {std::pair(generated_records(70, 3, 99), "is of another journal"),
        std::pair(std::vector<std::string>(), "holds records of a journal, and the journal has none")}) {
    journal_.records = records;
    const Life life = live({}, {.stale_end_max = milliseconds(50)});
    ASSERT_FALSE(life.status) << words;
    EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
    EXPECT_THAT(life.status.error().message, HasSubstr(words));
    EXPECT_EQ(files_in(at()), before) << words;
  }
  journal_.records = ours;
  const Life anew = live();
  ASSERT_TRUE(anew.status) << anew.status.error().message;
  EXPECT_EQ(anew.log_reads, 60);
  EXPECT_EQ(live().log_reads, 1);
}

TEST_F(StoredJournalTest, damage_from_the_first_record_on_costs_a_start_from_kafka) {
  commit(60);
  const Life whole = live();
  damage(0);
  const Life damaged = live();
  ASSERT_TRUE(damaged.status) << damaged.status.error().message;
  EXPECT_EQ(damaged.log_reads, 60);
  EXPECT_EQ(damaged.state, whole.state);
  EXPECT_EQ(live().log_reads, 1);
}

TEST_F(StoredJournalTest, damage_costs_a_longer_start_and_no_record) {
  commit(60);
  const Life whole = live();
  damage(1);
  const Life damaged = live();
  ASSERT_TRUE(damaged.status) << damaged.status.error().message;
  EXPECT_GT(damaged.log_reads, 1);
  EXPECT_EQ(damaged.state, whole.state);
  const Life mended = live();
  EXPECT_EQ(mended.log_reads, 1) << "what was damaged is there again";
  EXPECT_EQ(mended.state, whole.state);
}

TEST_F(StoredJournalTest, what_cannot_be_read_is_left_as_it_is_until_a_start_can_read_it) {
  commit(60);
  ASSERT_TRUE(live().status);
  const Result<SnapshotFiles> files = snapshot_files(at());
  ASSERT_TRUE(files.ok());
  ASSERT_GT(files->segments.size(), 1U);
  const std::string segment = at() + "/" + segment_name(files->segments[1]);
  const std::string away = segment + "-away";
  std::filesystem::rename(segment, away);
  std::filesystem::create_symlink(segment, segment);  // to itself: an error of the disk for everybody
  const Life unread = live([&](const auto& read_back) {
    commit(5);
    read_back(5);
  });
  ASSERT_TRUE(unread.status) << unread.status.error().message;
  EXPECT_EQ(unread.records, 65U);
  EXPECT_GT(unread.log_reads, 1);
  EXPECT_EQ(probe_.behind, static_cast<std::uint64_t>(unread.log_reads - 1 + 5));
  EXPECT_EQ(probe_.failures, 1);
  EXPECT_THAT(board_.warning(), AllOf(HasSubstr("snapshot"), HasSubstr(segment)));

  std::filesystem::rename(away, segment);
  const Life again = live();
  EXPECT_EQ(again.log_reads, 1 + 5) << "nothing was cut off, nothing was added";
  EXPECT_EQ(again.state, unread.state);
}

TEST_F(StoredJournalTest, records_that_find_no_room_in_the_queue_come_from_the_journal_later) {
  commit(3);
  const Life life = live(
      [&](const auto& read_back) {
        commit(300);
        read_back(300);
        EXPECT_TRUE(eventually([&] { return probe_.records == 303U && probe_.behind == 0U; }))
            << probe_.records;
      },
      {.interval = milliseconds(20), .queue_bytes_max = 1});
  ASSERT_TRUE(life.status);
  EXPECT_EQ(probe_.failures, 0);
  const Life again = live();
  EXPECT_EQ(again.log_reads, 1);
  EXPECT_EQ(again.state, life.state);
}

// Nobody reads the pipe that lies in the place of the manifest's draft: so the thread inside hangs with what
// it has taken, as on a disk that hangs.
TEST_F(StoredJournalTest, what_is_being_appended_counts_to_the_bound_of_the_queue) {
  std::vector<std::string> records;
  for (int i = 0; i < 4; ++i) records.push_back(truth_.next(3));
  const std::size_t three = records[0].size() + records[1].size() + records[2].size();
  const std::string draft = at() + "/" + manifest_name(1) + ".tmp";
  const Life life = live(
      [&](const auto& read_back) {
        ASSERT_EQ(mkfifo(draft.c_str(), 0600), 0);
        journal_.add(records[0]);
        read_back(1);
        ASSERT_TRUE(eventually([&] { return std::filesystem::exists(at() + "/" + segment_name(0)); }));
        for (int i : {1, 2}) journal_.add(records[i]);
        read_back(2);
        EXPECT_EQ(board_.warning(), "") << "three have room";
        journal_.add(records[3]);
        read_back(1);
        EXPECT_THAT(board_.warning(), HasSubstr("what finds no room in the queue"));
        const int reader = ::open(draft.c_str(), O_RDONLY | O_NONBLOCK);
        EXPECT_TRUE(eventually([&] { return probe_.current == 4U; })) << probe_.current;
        ::close(reader);
      },
      {.retry = milliseconds(20), .promise = milliseconds(20), .queue_bytes_max = three});
  ASSERT_TRUE(life.status);
  EXPECT_EQ(live().log_reads, 1);
}

TEST_F(StoredJournalTest, the_end_of_the_log_inside_is_not_waited_for) {
  closing_.hold = true;
  const Life life = live(
      [&](const auto& read_back) {
        ASSERT_TRUE(leave_records_out(read_back));
        ASSERT_TRUE(eventually([&] { return closing_.begun == 1; }));
        commit(3);
        read_back(3);
        EXPECT_EQ(closing_.done, 0);
        closing_.hold = false;
      },
      {.interval = milliseconds(20), .queue_bytes_max = 1});
  ASSERT_TRUE(life.status);
  EXPECT_EQ(probe_.failures, 0);
}

TEST_F(StoredJournalTest, a_commit_on_the_way_to_what_was_left_out_is_not_current) {
  std::atomic<int> warned{0};
  probe_.on_not_current = [&] { warned += board_.warning().find("slower") != std::string::npos ? 1 : 0; };
  const Life life = live(
      [&](const auto& read_back) {
        probe_.hold = true;
        ASSERT_TRUE(eventually([&] { return probe_.held.load(); }));
        commit(6);
        read_back(6);
        EXPECT_GE(probe_.behind, 4U) << "who hangs cannot tell it";
        EXPECT_THAT(board_.warning(), HasSubstr("slower than the journal grows, or hangs"));
        probe_.hold = false;
        EXPECT_TRUE(eventually([&] { return probe_.current == 6U; })) << probe_.current;
        EXPECT_TRUE(eventually([&] { return board_.warning().empty(); })) << board_.warning();
      },
      {.interval = milliseconds(1), .queue_bytes_max = 1});
  ASSERT_TRUE(life.status);
  EXPECT_GT(probe_.not_current, 0);
  EXPECT_EQ(warned, probe_.not_current) << "it is slow until it has caught up";
}

// Who writes a manifest's draft opens a file; a pipe that nobody reads lets him wait, as a disk that hangs
// does.
TEST_F(StoredJournalTest, a_disk_that_hangs_is_told_and_holds_up_neither_the_caller_nor_the_end) {
  const std::string draft = (folder_ / "snapshot" / (manifest_name(1) + ".tmp")).string();
  std::filesystem::create_directory(folder_ / "snapshot");
  ASSERT_EQ(mkfifo(draft.c_str(), 0600), 0);
  const auto store = JournalStore::open(at(), "");
  ASSERT_TRUE(store) << store.error().message;
  TestLog log(journal_);
  JournalChain chain;
  const auto take = [&](std::string_view bytes, double) {
    return chain.accept(*decode_journal_record(bytes), bytes);
  };
  StoredJournal stored({log, **store, chain, probe_, board_},
                       [&] { return std::unique_ptr<SeekableLog>(std::make_unique<TestLog>(journal_)); },
                       {.hang = milliseconds(50)});
  ASSERT_TRUE(stored.read_to_end(take));
  EXPECT_TRUE(eventually([&] {
    commit(1);
    const Result<bool> came =
        stored.next(milliseconds(0), [&](std::string_view bytes) { return take(bytes, 1); });
    return came && *came && !board_.warning().empty();
  })) << "one record is not lost, and the queue has room for many";
  EXPECT_THAT(board_.warning(), HasSubstr("slower than the journal grows, or hangs"));
  EXPECT_EQ(probe_.failures, 0);
  EXPECT_EQ(probe_.records, 0U);
  EXPECT_FALSE(stored.finish());

  const int reader = open(draft.c_str(), O_RDONLY | O_NONBLOCK);  // the disk is well again, and then fails
  EXPECT_TRUE(eventually([&] { return stored.finish(); }));
  close(reader);
}

TEST_F(StoredJournalTest, a_full_disk_is_told_and_mended_later_and_the_service_goes_on) {
  commit(5);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const Life life = live(
      [&](const auto& read_back) {
        const rlimit full = {1000, before.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
        commit(100);
        read_back(100);
        EXPECT_TRUE(eventually([&] { return probe_.failures >= 2; }));
        const std::string warning = board_.warning();
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_THAT(warning, AllOf(HasSubstr("snapshot"), HasSubstr("File too large")));
        commit(10);
        read_back(10);
        EXPECT_TRUE(eventually([&] { return probe_.records == 115U; })) << probe_.records;
        EXPECT_EQ(board_.warning(), "");
      },
      {.interval = milliseconds(20), .retry = milliseconds(50)});
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(life.status) << life.status.error().message;
  const Life again = live();
  EXPECT_EQ(again.log_reads, 1);
  EXPECT_EQ(again.state, life.state);
}

// Whatever the interval: else alarms that count failures would not hear of it, and a warning would outlast
// what it is about.
TEST_F(StoredJournalTest, a_disk_is_tried_at_each_retry_and_not_at_the_next_interval) {
  commit(5);
  const std::string away = at() + "-away";
  const Life life = live(
      [&](const auto& read_back) {
        std::filesystem::rename(at(), away);
        commit(300);
        read_back(300);
        EXPECT_TRUE(eventually([&] { return probe_.failures >= 3; })) << probe_.failures;
        std::filesystem::rename(away, at());
        EXPECT_TRUE(eventually([&] { return board_.warning().empty(); })) << board_.warning();
        EXPECT_TRUE(eventually([&] { return probe_.behind == 0U; })) << probe_.behind;
      },
      {.interval = std::chrono::hours(1), .retry = milliseconds(20), .promise = milliseconds(20)});
  ASSERT_TRUE(life.status);
}

TEST_F(StoredJournalTest, what_is_lacking_grows_while_the_disk_is_away) {
  commit(5);
  const std::string away = at() + "-away";
  const Life life = live(
      [&](const auto& read_back) {
        ASSERT_TRUE(eventually([&] { return probe_.current == 5U; }));
        std::filesystem::rename(at(), away);
        commit(10);
        read_back(10);
        EXPECT_TRUE(eventually([&] { return probe_.failures >= 2 && probe_.behind == 10U; }))
            << probe_.behind;
        commit(10);
        read_back(10);
        EXPECT_TRUE(eventually([&] { return probe_.behind == 20U; })) << probe_.behind;
        std::filesystem::rename(away, at());
        EXPECT_TRUE(eventually([&] { return probe_.current == 25U; })) << probe_.current;
      },
      {.interval = milliseconds(20), .retry = milliseconds(20)});
  ASSERT_TRUE(life.status);
  EXPECT_EQ(probe_.behind, 0U);
}

TEST_F(StoredJournalTest, a_folder_that_was_emptied_is_told_and_filled_again_from_the_journal) {
  commit(30);
  const Life life = live(
      [&](const auto& read_back) {
        ASSERT_TRUE(eventually([&] { return probe_.current == 30U; }));
        std::filesystem::rename(at(), at() + "-away");  // at once, where a removal takes one after the other
        std::filesystem::create_directory(at());
        commit(1);
        read_back(1);
        EXPECT_TRUE(eventually([&] { return probe_.failures >= 1; }));
        EXPECT_TRUE(eventually([&] { return probe_.current == 31U; })) << probe_.current;
        EXPECT_TRUE(eventually([&] { return board_.warning().empty(); })) << board_.warning();
      },
      {.interval = milliseconds(20), .retry = milliseconds(20)});
  ASSERT_TRUE(life.status) << life.status.error().message;
  const Life again = live();
  EXPECT_EQ(again.log_reads, 1);
  EXPECT_EQ(again.records, 31U);
  EXPECT_EQ(again.state, life.state);
}

TEST_F(StoredJournalTest, a_disk_that_refuses_the_folder_stops_no_start_and_a_wrong_folder_does) {
  const auto open = [this](const std::string& folder, const std::string& signature_options = "") {
    return open_store_if_disk_is_well(folder, signature_options, probe_, board_);
  };
  const std::string file = write("file", "not a folder");
  ::testing::internal::CaptureStderr();
  const auto without = open(file + "/snapshot");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(file), HasSubstr("without a snapshot"), HasSubstr("empty snapshot.directory")));
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_EQ(*without, nullptr);
  EXPECT_EQ(probe_.failures, 1);
  EXPECT_THAT(board_.warning(), StartsWith("snapshot: " + file)) << "says once what it is about";

  commit(5);
  ASSERT_TRUE(live().status);
  const auto other = open(at(), "fingerprint.features=shingles");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kContradiction);
  EXPECT_THAT(other.error().message, StartsWith("snapshot: " + at()));
  const auto well = open(at());
  ASSERT_TRUE(well.ok()) << well.error().message;
  ASSERT_NE(*well, nullptr);
  const auto second = open(at());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(probe_.failures, 1);
}

// A large one takes tens of seconds, and whoever asked for the stop has a limit.
TEST_F(StoredJournalTest, a_stop_is_heard_while_the_disk_is_read) {
  commit(50);
  ASSERT_TRUE(live().status);
  {
    const auto store = JournalStore::open(at(), "");
    TestLog log(journal_);
    JournalChain chain;
    StoredJournal stored({log, **store, chain, probe_, board_}, {});
    std::stop_source stop;
    stored.stop_on(stop.get_token());
    int taken = 0;
    const Status status = stored.read_to_end([&](std::string_view, double) -> Status {
      if (++taken == 10) stop.request_stop();
      return {};
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(status.error().message,
                AllOf(HasSubstr("asked to stop"), Not(HasSubstr("Remove the folder"))));
    EXPECT_EQ(taken, 10);
  }
  const Life again = live();
  ASSERT_TRUE(again.status) << again.status.error().message;
  EXPECT_EQ(again.log_reads, 1) << "what is stored is as it was";
  EXPECT_EQ(again.records, 50U);
}

TEST_F(StoredJournalTest, a_record_that_the_caller_refuses_ends_the_start_with_a_way_out) {
  commit(5);
  ASSERT_TRUE(live().status);
  const auto store = JournalStore::open(at(), "");
  TestLog log(journal_);
  JournalChain chain;
  StoredJournal stored({log, **store, chain, probe_, board_}, {});
  const auto refused_with = [&](ErrorCode code) {
    const Status status =
        stored.read_to_end([&](std::string_view, double) -> Status { return Error{code, "no"}; });
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, code);
    EXPECT_THAT(status.error().message, HasSubstr(at()));
    return status.error().message;
  };
  EXPECT_THAT(refused_with(ErrorCode::kContradiction),
              AllOf(HasSubstr("Use the settings and the version that it was made with"),
                    Not(HasSubstr("Remove the folder"))))
      << "the journal has the same record";
  EXPECT_THAT(refused_with(ErrorCode::kUnsupportedVersion), Not(HasSubstr("emove the folder")))
      << "the journal's records are of that version, too";
}

// Each frame is whole; it is their order that no journal has.
TEST_F(StoredJournalTest, a_folder_whose_records_are_no_journal_ends_the_start_with_a_way_out) {
  commit(5);
  ASSERT_TRUE(live().status);
  std::string segment;
  std::string frame;
  Result<StoredRecords> records = StoredRecords::open(at());
  ASSERT_TRUE(records.ok());
  const StoredSegment promised = records->manifest().segments.front();
  const std::vector<std::string> others = generated_records(5, 3, 99);
  while (const std::optional<StoredRecord> record = records->next()) {
    if (segment.empty()) segment = encode_segment_header({records->manifest().journal, 0});
    const std::string& bytes = record->number == 1 ? others[1] : journal_.records[record->number];
    encode_frame({record->number, record->position, bytes}, frame);
    segment += frame;
    if (record->number + 1 == promised.records) break;
  }
  write("snapshot/" + segment_name(0), segment);
  const Life life = live();
  ASSERT_FALSE(life.status);
  EXPECT_EQ(life.status.error().code, ErrorCode::kContradiction);
  EXPECT_THAT(life.status.error().message,
              AllOf(HasSubstr("belongs to another journal"), HasSubstr("Remove the folder")));
}

}  // namespace
}  // namespace neardup
