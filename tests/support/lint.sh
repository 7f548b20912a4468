#!/usr/bin/env bash
# lint: what a reviewer should not have to look for.
#
#   ./dev lint [--tidy-all]
#
#   format      clang-format-19 would change nothing (mend: clang-format-19 -i FILE)
#   arrows      no include against the arrows between rooms (tests/support/arrows.py has the table)
#   hygiene     trailing whitespace, files over 1 MiB, registry addresses, links that lead nowhere
#   shell       shellcheck on every script
#   generated   generated sources are what their generators make
#   tidy        clang-tidy-19 on core/; with --tidy-all on service/ and tests/ too (minutes)
#
# Every check runs, whatever the others say. Each one's output is in build/log/lint-CHECK.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh

# ours PATTERN...: files git knows, or would take, that exist.
ours() {
  git ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
    while read -r file; do [[ ! -f $file ]] || echo "$file"; done
}

format() { ours '*.cc' '*.h' | xargs -r clang-format-19 --dry-run -Werror; }
arrows() { python3 tests/support/arrows.py; }
hygiene() { python3 tests/support/hygiene.py; }
shell() { ours | xargs awk 'FNR == 1 && /^#!.*sh$|^# shellcheck shell=/ { print FILENAME } { nextfile }' | xargs shellcheck -x; }
generated() {
  python3 -B core/text/fold_table.py --check && python3 -B core/text/simplified_table.py --check &&
    python3 -B core/text/script_table.py --check && python3 -B core/text/character_reference_table.py --check &&
    python3 charts/neardup/files/dashboards/neardup.py --check
}

# clang-tidy reads how each file is compiled from the dev preset's compile_commands.json.
tidy() {
  local extra
  read -ra extra <<<"${NEARDUP_CMAKE_ARGS:-}"
  cmake --preset dev "${extra[@]}" >/dev/null || return 1
  python3 -c 'import json, os, sys
files = [entry["file"] for entry in json.load(open("build/dev/compile_commands.json"))]
# Real paths on both sides: cmake writes the one by which the checkout was reached, which may lead through a link.
ours = [file for file in files if os.path.relpath(os.path.realpath(file)).startswith(tuple(sys.argv[1:]))]
print(*ours, sep="\n") if ours else sys.exit("nothing of " + " ".join(sys.argv[1:]) + " is compiled in build/dev")' \
    "${tidy_folders[@]}" |
    xargs -r -d '\n' -P "$(nproc)" -n 1 clang-tidy-19 -p build/dev --quiet 2>&1 |
    { grep -v ' warnings\? generated\.$' || true; } # found in other people's headers, and not shown
}

tidy_folders=(core/)
case ${1:-} in
  "") ;;
  --tidy-all) tidy_folders=(core/ service/ tests/) ;;
  *) die "lint does not know '$1' (./dev lint --help)" ;;
esac

mkdir -p "$log_folder"
began=${EPOCHREALTIME/[.,]/} failed=()
for check in format arrows hygiene shell generated tidy; do
  started=${EPOCHREALTIME/[.,]/} log=$log_folder/lint-$check.log
  printf 'lint: %s ... ' "$check"
  if "$check" >"$log" 2>&1; then
    echo "$(seconds_since "$started") s"
  else
    echo "FAILED after $(seconds_since "$started") s  ($log)"
    head -n 60 "$log"
    failed+=("$check")
  fi
done
((${#failed[@]} == 0)) || die "mend: ${failed[*]}  (./dev lint --help says what each wants; $(seconds_since "$began") s)"
echo "lint: all good, $(seconds_since "$began") s"
