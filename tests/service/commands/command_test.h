// A test of a command: its streams come from a file and go to files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "service/commands/streams.h"
#include "tests/support/folder_test.h"

namespace neardup {

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;
};

class CommandTest : public FolderTest {
 protected:
  // command(streams), with `input` to read; what it returned and all that it wrote.
  template <class Command>
  Ran with_streams(const std::string& input, Command command) {
    const std::filesystem::path at = folder_.string() + ".io";
    std::filesystem::create_directories(at);
    std::ofstream(at / "in", std::ios::binary) << input;
    const Streams streams{open((at / "in").c_str(), O_RDONLY),
                          open((at / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
                          open((at / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    Ran ran;
    ran.exit_code = command(streams);
    for (const int fd : {streams.in, streams.out, streams.err}) close(fd);
    ran.out = read(at / "out");
    ran.err = read(at / "err");
    std::filesystem::remove_all(at);
    return ran;
  }

  // The same, of a command whose reader has gone, as `head` does: `out` is empty.
  template <class Command>
  Ran with_reader_gone(const std::string& input, Command command) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    close(ends[0]);
    Ran ran = with_streams(input, [&](Streams streams) {
      streams.out = ends[1];
      return command(streams);
    });
    close(ends[1]);
    return ran;
  }
};

}  // namespace neardup
