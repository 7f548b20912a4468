// Does one cluster, or one source, swallow the stream?
//
// A template that everything matches, or a source whose leaders do, empties a crawl without any error: all
// its documents are duplicates of something. So the guard counts, over the last `window` documents, how many
// were duplicates of each leader, and of leaders from each source, exactly. Where a count reaches the share
// that is too much, there is an alarm, until it is below seven eighths of that: what lies at the bound would
// alarm and be well again from one document to the next. Counts are compared with the whole window from the
// first document on, so a stream that has hardly begun alarms nobody. The window is for people who watch and
// decides nothing: it is not stored, and begins anew with each start.
//
// Cost:    16 bytes for each document of the window, and 32 to 64 for each cluster and each source that
//          swallowed something in it. A document is two counters up and two down.
// Threads: none inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/prefetch_line.h"
#include "core/cluster.h"
#include "core/decision.h"

namespace neardup {

// How often is each key among those added and not yet removed, and which are too often? One is, from when it
// has a count of `too_many` until it has less than seven eighths of that.
class KeyCounts {
 public:
  // `too_many` >= 1.
  explicit KeyCounts(std::uint32_t too_many)
      : too_many_(too_many), still_too_many_(too_many - too_many / 8), slots_(kSlotsMin) {}

  // Starts to load what add() and remove() look at.
  void prefetch(std::uint64_t key) const { prefetch_line(&slots_[home(key)]); }

  void add(std::uint64_t key);
  void remove(std::uint64_t key);  // REQUIRES: it was added more often than removed

  struct Count {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
  };
  // The largest count of those that are too often, of equal ones that with the lowest key.
  std::optional<Count> largest() const;
  // The largest count of all.
  std::uint32_t highest() const { return highest_; }

  std::size_t bytes() const {
    return slots_.capacity() * sizeof(Count) + frequent_.capacity() * sizeof(frequent_[0]) +
           keys_with_.capacity() * sizeof(keys_with_[0]);
  }

 private:
  static constexpr std::size_t kSlotsMin = 64;

  std::size_t home(std::uint64_t key) const;   // where a key is looked for first
  std::size_t place(std::uint64_t key) const;  // where it is, or the free slot that ends the search
  void grow();

  std::uint32_t too_many_;
  std::uint32_t still_too_many_;  // what was too often stays so down to here
  std::vector<Count> slots_;      // a power of two of them, at most half in use; count 0: free
  std::size_t used_ = 0;
  std::vector<std::uint64_t> frequent_;   // keys that are too often, each once
  std::vector<std::uint32_t> keys_with_;  // so many keys have this count
  std::uint32_t highest_ = 0;
};

class StreamGuard {
 public:
  explicit StreamGuard(StreamGuardOptions options);

  // Starts to load what swallow() changes for this leader.
  void prefetch(Sequence leader) const { clusters_.prefetch(leader); }

  // One document went by that nothing swallowed.
  void pass();
  // One document was a duplicate of `leader`, which came from `source`: a number of the caller's, of a host
  // say.
  void swallow(Sequence leader, std::uint64_t source);

  // The largest share that is too much; of equal ones the cluster's, and the lowest key's.
  std::optional<StreamAlarm> alarm() const;

  // The largest share of the window that are duplicates of one leader, and of leaders from one source.
  double cluster_share() const { return share(clusters_.highest()); }
  double source_share() const { return share(sources_.highest()); }

  // The leader that swallowed last of those from `source`. REQUIRES: one of them did, in the window.
  Sequence newest_leader_from(std::uint64_t source) const;

  std::size_t bytes() const {
    return window_.capacity() * sizeof(Swallowed) + clusters_.bytes() + sources_.bytes();
  }

 private:
  struct Swallowed {
    Sequence leader = kNobody;
    std::uint64_t source = 0;
  };
  static constexpr Sequence kNobody = ~Sequence{0};
  static constexpr std::size_t kAhead = 8;  // documents

  void slide(Swallowed newest);
  double share(std::uint32_t documents) const { return static_cast<double>(documents) / options_.window; }

  const StreamGuardOptions options_;
  std::vector<Swallowed> window_;  // a ring once it is full
  std::size_t next_ = 0;           // the oldest of a full ring
  KeyCounts clusters_;
  KeyCounts sources_;
};

}  // namespace neardup
