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
// Cost: a part of what a shingle signature costs (README.md); no memory beyond 192 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/fingerprint/band.h"
#include "core/fingerprint/shingle.h"

namespace neardup {

inline constexpr std::size_t kMinimaBins = 24;

struct BandMinima {
  std::array<std::uint32_t, kMinimaBins> first;   // kNoMinimum only if the text has no shingle
  std::array<std::uint32_t, kMinimaBins> second;  // kNoMinimum where a bin has one value

  friend bool operator==(const BandMinima&, const BandMinima&) = default;
};

// What a minimum is called in an index: a value alone stands for a shingle of its kind.
constexpr Feature minimum_feature(ShingleKind kind, std::uint32_t value) {
  return Feature{static_cast<std::uint8_t>(kind)} << 32 | value;
}

class MinimaBuilder {
 public:
  MinimaBuilder() { clear(); }

  void clear() { bins_.fill(std::numeric_limits<std::uint64_t>::max()); }

  // Shingle hashes may come in any portions and any order, and repeat.
  void add(std::span<const std::uint64_t> shingles);

  // Writes the minima of all that was added, empty bins filled.
  void finish(BandMinima& minima) const;

 private:
  std::array<std::uint64_t, kMinimaBins> bins_;  // first minimum below, second above
};

// Some of the bins, as bits.
using Bins = std::uint32_t;

// The minima of some bins, over those shingles that the caller takes. Most shingles are too large to be of
// any interest, and he is not asked about them.
class MinimaSearch {
 public:
  static constexpr std::size_t kPortion = 64;

  MinimaSearch(std::span<const std::uint64_t> shingles, Bins bins);

  // Goes on to the next portion of the shingles; false: there is none.
  bool next();

  // Those of the portion that may be among the least two of their bin: the caller's, to do with as he likes.
  std::span<std::uint64_t> low() { return {low_.data(), low_count_}; }

  void take(std::uint64_t shingle);

  BandMinima minima() const;  // of those taken

 private:
  static constexpr std::size_t kSlack = 8;  // of the kernel

  std::span<const std::uint64_t> rest_;
  Bins wanted_;
  std::array<std::uint64_t, kMinimaBins> bins_;  // as MinimaBuilder has them; 0: not asked for
  std::array<std::uint64_t, kPortion + kSlack> low_;
  std::size_t low_count_ = 0;
};

// The first and second minimum of each of these bins over the shingles that are not common: what tells texts
// apart that share their boilerplate. drop_common(shingles), of MinimaSearch::kPortion at most, moves those
// that are not to the front, in any order, and returns how many. No bin borrows; those not asked for have
// none.
template <class DropCommon>
BandMinima uncommon_minima(std::span<const std::uint64_t> shingles, Bins bins, DropCommon drop_common) {
  MinimaSearch search(shingles, bins);
  while (search.next()) {
    const std::span<std::uint64_t> low = search.low();
    for (const std::uint64_t shingle : low.first(drop_common(low))) search.take(shingle);
  }
  return search.minima();
}

}  // namespace neardup
