#!/usr/bin/env bash
# kube: the Helm chart on a real Kubernetes API server.
#
#   ./dev kube           install, upgrade, roll back, scale, uninstall; one line each, and one that counts
#   ./dev kube build     makes the control plane, and no more: some 15 minutes of one core, once
#
# tests/kube/control_plane.sh says what is real about it and what is not. Everything runs on loopback, in a folder of its
# own, and ends with the script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh

tools=$(tests/support/chart_tools.sh folder)
bin=$(tests/kube/control_plane.sh folder)
chart=charts/neardup
namespace=search

step kube-build "control plane (once: some 15 minutes)" "needs the network (Go modules); then run ./dev kube again" \
  tests/kube/control_plane.sh build
[[ ${1:-} != build ]] || exit 0
[[ $# == 0 ]] || die "kube does not know '$1' (./dev kube --help)"

state=$(mktemp -d)
clean_up() {
  local code=$? log
  tests/kube/control_plane.sh stop "$state" || true
  if ((code != 0)); then # its logs are in the folder that goes
    for log in "$state"/*.log; do [[ ! -e $log ]] || cp "$log" "$log_folder/kube-plane-${log##*/}" || true; done
    echo "kube: the logs of the control plane are now $log_folder/kube-plane-*.log" >&2
  fi
  rm -rf "$state"
}
trap clean_up EXIT
step kube-start "etcd, API server, controllers, scheduler, kwok" "see build/log/kube-start.log and kube-plane-*.log" \
  tests/kube/control_plane.sh start "$state"
export KUBECONFIG=$state/kubeconfig HELM_CACHE_HOME=$state/helm HELM_CONFIG_HOME=$state/helm HELM_DATA_HOME=$state/helm

kubectl() { "$bin/kubectl" --namespace $namespace "$@"; }
helm() { "$tools/bin/helm" --namespace $namespace "$@"; }
query() { kubectl get "$1" -o "jsonpath=$2"; } # query OBJECT PATH

# --- what is shown; each returns 0 if it is so

kubernetes_accepts_every_use() {
  local values
  for values in "$chart"/ci/*-values.yaml; do # Strimzi's kinds are not installed
    helm template crawl $chart --values "$values" --set-json 'extraObjects=[]' --set tests.enabled=false |
      sed "s/namespace: \"monitoring\"$/namespace: $namespace/" |
      kubectl apply --dry-run=server --validate=strict -f - || { echo "$values" && return 1; }
  done
}

refused() { # refused WORDS COMMAND...: it fails, and says so
  local said
  if said=$("${@:2}" 2>&1); then echo "was accepted" && return 1; fi
  grep -q -- "$1" <<<"$said" || { echo "$said" && return 1; }
}
misspelt_field_is_refused() {
  helm template crawl $chart --set kafka.brokers=kafka:9092 |
    sed 's/terminationGracePeriodSeconds/terminationGraceSeconds/' >"$state/misspelt.yaml"
  refused 'unknown field "spec.template.spec.terminationGraceSeconds"' \
    kubectl apply --dry-run=server --validate=strict -f "$state/misspelt.yaml"
}
unrestricted_pods_are_refused() {
  refused 'violates PodSecurity' kubectl run root --image neardup:0.1.0 &&
    ! helm install loose $chart --set kafka.brokers=kafka:9092,securityContext.allowPrivilegeEscalation=true \
      --set topics.create=false --wait --timeout 5s &&
    [[ $(query statefulset/loose-neardup '{.status.readyReplicas}') == "" ]] && helm uninstall loose
}

release=(crawl "$chart" --set "kafka.brokers=kafka:9092,replicaCount=2,persistence.enabled=true" --wait --timeout 120s)
monitoring=(--set "podMonitor.enabled=true,prometheusRule.enabled=true,dashboards.enabled=true,networkPolicy.enabled=true")

install() { helm install "${release[@]}" && [[ $(query statefulset/crawl-neardup '{.status.readyReplicas}') == 2 ]]; }
topics_job_ran_and_is_gone() {
  [[ $(kubectl get events -o name --field-selector involvedObject.name=crawl-neardup-topics) ]] &&
    ! kubectl get job/crawl-neardup-topics && ! kubectl get configmap/crawl-neardup-topics
}
budget_lets_one_go() {
  kubectl wait --for 'jsonpath={.status.disruptionsAllowed}=1' pdb/crawl-neardup --timeout 60s &&
    kubectl create --raw /api/v1/namespaces/$namespace/pods/crawl-neardup-1/eviction -f - <<<'{"apiVersion": "policy/v1",
      "kind": "Eviction", "metadata": {"name": "crawl-neardup-1", "namespace": "'$namespace'"}}' &&
    kubectl rollout status statefulset/crawl-neardup --timeout 60s
}
pods() { kubectl get pods -l app.kubernetes.io/component=service -o "jsonpath={range .items[*]}$1{\"\\n\"}{end}" | sort; }
upgrade_of_the_image_reaches_every_pod() {
  helm upgrade "${release[@]}" --set image.tag=0.2.0 &&
    [[ $(pods '{.spec.containers[0].image}' | uniq -c) == *" 2 neardup:0.2.0" ]]
}
upgrade_of_a_setting_restarts_pods() {
  local before
  before=$(pods '{.metadata.uid}')
  helm upgrade "${release[@]}" --set image.tag=0.2.0,config.batch.interval_ms=50 &&
    [[ -z $(comm -12 <(echo "$before") <(pods '{.metadata.uid}')) ]]
}
upgrade_of_the_rest_does_not() {
  local before
  before=$(pods '{.metadata.uid}')
  helm upgrade "${release[@]}" --set image.tag=0.2.0,config.batch.interval_ms=50 "${monitoring[@]}" &&
    [[ $before == "$(pods '{.metadata.uid}')" ]] && kubectl get podmonitor,prometheusrule,networkpolicy -o name | wc -l |
    grep -qx 3 && kubectl get configmap/crawl-neardup-dashboard-neardup
}
wrong_upgrade_changes_nothing() {
  local before
  before=$(query statefulset/crawl-neardup '{.metadata.generation}')
  refused "'thread' not allowed" helm upgrade "${release[@]}" --set config.pipeline.thread=2 &&
    [[ $before == "$(query statefulset/crawl-neardup '{.metadata.generation}')" ]]
}
rollback() {
  helm rollback crawl 1 --wait --timeout 120s && [[ $(pods '{.spec.containers[0].image}' | uniq -c) == *" 2 neardup:0.1.0" ]]
}
volumes() { kubectl get pvc -o name | wc -l; }
scale_in_keeps_the_volume() {
  helm upgrade "${release[@]}" --set replicaCount=1 && kubectl wait --for delete pod/crawl-neardup-1 --timeout 60s &&
    [[ $(volumes) == 2 ]]
}
pause_and_resume() {
  helm upgrade "${release[@]}" --set replicaCount=0 && kubectl wait --for delete pod/crawl-neardup-0 --timeout 60s &&
    helm upgrade "${release[@]}" && [[ $(query statefulset/crawl-neardup '{.status.readyReplicas}') == 2 ]]
}
uninstall_keeps_volumes_alone() {
  helm uninstall crawl --wait && kubectl wait --for delete pod -l app.kubernetes.io/instance=crawl --timeout 60s &&
    [[ $(volumes) == 2 ]] &&
    [[ -z $(kubectl get all,configmap,serviceaccount,pdb,networkpolicy,podmonitor,prometheusrule -o name \
      -l app.kubernetes.io/instance=crawl) ]]
}
volumes_go_when_told_to() {
  kubectl delete pvc --all && helm install "${release[@]}" --set persistence.retentionPolicy.whenDeleted=Delete &&
    helm uninstall crawl --wait && kubectl wait --for delete pvc --all --timeout 60s && [[ $(volumes) == 0 ]]
}

# --- the table

"$bin/kubectl" apply --server-side -f "$tools/crds" >/dev/null
"$bin/kubectl" create namespace $namespace >/dev/null
"$bin/kubectl" label namespace $namespace pod-security.kubernetes.io/enforce=restricted >/dev/null

checks=(kubernetes_accepts_every_use misspelt_field_is_refused unrestricted_pods_are_refused install
  topics_job_ran_and_is_gone budget_lets_one_go upgrade_of_the_image_reaches_every_pod upgrade_of_a_setting_restarts_pods
  upgrade_of_the_rest_does_not wrong_upgrade_changes_nothing rollback scale_in_keeps_the_volume pause_and_resume
  uninstall_keeps_volumes_alone volumes_go_when_told_to)
failed=0 began=${EPOCHREALTIME/[.,]/}
for check in "${checks[@]}"; do
  started=${EPOCHREALTIME/[.,]/}
  printf '  %-42s' "${check//_/ }"
  if "$check" >"$log_folder/kube-$check.log" 2>&1; then
    printf 'ok   %5s s\n' "$(seconds_since "$started")"
  else
    failed=$((failed + 1))
    printf 'FAILED after %s s  (%s)\n' "$(seconds_since "$started")" "$log_folder/kube-$check.log"
    tail -n 15 "$log_folder/kube-$check.log"
  fi
done
echo "kube: $((${#checks[@]} - failed)) passed, $failed failed, $(seconds_since "$began") s, Kubernetes $(basename "$bin" | cut -d- -f2)," \
  "$("$tools/bin/helm" version --template 'helm {{.Version}}')"
((failed == 0))
