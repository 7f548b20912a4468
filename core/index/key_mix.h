// Why are buckets not numbered by the bits of their key as they are?
//
// While a table is small, a part of the key's bits is in use. Fingerprints of real text have favourites among
// all bits, and pairs of bits that go together, so a part of them crowds buckets with fingerprints of
// different keys: at two million a third of all entries, where a twelfth have the whole key in common with
// that many. So keys are mixed first: any few bits of the result hang on the whole key. Each step of it can
// be undone, so different keys stay different:
//
//   x ^= x >> s, x *= odd (mod 2^bits), x ^= x >> s, where s is half the bits
#pragma once

#include <cstdint>

namespace neardup {

class KeyMix {
 public:
  KeyMix() = default;
  // Of numbers of so many bits. REQUIRES: 0 < bits < 64.
  explicit KeyMix(int bits) : shift_((bits + 1) / 2), mask_((std::uint64_t{1} << bits) - 1) {}

  static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio

  int shift() const { return shift_; }
  std::uint64_t mask() const { return mask_; }
  std::uint64_t mix(std::uint64_t x) const { return mix(x, shift_, mask_); }
  static std::uint64_t mix(std::uint64_t x, int shift, std::uint64_t mask) {
    x ^= x >> shift;
    x = x * kFactor & mask;
    return x ^ x >> shift;
  }

 private:
  int shift_ = 0;
  std::uint64_t mask_ = 0;
};

}  // namespace neardup
