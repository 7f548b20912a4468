#!/usr/bin/env bash
# compose_test.sh BINARY: runs compose_test.py with what ./dev deps installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache
[[ -x $python_tools/bin/python ]] || die "no Python tools: run ./dev deps"
kafka_version=$(sed -n 's/^kafka_version=//p' tests/support/deps.sh)
exec "$python_tools/bin/python" tests/image/compose_test.py "$1" "$kafka_version" "$neardup_cache/kafka-$kafka_version"
