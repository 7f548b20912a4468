// How does a test run a program beside itself, and what did it cost?
//
// The program dies with its ChildProcess, whichever way that ends: by its process id when the object goes, by
// the kernel when our own process is killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/config.h"

namespace neardup {

// Of a program that has ended, with all its threads.
struct ProcessUsage {
  double cpu_seconds = 0;  // user and system
  std::uint64_t resident_bytes_max = 0;
  std::uint64_t page_faults = 0;  // for which nothing was read from a disk
};

class ChildProcess {
 public:
  // Starts `words`, the first of which is the program's path; what it says goes to `log_path`, emptied
  // before.
  ChildProcess(std::vector<std::string> words, std::string log_path);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Its exit code, 128 + signal if one ended it; nullopt if it still runs after `time`.
  std::optional<int> wait(std::chrono::milliseconds time);
  // Until its log holds `text`; false when it ended or the time is over.
  bool wait_for_log(const std::string& text, std::chrono::milliseconds time);
  std::string log() const;

  // REQUIRES: wait() has told its exit code.
  ProcessUsage usage() const;

 private:
  std::string log_path_;
  pid_t pid_ = -1;
  std::optional<int> exit_;
  ProcessUsage usage_;
};

// The words that run `program`, a neardup, as `arguments` say with the settings of `config`.
std::vector<std::string> neardup_words(const std::string& program, const std::vector<std::string>& arguments,
                                       const Config& config);

}  // namespace neardup
