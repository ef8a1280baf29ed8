#!/bin/sh
# Tries the simulated endpoint with clients that are no part of this project: LiteLLM's proxy in front of it, OpenAI's
# client for Node, and with OpenAI's client for Python, which is. They are installed into a folder of their own.
#
#     tools/try_clients.sh [FOLDER]      FOLDER is kept and used again; default: a new one below the system's
#
# Exit code 0: all that could be tried worked. 1: something did not. 2: nothing could be tried.
set -eu
cd "$(dirname "$0")/.."
FOLDER=${1:-$(mktemp -d)}
PYTHON=$PWD/.venv/bin/python
TESTS=tests/paths/test_endpoint_clients.py

say() { printf 'try: %s\n' "$*" >&2; }
version_of() { "$1" -c "from importlib.metadata import version; print(version('$2'))" 2>/dev/null || echo absent; }

[ -x "$PYTHON" ] || { say "no .venv here; run make setup first"; exit 2; }
mkdir -p "$FOLDER/node"
FOLDER=$(cd "$FOLDER" && pwd)
say "clients are in $FOLDER"

if [ ! -x "$FOLDER/venv/bin/litellm" ]; then
    say "installing LiteLLM's proxy"
    "$PYTHON" -m venv "$FOLDER/venv"
    "$FOLDER/venv/bin/python" -m pip install --quiet 'litellm[proxy]' 2>"$FOLDER/pip.log" || say "no LiteLLM: see $FOLDER/pip.log"
fi
if [ -x "$FOLDER/venv/bin/litellm" ]; then
    export PEAKLINE_LITELLM="$FOLDER/venv/bin/litellm"
fi

if command -v npm >/dev/null 2>&1; then
    if [ ! -d "$FOLDER/node/node_modules/openai" ]; then
        say "installing OpenAI's client for Node"
        (cd "$FOLDER/node" && npm install --silent --no-audit --no-fund openai >"$FOLDER/npm.log" 2>&1) ||
            say "no client for Node: see $FOLDER/npm.log"
    fi
    if [ -d "$FOLDER/node/node_modules/openai" ]; then
        export PEAKLINE_NODE_MODULES="$FOLDER/node"
    fi
else
    say "no npm here; Node's client is left out"
fi

node_version=absent
if [ -n "${PEAKLINE_NODE_MODULES:-}" ]; then
    node_version=$(node -p "JSON.parse(fs.readFileSync('$FOLDER/node/node_modules/openai/package.json')).version + ' on node ' + process.versions.node")
fi

say "asking"
"$PYTHON" -m pytest "$TESTS" -p no:randomly -v --tb=short >"$FOLDER/pytest.log" 2>&1 && code=0 || code=1

printf '%-26s %s\n' "client" "version"
printf '%-26s %s\n' "openai for Python" "$(version_of "$PYTHON" openai)"
printf '%-26s %s\n' "openai for Node" "$node_version"
printf '%-26s %s\n\n' "LiteLLM's proxy" "$(version_of "$FOLDER/venv/bin/python" litellm)"
printf '%-8s %s\n' "result" "what was tried"
sed -nE 's/.*::test_(.*) (PASSED|FAILED|SKIPPED|ERROR).*/\2 \1/p' "$FOLDER/pytest.log" |
    while read -r result what; do printf '%-8s %s\n' "$result" "$(printf '%s' "$what" | tr '_' ' ')"; done
[ "$code" -eq 0 ] || say "what went wrong is in $FOLDER/pytest.log"
exit "$code"
