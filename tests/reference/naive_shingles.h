// Shingle signatures as core/fingerprint/README.md words them, one rule after the other: sets and maps
// instead of bitmaps and vectors, no portion, no kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "core/fingerprint/shingle_signer.h"
#include "core/text/utf8.h"

namespace neardup::reference {

inline std::uint64_t rotate(std::uint64_t x, unsigned bits) {
  return bits == 0 ? x : x << bits | x >> (64 - bits);
}

inline std::uint64_t finish(std::uint64_t x) {
  const std::uint64_t y = (x % (1ULL << 32)) * 0x9E3779B1 + rotate((x >> 32) * 0xC2B2AE3D, 32);
  return y ^ y >> 29;
}

inline std::uint64_t character(char32_t code_point) {
  const std::uint64_t mixed = std::uint64_t{code_point} * 0x9E3779B1 % (1ULL << 32);
  return mixed * mixed;
}

inline std::vector<std::uint64_t> characters(std::string_view text) {
  std::vector<std::uint64_t> units;
  while (!text.empty()) {
    const DecodedCodePoint decoded = decode_utf8(text);
    units.push_back(character(decoded.code_point));
    text.remove_prefix(decoded.size);
  }
  return units;
}

inline std::vector<std::uint64_t> shingles(ShingleKind kind, std::span<const std::uint64_t> units) {
  const std::size_t width = kind == ShingleKind::kWords ? 3 : 5;
  std::vector<std::uint64_t> result;
  if (units.empty()) return result;
  for (std::size_t i = 0; i == 0 || i + width <= units.size(); ++i) {
    std::uint64_t state = 0;
    for (std::size_t k = 0; k < width && i + k < units.size(); ++k) {
      state ^= rotate(units[i + k], static_cast<unsigned>(24 * k % 64));
    }
    result.push_back(finish(state));
  }
  return result;
}

inline std::uint32_t place(std::uint64_t shingle, std::uint64_t places) {
  return static_cast<std::uint32_t>((shingle >> 32) * places >> 32);
}

inline BandMinima minima(std::span<const std::uint64_t> shingles) {
  std::map<std::uint32_t, std::set<std::uint32_t>> bins;
  for (const std::uint64_t shingle : shingles) {
    const auto value = static_cast<std::uint32_t>(shingle);
    if (value != kNoMinimum) bins[place(shingle, 24)].insert(value);
  }
  BandMinima result;
  result.first.fill(kNoMinimum);
  result.second.fill(kNoMinimum);
  for (std::uint32_t bin = 0; bin < 24 && !bins.empty(); ++bin) {
    constexpr std::array<std::uint32_t, 4> kStrides = {1, 5, 7, 11};
    std::uint32_t donor = bin;
    while (!bins.contains(donor)) donor = (donor + kStrides[bin % 4]) % 24;
    auto value = bins[donor].begin();
    result.first[bin] = *value;
    if (++value != bins[donor].end()) result.second[bin] = *value;
  }
  return result;
}

template <std::size_t kBytes>
OddSketch<kBytes> sketch(std::span<const std::uint64_t> shingles) {
  constexpr std::uint64_t kBits = (kBytes - 4) * 8;
  constexpr std::uint64_t kSample = kBits * 3 / 2;
  constexpr std::array<std::uint64_t, 4> kSteps = {4294967296, 3611622602, 3037000499, 2553802833};
  const std::uint64_t marks = kBits * (shingles.size() <= 256 ? 32 : shingles.size() <= 512 ? 64 : 128);
  const auto drawn = [&](unsigned level) { return kSteps[level % 4] >> level / 4; };
  unsigned level = 0;
  while (shingles.size() * drawn(level) > kSample << 32) ++level;
  for (;;) {
    std::set<std::uint32_t> set;
    for (const std::uint64_t shingle : shingles) {
      const std::uint64_t value = shingle % (1ULL << 32);
      if (value + drawn(level) >= 1ULL << 32) set.insert(place(shingle, marks));
    }
    if (level > 0 && set.size() < kSample / 4) {
      const unsigned before = level;
      while (level > 0 && set.size() * drawn(level - 1) <= kSample * drawn(before)) --level;
      continue;
    }
    OddSketch<kBytes> result;
    for (const std::uint64_t mark : set) {
      const std::uint64_t bit = mark / (marks / kBits);
      result.bits[bit / 8] = static_cast<std::uint8_t>(result.bits[bit / 8] ^ 1U << bit % 8);
    }
    result.sampled = static_cast<std::uint16_t>(std::min<std::size_t>(set.size(), 0xFFFF));
    result.level = static_cast<std::uint16_t>(level);
    return result;
  }
}

inline std::vector<std::uint64_t> kept(std::span<const std::uint64_t> shingles) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t shingle : shingles) {
    const std::uint64_t value = shingle % (1ULL << 32);
    if (shingles.size() <= 2048 || value < (2048ULL << 32) / shingles.size()) result.push_back(shingle);
  }
  if (result.size() > 4096) result.resize(4096);
  return result;
}

template <std::size_t kBytes>
ShingleSignature<kBytes> signature(ShingleKind kind, std::span<const std::uint64_t> units) {
  const std::vector<std::uint64_t> all = shingles(kind, units);
  return {kind, static_cast<std::uint32_t>(all.size()), minima(all), sketch<kBytes>(all)};
}

}  // namespace neardup::reference
