#!/usr/bin/env bash
# chart_tools: what checks the Helm chart. ./dev deps calls it; see there.
#
#   tests/support/chart_tools.sh             makes them, unless they are there
#   tests/support/chart_tools.sh folder      prints where: bin/ and schemas/KUBERNETES_VERSION/
#
# helm, helm-unittest, kubeconform and helm-docs are compiled from Go modules (tests/charts/tools/go.mod pins each by its
# hash): two minutes on two cores. The schemas are those of Kubernetes itself, from the Python package that carries
# them, and of the Prometheus operator's own kinds, from its module: for the oldest and the newest Kubernetes that the
# chart is for, each with an operator of its time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
source tests/support/go.sh

# Kubernetes and the operator, oldest and newest. The oldest is kubeVersion of Chart.yaml.
versions=("1.27 0.65.2" "1.37 0.85.0")
kinds=(podmonitors servicemonitors prometheusrules)

inputs=(tests/charts/tools/go.mod tests/charts/tools/go.sum tests/charts/requirements.txt tests/charts/schemas.py
  tests/support/chart_tools.sh)
folder=$neardup_cache/charts-$(cat "${inputs[@]}" | cksum | cut -d' ' -f1)

make_tools() {
  local work helm=helm.sh/helm/v3/pkg/chartutil newest=${versions[-1]% *} pair kubernetes operator crds
  work=$(mktemp -d "$neardup_cache/.charts.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/out/bin" "$work/go-cache"
  use_go "$work"
  # A helm that was not told takes Kubernetes for an old one, and refuses charts that ask for a newer.
  (cd tests/charts/tools && nice go build -ldflags \
    "-s -w -X $helm.k8sVersionMajor=1 -X $helm.k8sVersionMinor=${newest#1.}" -o "$work/out/bin/" tool)
  "$python_tools/bin/pip" install --no-input --no-deps --require-hashes --target "$work/python" \
    -r tests/charts/requirements.txt
  for pair in "${versions[@]}"; do
    read -r kubernetes operator <<<"$pair"
    crds=$(module_folder "github.com/prometheus-operator/prometheus-operator@v$operator")/example/prometheus-operator-crd
    "$python_tools/bin/python" tests/charts/schemas.py "$work/out/schemas/$kubernetes" \
      "$work/python/kubernetes_validate/kubernetes-json-schema/v$kubernetes.0-local-strict" \
      "${kinds[@]/#/$crds/monitoring.coreos.com_}"
  done
  mkdir "$work/out/crds" # the newest operator's, for ./dev kube
  for kind in "${kinds[@]}"; do cp "$crds/monitoring.coreos.com_$kind.yaml" "$work/out/crds/"; done
  mv -T "$work/out" "$folder"
}

case ${1:-} in
  folder) echo "$folder" ;;
  "") [[ -e $folder ]] || make_tools ;;
  *) die "chart_tools does not know '$1'" ;;
esac
