#!/bin/sh
# Makes .venv from requirements.lock; does nothing, at once, when that is already done. Called by every make target.
set -eu
cd "$(dirname "$0")/.."
VENV=.venv
STAMP=$VENV/peakline-setup

state() { { pwd; cat requirements.lock pyproject.toml sdk/pyproject.toml tools/setup.sh; } | cksum; }
say() { printf 'setup: %s\n' "$*"; }
stop() { printf 'setup: %s\n' "$*" >&2; exit 2; }

if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$(state)" ] && "$VENV/bin/python" -c '' 2>/dev/null; then exit 0; fi

suits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; }

newest_python() {
    for name in python3.13 python3.12 python3.11 python3 python; do
        if command -v "$name" >/dev/null 2>&1 && suits "$name"; then command -v "$name"; return; fi
    done
}

if ! suits "$VENV/bin/python" || ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    PYTHON=${PYTHON:-$(newest_python)}
    [ -n "$PYTHON" ] || stop "Peakline needs Python 3.11, 3.12 or 3.13, and none is on the PATH; install one, then run make again."
    "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
        stop "$PYTHON cannot make virtual environments; on Debian or Ubuntu run: apt-get install $("$PYTHON" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')"
    say "making $VENV with $("$PYTHON" --version)"
    "$PYTHON" -m venv --clear "$VENV"
fi

# uv comes first, with the version and the hashes that the lock holds for it.
BOOTSTRAP=$VENV/bootstrap.txt
sed -n '/^uv==/,/^[^ ]/{/^uv==/p;/--hash/p;}' requirements.lock | sed '$ s/ \\$//' >"$BOOTSTRAP"
[ -s "$BOOTSTRAP" ] || stop "requirements.lock holds no uv; run git checkout requirements.lock."
say "1/3 uv, the installer"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$BOOTSTRAP"
say "2/3 $(grep -c '^[a-z0-9].*==' requirements.lock) packages of requirements.lock, checked against their hashes"
"$VENV/bin/uv" pip install --python "$VENV/bin/python" --require-hashes -r requirements.lock
say "3/3 Peakline itself, from this folder"
"$VENV/bin/uv" pip install --python "$VENV/bin/python" --quiet --no-deps --no-build-isolation -e . -e sdk
state >"$STAMP"
say "done"
