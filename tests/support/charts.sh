#!/usr/bin/env bash
# charts: is the Helm chart right?
#
#   ./dev charts [CHECK...]              lint, unit, schemas, config, refused, golden, or all of them; ./dev test runs
#                                        the same
#   ./dev charts golden --update         writes tests/golden/charts anew
#   ./dev charts docs                    writes charts/neardup/README.md and the schema of `config` anew
#
# tests/charts/check.py says what each check wants.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

NEARDUP_CHART_TOOLS=$(tests/support/chart_tools.sh folder)
export NEARDUP_CHART_TOOLS NEARDUP_BINARY=${NEARDUP_BINARY:-$PWD/build/dev/service/neardup}
[[ -e $NEARDUP_CHART_TOOLS ]] || die "there is no helm in $NEARDUP_CHART_TOOLS: run ./dev deps"

check() { "$python_tools/bin/python" tests/charts/check.py "$@"; }

case "$*" in
  "golden --update") check golden --update ;;
  docs)
    "$python_tools/bin/python" tests/charts/config_schema.py
    "$NEARDUP_CHART_TOOLS/bin/helm-docs" --log-level warning --chart-search-root charts/neardup
    ;;
  *)
    (($#)) || set -- lint unit schemas config refused golden
    # `config` asks the service itself.
    [[ " $* " != *" config "* || -x $NEARDUP_BINARY ]] || die "there is no $NEARDUP_BINARY: run ./dev build first"
    for name in "$@"; do check "$name"; done
    ;;
esac
