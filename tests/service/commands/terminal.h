// A terminal, and what is written to it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>

namespace neardup {

class Terminal {
 public:
  Terminal() : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    EXPECT_EQ(grantpt(screen_), 0);
    EXPECT_EQ(unlockpt(screen_), 0);
    fd_ = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    EXPECT_EQ(isatty(fd_), 1);
  }
  ~Terminal() {
    close(fd_);
    close(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int fd() const { return fd_; }

  // What has been written since the last call; some kilobytes at most wait.
  std::string read() {
    std::array<char, 4096> bytes{};
    std::string written;
    for (ssize_t size; (size = ::read(screen_, bytes.data(), bytes.size())) > 0;)
      written.append(bytes.data(), static_cast<std::size_t>(size));
    return written;
  }

 private:
  int screen_;
  int fd_ = -1;
};

}  // namespace neardup
