// Which bytes of a block of 64 belong to token characters, and where do these end?
//
// For the vector versions of find_tokens, which see one bit a byte: a character is three bytes or four, and
// may reach into the next block.
//
//   text      a  b  . [E5 A6 88][E5 A6 88]  .  x         leads    of E5
//   leads     0  0  0  1  0  0   1  0  0    0  0
//   covered   0  0  0  1  1  1   1  1  1    0  0
//   ends      0  0  0  0  0  0   1  0  0    1  0         the byte behind each
//
// Internal to core/fingerprint.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/isa.h"
#include "core/fingerprint/kernels.h"

namespace neardup::internal {

// Characters of 3 bytes are told by their first two, E0 to EF and 80 to BF. Where the second lies in one of
// the two ranges of the first, all letters of canonical text are token characters; elsewhere the definition
// has to be asked. Indexed by the low four bits of the first byte.
struct SecondByteRange {
  std::array<std::uint8_t, 16> min;
  std::array<std::uint8_t, 16> span;  // max - min
};
inline constexpr std::uint8_t kNo = 0xC0;  // no byte in 80 .. BF is >= it
inline constexpr SecondByteRange kCharacterRange = {
    // E0 Thai, Lao   E1 Khmer   E3 Han A   E4 .. E9 Han   EA .. ED Hangul
    .min = {0xB8, 0x9E, kNo, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xB0, 0x80, 0x80, 0x80, kNo, kNo},
    .span = {0x03, 0x01, 0, 0x2F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x3F, 0x0F, 0x3F, 0x3F, 0x1D, 0, 0},
};
inline constexpr SecondByteRange kOtherCharacterRange = {
    // E1 Myanmar   E3 kana
    .min = {kNo, 0x80, kNo, 0x81, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo},
    .span = {0, 0x01, 0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

// Block after block. The parameter makes a class of its own for each tier, so that none of its code is
// shared between files that are compiled for different CPUs.
template <Isa kTier>
class CharacterBytes {
 public:
  // Whether a character of four bytes may reach into the next block.
  bool long_pending() const { return long_leads_ != 0; }

  // `leads`: where characters begin, each of three bytes. REQUIRES: !long_pending().
  void next(std::uint64_t leads) {
    covered = leads | shifted(leads, leads_, 1) | shifted(leads, leads_, 2);
    ends = shifted(leads, leads_, 3);
    leads_ = leads;
  }

  // The same where `long_leads` are four bytes long.
  void next(std::uint64_t leads, std::uint64_t long_leads) {
    covered =
        leads | shifted(leads, leads_, 1) | shifted(leads, leads_, 2) | shifted(long_leads, long_leads_, 3);
    ends = shifted(leads & ~long_leads, leads_ & ~long_leads_, 3) | shifted(long_leads, long_leads_, 4);
    leads_ = leads;
    long_leads_ = long_leads;
  }

  std::uint64_t covered = 0;
  std::uint64_t ends = 0;

 private:
  static std::uint64_t shifted(std::uint64_t now, std::uint64_t before, int bytes) {
    return now << bytes | before >> (64 - bytes);
  }

  std::uint64_t leads_ = 0;
  std::uint64_t long_leads_ = 0;
};

// Appends up to 33 bits to a bit string of `size` bits, behind which all are zero.
template <Isa kTier>
void append_bits(std::uint64_t bits, std::size_t size, std::uint64_t* words) {
  char* const at = reinterpret_cast<char*>(words) + size / 8;
  bits = static_cast<unsigned char>(*at) | bits << size % 8;
  std::memcpy(at, &bits, sizeof bits);
}

// The end of find_tokens, when `found` tokens begin in the chunk: returns how many of them count.
template <Isa kTier>
std::size_t finish_places(const char* chunk, std::size_t size, bool last, std::size_t found,
                          TokenPlaces& places) {
  places.begin[found] = static_cast<std::uint16_t>(size);
  if (!last && chunk[size - 1] != ' ') {
    --found;
    places.characters[found / 64] &= ~(std::uint64_t{1} << found % 64);
    places.joined[found / 64] &= ~(std::uint64_t{1} << found % 64);
  }
  for (std::size_t i = 1; i <= kPlacesRead; ++i) places.begin[found + i] = 0;
  return found;
}

}  // namespace neardup::internal
