#include "core/index/block_index.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/fingerprint/hamming.h"

namespace neardup {

BlockIndex::BlockIndex(const FingerprintColumn& fingerprints, int distance)
    : fingerprints_(fingerprints), distance_(distance), tables_(distance + 1) {
  CHECK(distance >= 0 && distance <= kHammingDistanceMax, "four blocks answer for three differing bits");
  buckets_.resize(static_cast<std::size_t>(tables_) * kBuckets);
}

std::optional<Match> BlockIndex::find_first(Fingerprint query, std::uint64_t& candidates) const {
  Match best{.sequence = kNone};
  std::uint64_t compared = 0;
  for (int table = 0; table < tables_; ++table) {
    for_each(bucket(query, table), [&](std::uint32_t ordinal) {
      if (ordinal >= best.sequence) return false;
      ++compared;
      const int distance = hamming_distance(fingerprints_[ordinal], query);
      if (distance > distance_) return true;
      best = {ordinal, distance};
      return false;
    });
  }
  candidates += compared;
  if (best.sequence == kNone) return std::nullopt;
  return best;
}

void BlockIndex::find_all(Fingerprint query, std::vector<Match>& matches) const {
  matches.clear();
  for (int table = 0; table < tables_; ++table) {
    for_each(bucket(query, table), [&](std::uint32_t ordinal) {
      const Fingerprint candidate = fingerprints_[ordinal];
      const int distance = hamming_distance(candidate, query);
      // Two that agree on several blocks meet in several tables; the first of them reports the match.
      bool met_before = false;
      for (int earlier = 0; earlier < table; ++earlier) {
        met_before |= block(candidate, earlier) == block(query, earlier);
      }
      if (distance <= distance_ && !met_before) matches.push_back({ordinal, distance});
      return true;
    });
  }
  std::sort(matches.begin(), matches.end(),
            [](const Match& a, const Match& b) { return a.sequence < b.sequence; });
}

void BlockIndex::insert_next() {
  DCHECK(size_ < fingerprints_.size());
  const Fingerprint fingerprint = fingerprints_[size_];
  for (int table = 0; table < tables_; ++table) {
    append(buckets_[static_cast<std::size_t>(table) * kBuckets + block(fingerprint, table)],
           static_cast<std::uint32_t>(size_));
  }
  ++size_;
}

void BlockIndex::append(Bucket& bucket, std::uint32_t ordinal) {
  if (bucket.last != kNone) {
    auto& ordinals = lines_[bucket.last].ordinals;
    const auto free = std::find(ordinals.begin(), ordinals.end(), kNone);
    if (free != ordinals.end()) {
      *free = ordinal;
      return;
    }
  }
  const auto fresh = static_cast<std::uint32_t>(lines_.size());
  Line line{.ordinals = {}, .next = kNone};
  line.ordinals.fill(kNone);
  line.ordinals[0] = ordinal;
  lines_.push_back(line);
  if (bucket.last == kNone) {
    bucket.first = fresh;
  } else {
    lines_[bucket.last].next = fresh;
  }
  bucket.last = fresh;
}

template <class Visit>
void BlockIndex::for_each(const Bucket& bucket, Visit visit) const {
  for (std::uint32_t at = bucket.first; at != kNone; at = lines_[at].next) {
    for (const std::uint32_t ordinal : lines_[at].ordinals) {
      if (ordinal == kNone || !visit(ordinal)) return;
    }
  }
}

std::size_t BlockIndex::bytes() const { return buckets_.capacity() * sizeof(Bucket) + lines_.bytes(); }

}  // namespace neardup
