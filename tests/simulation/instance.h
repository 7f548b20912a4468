// What do the clients of one life of the service share, and what has become of them?
//
// Threads: those of the life; what is written is the publisher's, or written before it begins.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "service/journal/chain.h"
#include "service/pipeline/leadership.h"
#include "service/pipeline/source.h"
#include "tests/simulation/cluster.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/planted.h"

namespace neardup {

// Lost, it is won again by who waits for it.
class SimulatedLeadership final : public Leadership {
 public:
  bool held() const override { return held_; }
  std::uint64_t election() const override { return election_; }
  bool may_return() const override {
    if (!held_ && looks_-- == 0) {
      held_ = true;
      ++election_;
    }
    return true;
  }
  // `looks`: in vain.
  void lose(std::uint64_t looks) {
    held_ = false;
    looks_ = looks;
  }

 private:
  // What happens meanwhile happens as often as somebody looks.
  mutable bool held_ = true;
  mutable std::uint64_t election_ = 1;
  mutable std::uint64_t looks_ = 0;
};

// What a life is told of the cluster.
struct SimulatedWorld {
  std::optional<Fault> fault;  // somebody laid hands on it
  bool is_accepted = false;    // and a person has said to go on where the journal is
  InputTopic topic;
  std::int64_t journal_end = std::numeric_limits<std::int64_t>::max();  // what is behind is lost
};

// One instance of the service, and what its clients share.
struct SimulatedInstance {
  Faults& faults;
  Cluster& cluster;
  Disk& disk;
  Planted planted;
  std::uint64_t fault_share;
  std::uint64_t life;                        // one number, and another one for every term behind its first
  bool may_stand_still;                      // no other instance waits for this one
  std::function<void()> other_lives;         // another instance, from its start to its end
  std::function<void()> before_commit = {};  // makes a mistake that is planted
  std::function<void()> stop = {};           // ends its term in order, once it works
  bool snapshot = false;                     // it keeps one
  JournalChain chain = JournalChain();
  SimulatedLeadership leadership = {};
  SimulatedWorld world = {};
  std::optional<std::size_t> committed = {};  // transactions, when it has seen the world and no input yet
  bool outlived = false;                      // another instance was elected
  std::atomic<bool> is_at_rest = false;       // all that this one had decided was published before its end
  std::string violation = "";
  std::uint64_t stale_looks = 0;  // at the journal, that find the end where the reader is
  std::uint64_t resent = 0;
  std::uint64_t found = 0;

  // It leads, for the first time or again.
  void begin_term() {
    leadership = {};
    world = {};
    committed.reset();
    stop = {};
    outlived = false;
    is_at_rest = false;
    stale_looks = 0;
  }
  // The snapshot thread has done what it was given.
  void settle() const {
    if (snapshot) disk.settle(chain.next_number());
  }
  [[noreturn]] void die() const {
    settle();
    disk.crash();
    throw Crash();
  }
  // SIGSTOP, and some time later SIGCONT.
  void stand_still(Draw& draw) {
    other_lives();
    outlived = true;
    if (draw.one_in(2)) lose_election(draw);  // else the election has not told it yet
  }
  // Its term ends with what it has in hand, or goes on when it is elected again.
  void lose_election(Draw& draw) {
    leadership.lose(draw.below(3));
    outlived = true;
    if (!stop || !draw.one_in(2)) return;
    is_at_rest = true;
    stop();
  }
};

}  // namespace neardup
