#!/usr/bin/env bash
# Where librdkafka is kept: a changed patch gets a folder of its own, and CMake looks in the same one, whatever the
# characters of its path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d "${TMPDIR:-/tmp}/neardup-rdkafka-folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "rdkafka_folder_test: $*" >&2 && exit 1; }

checkout=$work/checkout
mkdir -p "$checkout/tests/support" "$checkout/tests/ops/grafana"
cp tests/support/{deps.sh,steps.sh,python_tools.txt} tests/support/librdkafka-*.patch "$checkout/tests/support/"
cp tests/ops/grafana/package.json "$checkout/tests/ops/grafana/"
folder() { "$checkout/tests/support/deps.sh" rdkafka-folder; }
before=$(folder)
[[ $before == "$(tests/support/deps.sh rdkafka-folder)" ]] || fail "two checkouts of the same patches do not share it"
echo >>"$checkout/tests/support/librdkafka-headers.patch"
[[ $(folder) != "$before" ]] || fail "a changed patch was not noticed"

# What CMake remembers of an earlier state is dropped, and what a person named is kept.
root=$(tests/support/deps.sh rdkafka-folder)
unset NEARDUP_CACHE XDG_CACHE_HOME
export HOME=$work/a+b.c
cache=$HOME/.cache/neardup
mkdir -p "$cache"
made=$(tests/support/deps.sh rdkafka-folder)
[[ $made == "$cache"/librdkafka-* ]] || fail "it is not below HOME: $made"
ln -s "$root" "$made"
configured() { cmake -S . -B "$work/build" -DBUILD_TESTING=OFF "-DNEARDUP_RDKAFKA_ROOT=$1" 2>&1; }
said=$(configured "$cache/librdkafka-2.0.0-patches-1") || fail "it does not configure: $said"
[[ $said == *" in $made"$'\n'* ]] || fail "CMake looks elsewhere: $said"
ln -s "$root" "$work/mine"
said=$(configured "$work/mine") || fail "it does not configure: $said"
[[ $said == *" in $work/mine"$'\n'* ]] || fail "CMake does not look where it was told to: $said"
