// Which few of a text's shingles does a similar text most likely have too?
//
// The smallest, since the same hash is small in both. One-permutation hashing (Li, Owen, Zhang 2012) gets
// many minima for one hash per shingle: the high half of the hash chooses one of 24 bins, the low half is the
// value, and each bin keeps its least. Of two texts whose shingle sets have Jaccard similarity J, a bin holds
// the same minimum with probability J. Four bins make a band, whose minima make one key in the index.
//
// Each bin keeps its second minimum as well, the least value above the first: where one text has an extra
// shingle that took the first place, the other's first is this one's second, and a query asks for both.
//
// A short text leaves bins empty. An empty bin borrows both minima of another (densification, Shrivastava and
// Li 2014): the first that is not empty in an order that is fixed for each bin, so that two texts borrow
// alike where they are alike. Values are borrowed as they are: a value alone stands for a shingle.
//
// Cost: .1 to .25 us per KB of text with vectors; no memory beyond 192 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/fingerprint/band.h"

namespace neardup {

inline constexpr std::size_t kMinimaBins = 24;

struct BandMinima {
  std::array<std::uint32_t, kMinimaBins> first;   // kNoMinimum only if the text has no shingle
  std::array<std::uint32_t, kMinimaBins> second;  // kNoMinimum where a bin has one value

  friend bool operator==(const BandMinima&, const BandMinima&) = default;
};

class MinimaBuilder {
 public:
  MinimaBuilder() { clear(); }

  void clear() { bins_.fill(std::numeric_limits<std::uint64_t>::max()); }

  // Shingle hashes may come in any portions and any order, and repeat.
  void add(std::span<const std::uint64_t> shingles);

  // The minima of all that was added, empty bins filled.
  BandMinima finish() const;

 private:
  std::array<std::uint64_t, kMinimaBins> bins_;  // first minimum below, second above
};

struct BinMinima {
  std::uint32_t first = kNoMinimum;
  std::uint32_t second = kNoMinimum;

  friend bool operator==(const BinMinima&, const BinMinima&) = default;
};

// Replaces `values` with the values of the shingles of one bin, as they come. REQUIRES: bin < kMinimaBins.
void bin_values(std::span<const std::uint64_t> shingles, std::size_t bin, std::vector<std::uint32_t>& values);

// The first and second minimum of one bin over the shingles that `is_common(value)` does not know: what tells
// texts apart that share their boilerplate. It is asked in ascending order, and seldom. `scratch` is a buffer
// of the caller's, so that nothing is allocated once it has grown. REQUIRES: bin < kMinimaBins.
template <class IsCommon>
BinMinima uncommon_minima(std::span<const std::uint64_t> shingles, std::size_t bin,
                          std::vector<std::uint32_t>& scratch, IsCommon&& is_common) {
  bin_values(shingles, bin, scratch);
  std::make_heap(scratch.begin(), scratch.end(), std::greater<>());
  BinMinima result;
  for (std::uint32_t last = kNoMinimum; !scratch.empty();) {
    std::pop_heap(scratch.begin(), scratch.end(), std::greater<>());
    const std::uint32_t value = scratch.back();
    scratch.pop_back();
    if (value == last || value == kNoMinimum || is_common(value)) {
      last = value;
      continue;
    }
    last = value;
    if (result.first == kNoMinimum) {
      result.first = value;
    } else {
      result.second = value;
      break;
    }
  }
  return result;
}

}  // namespace neardup
