#include "core/detector/clusters.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "core/base/bytes.h"

namespace neardup {
namespace {

double mean_distance(std::uint64_t counted, const std::array<std::uint64_t, 64>& differing) {
  if (counted < 2) return 0;
  const auto n = static_cast<double>(counted);
  double pairs = 0;
  for (const std::uint64_t c : differing) pairs += static_cast<double>(c) * (n - static_cast<double>(c));
  return pairs / (n * (n - 1) / 2);
}

std::uint32_t grown(std::uint32_t size, std::uint32_t by) {
  return size + std::min(by, std::numeric_limits<std::uint32_t>::max() - size);
}

// Of one that another policy chose: whoever is preferred to the leader is preferred to it.
constexpr std::int64_t kRankOfAnotherRule = std::numeric_limits<std::int64_t>::min();

std::string rule_of(const ClusterOptions& options) {
  if (options.keep == KeepPolicy::kFirst) return "";
  std::string rule = "clusters.keep=" + std::string(kKeepPolicyNames[static_cast<std::size_t>(options.keep)]);
  if (options.keep != KeepPolicy::kPrioritySource) return rule;
  std::string sources;
  ByteWriter writer(sources);
  for (const std::string& source : options.priority_sources) writer.string(source);
  return rule + ':' + std::to_string(digest64(sources));
}

}  // namespace

Clusters::Clusters(ClusterOptions options)
    : options_(std::move(options)), rule_(rule_of(options_)), guard_(options_.guard) {
  largest_.reserve(options_.largest);
}

namespace {

template <class Value>
void put(SparseColumn<Value>& column, Sequence leader, const Value& value) {
  if (const auto [there, is_new] = column.insert(leader, value); !is_new) there = value;
}

}  // namespace

void Clusters::join(const Joining& joining) {
  guard_.swallow(joining.leader, joining.leader_origin);
  const ClusterState cluster = cluster_with(joining);
  put(sizes_, joining.leader, cluster.size);
  if (cluster.representative) put(representatives_, joining.leader, *cluster.representative);
  if (LargeCluster* const large = among_largest(joining.leader, cluster.size)) {
    ++large->counted;
    for (std::uint64_t bits = joining.difference; bits != 0; bits &= bits - 1)
      ++large->differing[static_cast<std::size_t>(std::countr_zero(bits))];
  }
}

ClusterState Clusters::cluster_with(const Joining& joining) const {
  ClusterState cluster = this->cluster(joining.leader);
  cluster.size = grown(cluster.size, 1);
  const std::int64_t own = rank(joining.document);
  const bool wins =
      own > rank(joining.leader_document) && (!cluster.representative || own > cluster.representative->rank);
  if (wins) cluster.representative = Representative{.source = joining.document.source, .rank = own};
  return cluster;
}

void Clusters::restore(const ClusterGain& gain, std::string_view rule) {
  const std::uint32_t alone = 1;
  std::uint32_t& size = sizes_.insert(gain.leader, alone).first;
  size = grown(size, gain.joined);
  if (gain.representative) {
    Representative representative = *gain.representative;
    if (rule != rule_) representative.rank = kRankOfAnotherRule;
    put(representatives_, gain.leader, representative);
  }
  among_largest(gain.leader, size);
}

std::int64_t Clusters::rank(const ClusterDocument& document) const {
  switch (options_.keep) {
    case KeepPolicy::kLongest:
      return document.tokens;
    case KeepPolicy::kNewest:
      return document.event_time_ms;
    case KeepPolicy::kPrioritySource:
      return -std::int64_t{document.priority};
    case KeepPolicy::kFirst:
      break;
  }
  return 0;
}

ClusterState Clusters::cluster(Sequence leader) const {
  ClusterState cluster;
  if (const std::uint32_t* const size = sizes_.find(leader)) cluster.size = *size;
  if (const Representative* const found = representatives_.find(leader)) cluster.representative = *found;
  return cluster;
}

// The cluster's place among the largest, given that it has so many members now; null if it has none. A
// cluster is looked at each time it has grown, so these are the largest indeed.
Clusters::LargeCluster* Clusters::among_largest(Sequence leader, std::uint32_t size) const {
  const Sized now{leader, size};
  if (options_.largest == 0 || !is_larger(now, beyond_)) return nullptr;
  if (size >= smallest_largest_) {
    const auto same = std::ranges::find(largest_, leader, &LargeCluster::leader);
    if (same != largest_.end()) {
      same->size = size;
      return &*same;
    }
    const LargeCluster fresh{.leader = leader, .size = size};
    if (largest_.size() < options_.largest) return &largest_.emplace_back(fresh);
    LargeCluster& smallest = *std::ranges::max_element(largest_, is_larger<LargeCluster, LargeCluster>);
    smallest_largest_ = smallest.size;
    if (is_larger(now, smallest)) {
      set_aside({smallest.leader, smallest.size});
      smallest = fresh;
      return &smallest;
    }
  }
  set_aside(now);
  return nullptr;
}

// Whether it has that size, and is remembered.
bool Clusters::is_current(const Sized& cluster) const {
  const std::uint32_t* const size = sizes_.find(cluster.leader);
  return size != nullptr && *size == cluster.size;
}

// Into the reserve. What has another size by now stays there until it has grown to twice what it should be;
// then the smaller half of what is left goes.
void Clusters::set_aside(const Sized& cluster) const {
  reserve_.push_back(cluster);
  std::ranges::push_heap(reserve_, is_smaller);
  const std::size_t most =
      std::max<std::size_t>(kReserveMin * options_.largest, sizes_.size() / kReserveShare);
  if (reserve_.size() < 2 * most) return;
  std::erase_if(reserve_, [&](const Sized& one) { return !is_current(one); });
  if (reserve_.size() > most) {
    const auto first_beyond = reserve_.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(reserve_, first_beyond, is_larger<Sized, Sized>);
    beyond_ = *first_beyond;
    reserve_.erase(first_beyond, reserve_.end());
  }
  std::ranges::make_heap(reserve_, is_smaller);
}

// From the reserve, to where some were forgotten.
void Clusters::move_up() {
  smallest_largest_ = 0;
  while (largest_.size() < options_.largest && !reserve_.empty()) {
    std::ranges::pop_heap(reserve_, is_smaller);
    const Sized next = reserve_.back();
    reserve_.pop_back();
    if (!is_current(next)) continue;
    if (std::ranges::find(largest_, next.leader, &LargeCluster::leader) != largest_.end()) continue;
    largest_.push_back({.leader = next.leader, .size = next.size});
  }
}

std::vector<Clusters::Large> Clusters::largest() const {
  std::vector<LargeCluster> sorted = filled_largest();
  std::ranges::sort(sorted, is_larger<LargeCluster, LargeCluster>);
  std::vector<Large> out;
  out.reserve(sorted.size());
  for (const LargeCluster& large : sorted)
    out.push_back({large.leader, large.size, mean_distance(large.counted, large.differing)});
  return out;
}

// The mean distance is that of two members of one of the largest, drawn by how many of it were counted.
ClusterCounts Clusters::counts() const {
  ClusterCounts counts{.clusters = sizes_.size(),
                       .bytes = bytes(),
                       .cluster_share = guard_.cluster_share(),
                       .source_share = guard_.source_share(),
                       .alarm = guard_.alarm()};
  if (counts.alarm) {
    counts.alarm_leader = counts.alarm->kind == StreamAlarm::Kind::kCluster
                              ? counts.alarm->key
                              : guard_.newest_leader_from(counts.alarm->key);
  }
  double counted = 0;
  for (const LargeCluster& large : filled_largest()) {
    counts.largest = std::max(counts.largest, large.size);
    if (large.counted < 2) continue;
    const auto members = static_cast<double>(large.counted);
    counted += members;
    counts.mean_distance += members * mean_distance(large.counted, large.differing);
  }
  if (counted > 0) counts.mean_distance /= counted;
  return counts;
}

void Clusters::erase(Sequence leader) {
  if (!sizes_.erase(leader)) return;
  representatives_.erase(leader);
  if (std::erase_if(largest_, [&](const LargeCluster& large) { return large.leader == leader; }) > 0)
    move_up();
}

void Clusters::expire(Sequence oldest) {
  sizes_.expire(oldest);
  representatives_.expire(oldest);
  if (std::erase_if(largest_, [&](const LargeCluster& large) { return large.leader < oldest; }) > 0)
    move_up();
}

const std::vector<Clusters::LargeCluster>& Clusters::filled_largest() const {
  if (largest_.size() < options_.largest && beyond_.size > 0) {
    beyond_ = {};
    sizes_read_ += sizes_.size();
    sizes_.for_each([&](Sequence leader, std::uint32_t size) { among_largest(leader, size); });
  }
  return largest_;
}

Digest128 Clusters::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.string(rule_);
  writer.u64(sizes_.size());
  sizes_.for_each([&](Sequence leader, std::uint32_t size) {
    writer.u64(leader);
    writer.u32(size);
  });
  writer.u64(representatives_.size());
  representatives_.for_each([&](Sequence leader, const Representative& representative) {
    writer.u64(leader);
    writer.u64(static_cast<std::uint64_t>(representative.rank));
    writer.u32(representative.source.topic);
    writer.u32(static_cast<std::uint32_t>(representative.source.partition));
    writer.u64(static_cast<std::uint64_t>(representative.source.offset));
  });
  return digest128(bytes);
}

std::size_t Clusters::bytes() const {
  return sizes_.bytes() + representatives_.bytes() + largest_.capacity() * sizeof(largest_[0]) +
         reserve_.capacity() * sizeof(reserve_[0]) + guard_.bytes();
}

}  // namespace neardup
