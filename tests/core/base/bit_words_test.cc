#include "core/base/bit_words.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace neardup {
namespace {

TEST(BitWords, are_read_from_anywhere) {
  constexpr std::array<std::uint64_t, 3> kWords = {0x0123456789ABCDEF, 0xFEDCBA9876543210,
                                                   0x0F1E2D3C4B5A6978};
  for (std::size_t at = 0; at < 128; ++at) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < 64; ++i) expected |= (kWords[(at + i) / 64] >> (at + i) % 64 & 1) << i;
    EXPECT_EQ(bits_from(kWords.data(), at), expected) << at;
  }
}

}  // namespace
}  // namespace neardup
