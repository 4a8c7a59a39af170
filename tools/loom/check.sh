# Tests and lint. Every step runs, also after one that failed; the last line tells which did.

STEPS=()
FAILED=()

# $1: the step's name; the rest: its command.
step() {
    local name="$1" start=$SECONDS
    shift
    printf '\n=== %s\n' "$name"
    if "$@"; then
        STEPS+=("$name: ok in $((SECONDS - start)) s")
    else
        STEPS+=("$name: FAILED")
        FAILED+=("$name")
    fi
}

finish_steps() {
    printf '\n=== summary\n'
    printf '%s\n' "${STEPS[@]}"
    if ((${#FAILED[@]})); then
        printf 'loom test: FAILED: %s\n' "${FAILED[*]}"
        return 1
    fi
    printf 'loom test: all steps passed\n'
}

# Two processes on any machine, also for root and with fewer cores than processes (Open MPI refuses both unless told).
mpi_environment() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
}

run_ctest() {
    "$CTEST" --test-dir "$1" --output-on-failure -j "$JOBS" --no-tests=error
}

# pytest ends with 5 when it collected nothing; that is no failure of a folder that is still empty.
run_pytest() {
    local status=0
    (cd "$ROOT" && "$VENV/bin/python" -m pytest -q --durations=5 "$@" </dev/null) || status=$?
    ((status == 5)) && printf 'no tests here yet\n' && status=0
    return "$status"
}

run_sanitizers() {
    ensure_environment
    find_build_tools
    local sanitizer folder
    header_exists gtest/gtest.h || die "the sanitizer runs need GoogleTest (libgtest-dev)"
    for sanitizer in address,undefined thread; do
        folder="$ROOT/build/${sanitizer%%,*}"
        cmake_build "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DNUMLOOM_PYTHON=OFF -DNUMLOOM_MPI=OFF \
            "-DNUMLOOM_SANITIZE=$sanitizer" || die "the build with -fsanitize=$sanitizer failed"
        TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" UBSAN_OPTIONS="print_stacktrace=1" step "sanitizer $sanitizer" run_ctest "$folder"
    done
    finish_steps
}

run_format() {
    cd "$ROOT"
    local formatter
    formatter="$(clang_format_14)" || say "clang-format 14 is not there: C++ left as it is"
    [[ -n "$formatter" ]] && cpp_files | xargs -0 -r "$formatter" -i
    "$VENV/bin/ruff" check -q --fix --exit-zero .
    "$VENV/bin/ruff" format -q .
}

# Other versions lay code out differently, so only 14 (Debian 12's; packaged in Ubuntu 24.04) is asked.
clang_format_14() {
    local name
    for name in clang-format-14 clang-format; do
        if have "$name" && "$name" --version | grep -q 'version 14\.'; then
            printf '%s' "$name"
            return 0
        fi
    done
    return 1
}

cpp_files() { git ls-files -z -co --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.h'; }

check_cpp_format() {
    local formatter
    cd "$ROOT"
    if ! formatter="$(clang_format_14)"; then
        printf 'left out: clang-format 14 is not there (package clang-format-14)\n'
        return 0
    fi
    local file unformatted=0
    while IFS= read -r -d '' file; do
        if ! "$formatter" --dry-run -Werror "$file" 2>/dev/null; then
            printf '%s is not formatted (./loom format)\n' "$file"
            unformatted=1
        fi
    done < <(cpp_files)
    return "$unformatted"
}

check_ruff() { (cd "$ROOT" && "$VENV/bin/ruff" check . && "$VENV/bin/ruff" format --check -q .); }
check_includes() { "$VENV/bin/python" "$ROOT/tools/check_includes.py"; }
check_symbols() { "$VENV/bin/python" "$ROOT/tools/check_symbols.py" "$BUILD"; }
check_sizes() { "$VENV/bin/python" "$ROOT/tools/size_table.py"; }

# Needs Sphinx, which only this step installs; without a network and a wheel in .cache it is left out, and said so.
check_docs() {
    if (ensure_docs_packages) 2>/dev/null; then
        step "documentation" build_docs
    else
        STEPS+=("documentation: left out, Sphinx can't be installed (tools/requirements-docs.txt)")
    fi
}

lint_steps() {
    step "ruff" check_ruff
    step "clang-format" check_cpp_format
    step "include directions" check_includes
    step "size table" check_sizes
}

run_lint() {
    lint_steps
    finish_steps
}

command_test() {
    local mode=all arguments=() argument
    for argument in "$@"; do
        case "$argument" in
            --sanitize) mode=sanitize ;;
            --python-only) mode=python ;;
            --cpp-only) mode=cpp ;;
            *) arguments+=("$argument") ;;
        esac
    done
    if [[ "$mode" == sanitize ]]; then
        run_sanitizers
        return
    fi
    ensure_built
    mpi_environment
    if [[ "$mode" != python ]]; then
        if ! compgen -G "$ROOT/tests/cpp/*_test.cpp" >/dev/null; then
            STEPS+=("C++ tests: none yet")
        elif header_exists gtest/gtest.h; then
            step "C++ tests" run_ctest "$BUILD"
        else
            STEPS+=("C++ tests: left out, GoogleTest is not there (package libgtest-dev)")
        fi
    fi
    [[ "$mode" == cpp ]] || python_steps ${arguments[@]+"${arguments[@]}"}
    if [[ "$mode" == all ]]; then
        lint_steps
        step "objects of the loops" check_symbols
        check_docs
    fi
    finish_steps
}

# Arguments that name tests replace the usual folders.
python_steps() {
    local argument
    for argument in "$@"; do
        if [[ -e "${argument%%::*}" ]]; then
            step "Python tests" run_pytest "$@"
            return
        fi
    done
    step "Python tests" run_pytest "$ROOT/tests/python" "$@"
    if [[ -d "$ROOT/tests/fuzz" ]]; then
        step "fuzzer" run_pytest "$ROOT/tests/fuzz" "$@"
    fi
    if [[ -d "$ROOT/tests/distributed" ]]; then
        have mpirun || STEPS+=("two processes: mpirun is not there (package openmpi-bin), its tests are skipped")
        step "two processes" run_pytest "$ROOT/tests/distributed" "$@"
    fi
}
