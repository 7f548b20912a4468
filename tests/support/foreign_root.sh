#!/usr/bin/env bash
# foreign_root: what Debian 12 has, for a CPU of another kind, of all that core and its tests are linked with. ./dev deps
# calls it; see there.
#
#   tests/support/foreign_root.sh CPU             makes it, unless it is there; CPU is a name of Debian's, like s390x
#   tests/support/foreign_root.sh CPU folder      prints where
#
# It is unpacked only, and needs no rights: nothing of it is installed on this machine, whose apt hears of no other CPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

packages=libc6-dev,libstdc++-12-dev,libsimdjson-dev,libxxhash-dev,libuchardet-dev
packages+=,libgtest-dev,libgmock-dev,libicu-dev,nlohmann-json3-dev

cpu=${1:-}
[[ $cpu =~ ^[a-z0-9]+$ ]] || die "which CPU? (s390x, arm64)"
folder=$neardup_cache/debian-bookworm-$cpu-$(cksum <<<"$packages" | cut -d' ' -f1)

make_root() {
  local work
  work=$(mktemp -d "$neardup_cache/.foreign.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  mmdebstrap --mode=chrootless --variant=extract --architectures="$cpu" --include="$packages" bookworm "$work/root"
  find "$work/root" -lname '/*' | while read -r link; do # as they are they lead to this machine's own files
    ln -sfnr "$work/root$(readlink "$link")" "$link"
  done
  mv -T "$work/root" "$folder"
}

case ${2:-} in
  folder) echo "$folder" ;;
  "") [[ -e $folder ]] || make_root ;;
  *) die "foreign_root does not know '$2'" ;;
esac
