# System packages and the virtual environment.

# Debian's and Ubuntu's names. What is required stops the build when absent; the rest is used where it is there.
REQUIRED_PACKAGES=(g++)
OPTIONAL_PACKAGES=(git cmake ninja-build ccache mold libsleef-dev libxbyak-dev libopenmpi-dev openmpi-bin libgtest-dev clang-format-14)

header_exists() {
    local folder
    for folder in /usr/include /usr/local/include /usr/include/"$(uname -m)"-linux-gnu /opt/homebrew/include; do
        [[ -e "$folder/$1" ]] && return 0
    done
    return 1
}

package_present() {
    case "$1" in
        g++) have g++ || have c++ || have clang++ ;;
        git) have git ;;
        cmake) have cmake ;;
        ninja-build) have ninja ;;
        ccache) have ccache ;;
        mold) have mold || have ld.lld ;;
        libsleef-dev) header_exists sleef.h ;;
        libxbyak-dev) header_exists xbyak/xbyak.h ;;
        libopenmpi-dev) have mpicc || have mpicxx ;;
        openmpi-bin) have mpirun || have mpiexec ;;
        libgtest-dev) header_exists gtest/gtest.h ;;
        clang-format-14) have clang-format-14 || have clang-format ;;
        *) return 1 ;;
    esac
}

missing_packages() {
    local package
    for package in "$@"; do
        package_present "$package" || printf '%s\n' "$package"
    done
}

# Root, or sudo that asks nothing; prints the prefix to use.
privileged() {
    if ((EUID == 0)); then
        return 0
    fi
    have sudo && sudo -n true 2>/dev/null && printf 'sudo'
}

# Installs what it can of the named packages, one by one where the whole set is refused. Never fails by itself.
apt_install() {
    local prefix package
    ((OFFLINE)) && return 0
    have apt-get || return 0
    prefix="$(privileged)" || return 0
    say "installing system packages: $*"
    # Another apt may be at work (a fresh machine upgrades itself): wait for its lock.
    local apt=(${prefix:+$prefix} env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120)
    if [[ -z "${APT_UPDATED:-}" ]]; then
        quietly "apt-get update" "${apt[@]}" update -q || true
        APT_UPDATED=1
    fi
    "${apt[@]}" install -qy --no-install-recommends "$@" >/dev/null 2>&1 </dev/null && return 0
    for package in "$@"; do
        "${apt[@]}" install -qy --no-install-recommends "$package" >/dev/null 2>&1 </dev/null ||
            say "apt-get could not install $package"
    done
}

ensure_system_packages() {
    local stamp="$CACHE/system-packages" missing=() optional
    mapfile -t missing < <(missing_packages "${REQUIRED_PACKAGES[@]}" "${OPTIONAL_PACKAGES[@]}")
    if ((${#missing[@]})) && [[ "$(cat "$stamp" 2>/dev/null)" != "${missing[*]}" ]]; then
        apt_install "${missing[@]}"
        mapfile -t missing < <(missing_packages "${REQUIRED_PACKAGES[@]}" "${OPTIONAL_PACKAGES[@]}")
        optional="$(missing_packages "${OPTIONAL_PACKAGES[@]}" | tr '\n' ' ')"
        [[ -n "$optional" ]] && say "going on without: ${optional}(install them by hand to have them used)"
        # What can't be had is not asked for again until the list changes.
        ((OFFLINE)) || printf '%s' "${missing[*]}" >"$stamp"
    fi
    mapfile -t missing < <(missing_packages "${REQUIRED_PACKAGES[@]}")
    ((${#missing[@]} == 0)) || die "needs these system packages, please install them: ${missing[*]}"
}

# Prints "VERSION PATH" when the interpreter runs, is a final release from 3.11 on, and can make an environment to build in.
probe_python() {
    "$1" -I -c '
import os, sys, sysconfig
import venv, ensurepip
ok = sys.version_info >= (3, 11) and sys.version_info.releaselevel == "final" and sys.prefix == sys.base_prefix
ok = ok and not sysconfig.get_config_var("Py_GIL_DISABLED")
ok = ok and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
if not ok:
    raise SystemExit(1)
print("%d.%d.%d" % sys.version_info[:3], os.path.realpath(sys.executable))' 2>/dev/null </dev/null
}

# The newest interpreter on PATH, among pyenv's, uv's and in the usual folders. Shims that can't run are passed over.
find_python() {
    if [[ -n "${LOOM_PYTHON:-}" ]]; then
        probe_python "$LOOM_PYTHON" ||
            die "LOOM_PYTHON=$LOOM_PYTHON does not run, is older than 3.11, or lacks headers or the venv module"
        return
    fi
    local folder candidate folders=()
    IFS=: read -r -a folders <<<"$PATH"
    folders+=(/usr/bin /usr/local/bin "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin "$HOME"/.local/share/uv/python/*/bin)
    for folder in "${folders[@]}"; do
        [[ "$folder" == */shims ]] && continue
        for candidate in "$folder"/python3 "$folder"/python3.1[1-9] "$folder"/python3.[2-9][0-9]; do
            [[ -x "$candidate" ]] && probe_python "$candidate" || true
        done
    done | sort -t. -k1,1n -k2,2n -k3,3n | tail -1
}

requirements_hash() { cat "$ROOT"/tools/requirements.txt | sha256sum | cut -d' ' -f1; }

# Packages come to .cache/wheels first and are installed from there, so that --offline can repeat it. $@: requirement files.
pip_install() {
    local arguments=()
    local file
    for file in "$@"; do arguments+=(-r "$file"); done
    mkdir -p "$WHEELS"
    if ((!OFFLINE)); then
        quietly "pip download" "$VENV/bin/python" -m pip download -q --disable-pip-version-check -d "$WHEELS" \
            --find-links "$WHEELS" "${arguments[@]}" || return 1
    fi
    quietly "pip install" env -u PIP_FIND_LINKS "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-index \
        --find-links "$WHEELS" "${arguments[@]}"
}

make_environment() {
    local found version python
    found="$(find_python)"
    if [[ -z "$found" ]]; then
        apt_install python3 python3-dev python3-venv
        found="$(find_python)"
    fi
    [[ -n "$found" ]] ||
        die "needs Python 3.11 or newer with headers and venv; please install: python3 python3-dev python3-venv"
    version="${found%% *}"
    python="${found#* }"
    say "making .venv from $python ($version)"
    rm -rf "$VENV"
    quietly "python -m venv" "$python" -m venv "$VENV" || die "could not make a virtual environment with $python"
}

ensure_environment() { with_setup_lock ensure_environment_locked; }

ensure_environment_locked() {
    local stamp="$VENV/loom-stamp" wanted
    if [[ -n "${LOOM_ENVIRONMENT:-}" ]]; then
        use_given_environment
        return
    fi
    ensure_system_packages
    wanted="$(requirements_hash) $ROOT"
    if [[ "$(cat "$stamp" 2>/dev/null)" == "$wanted" ]] && "$VENV/bin/python" -I -S -c '' 2>/dev/null; then
        return 0
    fi
    # A moved checkout or an interpreter that has gone makes the old environment useless; new pins do not.
    if ! "$VENV/bin/python" -I -m pip --version >/dev/null 2>&1 ||
        [[ -e "$stamp" && "$(cut -d' ' -f2- "$stamp")" != "$ROOT" ]]; then
        make_environment
    fi
    say "installing Python packages (tools/requirements.txt)"
    if ! pip_install "$ROOT/tools/requirements.txt"; then
        ((OFFLINE)) && die ".cache/wheels lacks packages for this Python; run ./loom build once with a network"
        die "could not install the Python packages"
    fi
    write_package_path
    printf '%s' "$wanted" >"$stamp"
}

# An environment of the user's own is taken as it is: nothing is installed into it or written to it.
use_given_environment() {
    "$VENV/bin/python" -c 'import numpy' 2>/dev/null ||
        die "LOOM_ENVIRONMENT=$VENV must be a virtual environment with numpy"
    export PYTHONPATH="$ROOT/python${PYTHONPATH:+:$PYTHONPATH}"
    OFFLINE=1
}

# Makes `import numloom` and the command `numloom` work in the environment from the sources themselves.
write_package_path() {
    local site
    site="$("$VENV/bin/python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    printf '%s\n' "$ROOT/python" >"$site/numloom-development.pth"
    cat >"$VENV/bin/numloom" <<SCRIPT
#!$VENV/bin/python
import sys
from numloom.__main__ import main
sys.exit(main())
SCRIPT
    chmod +x "$VENV/bin/numloom"
}

# Peers of the benchmark, only when it is asked to compare with them.
ensure_peers() {
    local stamp="$VENV/loom-peers-stamp" wanted line
    [[ " $* " == *" --peers"* ]] || return 0
    wanted="$(sha256sum "$ROOT/tools/requirements-bench.txt" | cut -d' ' -f1)"
    [[ "$(cat "$stamp" 2>/dev/null)" == "$wanted" ]] && return 0
    say "installing the benchmark's peers (tools/requirements-bench.txt)"
    while IFS= read -r line; do
        [[ -z "$line" || "$line" == \#* ]] && continue
        printf '%s\n' "$line" >"$CACHE/peer.txt"
        # The pins of the environment hold: a peer that would change NumPy's version is left out.
        pip_install "$CACHE/peer.txt" "$ROOT/tools/requirements.txt" || say "going on without $line"
    done <"$ROOT/tools/requirements-bench.txt"
    rm -f "$CACHE/peer.txt"
    ((OFFLINE)) || printf '%s' "$wanted" >"$stamp"
}
