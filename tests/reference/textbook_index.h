// What one would write after reading the paper: four blocks of 16 bits, and for each value of each block a
// list of the fingerprints that have it, one after the other in memory, compared one by one. It answers k <=
// 3 and is what every faster index must be measured against: no library that can be had is faster.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index/match.h"

namespace neardup::reference {

#if defined(__x86_64__)
#define NEARDUP_POPCNT __attribute__((target("popcnt")))
#else
#define NEARDUP_POPCNT
#endif

class TextbookIndex {
 public:
  static constexpr int kDistance = 3;

  TextbookIndex() : buckets_(4 * 65536) {}

  void insert(std::uint64_t word) {
    for (std::size_t block = 0; block < 4; ++block) {
      Bucket& bucket = buckets_[at(word, block)];
      bucket.words.push_back(word);
      bucket.ids.push_back(size_);
    }
    ++size_;
  }

  // The match that was stored first.
  NEARDUP_POPCNT std::optional<Match> find(std::uint64_t query) const {
    std::optional<Match> best;
    for (std::size_t block = 0; block < 4; ++block) {
      const Bucket& bucket = buckets_[at(query, block)];
      for (std::size_t i = 0; i < bucket.words.size(); ++i) {
        const int distance = __builtin_popcountll(bucket.words[i] ^ query);
        if (distance > kDistance) continue;
        if (!best || bucket.ids[i] < best->sequence) best = Match{bucket.ids[i], distance};
        break;  // ids ascend
      }
    }
    return best;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t bytes = buckets_.size() * sizeof(Bucket);
    for (const Bucket& b : buckets_) bytes += 8 * b.words.capacity() + 4 * b.ids.capacity();
    return bytes;
  }

 private:
  struct Bucket {
    std::vector<std::uint64_t> words;
    std::vector<std::uint32_t> ids;
  };

  static std::size_t at(std::uint64_t word, std::size_t block) {
    return block * 65536 + (word >> (16 * block) & 0xFFFF);
  }

  std::vector<Bucket> buckets_;
  std::uint32_t size_ = 0;
};

}  // namespace neardup::reference
