#!/bin/bash
# The life of the package in a clean Debian under systemd; package.sh boots it and brings /test. A line a step; the last
# one begins with "done:" if all of them went well.
set -euo pipefail
servers='' port=''
# shellcheck source=/dev/null
source /test/settings # which sets them
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
steps=0

expect() { # expect SENTENCE COMMAND...
  if "${@:2}"; then
    echo "ok: $1" && steps=$((steps + 1))
  else
    echo "FAILED: $1: ${*:2}"
    systemctl status neardup || true
    journalctl --no-pager -u neardup -n 30 || true
    exit 1
  fi
}
not() { ! "$@"; }
within() { # within SECONDS COMMAND...
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do ((SECONDS < deadline)) || return 1; sleep 0.2; done
}
# Everything but what every installation of any package touches.
files() { find / -xdev -not -path '/test/*' -not -path '/var/cache/*' -not -path '/var/log/*' -not -path '/var/lib/apt/*' \
  -not -path '/var/lib/dpkg/*' -not -path '/tmp/*' -not -path '/var/tmp/*' | sort; }
answer() { # answer PATH: the HTTP answer, or nothing
  { exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3 && cat <&3; } 2>/dev/null || true
}
answers() { answer "$1" | grep -q "$2"; }
property() { systemctl show -P "$1" neardup; }
test_property() { test "$(property "$1")" = "$2"; }
process_status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(property MainPID)/status"; }

files >/test/before
expect "it installs, with what it depends on" apt-get install -qq -y --no-install-recommends /test/neardup.deb
expect "the program runs" neardup version
expect "no library is missing" not grep -q "not found" <(ldd /usr/bin/neardup)
expect "the configuration is valid" neardup validate --offline -c /etc/neardup/neardup.yaml
expect "the licence of librdkafka is there" grep -q "librdkafka - Apache Kafka C driver library" /usr/share/doc/neardup/copyright
expect "installing starts nothing" not systemctl --quiet is-active neardup
expect "nor enables it" not systemctl --quiet is-enabled neardup

sed -i "s/127\.0\.0\.1:9092/$servers/; s/port: 9301/port: $port/" /etc/neardup/neardup.yaml
echo hidden >/etc/neardup/password && chmod 600 /etc/neardup/password
mkdir -p /etc/systemd/system/neardup.service.d
cat >/etc/systemd/system/neardup.service.d/password.conf <<'END'
[Service]
LoadCredential=password:/etc/neardup/password
ExecStartPre=/bin/sh -c '[ "$(cat "$CREDENTIALS_DIRECTORY/password")" = hidden ]'
ExecStartPre=/bin/sh -c '! cat /etc/neardup/password'
END
systemctl daemon-reload
expect "the topics are made" neardup topics create --input -c /etc/neardup/neardup.yaml
expect "enable and start" systemctl enable --quiet --now neardup
expect "it gets ready under all the hardening" within 60 answers /readyz " 200 "
expect "as a user that exists only now" test "$(process_status Uid | cut -c1)" = 6 # systemd's range: 61184 to 65519
expect "with no capability" test "$(process_status CapBnd)" = 0000000000000000
expect "with system calls filtered" test "$(process_status Seccomp)" = 2
expect "with no way to new privileges" test "$(process_status NoNewPrivs)" = 1
expect "with its metrics, the start time too" answers /metrics '^process_start_time_seconds [1-9]'
expect "pages are fed" neardup feed /test/pages -c /etc/neardup/neardup.yaml
expect "five of them are unique" within 30 answers /status '"unique": 5'
expect "and five are not, four of them word for word" within 30 answers /metrics \
  '^neardup_verdicts_total{kind="exact",verdict="duplicate"} 4$'

first=$(property MainPID)
kill -KILL "$first"
expect "killed, it comes back by itself" within 60 answers /readyz " 200 "
expect "as another process" test "$(property MainPID)" != "$first"
expect "and remembers" within 30 answers /status '"entries": 5'
first=$(property MainPID)
expect "an upgrade keeps an edited configuration" apt-get install -qq -y --reinstall /test/neardup.deb
expect "as it was" grep -q "$servers" /etc/neardup/neardup.yaml
expect "and restarts the service" not test_property MainPID "$first"
expect "which gets ready" within 60 answers /readyz " 200 "
expect "it stops" systemctl stop neardup
expect "as asked, with 0" test "$(property Result) $(property ExecMainStatus)" = "success 0"
systemctl set-environment SERVE_OPTIONS='--accept-input-loss pages:0 --accept-moved-offsets journal'
expect "options for one start" systemctl start neardup
expect "are two words each" grep -qzx -- --accept-moved-offsets "/proc/$(property MainPID)/cmdline"
expect "and hinder nothing" within 60 answers /readyz " 200 "
systemctl unset-environment SERVE_OPTIONS
expect "the next start" systemctl restart neardup
expect "has none" not grep -qz -- --accept "/proc/$(property MainPID)/cmdline"

sed -i 's/^detector:/detectr:/' /etc/neardup/neardup.yaml
systemctl restart neardup || true
expect "a wrong setting ends it" within 10 test_property ActiveState failed
expect "with the code that says so" test_property ExecMainStatus 78
sleep 7 # longer than RestartSec
expect "and it is not tried again" test_property ActiveState failed
sed -i 's/^detectr:/detector:/' /etc/neardup/neardup.yaml
expect "mended, it starts" systemctl restart neardup

expect "removal stops it" apt-get remove -qq -y neardup
expect "for good" not answers /livez " 200 "
expect "and keeps the configuration" test -e /etc/neardup/neardup.yaml
rm -r /etc/systemd/system/neardup.service.d /etc/neardup/password
expect "purge" apt-get purge -qq -y --autoremove neardup
files >/test/after
comm -13 /test/before /test/after >/test/left
expect "leaves no file" test -z "$(grep -i neardup /test/left)"
echo "left by what it depended on: $(wc -l </test/left) files, $(grep -c -e ca-certificates -e /etc/ssl /test/left) of ca-certificates"
expect "nor a user" not grep -q neardup /etc/passwd
echo "done: $steps steps in a clean Debian under a real systemd: installed, validated, served $servers, fed, killed," \
  "restarted, reinstalled, stopped, refused a wrong setting, removed, purged without a trace"
