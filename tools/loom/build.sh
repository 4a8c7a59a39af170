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
    local folder="$1" options stamp wanted
    shift
    options=(-G Ninja "-DCMAKE_MAKE_PROGRAM=$NINJA" -DNUMLOOM_WERROR=ON "$@")
    header_exists gtest/gtest.h && options+=(-DNUMLOOM_TESTS=ON)
    stamp="$folder/loom-options"
    # The interpreter behind the environment too: a new .venv has the same path.
    wanted="$ROOT $(readlink -f "$VENV/bin/python") ${options[*]}"
    mkdir -p "$folder"
    if [[ ! -e "$folder/build.ninja" || "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]]; then
        rm -f "$folder/CMakeCache.txt"
        say "configuring ${folder#"$ROOT"/}"
        quietly "cmake" "$CMAKE" -S "$ROOT" -B "$folder" "${options[@]}" || return 1
        printf '%s' "$wanted" >"$stamp"
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

# ducc's source distribution, for Fourier transforms: fetched once by pip, checked, unpacked into .cache. Sets DUCC to the
# folder of its headers, empty where it can't be had: then transforms run on the host.
DUCC_VERSION=0.42.0
DUCC_SHA256=4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef
ensure_ducc() {
    local name="ducc0-$DUCC_VERSION" archive="$WHEELS/ducc0-$DUCC_VERSION.tar.gz"
    DUCC="$CACHE/$name/src"
    [[ -e "$DUCC/ducc0/fft/fft.h" ]] && return 0
    if [[ ! -e "$archive" ]] && ((!OFFLINE)); then
        say "fetching ducc $DUCC_VERSION (Fourier transforms)"
        quietly "pip download ducc0" "$VENV/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
            --no-binary ducc0 -d "$WHEELS" "ducc0==$DUCC_VERSION" || true
    fi
    if [[ -e "$archive" ]] && echo "$DUCC_SHA256  $archive" | sha256sum -c --status; then
        tar -xzf "$archive" -C "$CACHE" && return 0
    fi
    say "going on without ducc $DUCC_VERSION: Fourier transforms run on the host"
    DUCC=""
}

ensure_built_locked() {
    ensure_environment_locked
    find_build_tools
    ensure_ducc
    cmake_build "$BUILD" "-DNUMLOOM_DUCC_INCLUDE=$DUCC" -DCMAKE_BUILD_TYPE=Release "-DPython_EXECUTABLE=$VENV/bin/python" \
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
