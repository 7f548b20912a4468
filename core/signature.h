// What does deciding need to know of a document?
//
// Its signature: a pure function of its text, computed on any thread in any order. Deciding itself never sees
// the text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/hash.h"

namespace neardup {

// What the bits of a fingerprint are of (simhash.h, minhash.h).
enum class FingerprintKind : std::uint8_t { kSimHash, kMinHash };
inline constexpr std::array<std::string_view, 2> kFingerprintKindNames = {"simhash", "minhash"};

// 64 bits of its kind. A type of its own, so that a hash cannot be passed for a fingerprint.
struct Fingerprint {
  std::uint64_t bits = 0;

  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

struct Signature {
  Digest128 exact;           // XXH3-128 of the canonical text
  Fingerprint fingerprint;   // of its features
  std::uint32_t tokens = 0;  // tokens of the canonical text, saturating; never 0: such a document is rejected

  friend bool operator==(const Signature&, const Signature&) = default;
};

// The definition of signatures (canonical form, tokens, features, hashes). Journal and snapshots carry it;
// another version is refused by name, because signatures of two definitions cannot be compared.
inline constexpr std::uint16_t kSignatureVersion = 3;

}  // namespace neardup
