#!/usr/bin/env bash
# package: builds the .deb and lives its life: installed, started, restarted, stopped and purged under a real systemd.
#
#   ./dev package         as root; a minute or two when the release build is there
#
# The package (build/release/package) goes into a minimal Debian (tests/support/debian_root.sh) that systemd-nspawn
# boots, on this machine's network, with a Kafka beside it. What is done there is tests/package/inside.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
((EUID == 0)) || die "needs root, to make a root file system and to boot it"

work=$(mktemp -d)
root=$work/root
export NEARDUP_KAFKA_DIR=$work/kafka
trap 'tests/support/kafka.sh wipe || true; rm -rf "$work"' EXIT

make_package() {
  rm -rf build/release/package
  cmake --build --preset release --target neardup -j "$(nproc)"
  cpack --config build/release/CPackConfig.cmake
}
make_root() {
  mkdir "$root"
  tar -C "$root" -xf "$1"
  cp /etc/resolv.conf "$root/etc/"
  chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive
    apt-get update && apt-get install -y --no-install-recommends systemd && apt-get clean'
}
# The links of the texts in FOLDER, and in those below it, that lead to no file in it.
dead_links() { # dead_links FOLDER
  local text link
  for text in "$1"/*.md "$1"/*/*.md; do
    while read -r link; do
      [[ -e $(dirname "$text")/$link ]] || echo "${text#"$1/"}: $link"
    done < <(grep -o '](\([^):]*\))' "$text" | sed 's/^](//; s/)$//; s/#.*//')
  done
}
# `cmake --install` brings what the package brings, and leaves a configuration that somebody edited.
check_install() {
  local install=$work/install
  DESTDIR=$install cmake --install build/release --prefix /usr --strip
  diff <(cd "$install" && find . -type f | sort) <(dpkg-deb -c "$1" | sed -n 's/^-.* //p' | sort) || return 1
  local docs=$install/usr/share/doc/neardup dead text
  dead=$(dead_links "$docs")
  [[ -s $docs/README.md && ! $dead ]] || { echo "links that lead nowhere: $dead" && return 1; }
  [[ -s $docs/upgrade.md && -s $docs/runbooks/NeardupDown.md ]] || { echo "not all texts are there" && return 1; }
  for text in README.md runbooks/README.md; do
    echo '[gone](gone.md)' >>"$docs/$text"
  done
  [[ $(dead_links "$docs") == $'README.md: gone.md\nrunbooks/README.md: gone.md' ]] ||
    { echo "a planted link was not found" && return 1; }
  echo "edited: by hand" >"$install/etc/neardup/neardup.yaml"
  DESTDIR=$install cmake --install build/release --prefix /usr
  [[ $(cat "$install/etc/neardup/neardup.yaml") == "edited: by hand" ]]
}
step package-configure "cmake, preset release" "see build/log/package-configure.log" cmake --preset release
step package-build "the program and its package" "see build/log/package-build.log" make_package
packages=(build/release/package/*.deb)
step package-install "cmake --install brings the same files" "see build/log/package-install.log" check_install "${packages[0]}"
tar=$(tests/support/debian_root.sh)
step package-root "a Debian with systemd" "needs the network (apt)" make_root "$tar"

servers=$(tests/support/kafka.sh start | tee /dev/stderr | sed -n 's/^bootstrap.servers=//p')
port=$((20000 + $$ % 10000)) # the first from there on where nobody listens
while (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do ((++port)); done
mkdir "$root/test"
cp "${packages[0]}" "$root/test/neardup.deb"
cp -r config/compose/pages tests/package/inside.sh "$root/test/"
cat >"$root/test/settings" <<END
servers=$servers
port=$port
END
# Boots to nothing but our script; `systemctl exit` makes its exit code that of systemd-nspawn.
cat >"$root/etc/systemd/system/test.service" <<'END'
[Unit]
After=basic.target
Requires=basic.target
[Service]
Type=oneshot
ExecStart=/bin/bash /test/inside.sh
ExecStopPost=/bin/systemctl --force exit $EXIT_STATUS
StandardOutput=append:/test/log
StandardError=append:/test/log
TimeoutStartSec=300
END
printf 'package: the life of %s under systemd ... ' "$(basename "${packages[0]}")"
started=${EPOCHREALTIME/[.,]/} code=0
systemd-nspawn -q --register=no --keep-unit --boot --directory="$root" systemd.unit=test.service \
  >"$log_folder/package-boot.log" 2>&1 </dev/null || code=$?
echo "$(seconds_since "$started") s  ($log_folder/package-life.log)"
cp "$root/test/log" "$log_folder/package-life.log"
grep '^ok' "$log_folder/package-life.log" || true
if ! tail -n 1 "$log_folder/package-life.log" | grep -q '^done: '; then
  tail -n 30 "$log_folder/package-life.log"
  die "exit code $code; systemd's side is in $log_folder/package-boot.log"
fi
echo "package: $(basename "${packages[0]}"), $(stat -c %s "${packages[0]}") bytes; $(tail -n 1 "$log_folder/package-life.log")"
