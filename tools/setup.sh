#!/bin/sh
# Makes the virtual environment: every package pinned and checked by hash, then solexp itself, then the tools it drives.
# Run it through `make setup`. PYTHON names an interpreter; VENV the environment (.venv).
set -eu
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}
fits='import ensurepip, sys, venv; v = sys.version_info; sys.exit(not ((3, 11) <= v[:2] <= (3, 13) and v[:3] != (3, 12, 0)))'

step() { printf '── %s\n' "$*"; }

find_python() {
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        if "$name" -c "$fits" >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    echo "solexp needs Python 3.11, 3.12 (not 3.12.0) or 3.13 with its venv module;" \
        "none of these is one: ${PYTHON:-python3.13 python3.12 python3.11 python3 python}." \
        "Install one (on Debian: python3 and python3-venv), or run: make setup PYTHON=/path/to/python" >&2
    return 1
}

# An environment that was never finished, or whose interpreter has gone, is made anew.
if [ ! -e "$venv/.ready" ] || ! "$venv/bin/python" -c "$fits" >/dev/null 2>&1; then
    python=$(find_python)
    step "Python environment in $venv, with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
rm -f "$venv/.ready"
pip="$venv/bin/python -m pip --disable-pip-version-check install -qq --require-hashes --no-compile"

# Build tools first: without them pip would fetch its own, unchecked, to build what comes as source.
step "Build tools, pinned"
$pip -r requirements/build.txt
step "$(grep -c '==' requirements/lock.txt) packages, pinned (one to three minutes the first time)"
$pip --no-build-isolation -r requirements/lock.txt
# pip compiles on one core; and without compiled files every start is slow where PYTHONDONTWRITEBYTECODE is set.
"$venv/bin/python" -m compileall -qq -j 0 "$venv/lib" solexp || true
step "solexp"
"$venv/bin/python" -m pip --disable-pip-version-check install -qq --no-deps --no-build-isolation -e .
step "Node, Foundry and compilers, where they are missing"
"$venv/bin/solexp" tools install
touch "$venv/.ready"
step "Ready. Try: make demo, make test, $venv/bin/solexp doctor"
