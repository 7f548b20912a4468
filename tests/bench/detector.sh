#!/usr/bin/env bash
# How fast are documents decided, and what does a unique cost, beside the usual libraries? See detector.py.
#
#   detector.sh            all rows and the peers
#   detector.sh WORD...    what detector_bench makes of these words, without the peers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

(($# == 0)) || exec build/release/tests/detector_bench "$@"

peers=$neardup_cache/detector-peers-$(cksum <tests/bench/detector_peers.txt | cut -d' ' -f1)
make_peers() {
  rm -rf "$peers"
  python3 -m venv "$peers"
  "$peers/bin/pip" install --no-input --no-deps -r tests/bench/detector_peers.txt
  cp tests/bench/detector_peers.txt "$peers/"
}
[[ -e $peers/detector_peers.txt ]] || step detector-peers "the usual libraries, from Python packages" \
  "needs the network (pip); then run ./dev bench detector again" make_peers
exec "$peers/bin/python" -B tests/bench/detector.py build/release
