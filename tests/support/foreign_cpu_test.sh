#!/usr/bin/env bash
# On a CPU of another kind core has the same answers: one whose integers begin with the high byte, whose char has no
# sign, and for which there are no kernels. The rooms between a document's bytes and its signature are compiled for it,
# and their tests run by an emulator. Left to the usual build are long comparisons, of tiers too, and what counts steps.
#
# foreign_cpu_test.sh [s390x|arm64]    s390x if none is named
#
# By clang, which compiles for all CPUs: Debian's gcc for another one is not installed where gcc-multilib is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
unset NEARDUP_ISA

cpu=${1:-s390x}
case $cpu in
  s390x) machine=s390x ;;
  arm64) machine=aarch64 ;;
  *) die "there is no emulator for '$cpu': s390x or arm64" ;;
esac
triplet=$machine-linux-gnu
build=${NEARDUP_FOREIGN_BUILD:-build/foreign}/$cpu # of ctest's: presets that are tested side by side have one each

tests/support/foreign_root.sh "$cpu" # ./dev deps made that of s390x
root=$(tests/support/foreign_root.sh "$cpu" folder)
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig
cmake --preset dev -B "$build" -DNEARDUP_SERVICE=OFF -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$machine -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_CXX_COMPILER_TARGET=$triplet -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-19 \
  -DCMAKE_LIBRARY_ARCHITECTURE=$triplet -DCMAKE_SYSROOT="$root" -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-$machine;-L;$root" \
  -DCMAKE_FIND_ROOT_PATH_MODE_{LIBRARY,INCLUDE,PACKAGE}=ONLY >/dev/null
cmake --build "$build" -j2 --target core_base_tests core_text_tests core_fingerprint_tests
left='FolderTiers.*:TiersProperty.*million*:FolderProperty.*tokens*:*neighbours:*.random_*:*.hostile_pages*'
left+=':*declares_nothing*:*steps_grow*:*linear_time*'
for room in base text fingerprint; do
  # No program can start itself again below the emulator, which death tests do.
  "qemu-$machine" -L "$root" "$build/tests/core_${room}_tests" --gtest_brief=1 --gtest_filter="-*DeathTest.*:$left"
done
