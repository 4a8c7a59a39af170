# Names and small helpers that the other files of this folder use.
VENV="${LOOM_ENVIRONMENT:-$ROOT/.venv}"
CACHE="$ROOT/.cache"
WHEELS="$CACHE/wheels"
BUILD="$ROOT/build/release"
PACKAGE="$ROOT/python/numloom"
JOBS="${LOOM_JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}"
OFFLINE="${LOOM_OFFLINE:-0}"

say() { printf 'loom: %s\n' "$*" >&2; }

die() {
    printf 'loom: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command with its output kept in a file that is shown only when it fails. $1: what is being done.
quietly() {
    local what="$1" log status=0
    shift
    mkdir -p "$CACHE"
    log="$(mktemp "$CACHE/log.XXXXXX")"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if ((status != 0)); then
        cat "$log" >&2
        say "$what failed (exit $status)"
    fi
    rm -f "$log"
    return "$status"
}

# Processes of one MPI job start together and must not set up at the same time: one works, the others wait for it.
with_setup_lock() {
    mkdir -p "$CACHE"
    if have flock; then
        # 9 is closed for children, so that a compiler cache server does not inherit the lock.
        exec 9>"$CACHE/lock"
        flock 9
        "$@" 9>&-
        exec 9>&-
    else
        "$@"
    fi
}
