// Were all tiers of the kernels there to be compared?
#pragma once

#include <gtest/gtest.h>

#include "core/base/isa.h"

namespace neardup {

// The last word of a test that compares every tier of this CPU. Where one is missing the test has not shown
// what its name says, so it is skipped, and says which. (emulation/ has it once more, where AVX-512 is never
// missing.)
inline void skip_unless_every_tier_ran() {
  if (cpu_isa() == Isa::kScalar) GTEST_SKIP() << "this CPU has no AVX2: there was no tier to compare";
  if (cpu_isa() == Isa::kAvx2) GTEST_SKIP() << "this CPU has no AVX-512: AVX2 alone was compared";
}

}  // namespace neardup
