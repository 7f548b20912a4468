#!/usr/bin/env bash
# kafka: a real Apache Kafka on this machine, for development, the demo and the tests, which use this same script.
#
#   ./dev kafka start [--nodes 1|3] [--set KEY=VALUE]... [--proxies PORT,...]
#                             starts it, waits until it is ready, prints bootstrap.servers=HOST:PORT,... as last line
#   ./dev kafka status        one line a node; exit 0 if all of them run
#   ./dev kafka stop [I]      ends all nodes, or node I; the data stays, and the next start goes on with it
#   ./dev kafka kill I        kill -9, for fault tests        ./dev kafka restart I    back on its data and its port
#   ./dev kafka topic NAME [PARTITIONS] [on=NODE] [KEY=VALUE...]    creates a topic (brokers do not do it by themselves)
#   ./dev kafka wipe          kill, and remove everything it made
#
# Nodes are KRaft, broker and controller in one, on loopback ports that were free. Ready means: every node answers for
# metadata and lists all the others, and a record was written with acks=all and read back (topic neardup.probe). With
# 3 nodes topics have replication factor 3 and min.insync.replicas 2. Transactions work; --set adds broker properties.
# --proxies names a port for each node where a proxy listens: who comes through the proxies is never told another address.
# What they must connect to is printed as proxied.servers=.
#
# Everything (data, ports, process ids, node1.log ...) lies in one folder, /tmp/neardup-kafka-UID; NEARDUP_KAFKA_DIR
# names another, so that a test has a cluster of its own beside yours, or /dev/shm/... for data in memory.
# NEARDUP_KAFKA_HEAP_MB (512) is the heap of a node. NEARDUP_KAFKA_JIT=full lets Java compile it as well as it can, which
# is what a measurement wants; else, quick, a short life costs half the CPU time. Needs Java 17 and the jars that ./dev deps
# puts into the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/support/steps.sh
need_cache

version=4.3.1
jars=$neardup_cache/kafka-$version
folder=${NEARDUP_KAFKA_DIR:-${TMPDIR:-/tmp}/neardup-kafka-$UID}
[[ $folder == /* ]] || die "NEARDUP_KAFKA_DIR is a path from the root, not '$folder'"
probe_topic=neardup.probe
ready_seconds_max=90
stop_seconds_max=8 # the last nodes of three have no quorum to say good-bye to, and would wait 30 s for it

case ${NEARDUP_KAFKA_JIT:-quick} in
  quick) jit_tier=1 ;; # Java's tiers: the second compiler of two takes most of what the first minutes cost
  full) jit_tier=4 ;;
  *) die "NEARDUP_KAFKA_JIT is quick or full, not '$NEARDUP_KAFKA_JIT'" ;;
esac

# The serial collector starts soonest and is smallest. The class path names jars only: with a folder in it Java would
# silently refuse the class archive; so the log settings are properties.
java_options=(-Xms64m "-Xmx${NEARDUP_KAFKA_HEAP_MB:-512}m" "-XX:TieredStopAtLevel=$jit_tier" -XX:+UseSerialGC
  -XX:-UsePerfData -Djava.awt.headless=true
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.kafka.server=info
  -Dorg.slf4j.simpleLogger.showDateTime=true -Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS)

# The class archive (AppCDS) halves the time to start. It belongs to one build of Java, so its name says which.
archive() { echo "$jars/classes-$(stat -L -c %Y-%s "$(command -v java)").jsa"; }

run_java() { # run_java OPTION... MAIN ARGUMENT...: in place of this process, out of reach of the terminal's Ctrl-C
  local use=()
  [[ $1 == *Archive* || ! -e $(archive) ]] || use=("-XX:SharedArchiveFile=$(archive)")
  exec setsid java "${java_options[@]}" "${use[@]}" -cp "$(printf '%s:' "$jars"/*.jar | sed 's/:$//')" "$@"
}

# --- processes: a process id is trusted only together with the time at which that process began

# began PID: the start time of a living process, in clock ticks since boot; fails if it is gone, or a zombie.
began() {
  local stat fields
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  read -ra fields <<<"${stat##*) }" # after the command's name, which may hold blanks: fields 3, 4, ...
  [[ ${fields[0]} != Z ]] && echo "${fields[19]}"
}

# pid_of I: the process of node I, if it is still the one that was started.
pid_of() {
  local pid time
  # It has no time if the process was dead before it could be asked, which is no time to be equal to.
  read -r pid time 2>/dev/null <"$folder/node$1.pid" && [[ $time && $(began "$pid") == "$time" ]] && echo "$pid"
}

launch() { # launch I
  touch "$folder/node$1.log"
  # Its native libraries are unpacked to a folder of its own: who is killed leaves them to the next start, or to wipe.
  rm -rf "$folder/node$1.tmp"
  mkdir "$folder/node$1.tmp"
  (run_java "${@:2}" "-Djava.io.tmpdir=$folder/node$1.tmp" kafka.Kafka "$folder/node$1.properties") \
    >>"$folder/node$1.log" 2>&1 </dev/null &
  echo "$! $(began $!)" >"$folder/node$1.pid"
}

# end_node I SIGNAL: returns when the process is gone; a polite signal that is not heard becomes a KILL.
end_node() {
  local pid deadline=$((SECONDS + stop_seconds_max))
  if pid=$(pid_of "$1"); then
    kill -s "$2" "$pid" 2>/dev/null || true
    while pid_of "$1" >/dev/null; do
      ((SECONDS < deadline)) || kill -s KILL "$pid" 2>/dev/null || true
      sleep 0.05
    done
  fi
  rm -f "$folder/node$1.pid"
}

# --- the cluster: its nodes are the properties files in its folder

nodes() {
  local file
  for file in "$folder"/node*.properties; do
    [[ ! -e $file ]] || basename "$file" .properties | tr -dc '0-9\n'
  done
}
port_of() { sed -n 's/^advertised.listeners=.*://p' "$folder/node$1.properties"; }
bootstrap() { for i in $(nodes); do echo "127.0.0.1:$(port_of "$i")"; done | paste -sd,; }
proxied() { sed -n 's/^listeners=.*PROXIED:..\([0-9.:]*\).*/\1/p' "$folder"/node*.properties | paste -sd,; }
have_node() { [[ ${1:-} && -e $folder/node$1.properties ]] || die "$folder has no node '${1:-}'"; }

# free_ports COUNT: that many neighbouring ports nobody listens on, below those the kernel gives to outgoing
# connections, so that a stopped node finds its port again. Scripts that start side by side have different process ids
# and so begin to look at different places.
free_ports() {
  local base port slot
  for ((slot = 0; slot < 1375; slot++)); do
    base=$((10000 + ($$ + slot) % 1375 * 16))
    for ((port = base; port < base + $1; port++)); do
      (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue 2
    done
    seq "$base" $((base + $1 - 1))
    return
  done
  die "no $1 free ports in a row between 10000 and 32000"
}

# configure COUNT PROXIES [KEY=VALUE...]: formats the data of a new cluster and writes its properties, those of node 1
# last. Before that there is no cluster, and what a start that was ended in the middle left is removed by the next one.
configure() {
  local count=$1 i ports voters="" replicas in_sync cluster_id proxies listen="" advertise=""
  IFS=, read -ra proxies <<<"$2"
  shift 2
  for i in 1 2 3; do # by these names it is ours
    [[ ! -e $folder/node$i.new && ! -e $folder/node$i.properties ]] ||
      rm -rf "$folder/data$i" "$folder/node$i.new" "$folder/node$i.properties"
  done
  mapfile -t ports < <(free_ports $((3 * count)))
  ((${#ports[@]} == 3 * count)) || exit 1
  for ((i = 1; i <= count; i++)); do voters+=",$i@127.0.0.1:${ports[count + i - 1]}"; done
  replicas=$count in_sync=$((count / 2 + 1))
  # 16 bytes in base64; the first is fixed, because an id that opens with '-' would look like an option
  cluster_id=$({ printf n && head -c 15 /dev/urandom; } | base64 | tr '+/' '-_' | tr -d =)
  for ((i = 1; i <= count; i++)); do
    if ((${#proxies[@]} > 0)); then
      listen=PROXIED://127.0.0.1:${ports[2 * count + i - 1]}, advertise=PROXIED://127.0.0.1:${proxies[i - 1]},
    fi
    cat >"$folder/node$i.new" <<END
process.roles=broker,controller
node.id=$i
controller.quorum.voters=${voters#,}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT
listeners=${listen}PLAINTEXT://127.0.0.1:${ports[i - 1]},CONTROLLER://127.0.0.1:${ports[count + i - 1]}
advertised.listeners=${advertise}PLAINTEXT://127.0.0.1:${ports[i - 1]}
log.dirs=$folder/data$i
auto.create.topics.enable=false
default.replication.factor=$replicas
min.insync.replicas=$in_sync
offsets.topic.replication.factor=$replicas
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=$in_sync
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=$in_sync
# small, so that the first transaction does not wait for many partitions to load
offsets.topic.num.partitions=4
transaction.state.log.num.partitions=4
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=4
log.cleaner.dedupe.buffer.size=4194304
# a node that was killed may come back as soon as its old session has ended: 3 s instead of 9
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controlled.shutdown.retry.backoff.ms=500
$(printf '%s\n' "$@")
END
    (run_java kafka.tools.StorageTool format -t "$cluster_id" \
      -c "$folder/node$i.new") >"$folder/format$i.log" 2>&1 &
  done
  for i in $(jobs -p); do
    wait "$i" || { cat "$folder"/format*.log >&2 && die "formatting failed"; }
  done
  for ((i = count; i >= 1; i--)); do mv "$folder/node$i.new" "$folder/node$i.properties"; done
}

# --- ready: a metadata answer and a written record, not a sleep

metadata_lists() { # metadata_lists I NODE...: node I answers, and its answer lists every NODE
  local answer i
  (: <>"/dev/tcp/127.0.0.1/$(port_of "$1")") 2>/dev/null || return 1 # kcat would take a second to see that
  answer=$(kcat -L -m 5 -b "127.0.0.1:$(port_of "$1")" -t "$probe_topic" 2>/dev/null) || return 1
  for i in "${@:2}"; do [[ $answer == *"broker $i at "* ]] || return 1; done
}
create_topic() { python3 tests/support/kafka/create_topic.py "$(bootstrap | cut -d, -f1)" "$@"; }
record_comes_back() {
  local token=$$-$RANDOM
  echo "$token" | kcat -P -b "$(bootstrap)" -t "$probe_topic" -p 0 -X acks=all -X message.timeout.ms=5000 2>/dev/null &&
    kcat -C -b "$(bootstrap)" -t "$probe_topic" -p 0 -o beginning -e -q 2>/dev/null | grep -qx -- "$token"
}

die_with_log() { # die_with_log NODE WORD...: and the end of what the node said
  tail -n 20 "$folder/node$1.log" >&2
  die "${@:2}"
}

# within DEADLINE NODE COMMAND...: repeats COMMAND until it succeeds; gives up if NODE dies or time is over.
within() {
  local deadline=$1 node=$2
  shift 2
  until "$@"; do
    pid_of "$node" >/dev/null || die_with_log "$node" "node $node ended: $folder/node$node.log"
    ((SECONDS < deadline)) || die_with_log "$node" "not ready after $ready_seconds_max s: $*"
    sleep 0.05
  done
}
wait_ready() { # wait_ready NODE...
  local deadline=$((SECONDS + ready_seconds_max)) i
  for i in "$@"; do within "$deadline" "$i" metadata_lists "$i" "$@"; done
  within "$deadline" "$1" create_topic "$probe_topic"
  within "$deadline" "$1" record_comes_back
}

# --- verbs

running() { for i in $(nodes); do if pid_of "$i" >/dev/null; then echo "$i"; fi; done; }

start() {
  local count="" settings=() through="" ports started=${EPOCHREALTIME/[.,]/} i have
  while (($#)); do
    case $1 in
      --nodes) option_value "$@" && count=$2 && shift 2 ;;
      --nodes=*) option_value --nodes "${1#*=}" && count=${1#*=} && shift ;;
      --set) option_value "$@" && settings+=("$2") && shift 2 ;;
      --proxies) option_value "$@" && through=$2 && shift 2 ;;
      *) die "start does not know '$1' (./dev kafka --help)" ;;
    esac
  done
  [[ $count =~ ^[13]?$ ]] || die "--nodes is 1 or 3"
  IFS=, read -ra ports <<<"$through"
  ((${#ports[@]} == 0 || ${#ports[@]} == ${count:-1})) || die "--proxies wants a port for each node"
  [[ -e $jars ]] || die "no Kafka in $jars: run ./dev deps"
  (umask 077 && mkdir -p "$folder")
  [[ -O $folder ]] || die "$folder belongs to somebody else: set NEARDUP_KAFKA_DIR"
  have=$(nodes | wc -l)
  if [[ ! -e $folder/node1.properties ]]; then
    configure "${count:-1}" "$through" "${settings[@]}"
  elif ((${count:-$have} != have || ${#settings[@]} + ${#ports[@]} > 0)); then
    die "$folder holds a cluster of $have made before: ./dev kafka wipe first"
  fi
  for i in $(nodes); do pid_of "$i" >/dev/null || launch "$i"; done
  # shellcheck disable=SC2046 # node numbers
  wait_ready $(nodes)
  echo "kafka $version: $(nodes | wc -l) node(s) ready in $(seconds_since "$started") s, data and logs in $folder"
  [[ ! $through ]] || echo "proxied.servers=$(proxied)"
  echo "bootstrap.servers=$(bootstrap)"
}

end_all() { # end_all SIGNAL
  local i
  for i in $(nodes); do end_node "$i" "$1" & done
  wait
}

status() {
  local i pid all=0
  [[ $(nodes) ]] || { echo "no cluster in $folder" && return 1; }
  for i in $(nodes); do
    if pid=$(pid_of "$i"); then
      echo "node $i up: port $(port_of "$i"), pid $pid, $(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status") MB"
    else
      echo "node $i down: port $(port_of "$i"), $folder/node$i.log" && all=1
    fi
  done
  echo "bootstrap.servers=$(bootstrap)"
  return $all
}

# Removes what start made, and nothing else that the folder may hold.
wipe() {
  end_all KILL
  rm -rf "$folder"/node[1-3].* "$folder"/format[1-3].log "$folder"/data[1-3]
  [[ ! -e $folder ]] || rmdir --ignore-fail-on-non-empty "$folder"
}

# Records the class archive by one short life of a broker; ./dev deps calls it. The rename makes it whole or absent.
record_archive() {
  folder=$(mktemp -d) && new=$jars/.classes-$$.jsa
  trap 'end_all KILL; rm -rf "$folder" "$new"' EXIT
  configure 1 ""
  launch 1 "-XX:ArchiveClassesAtExit=$new"
  wait_ready 1
  stop_seconds_max=60 # it is written at the very end
  end_node 1 TERM
  mv "$new" "$(archive)"
}

verb=${1:---help}
(($# == 0)) || shift
case $verb in
  start) start "$@" ;;
  stop) if (($#)); then have_node "$1" && end_node "$1" TERM; else end_all TERM; fi ;;
  kill) have_node "${1:-}" && end_node "$1" KILL ;;
  restart)
    have_node "${1:-}" && end_node "$1" TERM && launch "$1"
    # shellcheck disable=SC2046 # node numbers; the restarted one first
    wait_ready "$1" $(running | grep -vx "$1")
    ;;
  status) status ;;
  topic) [[ $(running) ]] || die "no cluster runs in $folder: ./dev kafka start" && create_topic "$@" ;;
  wipe) wipe ;;
  record-archive) record_archive ;;
  archive) archive ;;
  -h | --help | help) help_of tests/support/kafka.sh ;;
  *) die "no such verb '$verb' (./dev kafka --help)" ;;
esac
