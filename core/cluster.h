// What is known of the documents that say the same?
//
// A cluster is a unique, its leader, and all duplicates of it; its name is the leader's sequence number and
// never changes. Plain data, open to every room: core/detector/clusters.h keeps it, verdicts tell it, the
// journal stores what it gains, metrics count it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decision.h"
#include "core/document.h"

namespace neardup {

// Which document represents a cluster (core/detector/clusters.h).
enum class KeepPolicy : std::uint8_t { kFirst, kLongest, kNewest, kPrioritySource };
inline constexpr std::array<std::string_view, 4> kKeepPolicyNames = {"first", "longest", "newest",
                                                                     "priority-source"};

struct StreamGuardOptions {
  std::uint32_t window = 1 << 16;      // documents; at least 1
  std::uint32_t alarm_permille = 200;  // of the window, 1 .. 1000
};

struct ClusterOptions {
  KeepPolicy keep = KeepPolicy::kFirst;
  std::vector<std::string> priority_sources = {};  // hosts, the best first; of kPrioritySource
  std::uint32_t largest = 32;                      // of so many, size and mean distance are at hand
  StreamGuardOptions guard = {};
};

// The document that represents a cluster, if it is not the leader.
struct Representative {
  Source source;
  std::int64_t rank = 0;  // by the policy that chose it: the higher, the better

  friend bool operator==(const Representative&, const Representative&) = default;
};

// A cluster as it is now.
struct ClusterState {
  std::uint32_t size = 1;  // with its leader
  std::optional<Representative> representative = {};

  friend bool operator==(const ClusterState&, const ClusterState&) = default;
};

// What a cluster gained by some duplicates: enough to make the same state again.
struct ClusterGain {
  Sequence leader = 0;
  std::uint32_t joined = 0;                           // documents
  std::optional<Representative> representative = {};  // if it is a new one

  friend bool operator==(const ClusterGain&, const ClusterGain&) = default;
};

// One cluster, or one source, swallows the stream (core/detector/stream_guard.h).
struct StreamAlarm {
  enum class Kind : std::uint8_t { kCluster, kSource };
  Kind kind = Kind::kCluster;
  std::uint64_t key = 0;        // the leader's sequence number, or the source
  std::uint32_t documents = 0;  // of the window
  std::uint32_t permille = 0;   // of the window, rounded down

  friend bool operator==(const StreamAlarm&, const StreamAlarm&) = default;
};

// All clusters at a glance. `mean_distance` and what follows are for people who watch: no part of the state,
// and they begin anew when it is made again from a journal.
struct ClusterCounts {
  std::uint64_t clusters = 0;  // of two or more
  std::uint32_t largest = 0;   // documents of the largest; 0 if there is none
  std::size_t bytes = 0;       // of memory, with what watching takes
  double mean_distance = 0;    // bits, of any two members of one of the largest clusters
  double cluster_share = 0;    // of the guard's window: the most that are duplicates of one document
  double source_share = 0;     // and of documents of one source
  std::optional<StreamAlarm> alarm = {};
  Sequence alarm_leader = 0;  // of the alarm: the leader, or one of the source's
};

}  // namespace neardup
