# CMake and Ninja.

version_at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" == "$2" ]]; }

# The system's CMake and Ninja where they are new enough, else the environment's.
find_build_tools() {
    CMAKE="$(command -v cmake || true)"
    NINJA="$(command -v ninja || true)"
    local wanted=3.25
    if [[ -z "$NINJA" || -z "$CMAKE" ]] || ! version_at_least "$("$CMAKE" --version | awk 'NR==1 {print $3}')" "$wanted"; then
        if [[ ! -x "$VENV/bin/cmake" || ! -x "$VENV/bin/ninja" ]]; then
            say "installing CMake and Ninja into .venv (the system's are absent or older than $wanted)"
            pip_install "$ROOT/tools/requirements-tools.txt" || die "needs CMake >= $wanted and Ninja: cmake ninja-build"
        fi
        CMAKE="$VENV/bin/cmake"
        NINJA="$VENV/bin/ninja"
    fi
    CTEST="$(dirname "$CMAKE")/ctest"
}

# $1 build folder, the rest CMake options. Configures when there is no build yet or the options changed, then builds.
cmake_build() {
    local folder="$1" options stamp
    shift
    options=(-G Ninja "-DCMAKE_MAKE_PROGRAM=$NINJA" -DNUMLOOM_WERROR=ON "$@")
    header_exists gtest/gtest.h && options+=(-DNUMLOOM_TESTS=ON)
    stamp="$folder/loom-options"
    mkdir -p "$folder"
    if [[ ! -e "$folder/build.ninja" || "$(cat "$stamp" 2>/dev/null)" != "$ROOT ${options[*]}" ]]; then
        rm -f "$folder/CMakeCache.txt"
        say "configuring ${folder#"$ROOT"/}"
        quietly "cmake" "$CMAKE" -S "$ROOT" -B "$folder" "${options[@]}" || return 1
        printf '%s' "$ROOT ${options[*]}" >"$stamp"
    fi
    # To stderr, so that the output of programs stays clean; silent where there is nothing to do.
    if [[ -t 2 ]]; then
        "$NINJA" -C "$folder" -j "$JOBS" | { grep -v --line-buffered -e 'no work to do' -e 'Re-checking globbed' \
            -e 'Entering directory' || true; } >&2
    else
        quietly "the build" "$NINJA" -C "$folder" -j "$JOBS"
    fi
}

ensure_built() { with_setup_lock ensure_built_locked; }

ensure_built_locked() {
    ensure_environment_locked
    find_build_tools
    cmake_build "$BUILD" -DCMAKE_BUILD_TYPE=Release "-DPython_EXECUTABLE=$VENV/bin/python" \
        "-DNUMLOOM_PACKAGE_DIR=$PACKAGE" || die "the build failed"
    # Compiled once here, as an installer does: where PYTHONDONTWRITEBYTECODE is set every import would compile 20 files.
    local newest
    newest="$(find "$ROOT/python" -name '*.py' -newer "$BUILD/bytecode" -print -quit 2>/dev/null || echo all)"
    if [[ -n "$newest" ]]; then
        "$VENV/bin/python" -m compileall -q "$ROOT/python" && touch "$BUILD/bytecode"
    fi
}

command_build() {
    local argument
    for argument in "$@"; do
        case "$argument" in
            --offline) OFFLINE=1 ;;
            --clean) rm -rf "$ROOT/build" && rm -f "$PACKAGE"/*.so ;;
            *) die "build: no option '$argument' (--offline, --clean)" ;;
        esac
    done
    ensure_built
    say "built for $("$VENV/bin/python" -c 'import sys, numpy; print("Python %d.%d.%d, NumPy %s" % (*sys.version_info[:3], numpy.__version__))')"
}
