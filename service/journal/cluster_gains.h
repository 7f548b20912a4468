// What did the duplicates of a batch add to their clusters?
//
// Collects them one by one, and hands out what a journal record stores of them. For whoever writes records:
// the service's batches and a scan's index.
//
// Cost: 64 bytes for each duplicate of a batch, and sorting them. Threads: none inside.
#pragma once

#include <vector>

#include "core/cluster.h"
#include "core/decision.h"
#include "core/document.h"

namespace neardup {

class ClusterGains {
 public:
  // A document that lay at `source` is a duplicate of `leader`, whose cluster is now `cluster`.
  void add(Sequence leader, const Source& source, const ClusterState& cluster);

  // The cluster of `leader` is no more: nothing was gained.
  void end(Sequence leader) { ended_.push_back(leader); }

  // Replaces `gains` with one for each leader that is left, ascending, and is empty then.
  void take(std::vector<ClusterGain>& gains);

  void clear() {
    each_.clear();
    ended_.clear();
  }

 private:
  std::vector<ClusterGain> each_;
  std::vector<Sequence> ended_;
};

}  // namespace neardup
