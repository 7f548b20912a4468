#!/usr/bin/env bash
# How good is the text that the service takes from a page, and how right are its verdicts? See quality.py and
# verdict_quality.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh

peers=$neardup_cache/quality-peers-$(cksum <tests/bench/quality_peers.txt | cut -d' ' -f1)
make_peers() {
  rm -rf "$peers"
  python3 -m venv "$peers"
  "$peers/bin/pip" install --no-input --no-deps -r tests/bench/quality_peers.txt
  cp tests/bench/quality_peers.txt "$peers/"
}
[[ -e $peers/quality_peers.txt ]] || step quality-peers "the usual programs, from Python packages" \
  "needs the network (pip); then run ./dev bench quality again" make_peers
exec "$peers/bin/python" -B tests/bench/quality.py build/release
