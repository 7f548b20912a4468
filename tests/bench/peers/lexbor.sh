#!/usr/bin/env bash
# lexbor.py with the Python that has it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
source tests/support/steps.sh
source tests/bench/peers/python.sh

have_peers >&2
exec "$peers/bin/python" -B tests/bench/peers/lexbor.py "$@"
