// Which vector instructions may run here?
//
// A kernel exists up to three times: its scalar definition, which is what it means, and AVX2 and AVX-512
// versions, which are how it is fast. All give the same bits; tests compare them, where there is no AVX-512
// with its instructions emulated. One binary holds all three; what the CPU has picks the tier, once.
//
//   NEARDUP_ISA=scalar|avx2|avx512   forces a tier (to compare, or to work around a CPU); one that the CPU
//                                    does not have, or an unknown name, ends the program with a message
//
// A room with kernels keeps each tier in a file of its own, x.cc (the definition), x_avx2.cc, x_avx512.cc.
// The code of a tier stands between two macros, with all includes above them, so that nothing from a header
// is compiled for a CPU that may not be there (the linker keeps one copy of an inline function, maybe this
// one):
//
//   #if NEARDUP_X86
//   NEARDUP_BEGIN_AVX512
//   namespace neardup::internal { ... }
//   NEARDUP_END_TARGET
//   #endif
//
// (No lambdas without captures in there: gcc 12 gives their function pointers the wrong target.)
//
// On other CPUs, and in a build with -DNEARDUP_SIMD=OFF, there is the scalar tier only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#if defined(__x86_64__) && !defined(NEARDUP_NO_SIMD)
#define NEARDUP_X86 1
#else
#define NEARDUP_X86 0
#endif

// What a tier means: AVX2 is every x86-64 since Haswell (2013) and Zen; AVX-512 with VBMI2 since Ice Lake
// (2019) and Zen 4. The former have AES, the latter VAES and GFNI.
#define NEARDUP_AVX2_FEATURES "avx,avx2,bmi,bmi2,lzcnt,popcnt,fma,aes"
#define NEARDUP_AVX512_FEATURES                                                                 \
  NEARDUP_AVX2_FEATURES                                                                         \
  ",vaes,gfni,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg," \
  "avx512vpopcntdq"

#define NEARDUP_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define NEARDUP_BEGIN_TARGET(features) \
  NEARDUP_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define NEARDUP_END_TARGET NEARDUP_PRAGMA(clang attribute pop)
#else
#define NEARDUP_BEGIN_TARGET(features) NEARDUP_PRAGMA(GCC push_options) NEARDUP_PRAGMA(GCC target(features))
#define NEARDUP_END_TARGET NEARDUP_PRAGMA(GCC pop_options)
#endif
#define NEARDUP_BEGIN_AVX2 NEARDUP_BEGIN_TARGET(NEARDUP_AVX2_FEATURES)
#define NEARDUP_BEGIN_AVX512 NEARDUP_BEGIN_TARGET(NEARDUP_AVX512_FEATURES)

namespace neardup {

enum class Isa : std::uint8_t { kScalar, kAvx2, kAvx512 };  // each has all that those before it have

inline constexpr const char kIsaVariable[] = "NEARDUP_ISA";

std::string_view isa_name(Isa isa);                   // as in NEARDUP_ISA
std::optional<Isa> isa_named(std::string_view name);  // the other way round

// The best tier of this CPU and operating system.
Isa cpu_isa();

// The tier in use: what NEARDUP_ISA names, else cpu_isa(). Decided at the first call.
Isa isa();

// Do PEXT and PDEP take a few cycles, where they are? Hundreds on AMD's CPUs before Zen 3; of makers other
// than AMD and Intel nobody knows, so there they do not.
bool has_fast_pext();

}  // namespace neardup
