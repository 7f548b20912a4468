#include "core/base/isa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

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
// A feature that the compiler may use but nobody asked the CPU for ends the program there, or is silently
// another instruction.
TEST(Isa, EveryFeatureOfATierIsAskedOfTheCpu) {
  std::ifstream file(NEARDUP_SOURCE_DIR "/core/base/isa.cc");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const std::size_t avx2 = source.find("const bool avx2 =");
  const std::size_t avx512 = source.find("const bool avx512 =");
  const std::size_t end = source.find("return", avx512);
  ASSERT_TRUE(avx2 < avx512 && avx512 < end && end != std::string::npos);
  const auto expect_all_asked = [&](std::string_view features, std::size_t from, std::size_t to) {
    while (!features.empty()) {
      const std::string_view feature = features.substr(0, features.find(','));
      features.remove_prefix(std::min(feature.size() + 1, features.size()));
      const std::string asked = "__builtin_cpu_supports(\"" + std::string(feature) + "\")";
      EXPECT_NE(source.substr(from, to - from).find(asked), std::string::npos) << feature;
    }
  };
  expect_all_asked(NEARDUP_AVX2_FEATURES, avx2, avx512);
  expect_all_asked(NEARDUP_AVX512_FEATURES, avx2, end);
}

// By what the kernel says of the CPU.
TEST(Isa, PextIsFastWhereTheCpuIsKnownForIt) {
  std::ifstream file("/proc/cpuinfo");
  std::string maker;
  int family = 0;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::string value = line.substr(std::min(line.find(": ") + 2, line.size()));
    if (line.starts_with("vendor_id")) maker = value;
    if (line.starts_with("cpu family")) family = std::stoi(value);
  }
  ASSERT_NE(family, 0);
  EXPECT_EQ(has_fast_pext(), maker == "GenuineIntel" || (maker == "AuthenticAMD" && family >= 25));
}

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
