#!/usr/bin/env bash
# kafka.sh keeps what its help promises, on a cluster of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
export NEARDUP_KAFKA_DIR=$work/kafka
unset NEARDUP_KAFKA_JIT
kafka() { tests/support/kafka.sh "$@"; }
bystander=""
trap '[[ ! $bystander ]] || kill "$bystander" || true; kafka wipe; rm -rf "$work"' EXIT
# And where no trap is run: ctest kills a test that takes too long, with all of its descendants, and this is none.
# shellcheck disable=SC2016 # expanded by the shell that runs it
setsid --fork sh -c 'tail --pid="$1" -f /dev/null; tests/support/kafka.sh wipe; rm -rf "$2"' guardian $$ "$work" \
  </dev/null >/dev/null 2>&1

expect() { # expect SENTENCE COMMAND...
  if "${@:2}"; then
    echo "ok: $1"
  else
    echo "FAILED: $1: ${*:2}"
    exit 1
  fi
}
refuses() { ! "$@" >"$work/refusal" 2>&1; }
last_line() { "$@" | tail -n 1; }
jit_tier() {
  tr '\0' '\n' <"/proc/$(cut -d ' ' -f 1 "$NEARDUP_KAFKA_DIR/node1.pid")/cmdline" | sed -n 's/.*StopAtLevel=//p'
}
read_topic() { kcat -C -b "$servers" -t "$1" -o beginning -e -q; }

expect "status says that there is none" refuses kafka status
expect "there is nowhere to make a topic" refuses kafka topic pages
for option in --nodes --nodes= --set --proxies; do
  expect "$option without a value is refused" refuses kafka start "$option"
  expect "the refusal says what is missing" grep -qx -- "kafka.sh: ${option%=} needs a value" "$work/refusal"
done
expect "Java compiles quickly or fully" refuses env NEARDUP_KAFKA_JIT=fast tests/support/kafka.sh start
expect "the refusal names both" grep -q "quick or full, not 'fast'" "$work/refusal"
mkdir -p "$NEARDUP_KAFKA_DIR/data1" # what the end of a start in the middle leaves: data of a cluster that is none
printf 'version=1\ncluster.id=nAAAAAAAAAAAAAAAAAAAAA\nnode.id=1\n' >"$NEARDUP_KAFKA_DIR/data1/meta.properties"
touch "$NEARDUP_KAFKA_DIR/node1.new" "$NEARDUP_KAFKA_DIR/node2.properties"
bootstrap=$(last_line kafka start)
servers=${bootstrap#bootstrap.servers=}
expect "start ends with the servers" test "$bootstrap" = "bootstrap.servers=$servers"
expect "status is content" kafka status
expect "a short life is not compiled fully" test "$(jit_tier)" = 1
expect "a second start changes nothing" test "$(last_line kafka start)" = "$bootstrap"
expect "a cluster does not change its size" refuses kafka start --nodes 3
expect "the refusal says what to do" grep -q "kafka wipe first" "$work/refusal"

expect "a topic is made" kafka topic pages 3 retention.ms=-1
expect "with its partitions" grep -q '"pages" with 3 partitions' <(kcat -L -b "$servers" -t pages)
expect "making it again is no error" kafka topic pages 3
expect "a topic that cannot be is refused" refuses kafka topic bad/name
expect "a record is taken" kcat -P -b "$servers" -t pages -p 2 -X acks=all <<<"a page"

expect "a node is killed" kafka kill 1
expect "status sees it" refuses kafka status
expect "a killed node comes back" env NEARDUP_KAFKA_JIT=full tests/support/kafka.sh restart 1
expect "compiled fully where it is measured" test "$(jit_tier)" = 4
expect "with its records" test "$(read_topic pages)" = "a page"

expect "all is stopped" kafka stop
expect "status sees it" refuses kafka status
sleep 1000 >/dev/null 2>&1 &
bystander=$!
echo "$bystander 1" >"$NEARDUP_KAFKA_DIR/node1.pid" # the process id of a node, come round to somebody else
expect "stop runs" kafka stop
expect "a process that only has the same number is left alone" kill -0 "$bystander"
kill "$bystander" && bystander=""
echo 4194305 >"$NEARDUP_KAFKA_DIR/node1.pid" # more than there can be: one that was dead before its time was noted
expect "a process that ended at once does not run" refuses kafka status
expect "it starts on its old ports" test "$(last_line kafka start)" = "$bootstrap"
expect "with its old records" test "$(read_topic pages)" = "a page"

# Its codec is a native library, which the broker unpacks from a jar.
expect "a compressed record is taken" kcat -P -b "$servers" -t pages -p 1 -X acks=all -z lz4 \
  < <(printf 'a page %.0s' {1..200})
touch "$NEARDUP_KAFKA_DIR/mine"
expect "wipe removes everything" kafka wipe
expect "but what it did not make" test "$(ls -A "$NEARDUP_KAFKA_DIR")" = mine
rm "$NEARDUP_KAFKA_DIR/mine"
expect "wipe again is no error" kafka wipe
expect "nothing is left" test ! -e "$NEARDUP_KAFKA_DIR"
expect "three nodes copy three times" test "$(last_line kafka start --nodes 3 | tr -dc , | wc -c)" = 2
