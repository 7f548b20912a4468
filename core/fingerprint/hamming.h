// How far apart are two fingerprints, and how alike does that make the texts?
//
// Each SimHash bit of two texts differs with probability angle / pi (Charikar 2002), so `distance` of 64 bits
// estimates the angle between their feature vectors as pi * distance / 64, and its cosine their similarity.
// An estimate: its standard deviation is up to 4 bits at 90 degrees, less the nearer the texts are. Each bit
// of a MinHash differs with probability (1 - J) / 2, so there it is 1 - distance / 32, or 0, of their feature
// sets.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/signature.h"

namespace neardup {

inline constexpr int kFingerprintBits = 64;

constexpr int hamming_distance(Fingerprint a, Fingerprint b) { return std::popcount(a.bits ^ b.bits); }

// round(1000 x cos(pi x distance / 64)): a table, since floating point may differ between machines.
inline constexpr std::array<std::int16_t, kFingerprintBits + 1> kSimilarityPermille = {
    // clang-format off
     1000,   999,   995,   989,   981,   970,   957,   942,   924,   904,   882,   858,   831,   803,   773,   741,
      707,   672,   634,   596,   556,   514,   471,   428,   383,   337,   290,   243,   195,   147,    98,    49,
        0,   -49,   -98,  -147,  -195,  -243,  -290,  -337,  -383,  -428,  -471,  -514,  -556,  -596,  -634,  -672,
     -707,  -741,  -773,  -803,  -831,  -858,  -882,  -904,  -924,  -942,  -957,  -970,  -981,  -989,  -995,  -999,
    -1000,
    // clang-format on
};

// REQUIRES: 0 <= distance <= 64.
constexpr int similarity_permille(int distance, FingerprintKind kind) {
  constexpr int kUnlike = kFingerprintBits / 2;
  if (kind == FingerprintKind::kMinHash) return distance < kUnlike ? 1000 - 1000 * distance / kUnlike : 0;
  return kSimilarityPermille[static_cast<std::size_t>(distance)];
}

}  // namespace neardup
