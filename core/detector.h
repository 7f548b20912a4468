// Is this document new, or a near-duplicate of an earlier one, and of which?
//
// The front door of core. `apply` decides one document and remembers it if it is unique; `restore` takes back
// what an earlier run decided. The leader rule lives here: a document is a duplicate iff it matches an
// earlier document that was itself unique; only uniques are kept; among all matches the lowest sequence
// number wins, so the answer is the first one seen, stable under replay and scale-out.
//
//   apply ─┬─ exact_index: same canonical text?           kind exact, distance 0
//          └─ hamming_index: fingerprints within k bits?  kind near, the lowest sequence number
//
// Cost:    one hash probe, then the Hamming index's lines (see hamming_index.h); memory per unique is
// `bytes() / size()`. Threads: none inside. One order of calls gives one state; a state is never shared while
// it changes. Source:  core/DESIGN.md, "the leader rule".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/arrival.h"
#include "core/base/hash.h"
#include "core/decision.h"

namespace neardup {

struct DetectorOptions {
  int distance = 3;  // 0 .. kHammingDistanceMax bits
};

class Detector {
 public:
  // REQUIRES: 0 <= options.distance <= kHammingDistanceMax.
  explicit Detector(DetectorOptions options);
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  // Decides, and remembers `arrival` if the decision is kUnique; its views need to live only as long as the
  // call. REQUIRES: size() < kUniquesMax.
  Decision apply(const Arrival& arrival);

  // What `apply` would decide now, and remembers nothing: the answer for a question. A unique has the number
  // that it would get. No other call may run meanwhile: a look-up counts what it costs.
  Decision check(const Arrival& arrival) const;

  // What the last `apply` or `check` cost: the fingerprints it compared, 0 if the same text was known. No
  // part of the state: a digest or a replay knows nothing of it.
  std::uint64_t candidates() const;

  // What all look-ups cost so far. No part of the state either.
  struct LookupCounts {
    std::uint64_t slow = 0;            // look-ups that read more than 16 KiB of crowded buckets
    std::uint64_t truncated = 0;       // look-ups that a cap on crowded buckets cut short: 0 without a cap
    std::uint64_t largest_bucket = 0;  // the most fingerprints that ever shared one
  };
  LookupCounts lookup_counts() const;

  // Remembers a unique that was decided before, as sequence number size(), without deciding again.
  void restore(const Unique& unique);

  // Its views live as long as the detector. REQUIRES: sequence < size().
  Unique unique(Sequence sequence) const;

  // Uniques remembered; also the next sequence number.
  std::uint64_t size() const;

  // Bytes of memory held by the index and the log of uniques: every table, arena and array, counted, not
  // estimated.
  std::size_t bytes() const;

  // A digest of everything remembered, in order. Two detectors with equal digests give equal answers for
  // ever.
  Digest128 state_digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
