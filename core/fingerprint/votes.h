// How many of these features have a 1 in each of 64 bits, and is it more than half?
//
// Adding each feature to 64 counters takes 64 additions. Turned on their side, the counters are words: bit b
// of plane p is bit p of counter b, and one carry-save adder (five operations on words) adds a bit to all of
// 64 counters, or to 512 where a vector holds eight such sets. The sums are exact. They are never taken out:
// they are compared with half of the features in the same form. (AVX-512 counts this way up to 15 only; its
// sixteens are counts of 32 bits, to which GFNI and a vector of population counts turn a plane at once.)
//
//   features    1 0 1 1      counters  3 1 2 2      plane 1   1 0 1 1
//               1 0 0 1                             plane 0   1 1 0 0
//               1 1 1 0
//
// Cost:    0.1 ns a feature with AVX-512; the majority, once a text, is four comparisons there.
// Threads: one object per thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/isa.h"
#include "core/fingerprint/kernels.h"

namespace neardup {

class Votes {
 public:
  static constexpr std::size_t kFeaturesMax = internal::kTokensMax;  // of one add()
  static constexpr std::size_t kSlack = internal::kFeatureSlack;  // values that may be read behind the last

  // REQUIRES: the CPU has `tier`.
  explicit Votes(Isa tier = isa()) : kernels_(&internal::kernels(tier)) { clear(); }

  // Counts those of `size` features whose bit is 1: bit i % 64 of counting[i / 64] for feature i.
  // REQUIRES: size <= kFeaturesMax; kSlack values behind the last feature can be read; bits from `size` on
  // are 0; of all blocks added, in at most VotePlanes::kBlocksMax a feature counts: no text has more that do.
  void add(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size) {
    count_ += kernels_->vote(features, counting, size, planes_);
    CHECK(planes_.blocks <= internal::VotePlanes::kBlocksMax, "more features count than two tables let");
  }

  // How many features counted since it began anew.
  std::size_t count() const { return count_; }

  // 1 where most features have a 1, 0 where most have a 0, the bit of `ties` where as many have either; then
  // begins anew.
  std::uint64_t take_majority(std::uint64_t ties) {
    const std::uint64_t majority = kernels_->majority(planes_, count_, ties);
    clear();
    return majority;
  }

 private:
  void clear() { count_ = planes_.blocks = 0; }

  const internal::Kernels* kernels_;
  std::size_t count_;
  internal::VotePlanes planes_;
};

}  // namespace neardup
