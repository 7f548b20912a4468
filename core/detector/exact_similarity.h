// How alike are two pages really?
//
// A detector keeps sketches, and a sketch errs. Whoever holds the texts, as tests do and a service does not,
// may answer in its place (DetectorOptions::exact). What is then left between the detector and a look at
// every unique is the search alone: whether two pages meet.
#pragma once

#include <optional>

#include "core/decision.h"
#include "core/fingerprint/shingle.h"

namespace neardup {

class ExactSimilarity {
 public:
  virtual ~ExactSimilarity() = default;

  // The similarity of the document in hand and a unique by their shingles of `kind`, in permille, if it is
  // enough for a duplicate.
  virtual std::optional<int> alike(Sequence unique, ShingleKind kind) const = 0;
};

}  // namespace neardup
