#!/usr/bin/env bash
# deps: everything that building, testing and the demo need, on a Debian 12 machine.
#
#   ./dev deps                  installs what is missing; when nothing is, it only looks (under a second)
#   ./dev deps --build-only     only what compiling and packing need, for the image: no test tools, no linters, no Kafka
#   ./dev deps --roots          also what makes and enters root file systems, for ./dev image and ./dev package
#   ./dev deps rdkafka-folder   prints where librdkafka is, or will be, for CMakeLists.txt
#
# 1. Debian packages, by name, through apt (as root, or with sudo). Nothing else of the system is changed: services that
#    come with a package are neither started nor enabled.
# 2. librdkafka, in the version that exactly-once needs (Debian's is too old), from source: the source is fetched inside
#    the npm package that carries it, and its SHA-512 must be the one written here. Faults of it are mended, and it is
#    made faster where we need it most (tests/support/librdkafka-*.patch).
# 3. Apache Kafka's jars, with Maven, and a class archive that halves a broker's time to start.
# 4. Grafana's types, with npm, which the dashboard is checked against; the lock file has their SHA-512.
# 5. Checkers that come as Python packages (tests/support/python_tools.txt), with pip, in an environment of their own.
# 6. What checks the Helm chart (tests/support/chart_tools.sh): Go modules, compiled, and schemas.
# 7. Libraries for a CPU of another kind (tests/support/foreign_root.sh), unpacked from Debian's packages.
#
# 2 to 7 go to NEARDUP_CACHE (~/.cache/neardup), which all checkouts share. Each appears there whole, by a rename, and
# under a lock, so that two runs at a time do not disturb each other. To have one made anew, remove its folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

rdkafka_version=2.15.1
rdkafka_package=@confluentinc/kafka-javascript@1.10.1
rdkafka_sha512=KVePUBn21EqCVP9mfxzEuM3SYJHHEF7X+iiC2e43QQgDSyEaksInmCGooT3w5q+cNAdkSCrK71j0ICfqoSqZLw==
kafka_version=4.3.1

# What compiling and packing need.
packages=(
  # compiler, build and package; python3 checks the source that npm brings; registries are spoken to over TLS
  g++ cmake ninja-build make pkg-config ccache dpkg-dev file python3 ca-certificates
  # libraries of the service and of its librdkafka
  libsimdjson-dev nlohmann-json3-dev prometheus-cpp-dev libcivetweb-dev libyaml-cpp-dev libcli11-dev libspdlog-dev
  libfmt-dev libxxhash-dev libuchardet-dev zlib1g-dev libzstd-dev libbrotli-dev liblz4-dev libssl-dev
  libsasl2-dev libcurl4-openssl-dev libjemalloc-dev
)
# And what testing and linting need on top.
packages_more=(
  clang-19 libclang-rt-19-dev git
  # oracles, a load maker, a reader of topics, promtool, systemd-analyze, virtual environments
  libgtest-dev libgmock-dev libbenchmark-dev libicu-dev icu-devtools libxml2-dev unicode-data binutils kcat prometheus
  systemd python3-venv
  # CPUs of other kinds and times (foreign_cpu_test.sh, old_cpu_test.py)
  lld-19 qemu-user mmdebstrap
  # lint
  clang-tidy-19 clang-format-19 shellcheck
)
# And what only ./dev image and ./dev package need.
packages_roots=(buildah systemd-container)

rdkafka_patches=("$PWD"/tests/support/librdkafka-{5301,queued-bytes,headers,cold-messages,damaged-batch,empty-batch,unknown-leader,leader-flip,zstd-limit,lost-coordinator,refused-coordinator,empty-answer,kept-member,connect-storm}.patch)
# Asked at once, not only where librdkafka is compiled: so its absence shows also where that is done long since.
for patch in "${rdkafka_patches[@]}"; do [[ -e $patch ]] || die "$patch is not there"; done
rdkafka_options=(
  --enable-ssl --enable-gssapi --enable-curl --enable-zlib --enable-zstd --enable-lz4-ext
  # threads of POSIX: of one that C11 began ThreadSanitizer knows nothing, and the first malloc there ends the program
  --disable-c11threads
)
# Changed patches or options get a folder of their own, and other checkouts keep theirs.
rdkafka=$neardup_cache/librdkafka-$rdkafka_version-patches-$(
  { cat "${rdkafka_patches[@]}" && echo "${rdkafka_options[@]}"; } | cksum | cut -d' ' -f1
)
kafka=$neardup_cache/kafka-$kafka_version
grafana=$neardup_cache/grafana-schema-$(sed -n 's/.*"@grafana\/schema": "\(.*\)".*/\1/p' tests/ops/grafana/package.json)

# --- 1. Debian packages

has_java_17() {
  local major
  command -v java >/dev/null && major=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') &&
    ((${major:-0} >= 17))
}

# Prints the names of the packages that are to be installed. Java, npm and Maven may have come from elsewhere, and the
# last two are needed only to fill the cache.
missing_packages() {
  comm -23 <(printf '%s\n' "${packages[@]}" | sort) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort)
  [[ -e $rdkafka ]] || command -v npm >/dev/null || echo npm
  ((build_only)) && return
  [[ -e $grafana ]] || command -v npm >/dev/null || echo npm
  command -v node >/dev/null || echo nodejs
  has_java_17 || echo default-jre-headless
  [[ -e $kafka ]] || command -v mvn >/dev/null || echo maven
}

# What runs as root: apt, with a policy that forbids it to start services, unless the machine has a policy of its own.
# We want promtool of the package prometheus; the server stays off now and after the next boot.
# shellcheck disable=SC2016 # expanded by the shell that runs it
install_script='
  set -eu
  export DEBIAN_FRONTEND=noninteractive
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap "rm -f $policy" EXIT # which a shell that a signal ends need not run
    trap "exit 129" HUP
    trap "exit 130" INT
    trap "exit 143" TERM
    printf "#!/bin/sh\nexit 101\n" >$policy
    chmod 755 $policy
  fi
  apt-get update
  apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
  case " $* " in *" prometheus "*) update-rc.d prometheus disable ;; esac'

install_packages() {
  if ((EUID == 0)); then
    step deps-packages "Debian packages: $*" "mend what apt says above, then run ./dev deps again" \
      sh -c "$install_script" sh "$@"
  elif command -v sudo >/dev/null; then
    step deps-packages "Debian packages, with sudo: $*" "mend what apt says above, then run ./dev deps again" \
      sudo sh -c "$install_script" sh "$@"
  else
    die "these Debian packages are missing, and there is neither root nor sudo. Have root run:
  apt-get update && apt-get install --no-install-recommends $*"
  fi
}

# --- 2. librdkafka: the C library, static, with TLS, SASL (GSSAPI, SCRAM, OAUTHBEARER) and every codec

build_rdkafka() {
  local work source out archive digest feature patch
  work=$(mktemp -d "$neardup_cache/.librdkafka.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  archive=$work/$(cd "$work" && npm pack --loglevel=error "$rdkafka_package")
  digest=$(python3 -c 'import base64, hashlib, sys
print(base64.b64encode(hashlib.sha512(open(sys.argv[1], "rb").read()).digest()).decode())' "$archive")
  if [[ $digest != "$rdkafka_sha512" ]]; then
    echo "$rdkafka_package is not what it was: its SHA-512 is $digest, expected $rdkafka_sha512. Nothing was built."
    return 1
  fi
  tar -xzf "$archive" -C "$work" package/deps/librdkafka
  source=$work/package/deps/librdkafka out=$work/out
  for patch in "${rdkafka_patches[@]}"; do
    patch --directory="$source" --strip=1 --fuzz=0 <"$patch" # of dpkg-dev's dependencies
  done
  (cd "$source" && ./configure --cc="ccache gcc" --cxx="ccache g++" --no-download --disable-debug-symbols \
    "${rdkafka_options[@]}")
  for feature in SSL SASL_CYRUS SASL_OAUTHBEARER CURL ZLIB ZSTD LZ4_EXT; do # configure drops what it does not find
    grep -q "^#define WITH_$feature 1" "$source/config.h" || { echo "configured without $feature" && return 1; }
  done
  make -C "$source/src" -j"$(nproc)" librdkafka.a
  mkdir -p "$out/include/librdkafka" "$out/lib"
  cp "$source"/src/rdkafka.h "$source"/src/rdkafka_mock.h "$out/include/librdkafka/"
  cp "$source/src/librdkafka.a" "$out/lib/"
  cp "$source/LICENSES.txt" "$out/"
  mv -T "$out" "$rdkafka"
}

# --- 3. Kafka

resolve_kafka() {
  local work
  work=$(mktemp -d "$neardup_cache/.kafka.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  # --strict-checksums: a jar that is not what the repository promised is a failure, not a warning
  mvn --batch-mode --strict-checksums --file tests/support/kafka/pom.xml dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$work/jars"
  mv -T "$work/jars" "$kafka"
}

# --- 4. Grafana's types

fetch_grafana() {
  local work
  work=$(mktemp -d "$neardup_cache/.grafana.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  cp tests/ops/grafana/package.json tests/ops/grafana/package-lock.json "$work/"
  npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error
  mv -T "$work" "$grafana"
}

# --- 5. Python packages

# An environment cannot be moved, so it is made where it will be; the list it was made from is put in last.
make_python_tools() {
  rm -rf "$python_tools"
  python3 -m venv "$python_tools"
  "$python_tools/bin/pip" install --no-input -r tests/support/python_tools.txt
  cp tests/support/python_tools.txt "$python_tools/"
}

# in_subshell FUNCTION: a shell of its own, for its -e and its EXIT trap, which `step` would otherwise switch off.
in_subshell() { bash "${BASH_SOURCE[0]}" "$1"; }

build_only=0 roots=0
case ${1:-} in
  build_rdkafka | resolve_kafka | fetch_grafana | make_python_tools)
    "$1" # from in_subshell; not with &&, which switches -e off inside
    exit
    ;;
  rdkafka-folder) echo "$rdkafka" && exit ;;
  --build-only) build_only=1 ;;
  --roots) roots=1 ;;
  -h | --help) help_of "${BASH_SOURCE[0]}" && exit ;;
  "") ;;
  *) die "deps does not know '$1' (./dev deps --help)" ;;
esac

((build_only)) || packages+=("${packages_more[@]}")
((!roots)) || packages+=("${packages_roots[@]}")
mapfile -t missing < <(missing_packages)
((${#missing[@]} == 0)) || install_packages "${missing[@]}"

have_rdkafka() { [[ -e $rdkafka ]]; }
have_chart_tools() { [[ -e $(tests/support/chart_tools.sh folder) ]]; }
have_foreign_root() { [[ -e $(tests/support/foreign_root.sh s390x folder) ]]; }
have_tools() {
  [[ -e $kafka && -e $(tests/support/kafka.sh archive) && -e $grafana && -e $python_tools/python_tools.txt ]] &&
    have_chart_tools && have_foreign_root
}
complete() { have_rdkafka && { ((build_only)) || have_tools; }; }
complete && exit
mkdir -p "$neardup_cache"
exec 9>"$neardup_cache/.lock"
flock --nonblock 9 || { echo "deps: another run is filling $neardup_cache; waiting for it" && flock 9; }
have_rdkafka || step deps-librdkafka "librdkafka $rdkafka_version from source (a minute or two)" \
  "needs the network (npm) and the packages above; then run ./dev deps again" in_subshell build_rdkafka
complete && exit
[[ -e $kafka ]] || step deps-kafka "Apache Kafka $kafka_version from Maven" \
  "needs the network (Maven); then run ./dev deps again" in_subshell resolve_kafka
[[ -e $(tests/support/kafka.sh archive) ]] || step deps-classes "class archive for Kafka" \
  "remove $kafka and run ./dev deps again" tests/support/kafka.sh record-archive 9>&-
[[ -e $grafana ]] || step deps-grafana "Grafana's types from npm" \
  "needs the network (npm); then run ./dev deps again" in_subshell fetch_grafana
[[ -e $python_tools/python_tools.txt ]] || step deps-python "checkers from Python packages" \
  "needs the network (pip); then run ./dev deps again" in_subshell make_python_tools
have_chart_tools || step deps-charts "helm and what else checks the chart, from Go modules (two minutes on two cores)" \
  "needs the network (Go modules and pip); then run ./dev deps again" tests/support/chart_tools.sh
have_foreign_root || step deps-foreign "libraries of Debian 12 for an s390x" \
  "needs the network (apt); then run ./dev deps again" tests/support/foreign_root.sh s390x
