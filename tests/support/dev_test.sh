#!/usr/bin/env bash
# What ./dev says before it does anything: without HOME, to $(...), where nothing is built yet; and that its help is true.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d "${TMPDIR:-/tmp}/neardup-dev.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "dev_test: $*" >&2 && exit 1; }
# refused CODE WORDS COMMAND...: it ends with CODE, and all it says is one line that has WORDS.
refused() {
  local said code=0
  said=$("${@:3}" 2>&1 </dev/null) || code=$?
  [[ $code == "$1" && $said == *"$2"* && $said != *$'\n'* ]] || fail "${*:3}: $code, not $1 with '$2': $said"
}

# No HOME: help needs none, and what needs the cache says what to set.
bare=(env -i "PATH=$PATH")
[[ $("${bare[@]}" ./dev help) == "$(./dev help)" && $(./dev help) == "./dev: the one entry point."* ]] ||
  fail "help is another without HOME"
[[ $("${bare[@]}" ./dev kafka --help) == "kafka: "* ]] || fail "there is no help of a verb without HOME"
refused 1 "deps.sh: where is the cache of what ./dev deps makes? Set HOME or NEARDUP_CACHE" "${bare[@]}" ./dev deps
refused 1 "Set HOME or NEARDUP_CACHE" "${bare[@]}" ./dev test
while read -r script; do
  case $script in # steps.sh itself; not run, but sourced; what brings its own
    tests/support/steps.sh | tests/support/go.sh | tests/bench/peers/python.sh | tests/support/*_test.sh) continue ;;
    tests/image/context_test.sh | tests/core/*) continue ;;
  esac
  grep -qE '^need_cache$|source tests/support/go.sh' "$script" || fail "$script does not call need_cache"
done < <(grep -lE '[$]{?(neardup_cache|python_tools)' -r tests --include='*.sh')
[[ $("${bare[@]}" NEARDUP_CACHE=/c tests/support/deps.sh rdkafka-folder) == /c/librdkafka-* ]] || fail "not in NEARDUP_CACHE"
[[ $("${bare[@]}" XDG_CACHE_HOME=/x tests/support/deps.sh rdkafka-folder) == /x/neardup/librdkafka-* ]] ||
  fail "not in XDG_CACHE_HOME"
refused 1 "NEARDUP_CACHE is a path from the root, not 'c'" "${bare[@]}" NEARDUP_CACHE=c ./dev deps

# A question has its answer alone.
[[ $(./dev deps rdkafka-folder) == "$(tests/support/deps.sh rdkafka-folder)" ]] || fail "rdkafka-folder is not alone"

# A checkout where nothing is missing, and nothing built.
checkout=$work/checkout cache=$work/cache
mkdir -p "$checkout/tests/support"
cp dev "$checkout/"
cp tests/support/{steps.sh,charts.sh,python_tools.txt} "$checkout/tests/support/"
printf '#!/bin/sh\n' >"$checkout/tests/support/deps.sh"
printf '#!/bin/sh\necho "%s"\n' "$work" >"$checkout/tests/support/chart_tools.sh"
python=$cache/python-$(cksum <tests/support/python_tools.txt | cut -d' ' -f1)/bin/python
mkdir -p "$(dirname "$python")"
# shellcheck disable=SC2016 # of the script that is made
printf '#!/bin/sh\necho "checked $2"\n' >"$python"
chmod +x "$checkout"/tests/support/*.sh "$python"
export NEARDUP_CACHE=$cache
unset NEARDUP_BINARY
[[ $("$checkout/dev" deps) == "deps: all there, "* ]] || fail "plain deps does not say that all is there"
refused 1 "charts.sh: there is no $checkout/build/dev/service/neardup: run ./dev build first" "$checkout/dev" charts
refused 1 "run ./dev build first" "$checkout/dev" charts lint config
[[ $("$checkout/dev" charts lint) == "checked lint" ]] || fail "lint needs no program"

# Help has every benchmark, and the README the presets that help has.
while read -r bench; do
  grep -qw "${bench%_bench.cc}" <(./dev bench --help) || fail "./dev bench --help does not know $bench"
done < <(find tests -name '*_bench.cc' -printf '%f\n')
presets=$(./dev build --help | sed -n 's/.*\[\(--preset .*\)\].*/\1/p')
[[ $presets == *scalar* && $(<README.md) == *"$presets"* ]] || fail "the README has other presets than '$presets'"
