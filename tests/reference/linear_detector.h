// The slow and obvious twin of Detector: a list of uniques, read from its start for every document.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/decision.h"
#include "core/signature.h"

namespace neardup::reference {

// Counted one by one: no code is shared with what this checks.
inline int differing_bits(std::uint64_t a, std::uint64_t b) {
  int count = 0;
  for (std::uint64_t rest = a ^ b; rest != 0; rest &= rest - 1) ++count;
  return count;
}

class LinearDetector {
 public:
  explicit LinearDetector(int distance) : distance_(distance) {}

  Decision apply(const Signature& signature) {
    for (Sequence i = 0; i < uniques_.size(); ++i) {
      if (uniques_[i].exact == signature.exact) return duplicate(DuplicateKind::kExact, i, 0);
    }
    for (Sequence i = 0; i < uniques_.size(); ++i) {
      const int d = differing_bits(uniques_[i].fingerprint.bits, signature.fingerprint.bits);
      if (d <= distance_) return duplicate(DuplicateKind::kNear, i, d);
    }
    uniques_.push_back(signature);
    Decision decision;
    decision.verdict = Verdict::kUnique;
    decision.sequence = uniques_.size() - 1;
    return decision;
  }

 private:
  static Decision duplicate(DuplicateKind kind, Sequence leader, int distance) {
    const double similarity = 1000 * std::cos(std::numbers::pi * distance / 64);
    return {Verdict::kDuplicate, kind, leader, distance, static_cast<int>(std::lround(similarity)),
            Relation::kOther};
  }

  int distance_;
  std::vector<Signature> uniques_;
};

}  // namespace neardup::reference
