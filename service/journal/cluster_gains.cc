#include "service/journal/cluster_gains.h"

#include <algorithm>

namespace neardup {

void ClusterGains::add(Sequence leader, const Source& source, const ClusterState& cluster) {
  ClusterGain& gain = each_.emplace_back(ClusterGain{.leader = leader, .joined = 1});
  // Whoever represents it and was there before has been told before.
  if (cluster.representative && cluster.representative->source == source)
    gain.representative = cluster.representative;
}

void ClusterGains::take(std::vector<ClusterGain>& gains) {
  std::ranges::stable_sort(each_, {}, &ClusterGain::leader);
  std::ranges::sort(ended_);
  gains.clear();
  for (const ClusterGain& gain : each_) {
    if (std::ranges::binary_search(ended_, gain.leader)) continue;
    if (gains.empty() || gains.back().leader != gain.leader) {
      gains.push_back(gain);
      continue;
    }
    gains.back().joined += gain.joined;
    if (gain.representative) gains.back().representative = gain.representative;  // the latest
  }
  clear();
}

}  // namespace neardup
