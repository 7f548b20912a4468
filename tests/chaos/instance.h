// One of the two instances of a round: what a supervisor would start, and start again.
//
// Threads: one caller, the one that lives longest: an instance dies with the thread that started it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/config.h"
#include "service/fault_point.h"
#include "tests/support/child_process.h"

namespace neardup {

// What the next life does at a point of the protocol.
struct Arming {
  FaultPoint point = FaultPoint::kCommitted;
  int passing = 1;                               // 1: the first
  bool stops = false;                            // until it is told to go on; else it kills itself
  std::optional<int> session_ms = std::nullopt;  // in the place of the config's
};

class Instance {
 public:
  struct Options {
    Config config;  // with the snapshot's folder, if it shall have one
    std::vector<std::string> arguments = {"serve"};
    std::optional<int> commit_ms;  // in the place of the limit that is shipped
    std::string log_prefix;        // a path; lives add their number
  };

  explicit Instance(Options options) : options_(std::move(options)) {}

  // Starts a life. REQUIRES: none is under way.
  void start(const std::optional<Arming>& arming = std::nullopt);
  void signal(int number);
  // The exit code if this life has ended and was not taken before. Then none is under way.
  std::optional<int> take_end();

  bool is_running() const { return process_ != nullptr; }
  bool leads() const;
  bool follows() const;
  bool is_stopped() const;  // by SIGSTOP
  // This life may end in any way: it was hurt so.
  void expect_any_end() { any_end_ = true; }
  // No more address space than it has now and `more`. False: it could not be limited.
  [[nodiscard]] bool limit_address_space(std::uint64_t more);
  void unlimit_address_space() const;

  std::string log() const { return process_ ? process_->log() : last_log_; }
  std::string log_path() const { return options_.log_prefix + "-" + std::to_string(lives_) + ".log"; }
  const Config& config() const { return options_.config; }

  // Whether the life that take_end told of ended as it may.
  bool ended_well(int exit_code) const;
  // Whether its watchdog ended it, because a call did not return.
  bool hung() const;

  std::uint64_t kills() const { return kills_; }
  std::uint64_t recycles_found() const { return found_; }
  std::uint64_t recycles_resent() const { return resent_; }

 private:
  Options options_;
  std::unique_ptr<ChildProcess> process_;
  int lives_ = 0;
  bool any_end_ = false;
  bool told_to_stop_ = false;
  bool armed_to_kill_ = false;
  std::string last_log_;
  std::uint64_t kills_ = 0;
  std::uint64_t found_ = 0;
  std::uint64_t resent_ = 0;
};

}  // namespace neardup
