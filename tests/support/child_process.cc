#include "tests/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "core/base/check.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookEvery{5};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words, std::string log_path)
    : log_path_(std::move(log_path)) {
  std::remove(log_path_.c_str());  // of an earlier run, or of the life before
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, 1);
    dup2(log, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
}

ChildProcess::~ChildProcess() {
  if (exit_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ChildProcess::signal(int number) const {
  if (!exit_) kill(pid_, number);
}

std::optional<int> ChildProcess::wait(milliseconds time) {
  const auto end = steady_clock::now() + time;
  while (!exit_) {
    int status = 0;
    rusage used{};
    if (wait4(pid_, &status, WNOHANG, &used) == pid_) {
      exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      usage_.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
      usage_.resident_bytes_max = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
      usage_.page_faults = static_cast<std::uint64_t>(used.ru_minflt);
    } else if (steady_clock::now() >= end) {
      break;
    } else {
      std::this_thread::sleep_for(kLookEvery);
    }
  }
  return exit_;
}

bool ChildProcess::wait_for_log(const std::string& text, milliseconds time) {
  const auto end = steady_clock::now() + time;
  for (;;) {
    const bool ended = wait(milliseconds(0)).has_value();
    if (log().find(text) != std::string::npos) return true;
    if (ended || steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
}

std::string ChildProcess::log() const {
  std::ifstream file(log_path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ProcessUsage ChildProcess::usage() const {
  CHECK(exit_.has_value(), "the kernel tells the cost of a process when it has ended");
  return usage_;
}

std::vector<std::string> neardup_words(const std::string& program, const std::vector<std::string>& arguments,
                                       const Config& config) {
  const KafkaTopics& topics = config.kafka.topics;
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto set = [&](const std::string& key, const std::string& value) {
    words.insert(words.end(), {"--set", key + "=" + value});
  };
  set("kafka.brokers", config.kafka.brokers);
  set("kafka.group", config.kafka.group);
  set("kafka.session_timeout_ms", std::to_string(config.kafka.session_timeout_ms));
  std::string inputs;
  for (const std::string& topic : topics.input) inputs += (inputs.empty() ? "" : ",") + topic;
  set("kafka.topics.input", inputs);
  set("kafka.topics.unique", topics.unique);
  set("kafka.topics.unique_holds", topics.unique_holds);
  set("kafka.topics.duplicate", topics.duplicate);
  set("kafka.topics.dead_letter", topics.dead_letter);
  set("kafka.topics.journal", topics.journal);
  set("http.address", config.http.address);
  set("http.port", std::to_string(config.http.port));
  set("index.by_id", config.index.by_id ? "true" : "false");
  set("index.documents_max", std::to_string(config.index.documents_max));
  set("batch.documents_max", std::to_string(config.batch.documents_max));
  set("batch.interval_ms", std::to_string(config.batch.interval_ms));
  set("output.headers", config.output.headers);
  set("snapshot.directory", config.snapshot.directory);
  set("snapshot.interval_ms", std::to_string(config.snapshot.interval_ms));
  return words;
}

}  // namespace neardup
