#!/usr/bin/env bash
# hadolint has nothing to say about the Dockerfile, and would have if it were wrong.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache
hadolint=$python_tools/bin/hadolint
[[ -x $hadolint ]] || die "no hadolint: run ./dev deps"

"$hadolint" Dockerfile
planted=0
plant() { # plant RULE SED_SCRIPT: the Dockerfile so changed breaks RULE
  local changed said
  changed=$(sed "$2" Dockerfile)
  [[ $changed != "$(cat Dockerfile)" ]] || die "planting $1 changed nothing"
  if said=$("$hadolint" - <<<"$changed" 2>&1); then die "hadolint did not mind the planted $1"; fi
  [[ $said == *"$1"* ]] || die "hadolint did not see the planted $1, but: $said"
  planted=$((planted + 1))
}
plant DL3006 's/debian:bookworm-slim/debian/'
plant DL3007 's/debian:bookworm-slim/debian:latest/'
plant DL3009 's, rm -rf /var/lib/apt/lists.*, true,'
plant DL3015 's/--no-install-recommends //'
plant DL3025 's/^ENTRYPOINT .*/ENTRYPOINT neardup/'
plant DL3002 's/^USER .*/USER root/'
plant unexpected 's/^COPY \. \./COPI . ./'

# What hadolint has no rule for.
grep -qx 'USER 10001:10001' Dockerfile || die "the user is not a number other than 0: Kubernetes could not check it"
grep -qx 'ENTRYPOINT \["neardup"\]' Dockerfile || die "the entry point is not the program itself"
echo "table: instructions of the Dockerfile | $(grep -c '^[A-Z][A-Z]* ' Dockerfile) | clean for hadolint; $planted planted errors found"
