# shellcheck shell=bash
# How every verb of ./dev speaks; sourced, not run. REQUIRES: the working directory is the repository's root.

log_folder=build/log

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# option_value WHAT VALUE: an option that needs a value got one.
option_value() { [[ ${2:-} ]] || die "$1 needs a value"; }

# The cache outlives the checkout and is shared by all of them. Where nobody says where it is, it has no name: whoever
# needs it calls need_cache first.
if [[ ${NEARDUP_CACHE:-${XDG_CACHE_HOME:-${HOME:-}}} ]]; then
  neardup_cache=${NEARDUP_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/neardup}
  [[ $neardup_cache == /* ]] || die "NEARDUP_CACHE is a path from the root, not '$neardup_cache'"

  # Where deps.sh puts the Python packages: a changed list gets a folder of its own, and other checkouts keep theirs.
  # shellcheck disable=SC2034 # read by those who source this
  python_tools=$neardup_cache/python-$(cksum <tests/support/python_tools.txt | cut -d' ' -f1)
fi

need_cache() { [[ ${neardup_cache:-} ]] || die "where is the cache of what ./dev deps makes? Set HOME or NEARDUP_CACHE"; }

# seconds_since MICROSECONDS: "3.2", for a time taken earlier as ${EPOCHREALTIME/[.,]/}.
seconds_since() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - $1) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# step NAME WHAT HINT COMMAND...: one line for the reader, everything else into build/log/NAME.log. On failure the
# end of that log and HINT are shown and the script ends.
step() {
  local name=$1 what=$2 hint=$3 log=$log_folder/$1.log started=${EPOCHREALTIME/[.,]/}
  shift 3
  mkdir -p "$log_folder"
  printf '%s: %s ... ' "$name" "$what"
  if "$@" >"$log" 2>&1 </dev/null; then
    printf '%s s  (%s)\n' "$(seconds_since "$started")" "$log"
  else
    printf 'FAILED after %s s\n' "$(seconds_since "$started")"
    printf -- '--- the end of %s ---\n' "$log"
    tail -n 40 "$log"
    printf -- '--- %s\n' "$hint"
    exit 1
  fi
}

# help_of FILE [NAME]: the comment that opens FILE, or the one above its function NAME: help has no second copy.
help_of() {
  awk -v name="${2:-}" '
    /^#!/ { next }
    /^#/ { text = text substr($0, 3) "\n"; next }
    name == "" || index($0, name "()") == 1 { if (text != "") { printf "%s", text; exit } }
    { text = "" }' "$1"
}
