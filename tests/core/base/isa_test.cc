#include "core/base/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX2
namespace neardup {
namespace {
int sum_avx2() {
  const __m256i v = _mm256_add_epi32(_mm256_set1_epi32(2), _mm256_set1_epi32(1));
  return _mm256_extract_epi32(v, 7);
}
}  // namespace
}  // namespace neardup
NEARDUP_END_TARGET
NEARDUP_BEGIN_AVX512
namespace neardup {
namespace {
int sum_avx512() {
  const __m512i v = _mm512_popcnt_epi64(_mm512_set1_epi64(7));
  return _mm512_cmpeq_epi64_mask(v, _mm512_set1_epi64(3)) == 0xFF ? 3 : 0;
}
}  // namespace
}  // namespace neardup
NEARDUP_END_TARGET
#endif

namespace neardup {
namespace {

TEST(Isa, NamesAreReadBack) {
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) EXPECT_EQ(isa_named(isa_name(isa)), isa);
  EXPECT_EQ(isa_named("AVX2"), std::nullopt);
  EXPECT_EQ(isa_named(""), std::nullopt);
}

// The variable is read once, at the first call, so each case is a process of its own.
TEST(IsaDeathTest, TheVariableForcesATier) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv(kIsaVariable, "scalar", 1);
        std::exit(isa() == Isa::kScalar ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(IsaDeathTest, AnUnknownTierIsRefusedWithTheOnesThereAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv(kIsaVariable, "neon", 1);
        isa();
      },
      testing::ExitedWithCode(78), "NEARDUP_ISA='neon': not one of scalar, avx2, avx512");
}

#if NEARDUP_X86
TEST(Isa, CodeBetweenTheMacrosIsAvx2) {
  if (cpu_isa() < Isa::kAvx2) GTEST_SKIP() << "this CPU has no AVX2";
  EXPECT_EQ(sum_avx2(), 3);
}

TEST(Isa, CodeBetweenTheMacrosIsAvx512) {
  if (cpu_isa() < Isa::kAvx512) GTEST_SKIP() << "this CPU has no AVX-512";
  EXPECT_EQ(sum_avx512(), 3);
}
#endif

}  // namespace
}  // namespace neardup
