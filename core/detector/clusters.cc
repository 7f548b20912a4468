#include "core/detector/clusters.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "core/base/bytes.h"

namespace neardup {
namespace {

double mean_distance(std::uint32_t counted, const std::array<std::uint32_t, 64>& differing) {
  if (counted < 2) return 0;
  const double n = counted;
  double pairs = 0;
  for (const std::uint32_t c : differing) pairs += c * (n - c);
  return pairs / (n * (n - 1) / 2);
}

}  // namespace

Clusters::Clusters(ClusterOptions options) : options_(options), guard_(options.guard) {
  largest_.reserve(options_.largest);
}

Clusters::Joined Clusters::join(const Joining& joining) {
  guard_.swallow(joining.leader, joining.leader_origin);
  std::uint32_t* size = sizes_.find(joining.leader);
  if (size == nullptr) size = &sizes_.insert(joining.leader, 1);
  if (*size < std::numeric_limits<std::uint32_t>::max()) ++*size;

  if (LargeCluster* const large = among_largest(joining.leader, *size)) {
    ++large->counted;
    for (std::uint64_t bits = joining.difference; bits != 0; bits &= bits - 1)
      ++large->differing[static_cast<std::size_t>(std::countr_zero(bits))];
  }
  return {.size = *size, .is_representative = represents(joining)};
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

bool Clusters::represents(const Joining& joining) {
  const std::int64_t own = rank(joining.document);
  if (Representative* const now = representatives_.find(joining.leader)) {
    if (own <= now->rank) return false;
    *now = {own, joining.document.source};
    return true;
  }
  if (own <= rank(joining.leader_document)) return false;
  representatives_.insert(joining.leader, {own, joining.document.source});
  return true;
}

std::optional<Source> Clusters::representative(Sequence leader) const {
  const Representative* const found = representatives_.find(leader);
  return found == nullptr ? std::nullopt : std::optional(found->source);
}

// The cluster's place among the largest, given that it has so many members now; null if it has none. A
// cluster grows by one member at a time and is looked at each time, so these are the largest indeed.
Clusters::LargeCluster* Clusters::among_largest(Sequence leader, std::uint32_t size) {
  if (options_.largest == 0 || size < smallest_largest_) return nullptr;
  const auto same = std::ranges::find(largest_, leader, &LargeCluster::leader);
  if (same != largest_.end()) {
    same->size = size;
    return &*same;
  }
  const LargeCluster fresh{.leader = leader, .size = size};
  if (largest_.size() < options_.largest) return &largest_.emplace_back(fresh);
  LargeCluster& smallest = *std::ranges::max_element(largest_, is_larger);
  smallest_largest_ = smallest.size;
  if (!is_larger(fresh, smallest)) return nullptr;
  smallest = fresh;
  return &smallest;
}

std::vector<Clusters::Large> Clusters::largest() const {
  std::vector<LargeCluster> sorted = largest_;
  std::ranges::sort(sorted, is_larger);
  std::vector<Large> out;
  out.reserve(sorted.size());
  for (const LargeCluster& large : sorted)
    out.push_back({large.leader, large.size, mean_distance(large.counted, large.differing)});
  return out;
}

void Clusters::erase(Sequence leader) {
  if (!sizes_.erase(leader)) return;
  representatives_.erase(leader);
  if (std::erase_if(largest_, [&](const LargeCluster& large) { return large.leader == leader; }) > 0)
    refill_largest();
}

void Clusters::expire(Sequence oldest) {
  sizes_.expire(oldest);
  representatives_.expire(oldest);
  if (std::erase_if(largest_, [&](const LargeCluster& large) { return large.leader < oldest; }) > 0)
    refill_largest();
}

// Reads all sizes: once or so for each cluster that ever was among the largest.
void Clusters::refill_largest() {
  smallest_largest_ = 0;
  sizes_.for_each([&](Sequence leader, std::uint32_t size) { among_largest(leader, size); });
}

Digest128 Clusters::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(options_.keep));
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
  std::vector<LargeCluster> sorted = largest_;
  std::ranges::sort(sorted, is_larger);
  for (const LargeCluster& large : sorted) {
    writer.u64(large.leader);
    writer.u32(large.counted);
    for (const std::uint32_t c : large.differing) writer.u32(c);
  }
  writer.digest(guard_.digest());
  return digest128(bytes);
}

std::size_t Clusters::bytes() const {
  return sizes_.bytes() + representatives_.bytes() + largest_.capacity() * sizeof(largest_[0]) +
         guard_.bytes();
}

}  // namespace neardup
