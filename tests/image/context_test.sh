#!/usr/bin/env bash
# The files that .dockerignore lets into the image's build are enough for it: the dependencies are found there, cmake
# configures, and what cpack will put into the package is there. Without any of them it would not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t kept < <(sed -n 's/^!//p' .dockerignore)
mapfile -t dropped < <(sed '/^[#!*]/d; /^$/d' .dockerignore)
copy() { # copy FOLDER: the context, as the build gets it
  mkdir "$1"
  git ls-files -z --cached --others --exclude-standard -- "${kept[@]}" | # those of them that exist
    while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done | xargs -0 cp --parents -t "$1"
  (cd "$1" && rm -rf "${dropped[@]}")
}
enough() { # enough FOLDER
  (cd "$1" && ./dev deps --build-only && cmake --preset release -DBUILD_TESTING=OFF && packed) >"$work/log" 2>&1
}
packed() { # what is installed as it is, and not made by the build
  grep -rhoE --include=cmake_install.cmake "\"$PWD/[^\"]+\"" build/release | tr -d '"' | grep -v "^$PWD/build/" | sort -u |
    while IFS= read -r file; do [[ -e $file ]] || { echo "cpack would miss $file" && exit 1; }; done
}
copy "$work/whole"
enough "$work/whole" || { cat "$work/log" && die "the build of the image would lack something"; }
mapfile -t files < <(cd "$work/whole" && find . -type f -not -path './build/*' | sort)
planted=0
for gone in dev tests/support/deps.sh tests/support/librdkafka-*.patch tests/support/steps.sh \
  tests/support/python_tools.txt CMakePresets.json tests/ops/grafana/package.json docs/metrics.md \
  docs/upgrade.md docs/runbooks config/settings.md; do
  copy "$work/planted"
  rm -r "$work/planted/$gone"
  if enough "$work/planted"; then die "it did not miss $gone"; fi
  rm -r "$work/planted"
  planted=$((planted + 1))
done
echo "table: files of the image's build | ${#files[@]} | enough for its dependencies and cmake; $planted taken away were missed"
