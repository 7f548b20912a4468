#!/usr/bin/env bash
# What ./dev says before it does anything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d "${TMPDIR:-/tmp}/neardup-dev.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "dev_test: $*" >&2 && exit 1; }

# A question has its answer alone.
[[ $(./dev deps rdkafka-folder) == "$(tests/support/deps.sh rdkafka-folder)" ]] || fail "rdkafka-folder is not alone"

# A checkout where nothing is missing.
checkout=$work/checkout
mkdir -p "$checkout/tests/support"
cp dev "$checkout/"
cp tests/support/{steps.sh,python_tools.txt} "$checkout/tests/support/"
printf '#!/bin/sh\n' >"$checkout/tests/support/deps.sh"
chmod +x "$checkout"/tests/support/*.sh
[[ $("$checkout/dev" deps) == "deps: all there, "* ]] || fail "plain deps does not say that all is there"
