#include "tests/chaos/instance.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "core/base/check.h"
#include "service/commands/exit_code.h"

namespace neardup {
namespace {

constexpr int kKilled = 128 + SIGKILL;

std::uint64_t count(std::string_view text, std::string_view word) {
  std::uint64_t found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// What the log says of its newest term, if that is not over.
std::string_view present_term(std::string_view log) {
  const std::size_t begin = log.rfind("standby: joining group");
  if (begin == std::string_view::npos) return {};
  const std::string_view term = log.substr(begin);
  return has(term, "the election was lost") || has(term, "halted:") ? std::string_view() : term;
}

std::string proc(pid_t pid, const std::string& file) { return "/proc/" + std::to_string(pid) + "/" + file; }

}  // namespace

void Instance::start(const std::optional<Arming>& arming) {
  CHECK(process_ == nullptr, "one life at a time");
  std::vector<std::string> words = {"/usr/bin/env"};
  if (options_.commit_ms) words.push_back("CHAOS_LIMIT_commit_ms=" + std::to_string(*options_.commit_ms));
  if (arming) {
    words.push_back("CHAOS_FAULT=" + std::string(kFaultPointNames[static_cast<std::size_t>(arming->point)]) +
                    ":" + std::to_string(arming->passing) + ":" + (arming->stops ? "stop" : "kill"));
  }
  Config config = options_.config;
  if (arming && arming->session_ms) config.kafka.session_timeout_ms = *arming->session_ms;
  const std::vector<std::string> program = neardup_words(NEARDUP_CHAOS_BINARY, options_.arguments, config);
  words.insert(words.end(), program.begin(), program.end());
  ++lives_;
  any_end_ = told_to_stop_ = false;
  armed_to_kill_ = arming && !arming->stops;
  process_ = std::make_unique<ChildProcess>(std::move(words), log_path());
}

void Instance::signal(int number) {
  if (!process_) return;
  if (number == SIGKILL) ++kills_;
  if (number == SIGTERM) told_to_stop_ = true;
  process_->signal(number);
}

std::optional<int> Instance::take_end() {
  if (!process_) return std::nullopt;
  const std::optional<int> code = process_->wait(std::chrono::milliseconds(0));
  if (!code) return std::nullopt;
  last_log_ = process_->log();
  process_.reset();
  found_ += count(last_log_, "ms: found_committed");
  resent_ += count(last_log_, "ms: resent");
  if (armed_to_kill_ && *code == kKilled) ++kills_;
  return code;
}

bool Instance::ended_well(int exit_code) const {
  // Told before it can listen, or told twice, it ends at once.
  const bool stopped = exit_code == kExitOk || exit_code == 128 + SIGTERM;
  return any_end_ || exit_code == kKilled || exit_code == kExitUnavailable || (told_to_stop_ && stopped) ||
         (exit_code == kExitInternal && hung());
}

bool Instance::hung() const { return has(log(), "the worker has shown no life"); }

bool Instance::leads() const {
  if (!process_) return false;
  const std::string log = process_->log();
  return has(present_term(log), "running:");
}

bool Instance::follows() const {
  if (!process_) return false;
  const std::string log = process_->log();
  const std::string_view term = present_term(log);
  return has(term, "standby: following the writer") && !has(term, "running:");
}

bool Instance::is_stopped() const {
  if (!process_) return false;
  std::ifstream file(proc(process_->pid(), "stat"));
  std::string stat;
  std::getline(file, stat);
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'T';
}

bool Instance::limit_address_space(std::uint64_t more) {
  if (!process_) return false;
  std::ifstream file(proc(process_->pid(), "statm"));
  std::uint64_t pages = 0;
  file >> pages;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit = {.rlim_cur = pages * page + more, .rlim_max = RLIM_INFINITY};
  expect_any_end();
  return prlimit(process_->pid(), RLIMIT_AS, &limit, nullptr) == 0;
}

void Instance::unlimit_address_space() const {
  const rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  if (process_) prlimit(process_->pid(), RLIMIT_AS, &limit, nullptr);
}

}  // namespace neardup
