#!/usr/bin/env bash
# faiss_baseline.sh COUNT BATCH: mixed operations a second of FAISS's exact binary hash on COUNT random fingerprints, in
# batches of so many.
#
# FAISS comes from PyPI in a version that is pinned here, in an environment of its own below the cache. Prints
# "mixed_per_second N"; anything else goes to stderr.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
source tests/support/steps.sh
need_cache

environment=$neardup_cache/faiss-1.15.1
if [[ ! -e $environment/ready ]]; then
  mkdir -p "$neardup_cache"
  python3 -m venv "$environment" >&2
  "$environment/bin/pip" install --no-input -q faiss-cpu==1.15.1 numpy==2.4.6 >&2
  touch "$environment/ready"
fi
OMP_NUM_THREADS=1 exec "$environment/bin/python" tests/core/index/faiss_baseline.py "$1" "$2"
