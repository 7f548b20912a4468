#!/usr/bin/env bash
# control_plane: a real Kubernetes from Go modules, without a container engine. `./dev kube` calls it.
#
#   control_plane.sh folder          prints where the programs are
#   control_plane.sh build           makes those that are missing: some 15 minutes of one core, once
#   control_plane.sh start STATE     starts them on free loopback ports; STATE/kubeconfig is the way in
#   control_plane.sh stop STATE      ends what start started
#
# etcd, kube-apiserver, kube-controller-manager and kube-scheduler are the real ones. No kubelet runs pods: kwok plays
# it, and reports every pod as ready and every job as done. So the objects, their admission and their controllers are
# real; probes, file permissions, seccomp, the enforcement of network policies and the programs in the pods are not.
#
# Debian's etcd 3.4 is too old: the API server then waits in vain for watch progress.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
source tests/support/go.sh

kubernetes=1.36.3 etcd=3.6.16 kwok=0.8.0
folder=$neardup_cache/kubernetes-$kubernetes-etcd-$etcd-kwok-$kwok

# --- build

made() {
  local name
  for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok stages; do
    [[ -e $folder/$name ]] || return 1
  done
}

# compile NAME PACKAGE [LDFLAGS]: into the folder, unless it is there. Low priority: it is long, and nobody waits for it.
compile() {
  [[ ! -e $folder/$1 ]] || return 0
  nice -n 19 go build -ldflags "-s -w ${3:-}" -o "$work/$1" "$2"
  mv -T "$work/$1" "$folder/$1"
}

# etcd's own module replaces others by folders beside it, so it is built as a part of a module of ours.
build_etcd() {
  mkdir "$work/etcd-module"
  cd "$work/etcd-module"
  cat >main.go <<'END'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
END
  go mod init etcd
  go get "go.etcd.io/etcd/server/v3@v$etcd"
  compile etcd .
}

# So does Kubernetes; the parts it looks for in ./staging are published as modules of their own.
build_kubernetes() {
  local version=k8s.io/component-base/version source name
  source=$(module_folder "k8s.io/kubernetes@v$kubernetes")
  mkdir "$work/kubernetes-module"
  cd "$work/kubernetes-module"
  sed -e 's#^module .*#module kubernetes#' \
    -e "s#=> ./staging/src/\(k8s.io/[a-z0-9-]*\)#=> \1 v0.${kubernetes#1.}#" "$source/go.mod" >go.mod
  cat "$source/go.sum" >go.sum
  printf 'package kubernetes\n' >module.go
  go mod edit -require "k8s.io/kubernetes@v$kubernetes"
  for name in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
    compile $name k8s.io/kubernetes/cmd/$name "-X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 \
      -X $version.gitMinor=$(cut -d. -f2 <<<"$kubernetes")"
  done
}

build_kwok() {
  local source
  source=$(module_folder "sigs.k8s.io/kwok@v$kwok")
  cd "$source"
  GOFLAGS="$GOFLAGS -mod=readonly" compile kwok ./cmd/kwok
  mkdir -p "$work/stages"
  cp kustomize/stage/{node/fast/node-initialize,pod/fast/pod-ready,pod/fast/pod-complete,pod/fast/pod-delete}.yaml \
    "$work/stages/"
  [[ -e $folder/stages ]] || mv -T "$work/stages" "$folder/stages"
}

build() {
  made && return
  mkdir -p "$folder"
  work=$(mktemp -d "$neardup_cache/.kubernetes.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  mkdir "$work/go-cache"
  use_go "$work"
  GOFLAGS+=" -mod=mod"
  (build_etcd)
  (build_kubernetes)
  (build_kwok)
}

# --- run

# free_ports COUNT: the first of that many neighbouring ports nobody listens on.
free_ports() {
  local base port
  for ((base = 20000 + $$ % 1000 * 8; base < 32000; base += 8)); do
    for ((port = base; port < base + $1; port++)); do
      (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue 2
    done
    echo "$base"
    return
  done
  die "no $1 free ports in a row"
}

launch() { # launch NAME ARGUMENT...: its log is NAME.log, its process id the next line of `processes`
  "$folder/$1" "${@:2}" >"$state/$1.log" 2>&1 </dev/null &
  echo "$! $1" >>"$state/processes"
}

wait_for() { # wait_for WHAT COMMAND...
  local end=$((SECONDS + 120))
  until "${@:2}" >/dev/null 2>&1; do
    ((SECONDS < end)) || die "waited in vain for $1; the logs are in $state"
    sleep 0.3
  done
}

start() {
  state=$1
  local port loopback=127.0.0.1 stages=("$folder"/stages/*.yaml)
  stages=("${stages[@]/#/--config=}")
  mkdir -p "$state"
  cd "$state"
  port=$(free_ports 7)
  openssl genrsa -out service-accounts.key 2048 2>/dev/null
  (umask 077 && openssl rand -hex 16 >token && printf '%s,admin,1,system:masters\n' "$(cat token)" >tokens.csv)

  launch etcd --data-dir "$state/etcd" --unsafe-no-fsync \
    --listen-client-urls "http://$loopback:$((port + 1))" --advertise-client-urls "http://$loopback:$((port + 1))" \
    --listen-peer-urls "http://$loopback:$((port + 2))" --initial-advertise-peer-urls "http://$loopback:$((port + 2))" \
    --initial-cluster "default=http://$loopback:$((port + 2))"
  launch kube-apiserver --etcd-servers "http://$loopback:$((port + 1))" --bind-address $loopback --secure-port "$port" \
    --advertise-address $loopback --endpoint-reconciler-type none --service-cluster-ip-range 10.0.0.0/24 \
    --cert-dir certificates --token-auth-file tokens.csv --authorization-mode RBAC \
    --service-account-issuer https://$loopback --service-account-key-file service-accounts.key \
    --service-account-signing-key-file service-accounts.key
  (umask 077 && cat >kubeconfig) <<END
apiVersion: v1
kind: Config
clusters: [{name: local, cluster: {server: "https://$loopback:$port", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "$(cat token)"}}]
contexts: [{name: local, context: {cluster: local, user: admin}}]
current-context: local
END
  export KUBECONFIG=$state/kubeconfig
  wait_for "the API server" "$folder/kubectl" get --raw /readyz
  launch kube-controller-manager --kubeconfig kubeconfig --bind-address $loopback --secure-port $((port + 3)) \
    --cert-dir certificates-manager --service-account-private-key-file service-accounts.key --leader-elect=false
  launch kube-scheduler --kubeconfig kubeconfig --bind-address $loopback --secure-port $((port + 4)) \
    --cert-dir certificates-scheduler --leader-elect=false
  launch kwok --kubeconfig kubeconfig --manage-all-nodes --node-lease-duration-seconds 40 \
    --server-address "$loopback:$((port + 5))" "${stages[@]}"

  "$folder/kubectl" apply -f - >/dev/null <<'END'
apiVersion: v1
kind: Node
metadata:
  name: node-1
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {kubernetes.io/hostname: node-1, topology.kubernetes.io/zone: a}
status:
  allocatable: {cpu: "64", memory: 256Gi, pods: "110"}
  capacity: {cpu: "64", memory: 256Gi, pods: "110"}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: volumes
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: Immediate
END
  for i in 1 2 3 4; do
    printf -- '---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: volume-%s}, spec: {storageClassName: volumes,
      capacity: {storage: 100Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /nonexistent/%s}}}\n' "$i" "$i"
  done | "$folder/kubectl" apply -f - >/dev/null
  wait_for "the node" "$folder/kubectl" wait --for condition=Ready node/node-1 --timeout 1s
  wait_for "the controllers" "$folder/kubectl" get serviceaccount default
}

# The newest first: the API server would wait for its etcd.
stop() {
  local pid end=$((SECONDS + 10))
  [[ -e $1/processes ]] || return 0
  for signal in TERM KILL; do
    while read -r pid name; do
      [[ $(cat "/proc/$pid/comm" 2>/dev/null) != "${name:0:15}" ]] || kill -s $signal "$pid" 2>/dev/null || true
    done < <(tac "$1/processes")
    while read -r pid name; do
      while [[ $signal == TERM && -e /proc/$pid ]] && ((SECONDS < end)); do sleep 0.1; done
    done <"$1/processes"
  done
  rm "$1/processes"
}

case ${1:-} in
  folder) echo "$folder" ;;
  build | start | stop) "$@" ;;
  *) die "control_plane does not know '${1:-}'" ;;
esac
