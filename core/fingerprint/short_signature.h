// What must be known of a short text to find those that are like it?
//
// In a text of a dozen words an edit changes too much for shingles, so short texts meet by grams of
// characters, and are compared by true edit distance on the text itself. The signature holds all that is a
// function of one text; README.md ("Short texts") defines it exactly enough to be written again.
//
//   canonical text ─► characters ─┬─► grams ─► 40 minima ─► 10 bands        8 characters and more
//                                 ├─► one-deletion keys                      4 to 10 characters; exact for
//                                 │                                          one edit above .75
//                                 └─► counts of 32 classes, mod 4            to discard candidates
//
// Length is measured in units: a character of Han, kana or Hangul counts 2, any other 1. Up to
// kShortUnitsMax this signature is all that a text asks by; up to kShortStoredUnitsMax a text asks, and is
// found, by its shingles as well (route_signature.h).
//
// Cost:    about a microsecond for a text of 60 characters; nothing is allocated once warm.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/fingerprint/band.h"

namespace neardup {

inline constexpr std::uint32_t kShortUnitsMax = 250;
inline constexpr std::uint32_t kShortStoredUnitsMax = kShortUnitsMax + kShortUnitsMax / 4;

inline constexpr std::size_t kShortBands = 10;
inline constexpr std::size_t kShortMinima = kShortBands * kBandMinima;
inline constexpr std::size_t kShortBandLengthMin = 8;  // characters
inline constexpr std::size_t kTinyLengthMin = 4;
inline constexpr std::size_t kTinyLengthMax = 10;

struct ShortMinima {
  alignas(64) std::array<std::uint32_t, kShortMinima> first;
  alignas(64) std::array<std::uint32_t, kShortMinima> second;
};

// Two bits for each of 32 classes of characters: how many of the class, mod 4. One edit changes the counts
// of at most two classes, by one each, so these counts tell many texts apart without a look at them.
struct ClassCounts {
  std::uint64_t bits = 0;

  // Sum over the classes of how far the counts are apart (mod 4, so at most 2 each).
  static unsigned distance(ClassCounts a, ClassCounts b) {
    constexpr std::uint64_t kLow = 0x5555555555555555;
    const std::uint64_t odd = (a.bits ^ b.bits) & kLow;
    const std::uint64_t two = (a.bits ^ b.bits) >> 1 & kLow & ~odd;
    std::uint64_t sum = odd | two << 1;
    sum = (sum & 0x3333333333333333) + (sum >> 2 & 0x3333333333333333);
    sum = (sum + (sum >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<unsigned>(sum * 0x0101010101010101 >> 56);
  }

  friend bool operator==(const ClassCounts&, const ClassCounts&) = default;
};

struct ShortSignature {
  std::uint32_t units = 0;
  ClassCounts classes;
  std::vector<char32_t> text;           // the characters of the canonical text
  std::vector<std::uint32_t> features;  // hashes of its grams, each once; none below kShortBandLengthMin
  std::array<Band, kShortBands> bands;  // as many as band_count
  std::size_t band_count = 0;           // kShortBands or 0
  std::array<Key, kTinyLengthMax + 1> tiny_keys;  // as many as tiny_count
  std::size_t tiny_count = 0;

  bool is_short() const { return units <= kShortUnitsMax; }
  std::span<const Band> band_span() const { return {bands.data(), band_count}; }
  std::span<const Key> tiny_span() const { return {tiny_keys.data(), tiny_count}; }
};

class ShortSigner {
 public:
  ShortSigner();
  ~ShortSigner();
  ShortSigner(ShortSigner&&) noexcept;
  ShortSigner& operator=(ShortSigner&&) noexcept;

  // Fills `signature`. False, and it is then unspecified, if the text has more than kShortStoredUnitsMax
  // units. REQUIRES: canonicalize() made `canonical`, and it is not empty.
  [[nodiscard]] bool sign(std::string_view canonical, ShortSignature& signature);

  // The same of a text that has been signed before, by its characters.
  [[nodiscard]] bool sign(std::span<const char32_t> characters, ShortSignature& signature);

 private:
  bool finish(std::size_t length, ShortSignature& signature);

  struct Work;
  std::unique_ptr<Work> work_;
};

// The minima over some of a text's features.
void short_minima(std::span<const std::uint32_t> features, ShortMinima& minima);

// The feature that has this minimum: the hash functions can be undone.
// REQUIRES: function < kShortMinima; minimum != kNoMinimum.
std::uint32_t short_feature(std::uint32_t minimum, std::size_t function);

}  // namespace neardup
