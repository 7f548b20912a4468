#!/usr/bin/env bash
# How good is the text that the service takes from a page, and how right are its verdicts? See quality.py and
# verdict_quality.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
source tests/bench/peers/python.sh

if (($#)); then
  echo "usage: quality.sh" >&2
  exit 64
fi
have_peers
exec "$peers/bin/python" -B tests/bench/quality.py build/release
