#!/usr/bin/env bash
# Without its vector kernels core has the same answers: they are left out, AVX is forbidden to the compiler, and the
# tests of the rooms that have kernels pass. The long comparisons with ICU run in the usual build, on every tier.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
unset NEARDUP_ISA
build=${NEARDUP_SCALAR_BUILD:-build/scalar} # of ctest's: presets that are tested side by side have one each

cmake --preset scalar -B "$build" >/dev/null
cmake --build "$build" -j2 --target core_base_tests core_text_tests core_fingerprint_tests
for room in base text fingerprint; do
  "$build/tests/core_${room}_tests" --gtest_brief=1 --gtest_filter='*-FolderTiers.*:*.hostile_pages*:*.random_*'
done
tests/support/portable_code.py "$build"/core/*.a
if find "$build/core" -name '*_avx*.o' | grep .; then
  echo "these are kernels: NEARDUP_SIMD=OFF leaves them out" >&2
  exit 1
fi
