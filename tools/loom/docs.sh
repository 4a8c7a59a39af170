# The pages of docs/.

command_docs() {
    ensure_built
    ensure_docs_packages || die "could not install Sphinx"
    build_docs || die "the documentation has faults"
    say "build/docs/index.html"
}

build_docs() {
    rm -rf "$ROOT/build/docs"
    "$VENV/bin/python" -m sphinx -q -W --keep-going -b html -d "$ROOT/build/docs-cache" "$ROOT/docs" "$ROOT/build/docs"
}

# Sphinx and its extensions, only when pages are built.
ensure_docs_packages() {
    local stamp="$VENV/loom-docs-stamp" wanted
    wanted="$(sha256sum "$ROOT/tools/requirements-docs.txt" | cut -d' ' -f1)"
    [[ "$(cat "$stamp" 2>/dev/null)" == "$wanted" ]] && return 0
    if [[ -n "${LOOM_ENVIRONMENT:-}" ]]; then
        "$VENV/bin/python" -c 'import furo, myst_parser, numpydoc, sphinx'
        return
    fi
    say "installing Sphinx (tools/requirements-docs.txt)"
    pip_install "$ROOT/tools/requirements-docs.txt" "$ROOT/tools/requirements.txt" || return 1
    printf '%s' "$wanted" >"$stamp"
}
