#!/bin/sh
# Runs every check, also after one failed, and ends with what failed. `make check` calls it after the set-up.
cd "$(dirname "$0")/.." || exit 2
failed=

check() {
    name=$1
    shift
    printf 'check: %s\n' "$name"
    "$@" || failed="$failed, $name"
}

check "lint" ruff check --quiet .
check "format" ruff format --quiet --check .
check "types" mypy --no-error-summary
check "layers" lint-imports --no-logo
check "lock" python -m tools.lock check
check "documents" python -m tools.docs check

# Not a fault yet: modules over 250 lines deserve a second look before they reach the ceiling of 400.
git ls-files -co --exclude-standard '*.py' 2>/dev/null | xargs wc -l | awk '$1 > 250 && $2 != "total" {print "look twice: " $2, $1 " lines"}'

[ -z "$failed" ] && echo "check: all passed" && exit 0
printf 'check: FAILED: %s\n' "${failed#, }"
exit 1
