#!/usr/bin/env bash
# debian_root.sh: prints the path of a tar with a minimal Debian 12, made once, as root, from the machine's own mirror.
#
# It stands in for the image debian:bookworm-slim, which a machine without an image registry cannot fetch, and like it
# keeps of all documents only the copyright files. It lies in NEARDUP_CACHE; to have today's Debian, remove it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

tar=$neardup_cache/debian-bookworm-minimal.tar
if [[ ! -e $tar ]]; then
  mkdir -p "$neardup_cache"
  new=$(mktemp "$neardup_cache/.debian.XXXXXX")
  trap 'rm -f "$new"' EXIT
  step debian-root "a minimal Debian 12 (a minute)" "needs root and the network (apt)" \
    mmdebstrap --variant=minbase --format=tar --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$new" >&2
  mv "$new" "$tar"
fi
echo "$tar"
