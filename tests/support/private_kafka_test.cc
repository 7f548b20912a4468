#include "tests/support/private_kafka.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tests/support/shell_word.h"

namespace neardup {
namespace {

TEST(ShellWord, arrives_as_it_was) {
  for (const std::string_view text :
       {"", "plain", "a b", " ", "it's", "''", "$HOME `id` \"x\" \\", "*", "a\nb"}) {
    const std::string command = "printf %s " + shell_word(text) + " end";
    std::FILE* const pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(said, std::string(text) + "end");
  }
}

// What wipes it is a shell: of the folder "a b" it once removed the folder "a".
TEST(PrivateKafka, lives_and_dies_in_a_folder_whatever_its_name_is) {
  namespace fs = std::filesystem;
  std::string work = fs::temp_directory_path() / "neardup-private-XXXXXX";
  ASSERT_NE(mkdtemp(work.data()), nullptr);
  const std::string foreign = work + "/a";
  const std::string temporary = work + "/a it's b";
  fs::create_directory(foreign);
  fs::create_directory(temporary);
  ASSERT_EQ(setenv("TMPDIR", temporary.c_str(), 1), 0);
  {
    const PrivateKafka kafka("", PrivateKafka::Place::kDisk);
    EXPECT_TRUE(kafka.folder().starts_with(temporary + "/"));
    EXPECT_NO_THROW(kafka.run("status"));
    EXPECT_THROW(kafka.run("kill 2"), std::runtime_error) << "there is one node";
  }
  unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(temporary));
  EXPECT_TRUE(fs::exists(foreign));
  fs::remove_all(work);
}

// As ctest kills a test that takes too long.
void kill_with_descendants(pid_t pid) {
  kill(pid, SIGSTOP);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string stat;
    std::getline(std::ifstream(entry.path() / "stat"), stat);
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));  // behind the name, which may hold blanks
    char state = 0;
    pid_t parent = 0;
    if (fields >> state >> parent && parent == pid) kill_with_descendants(std::stoi(number));
  }
  kill(pid, SIGKILL);
}

TEST(PrivateKafka, dies_with_who_started_it_and_is_killed_with_all_descendants) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const PrivateKafka kafka;
    const std::string line = kafka.folder() + "\n";
    if (write(ends[1], line.data(), line.size()) < 0) _exit(1);
    pause();
    _exit(1);
  }
  close(ends[1]);
  std::string folder;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) folder += c;
  close(ends[0]);
  EXPECT_TRUE(std::filesystem::exists(folder + "/node1.pid")) << folder;
  kill_with_descendants(child);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(folder.empty());
  // Its nodes are ended before their files are removed.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::filesystem::exists(folder) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace neardup
