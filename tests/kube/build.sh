#!/usr/bin/env bash
# build.sh: a Kubernetes control plane for ./dev kube, from the Go module proxy, into the cache. Once: 20 minutes of one core.
set -euo pipefail
export GOTOOLCHAIN=local GOFLAGS="-mod=mod -buildvcs=false -modcacherw" GOMAXPROCS=${GOMAXPROCS:-1}
kubernetes=1.36.3 etcd=3.6.16 kwok=0.8.0
out=${1:?folder}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$out/stages"
module_folder() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",\?$/\1/p'; }
build() { local t=$SECONDS; nice -n 19 go build -p 1 -trimpath -ldflags "-s -w $3" -o "$out/.$1" "$2" && mv "$out/.$1" "$out/$1" && echo "$1 $((SECONDS - t)) s"; }

mkdir "$work/etcd"; cd "$work/etcd"
printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' >main.go
go mod init etcd; go get "go.etcd.io/etcd/server/v3@v$etcd"
[ -e "$out/etcd" ] || build etcd . ""

src=$(cd / && module_folder "k8s.io/kubernetes@v$kubernetes")
mkdir "$work/kubernetes"; cd "$work/kubernetes"
sed -e 's#^module .*#module kubernetes#' \
  -e "s#=> ./staging/src/\(k8s.io/[a-z0-9-]*\)#=> \1 v0.${kubernetes#1.}#" "$src/go.mod" >go.mod
cp "$src/go.sum" go.sum; chmod u+w go.mod go.sum
printf '//go:build tools\n\npackage tools\n' >tools.go
go mod edit -require "k8s.io/kubernetes@v$kubernetes"
v=k8s.io/component-base/version
minor=${kubernetes#1.}; minor=${minor%%.*}
for c in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
  [ -e "$out/$c" ] || build $c k8s.io/kubernetes/cmd/$c "-X $v.gitVersion=v$kubernetes -X $v.gitMajor=1 -X $v.gitMinor=$minor"
done
cd "$work"; [ -e "$out/kwok" ] || GOBIN=$out nice -n 19 go install -p 1 -trimpath -ldflags "-s -w" "sigs.k8s.io/kwok/cmd/kwok@v$kwok"
cp -r "$(cd / && module_folder "sigs.k8s.io/kwok@v$kwok")"/kustomize/stage/. "$out/stages/"
