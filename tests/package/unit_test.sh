#!/usr/bin/env bash
# unit_test.sh BINARY: systemd understands config/neardup.service, and finds next to nothing left to take away from it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
binary=$1
unit=config/neardup.service
exposure_max=15 # tenths of systemd's own figure from 0 to 10, below which it says "OK"; the network is what is left

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/usr/bin" "$root/etc/systemd/system"
cp /bin/true "$root/usr/bin/neardup" # it only looks whether it may be run
for target in basic sysinit shutdown multi-user network-online; do
  printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" >"$root/etc/systemd/system/$target.target"
done
for name in system.slice -.mount tmp.mount; do cp "/lib/systemd/system/$name" "$root/etc/systemd/system/" 2>/dev/null || true; done
verify() { # verify FILE: every complaint is a failure
  cp "$1" "$root/etc/systemd/system/neardup.service"
  local said
  said=$(systemd-analyze verify --man=no --root="$root" neardup.service 2>&1) || { echo "$said" && return 1; }
  [[ ! $said ]] || { echo "$said" && return 1; }
}
exposure() { # exposure FILE: in tenths
  cp "$1" "$root/security.service"
  systemd-analyze security --offline=true --no-pager "$root/security.service" |
    sed -n 's/.*Overall exposure level for [^:]*: \([0-9]*\)\.\([0-9]\) .*/\1\2/p' | sed 's/^0*\(.\)/\1/'
}
hardened() { (($(exposure "$1") <= exposure_max)); }
# The program accepts the command line, with what a person adds to one start and without: with a setting that does not
# exist, that is all it has to say.
command_line() {
  local line words code said options
  line=$(sed -n 's/^ExecStart=neardup //p' "$1")
  [[ $line == *"-c /etc/neardup/neardup.yaml"* ]] || { echo "it does not read the file that is installed" && return 1; }
  [[ $line == *" \$SERVE_OPTIONS" ]] || { echo "nothing can be added to one start" && return 1; }
  ! grep -q '^Environment=.*SERVE_OPTIONS' "$1" || { echo "what systemctl sets would be hidden" && return 1; }
  for options in "" "--accept-input-loss pages:3 --accept-moved-offsets journal"; do
    read -ra words <<<"${line/\$SERVE_OPTIONS/$options}"
    words=("${words[@]/#\/etc\/neardup/config}")
    code=0
    said=$("$binary" "${words[@]}" --set no.such.setting=1 2>&1) || code=$?
    [[ $code == 78 && $(wc -l <<<"$said") == 1 && $said == *no.such.setting* ]] || { echo "$code: $said" && return 1; }
  done
}
# A supervisor must not repeat what a person has to mend.
codes() { grep -qx "RestartPreventExitStatus=64 65 78" "$1"; }
# What gets better by itself, a port that is taken say, is tried for as long as it takes: no limit on starts, and no haste.
goes_on() {
  grep -qx "Restart=on-failure" "$1" && grep -qx "StartLimitIntervalSec=0" "$1" && ! grep -q "^StartLimitBurst=" "$1" &&
    grep -qx "RestartSec=[5-9]" "$1"
}

for check in verify hardened command_line codes goes_on; do "$check" "$unit" || die "$check $unit"; done
planted=0
plant() { # plant CHECK SED_SCRIPT
  sed "$2" "$unit" >"$root/planted"
  cmp -s "$unit" "$root/planted" && die "planting '$2' changed nothing"
  if "$1" "$root/planted" >/dev/null; then die "$1 did not see the planted '$2'"; fi
  planted=$((planted + 1))
}
plant verify 's/^ProtectSystem=strict/ProtectSystem=strickt/'
plant verify 's/^NoNewPrivileges=/NoNewPrivilege=/'
plant verify 's/^ExecStart=.*/ExecStart=nearduplicate serve/'
plant hardened '/^CapabilityBoundingSet=/d'
plant hardened '/^SystemCallFilter=/d'
plant hardened '/^DynamicUser=/d'
plant command_line 's/neardup serve/neardup server/'
plant command_line 's/neardup serve/neardup serve --fail-fat/'
plant command_line 's,-c /etc,-c /opt,'
# shellcheck disable=SC2016 # the unit's word, not a variable of ours
plant command_line 's/ \$SERVE_OPTIONS$//'
plant command_line 's/^Type=exec$/&\nEnvironment=SERVE_OPTIONS=/'
plant codes 's/ 78$//'
plant goes_on 's/^StartLimitIntervalSec=.*/StartLimitIntervalSec=10min\nStartLimitBurst=20/'
plant goes_on 's/^RestartSec=.*/RestartSec=0/'
plant goes_on 's/^Restart=on-failure/Restart=no/'
level=$(exposure "$unit")
echo "table: settings of the systemd unit | $(grep -c '^[A-Z][A-Za-z]*=' "$unit") | verified, exposure $((level / 10)).$((level % 10)) of 10;" \
  "$planted planted errors found"
