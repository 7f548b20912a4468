// What is the service doing, and is it alive?
//
// One small board that the worker writes and HTTP, metrics and the log read. Any thread may read; only the
// worker and the election write; who keeps the snapshot warns, and who decides.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace neardup {

enum class State : std::uint8_t {
  kStarting,   // reading config, reaching Kafka, checking topics
  kStandby,    // another instance is the writer; the journal is read as it is written
  kRestoring,  // reading the journal into memory for the first time, or its rest after the election
  kRunning,    // deciding and publishing
  kDraining,   // asked to stop: finishing the batch
};
inline constexpr std::array<std::string_view, 5> kStateNames = {"starting", "standby", "restoring", "running",
                                                                "draining"};
constexpr std::string_view name(State s) { return kStateNames[static_cast<std::size_t>(s)]; }

// What the election made of this instance. Only the writer publishes.
enum class Role : std::uint8_t { kStandby, kWriter };
inline constexpr std::array<std::string_view, 2> kRoleNames = {"standby", "writer"};
constexpr std::string_view name(Role r) { return kRoleNames[static_cast<std::size_t>(r)]; }

class StateBoard {
 public:
  using Clock = std::chrono::steady_clock;

  // `detail` is for people: why, and what is awaited ("Kafka at 127.0.0.1:9092: describing topics: ...").
  void set(State state, std::string detail = "");
  // How far what `detail` tells of has come, until the next set().
  void set_progress(std::string progress);
  State state() const { return state_.load(std::memory_order_acquire); }
  std::string detail() const;

  // What is wrong with `part` although the service does its work ("snapshot", "no space left"); "" takes it
  // back.
  void warn(std::string_view part, const std::string& warning);
  // "snapshot: no space left; index: ...", or "".
  std::string warning() const;
  void set_role(Role role) { role_.store(role, std::memory_order_relaxed); }
  Role role() const { return role_.load(std::memory_order_relaxed); }

  // The worker says so at least once a second while it is well, whatever it waits for.
  void beat() { beat(Clock::now()); }
  // The same of who was last heard of at `then`.
  void beat(Clock::time_point then) {
    beat_.store(then.time_since_epoch().count(), std::memory_order_relaxed);
  }
  // Time since the last beat; /livez fails when it passes kBeatMax.
  std::chrono::nanoseconds since_beat() const {
    return std::chrono::nanoseconds(now_ns() - beat_.load(std::memory_order_relaxed));
  }
  static constexpr std::chrono::seconds kBeatMax{120};

 private:
  static std::int64_t now_ns() { return Clock::now().time_since_epoch().count(); }

  std::atomic<State> state_{State::kStarting};
  std::atomic<Role> role_{Role::kStandby};
  std::atomic<std::int64_t> beat_{now_ns()};
  mutable std::mutex mutex_;
  std::string detail_;
  std::string progress_;
  std::map<std::string, std::string, std::less<>> warnings_;  // by part
};

}  // namespace neardup
