#!/usr/bin/env bash
# image: builds the Dockerfile and runs what it made, with neither a container engine nor an image registry.
#
#   ./dev image           as root; minutes the first time, then as long as what changed takes
#
# buildah builds it, in layers that it keeps (gigabytes, in NEARDUP_CACHE/image; remove it at will), on the minimal Debian
# of debian_root.sh under the name of the real base image. Then the image runs as a container would: process 1 of its
# own process and mount namespaces, with the image's user and entry point, no way to more privileges, and a root nothing
# can write to. There it prints its version, scans the sample pages, and does what docker-compose.yml tells its services,
# with the same files and command lines, against a Kafka on this machine. What is not the same: the network is the
# machine's own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache
((EUID == 0)) || die "needs root, to make a root file system and to enter it"

cache=$neardup_cache/image
work=$(mktemp -d)
export NEARDUP_KAFKA_DIR=$work/kafka
export CONTAINERS_REGISTRIES_CONF=$work/registries.conf STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container="" server=""
clean_up() {
  [[ ! $server ]] || kill -KILL "$server" 2>/dev/null || true
  tests/support/kafka.sh wipe || true
  [[ ! $container ]] || buildah_ rm "$container" >/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'echo "image: line $LINENO failed" >&2' ERR

mkdir -p "$cache"
echo 'unqualified-search-registries = ["localhost"]' >"$work/registries.conf" # debian:x means localhost/debian:x
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$work/policy.json"
buildah_() { buildah --root "$cache/storage" --runroot "$work/run" "$@"; }
with_policy() { buildah_ "$1" --signature-policy "$work/policy.json" "${@:2}"; }

# --- build

make_base() {
  local base
  base=$(buildah_ from scratch)
  buildah_ add -q "$base" "$1" /
  buildah_ config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$base"
  with_policy commit -q "$base" localhost/debian:bookworm-slim
  buildah_ rm "$base"
}
build_image() {
  # the authorities this machine trusts: its network may look into TLS
  with_policy bud --pull-never --layers --format docker --secret id=ca,src=/etc/ssl/certs/ca-certificates.crt \
    --build-arg "NEARDUP_REVISION=$(git describe --always --dirty --abbrev=12)" -t neardup:local .
}
buildah_ images -q localhost/debian:bookworm-slim >/dev/null 2>&1 || {
  base_tar=$(tests/support/debian_root.sh)
  step image-base "the base image" "remove $cache and try again" make_base "$base_tar"
}
step image-build "building the Dockerfile" "see build/log/image-build.log" build_image

# --- run

container=$(with_policy from --pull-never localhost/neardup:local)
root=$(buildah_ mount "$container")
inspect() { buildah_ inspect --type image --format "$1" localhost/neardup:local; }
user=$(inspect '{{.OCIv1.Config.User}}')
entry=("$(inspect '{{index .OCIv1.Config.Entrypoint 0}}')")
[[ $user == 10001:10001 ]] || die "the image runs as '$user', not as 10001:10001"

# What runs as root between unshare and the program: the mounts of SERVICE, then a root that is read-only. REQUIRES:
# $1 root, $2 user, $3 lines "SOURCE TARGET", parted by a blank, so SOURCE is relative; the rest is the command.
# shellcheck disable=SC2016 # expanded by the shell that runs it
enter='
  set -eu
  root=$1 user=$2 mounts=$3
  shift 3
  mount --bind "$root" "$root"
  echo "$mounts" | while read -r source target; do
    [ "$source" ] || continue
    if [ -d "$source" ]; then mkdir -p "$root$target"; else [ -e "$root$target" ] || : >"$root$target"; fi
    mount --bind "$source" "$root$target"
    mount -o remount,bind,ro "$root$target"
  done
  mount -o remount,bind,ro "$root"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
  mount -t tmpfs -o size=64k,mode=755 dev "$root/dev"
  for device in null zero random urandom; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mount -o remount,bind,ro "$root/dev"
  exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"'

# run_image MOUNTS ARGUMENT...: in place of this shell. Its environment holds PATH and what names Kafka.
run_image() {
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" \
    unshare --mount --pid --fork --kill-child sh -c "$enter" sh "$root" "$user" "$1" "${entry[@]}" "${@:2}"
}
environment=()
compose() { "$python_tools/bin/python" tests/image/compose.py "$@"; }
run_service() { # run_service NAME: what docker-compose.yml says of it
  local words
  mapfile -t words < <(compose command "$1")
  run_image "$(compose mounts "$1")" "${words[@]}"
}

version=$(run_image "" version)
echo "version: $version"
(run_image "config/compose/pages /data" scan -q /data) >"$work/scan.jsonl"
scanned=$(grep -c '"verdict":"duplicate"' "$work/scan.jsonl")
echo "scan: $(wc -l <"$work/scan.jsonl") pages, $scanned duplicates"
if (entry=(touch) && run_image "" /tmp/x) 2>"$work/touch"; then die "its root can be written to"; fi
grep -q "Read-only file system" "$work/touch" || die "its root: $(cat "$work/touch")"

servers=$(tests/support/kafka.sh start | tee /dev/stderr | sed -n 's/^bootstrap.servers=//p')
port=$((20000 + $$ % 10000)) # the first from there on where nobody listens
while (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do ((++port)); done
environment=("NEARDUP_KAFKA__BROKERS=$servers" NEARDUP_HTTP__ADDRESS=127.0.0.1 "NEARDUP_HTTP__PORT=$port")
(run_service topics)
run_service neardup >"$work/serve.log" 2>&1 &
server=$!
(run_service feeder)

count() { kcat -C -b "$servers" -t "$1" -o beginning -e -q -X isolation.level=read_committed 2>/dev/null | wc -l; }
pages=$(find config/compose/pages -type f | wc -l)
for ((i = 0; i < 300; i++)); do
  unique=$(count neardup.unique) duplicate=$(count neardup.duplicate)
  ((unique + duplicate < pages)) || break
  kill -0 "$server" 2>/dev/null || die "serve ended by itself: $(tail -n 5 "$work/serve.log")"
  sleep 0.2
done
((unique + duplicate == pages && duplicate == scanned)) ||
  die "$unique unique and $duplicate duplicates of $pages pages, but scan saw $scanned: $(tail -n 5 "$work/serve.log")"
exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
ready=$(head -n 1 <&3 | tr -d '\r')
[[ $ready == *" 200 "* ]] || die "/readyz answers '$ready'"

# To process 1 of its namespace, as a container engine does it.
read -r process_1 <"/proc/$server/task/$server/children" || [[ $process_1 ]] # its line has no end
kill -TERM "$process_1"
code=0
wait "$server" || code=$?
server=""
((code == 0)) || die "after SIGTERM it ended with $code: $(tail -n 5 "$work/serve.log")"

megabytes() { du -sm "$1" | cut -f1; }
base=$(with_policy from --pull-never localhost/debian:bookworm-slim)
base_megabytes=$(megabytes "$(buildah_ mount "$base")")
buildah_ rm "$base" >/dev/null
megabytes=$(megabytes "$root")
echo "image: neardup:local, $megabytes MB ($base_megabytes of them Debian), binary $(stat -c %s "$root/usr/bin/neardup" |
  awk '{ printf "%.1f", $1 / 1e6 }') MB; ran as $user on a read-only root: version, scan ($scanned of $pages duplicates)," \
  "topics create, serve and feed on Kafka ($unique unique, $duplicate duplicate), /readyz 200, SIGTERM -> 0"
