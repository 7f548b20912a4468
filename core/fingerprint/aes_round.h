// What does one round of AES make of 16 bytes?
//
// CPUs do it in one instruction, four times 16 bytes in one where they have VAES: no other step mixes so much
// so soon. Here it is in plain words, for those that do not, and because it is part of the definition of a
// token's hash (feature.h): FIPS 197's SubBytes, ShiftRows, MixColumns and AddRoundKey, as `_mm_aesenc_si128`
// has them. Nothing is encrypted, so what a table look-up tells by its time is no secret.
//
// A state is four columns of four bytes, the first byte the lowest, whatever the CPU's order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace neardup::internal {

using AesState = std::array<std::uint32_t, 4>;

// Times x in the field of 256 elements.
constexpr std::uint8_t aes_doubled(std::uint8_t byte) {
  return static_cast<std::uint8_t>(byte << 1 ^ (byte >> 7) * 0x1B);
}

// The multiplicative inverse and an affine map (FIPS 197, 5.1.1). All elements but 0 are the powers 0 to 254
// of 3, and the inverse of power i is power 255 - i.
constexpr std::array<std::uint8_t, 256> make_aes_substitution() {
  std::array<std::uint8_t, 256> power{1};
  for (std::size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] ^ aes_doubled(power[i - 1]);
  std::array<std::uint8_t, 256> table{0x63};
  for (std::size_t i = 0; i < 255; ++i) {
    const std::uint8_t inverse = power[255 - i];
    table[power[i]] = static_cast<std::uint8_t>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                                std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
  }
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kAesSubstitution = make_aes_substitution();

// What a byte, substituted, adds to its column if it is the first: twice, once, once, three times. A byte
// below it adds the same, turned.
inline constexpr std::array<std::uint32_t, 256> kAesColumn = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint32_t once = kAesSubstitution[i];
    const std::uint32_t twice = aes_doubled(kAesSubstitution[i]);
    table[i] = twice | once << 8 | once << 16 | (once ^ twice) << 24;
  }
  return table;
}();

constexpr AesState aes_round(const AesState& state, const AesState& key) {
  AesState next{};
  for (std::size_t c = 0; c < 4; ++c) {
    next[c] = key[c] ^ kAesColumn[state[c] & 0xFF] ^
              std::rotl(kAesColumn[state[(c + 1) % 4] >> 8 & 0xFF], 8) ^
              std::rotl(kAesColumn[state[(c + 2) % 4] >> 16 & 0xFF], 16) ^
              std::rotl(kAesColumn[state[(c + 3) % 4] >> 24], 24);
  }
  return next;
}

}  // namespace neardup::internal
