# shellcheck shell=bash
# The usual programs that are Python packages, for benchmarks; sourced after tests/support/steps.sh.

need_cache
# shellcheck disable=SC2154 # steps.sh sets neardup_cache
peers=$neardup_cache/quality-peers-$(cksum <tests/bench/quality_peers.txt | cut -d' ' -f1)

make_peers() {
  rm -rf "$peers"
  python3 -m venv "$peers"
  "$peers/bin/pip" install --no-input --no-deps -r tests/bench/quality_peers.txt
  cp tests/bench/quality_peers.txt "$peers/"
}

# Installs them, the first time.
have_peers() {
  [[ -e $peers/quality_peers.txt ]] || step quality-peers "the usual programs, from Python packages" \
    "needs the network (pip); then run the benchmark again" make_peers
}
