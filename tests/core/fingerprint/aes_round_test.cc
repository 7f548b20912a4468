#include "core/fingerprint/aes_round.h"

#include <gtest/gtest.h>

#include <string_view>

namespace neardup::internal {
namespace {

// 32 digits, the first byte first, as FIPS 197 writes states and keys.
AesState state_of(std::string_view hex) {
  AesState state{};
  for (std::size_t i = 0; i < 32; ++i) {
    const auto digit = static_cast<std::uint32_t>(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    state[i / 8] |= digit << (8 * (i / 2 % 4) + (i % 2 == 0 ? 4 : 0));
  }
  return state;
}

// FIPS 197, Appendix B: what each round begins with, and its key.
TEST(AesRound, is_that_of_the_standard) {
  EXPECT_EQ(
      aes_round(state_of("193de3bea0f4e22b9ac68d2ae9f84808"), state_of("a0fafe1788542cb123a339392a6c7605")),
      state_of("a49c7ff2689f352b6b5bea43026a5049"));
  EXPECT_EQ(
      aes_round(state_of("a49c7ff2689f352b6b5bea43026a5049"), state_of("f2c295f27a96b9435935807a7359f67f")),
      state_of("aa8f5f0361dde3ef82d24ad26832469a"));
  EXPECT_EQ(
      aes_round(state_of("aa8f5f0361dde3ef82d24ad26832469a"), state_of("3d80477d4716fe3e1e237e446d7a883b")),
      state_of("486c4eee671d9d0d4de3b138d65f58e7"));
}

// FIPS 197, Figure 7, by its corners and the example of 5.1.1.
TEST(AesRound, substitutes_by_the_table_of_the_standard) {
  EXPECT_EQ(kAesSubstitution[0x00], 0x63);
  EXPECT_EQ(kAesSubstitution[0x0F], 0x76);
  EXPECT_EQ(kAesSubstitution[0x53], 0xED);
  EXPECT_EQ(kAesSubstitution[0xF0], 0x8C);
  EXPECT_EQ(kAesSubstitution[0xFF], 0x16);
}

}  // namespace
}  // namespace neardup::internal
