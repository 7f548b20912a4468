#!/usr/bin/env bash
# stopped_test.sh SIMULATE: who is asked to stop leaves no folder in memory, and ends by the signal.
set -euo pipefail

for signal in INT TERM; do
  "$1" --seeds 1000000 --jobs 2 >/dev/null &
  pid=$!
  folders() { compgen -G "/dev/shm/neardup-simulation-$pid-*" || compgen -G "${TMPDIR:-/tmp}/neardup-simulation-$pid-*"; }
  until folders >/dev/null; do
    kill -0 "$pid" || exit 1
    sleep 0.05
  done
  sleep 0.5
  kill -s "$signal" "$pid"
  code=0
  wait "$pid" || code=$?
  if ((code != 128 + $(kill -l "$signal"))); then echo "SIG$signal: it ended with $code" >&2 && exit 1; fi
  if folders; then echo "SIG$signal: it left this folder" >&2 && exit 1; fi
done
