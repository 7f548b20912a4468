#include "core/base/isa.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#if NEARDUP_X86
#include <cpuid.h>
#endif

namespace neardup {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"scalar", "avx2", "avx512"};
constexpr int kExitConfig = 78;  // EX_CONFIG of sysexits.h

Isa chosen_isa() {
  const char* const value = std::getenv(kIsaVariable);
  if (value == nullptr || *value == '\0') return cpu_isa();
  const std::optional<Isa> wanted = isa_named(value);
  if (wanted && *wanted <= cpu_isa()) return *wanted;
  const std::string_view best = isa_name(cpu_isa());
  std::fprintf(stderr, "%s='%s': %s; this CPU has scalar .. %.*s; unset it for the best one\n", kIsaVariable,
               value, wanted ? "this CPU does not have it" : "not one of scalar, avx2, avx512",
               static_cast<int>(best.size()), best.data());
  std::exit(kExitConfig);
}

}  // namespace

std::string_view isa_name(Isa isa) { return kNames[static_cast<std::size_t>(isa)]; }

std::optional<Isa> isa_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Isa>(i);
  }
  return std::nullopt;
}

Isa cpu_isa() {
#if NEARDUP_X86
  // The operating system's part (saving the wide registers) is in these answers. All that a tier is compiled
  // for is asked: where lzcnt is missing it runs as bsr, and gives other numbers.
  const bool avx2 = __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("aes");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
                      __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("vaes") &&
                      __builtin_cpu_supports("gfni");
  if (avx2 && avx512) return Isa::kAvx512;
  if (avx2) return Isa::kAvx2;
#endif
  return Isa::kScalar;
}

Isa isa() {
  static const Isa chosen = chosen_isa();
  return chosen;
}

bool has_fast_pext() {
#if NEARDUP_X86
  constexpr unsigned kZen3 = 0x19;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if (ebx == signature_INTEL_ebx) return true;
  if (ebx != signature_AMD_ebx) return false;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (eax >> 8 & 0xF) + (eax >> 20 & 0xFF) >= kZen3;  // the family, and what goes beyond its four bits
#else
  return false;
#endif
}

}  // namespace neardup
