#include "service/commands/streams.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "core/index/cold_store.h"
#include "service/commands/exit_code.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

using StreamsDeathTest = FolderTest;

// The file without a name that this process has open in `folder`; -1: there is none.
int file_in(const std::string& folder) {
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(open.path(), gone).string();
    if (target.starts_with(folder)) return std::atoi(open.path().filename().c_str());
  }
  return -1;
}

// What a broken disk does to a page, a file that has become shorter does as well.
void read_what_is_not_there(const std::string& folder) {
  constexpr int kBlocks = 10;
  ColdStore store(folder);
  for (int i = 0; i < kBlocks; ++i) store.append(std::string(ColdStore::kBlockBytes, 'x'));
  const int file = file_in(folder);
  // All blocks but the one being filled are asked for; one that is written later would make it long again.
  for (struct stat about{}; about.st_size != (kBlocks - 1) * off_t{ColdStore::kBlockBytes};
       std::this_thread::yield()) {
    if (fstat(file, &about) != 0) std::exit(1);
  }
  if (ftruncate(file, 0) != 0) std::exit(1);
  const volatile char first = store.from(0)[0];
  std::exit(first == 'x' ? 2 : 3);
}

TEST_F(StreamsDeathTest, a_file_of_uniques_that_cannot_be_read_ends_the_process_with_its_reason) {
  const std::string folder = folder_.string();
  EXPECT_EXIT(
      {
        end_by_read_errors(folder);
        read_what_is_not_there(folder);
      },
      testing::ExitedWithCode(kExitIo), "^index.directory: a page of the file in " + folder + " cannot be");
}

TEST_F(StreamsDeathTest, any_other_bus_error_is_a_death_as_before) {
  const std::string folder = folder_.string();
  EXPECT_EXIT(
      {
        end_by_read_errors(folder);
        std::raise(SIGBUS);
        std::exit(2);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace neardup
