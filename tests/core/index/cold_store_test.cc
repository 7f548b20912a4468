#include "core/index/cold_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <string>
#include <vector>

#include "tests/support/folder_test.h"

namespace neardup {
namespace {

constexpr std::size_t kBlock = ColdStore::kBlockBytes;
constexpr std::size_t kMemory = (ColdStore::kBehind + 1) * kBlock;  // of a store with a file

class ColdStoreTest : public FolderTest {
 protected:
  // What files in the folder take of the disk, found as this process has them open.
  std::uint64_t bytes_on_disk() const {
    std::uint64_t bytes = 0;
    for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(open.path(), gone).string();
      struct stat about{};
      if (target.starts_with(folder_.string()) && stat(open.path().c_str(), &about) == 0)
        bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    }
    return bytes;
  }
};

// Strings of all sizes, from a seed.
std::vector<std::string> pieces(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::string> all(count);
  for (std::string& piece : all) {
    piece.resize(random() % 3000);
    for (char& c : piece) c = static_cast<char>(random());
  }
  return all;
}

// Of files that grow beyond it the system refuses the rest, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : before_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }

 private:
  rlimit before_{};
  void (*before_handler_)(int);
};

TEST_F(ColdStoreTest, gives_back_what_was_appended_from_memory_and_from_a_file_alike) {
  ColdStore in_memory("");
  ColdStore in_file(folder_.string());
  const std::vector<std::string> all = pieces(5000);
  std::vector<std::uint64_t> places;
  std::vector<std::string_view> views;
  for (const std::string& piece : all) {
    places.push_back(in_file.append(piece));
    ASSERT_EQ(in_memory.append(piece), places.back()) << "places hang on nothing but the sizes";
    views.push_back(in_file.from(places.back()).substr(0, piece.size()));
  }
  ASSERT_TRUE(in_file.status().ok()) << in_file.status().error().message;
  EXPECT_GT(in_file.file_bytes(), 20 * kBlock);
  EXPECT_EQ(in_memory.file_bytes(), 0U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(views[i], all[i]) << "a view from before the block was written";
    ASSERT_EQ(in_file.from(places[i]).substr(0, all[i].size()), all[i]);
    ASSERT_EQ(in_memory.from(places[i]).substr(0, all[i].size()), all[i]);
  }
}

TEST_F(ColdStoreTest, room_that_is_not_used_up_goes_to_the_next_and_is_never_cut_by_a_block) {
  ColdStore store("");
  const std::vector<std::string> all = pieces(5000);
  std::vector<std::uint64_t> places;
  for (const std::string& piece : all) {
    char* const begin = store.room(piece.size() + 100);
    places.push_back(store.append_until(std::ranges::copy(piece, begin).out));
    EXPECT_LE(places.back() % kBlock + piece.size() + 100, kBlock);
    EXPECT_EQ(store.end(), places.back() + piece.size());
  }
  EXPECT_GT(store.end(), 20 * kBlock);
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(store.from(places[i]).substr(0, all[i].size()), all[i]);
}

TEST_F(ColdStoreTest, memory_is_a_few_blocks_however_much_is_in_the_file) {
  ColdStore store(folder_.string());
  EXPECT_EQ(store.bytes(), 0U);
  const std::string piece(1024, 'x');
  for (int i = 0; i < 100'000; ++i) store.append(piece);
  EXPECT_LE(store.bytes(), kMemory + 64);
  EXPECT_GE(store.file_bytes() + kMemory, 100'000U * 1024);
  EXPECT_GE(bytes_on_disk(), store.file_bytes());
}

TEST_F(ColdStoreTest, its_file_has_no_name_so_nothing_is_left_behind) {
  ColdStore store(folder_.string());
  for (int i = 0; i < 10; ++i) store.append(std::string(kBlock, 'x'));
  EXPECT_EQ(store.file_bytes(), (9 - ColdStore::kBehind) * kBlock);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ColdStoreTest, a_directory_that_is_not_there_is_told_and_memory_does_instead) {
  ColdStore store((folder_ / "missing").string());
  ASSERT_FALSE(store.status().ok());
  EXPECT_NE(store.status().error().message.find("missing"), std::string::npos);
  const std::uint64_t place = store.append("here");
  for (int i = 0; i < 10; ++i) store.append(std::string(kBlock, 'x'));
  EXPECT_EQ(store.from(place).substr(0, 4), "here");
  EXPECT_EQ(store.file_bytes(), 0U);
  EXPECT_GE(store.bytes(), 11 * kBlock);
}

TEST_F(ColdStoreTest, what_a_full_disk_does_not_take_stays_in_memory_until_it_does) {
  ColdStore store(folder_.string());
  const std::vector<std::string> all = pieces(4000);
  std::vector<std::uint64_t> places;
  {
    const FileSizeLimit limit(4 * kBlock + 1000);
    for (std::size_t i = 0; i < all.size() / 2; ++i) places.push_back(store.append(all[i]));
    EXPECT_FALSE(store.status().ok());
    EXPECT_EQ(store.file_bytes(), 4 * kBlock);
    EXPECT_GE(store.bytes(), 7 * kBlock);
    for (std::size_t i = 0; i < places.size(); ++i)
      ASSERT_EQ(store.from(places[i]).substr(0, all[i].size()), all[i]);
  }
  for (std::size_t i = all.size() / 2; i < all.size(); ++i) places.push_back(store.append(all[i]));
  EXPECT_TRUE(store.status().ok());
  EXPECT_LE(store.bytes(), kMemory + 64);
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(store.from(places[i]).substr(0, all[i].size()), all[i]);
}

// Whoever appends would stand still until all of it is written.
TEST_F(ColdStoreTest, a_disk_that_takes_again_is_given_a_few_blocks_by_each_append) {
  constexpr std::uint64_t kRefused = 100;
  ColdStore store(folder_.string());
  std::vector<std::uint64_t> places;
  const auto append = [&] {
    places.push_back(store.append(std::string(kBlock, static_cast<char>(places.size()))));
  };
  const auto reads_back_from = [&](std::size_t first) {
    for (std::size_t i = first; i < places.size(); ++i) {
      ASSERT_EQ(store.from(places[i]), std::string(kBlock, static_cast<char>(i))) << i;
    }
  };
  {
    const FileSizeLimit limit(4 * kBlock);
    for (std::uint64_t i = 0; i < 4 + kRefused; ++i) append();
    ASSERT_FALSE(store.status().ok());
    ASSERT_EQ(store.file_bytes(), 4 * kBlock);
  }
  std::uint64_t appends = 0;
  for (; store.bytes() > kMemory + 64; ++appends) {
    ASSERT_LT(appends, kRefused) << "one in, more than one out";
    const std::uint64_t before = store.file_bytes();
    append();
    ASSERT_LE(store.file_bytes() - before, ColdStore::kAskedMax * kBlock);
    // What is given back meanwhile need not be written, nor waited for.
    if (appends == 5) store.release_before(places[kRefused - 10]);
    reads_back_from(appends < 5 ? 0 : kRefused - 10);
  }
  EXPECT_TRUE(store.status().ok());
  EXPECT_GT(appends, 5U);
  append();
  EXPECT_EQ(store.bytes(), kMemory + sizeof(char*));
  reads_back_from(kRefused - 10);
}

TEST_F(ColdStoreTest, gives_back_whole_blocks_of_memory_and_of_the_disk) {
  for (const std::string& directory : {std::string(), folder_.string()}) {
    SCOPED_TRACE(directory);
    ColdStore store(directory);
    std::vector<std::uint64_t> places;
    for (int i = 0; i < 600; ++i)
      places.push_back(store.append(std::string(kBlock / 2, static_cast<char>(i))));
    const std::uint64_t before = store.file_bytes() + store.bytes();
    const std::uint64_t disk_before = bytes_on_disk();
    store.release_before(places[561]);  // in the middle of block 280, which is in the second region
    EXPECT_EQ(before - store.file_bytes() - store.bytes(), 280 * kBlock);
    // Those that are being written may have come meanwhile.
    const std::uint64_t disk_after = bytes_on_disk();
    EXPECT_LE(disk_after + (directory.empty() ? 0 : 280 * kBlock), disk_before + ColdStore::kBehind * kBlock);
    EXPECT_GE(disk_after + 280 * kBlock, disk_before);
    for (std::size_t i = 560; i < 600; ++i)
      ASSERT_EQ(store.from(places[i]).substr(0, kBlock / 2), std::string(kBlock / 2, static_cast<char>(i)));
    store.release_before(places[100]);  // again, and earlier
    const std::uint64_t place = store.append("more");
    EXPECT_EQ(store.from(place).substr(0, 4), "more");
    store.release_before(store.end());
    EXPECT_LE(store.file_bytes() + store.bytes(), kBlock + 64);
  }
}

TEST(ColdStore, may_be_given_back_to_the_last_byte_of_a_full_block) {
  ColdStore store("");
  store.release_before(store.end());
  store.append(std::string(kBlock, 'x'));
  EXPECT_EQ(store.end(), kBlock);
  store.release_before(store.end());
  EXPECT_LE(store.bytes(), 64U);
  EXPECT_EQ(store.from(store.append("next")).substr(0, 4), "next");
}

}  // namespace
}  // namespace neardup
