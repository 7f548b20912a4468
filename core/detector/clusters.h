// How many documents say the same, which of them should be kept, and how alike are they?
//
// A cluster is a unique, its leader, and all duplicates of it; its name is the leader's sequence number and
// never changes. What is here follows from decisions and never makes one: a policy may prefer a member to
// the leader as the document that represents the cluster, but documents are compared with the leader as
// before, and a verdict once given stays.
//
//   kFirst            the leader
//   kLongest          the one with the most tokens
//   kNewest           the one with the latest event time
//   kPrioritySource   the one whose source has the lowest number, as configured
//
// Of equal ones the earliest represents. A document that starts no cluster costs nothing here.
//
// Sizes and representatives are state, like the uniques: a journal stores what each batch adds to them, and
// restore() makes them again. A representative that another policy chose represents its cluster until a
// document comes that the policy in force prefers to the leader. The guard's window and the mean distances
// are for people who watch; they begin anew.
//
// Of the largest clusters the mean distance of any two members is known as well, exactly and without their
// fingerprints: of each bit, how many members differ from the leader there. A bit in which c of n differ
// makes c (n - c) pairs differ. Low means copies of one text; high, a template or a chain of rewrites.
//
// Which are the largest is known without a look at all the others: behind them is a reserve of those that
// come next, and who is forgotten makes room for the first of it. Where it is used up all sizes are read, but
// not before a 256th of the clusters is forgotten.
//
// Cost:    5 bytes for a cluster of two or more, and what pages leave free (sparse_column.h: 7 in all where a
//          fifth of the uniques lead one); 28 more if a duplicate represents it. The largest, their reserve
//          (a quarter of a byte a cluster at most, or 32 KiB) and the guard's window besides. A duplicate
//          costs a look-up and a few counters: .8 us where one of 200 000 clusters is hit at random, nearly
//          all of it waits for memory.
// Threads: none inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/cluster.h"
#include "core/decision.h"
#include "core/detector/stream_guard.h"
#include "core/document.h"
#include "core/index/sparse_column.h"

namespace neardup {

// What a policy looks at.
struct ClusterDocument {
  Source source;
  std::int64_t event_time_ms = 0;
  std::uint32_t tokens = 0;
  std::uint32_t priority = 0;  // of its source: the lower, the better
};

class Clusters {
 public:
  explicit Clusters(ClusterOptions options);

  // A unique: it leads no cluster yet.
  void pass() { guard_.pass(); }

  struct Joining {
    Sequence leader = 0;
    ClusterDocument leader_document;
    ClusterDocument document;
    std::uint64_t difference = 0;     // the bits in which its fingerprint is not the leader's
    std::uint64_t leader_origin = 0;  // for the guard: a number for the source, a hash of its host say
  };
  // A duplicate. REQUIRES: its leader is not expired.
  void join(const Joining& joining);

  // As it is now: alone, if `leader` leads nothing.
  ClusterState cluster(Sequence leader) const;
  // As join() would make it.
  ClusterState cluster_with(const Joining& joining) const;

  // Starts to load what join() and restore() read first; and, once that is here, what it leads to.
  void prefetch(Sequence leader) const {
    sizes_.prefetch(leader);
    representatives_.prefetch(leader);
    guard_.prefetch(leader);
  }
  void prefetch_rest(Sequence leader) const {
    sizes_.prefetch_rest(leader);
    representatives_.prefetch_rest(leader);
  }

  // Takes back what joined before, by the rule() that chose the representative then. REQUIRES: the leader is
  // not expired.
  void restore(const ClusterGain& gain, std::string_view rule);
  // What ranks hang on: "" for the first, else the setting, and a digest of the priorities.
  const std::string& rule() const { return rule_; }

  struct Large {
    Sequence leader = 0;
    std::uint32_t size = 0;
    double mean_distance =
        0;  // bits, of any two of the leader and the members since it was among the largest
  };
  // The largest clusters of two or more, the largest first, of equal ones the one with the lowest number.
  std::vector<Large> largest() const;

  std::optional<StreamAlarm> alarm() const { return guard_.alarm(); }

  ClusterCounts counts() const;

  // Forgets a cluster, or those of all leaders below `oldest`: whoever was in it is not in another one.
  void erase(Sequence leader);
  void expire(Sequence oldest);

  std::uint64_t clusters() const { return sizes_.size(); }  // of two or more
  // How many sizes were read so far to know the largest when others had been forgotten.
  std::uint64_t sizes_read() const { return sizes_read_; }

  // Equal for equal sizes and representatives. It reads everything.
  Digest128 digest() const;
  std::size_t bytes() const;

 private:
  struct LargeCluster {
    Sequence leader = 0;
    std::uint32_t size = 0;
    std::uint64_t counted = 1;                     // the leader, and the members that `differing` is of
    std::array<std::uint64_t, 64> differing = {};  // of each bit: how many are not as the leader is
  };

  struct Sized {
    Sequence leader = 0;
    std::uint32_t size = 0;
  };

  template <class A, class B>
  static bool is_larger(const A& a, const B& b) {
    return a.size != b.size ? a.size > b.size : a.leader < b.leader;
  }
  static bool is_smaller(const Sized& a, const Sized& b) { return is_larger(b, a); }
  std::int64_t rank(const ClusterDocument& document) const;
  LargeCluster* among_largest(Sequence leader, std::uint32_t size) const;
  bool is_current(const Sized& cluster) const;
  void set_aside(const Sized& cluster) const;
  void move_up();
  const std::vector<LargeCluster>& filled_largest() const;

  const ClusterOptions options_;
  const std::string rule_;
  SparseColumn<std::uint32_t> sizes_;             // of clusters of two or more
  SparseColumn<Representative> representatives_;  // where it is not the leader

  // What is known of the largest: these and the reserve are all clusters that are larger than `beyond_`. Of
  // the reserve none is larger than one of these, and if these are fewer than wanted it is empty. Then all
  // sizes are read when next somebody asks: many may be forgotten before that.
  static constexpr std::uint64_t kReserveShare = 256;  // of it is one cluster of so many, or
  static constexpr std::size_t kReserveMin = 32;       // so many for each of the largest
  mutable std::vector<LargeCluster> largest_;          // in no order
  mutable std::uint32_t smallest_largest_ = 0;         // a smaller one is not among them, nor will it come in
  mutable std::vector<Sized> reserve_;  // a heap; some have another size by now, or are forgotten
  mutable Sized beyond_;                // of size 0: there is nothing beyond
  mutable std::uint64_t sizes_read_ = 0;
  StreamGuard guard_;
};

}  // namespace neardup
