#include "tests/support/private_kafka.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

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

}  // namespace
}  // namespace neardup
