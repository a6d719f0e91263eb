#!/bin/sh
# Says which lines and branches of each room tests reach: builds everything for gcov in a folder of its own, runs suites, and prints a table.
#
# usage: coverage.sh [SUITE...]
#
# SUITE is one of `meson test --list`; without one, `unit` alone. The folder is in TMPDIR, and gone at the end.
set -eu

cd "$(dirname "$0")/.."
for suite; do
    case $suite in
    -*)
        sed -n 's/^# usage: /usage: /p' "$0" >&2
        exit 2
        ;;
    esac
done
[ $# -gt 0 ] || set -- unit

say() {
    echo "coverage: $*" >&2
}

build=$(mktemp -d "${TMPDIR:-/var/tmp}/xtf-coverage-XXXXXX")
trap 'rm -rf "$build"' EXIT
trap 'exit 1' INT TERM HUP

say "building in $build"
meson setup "$build" -Dtests=enabled -Dbuildtype=debug -Doptimization=0 -Db_coverage=true >"$build/setup.log" || {
    tail -n 5 "$build/setup.log" >&2
    exit 1
}
ninja -C "$build" --quiet meson-test-prereq
chosen=
for suite; do
    say "running $suite"
    chosen="$chosen --suite $suite"
done
# shellcheck disable=SC2086
meson test -C "$build" --no-rebuild --timeout-multiplier 5 --no-suite long $chosen >"$build/tests.log" || {
    say "some tests failed, and what they would have reached may be missing:"
    grep -E ' (FAIL|TIMEOUT|ERROR) ' "$build/tests.log" >&2 || tail -n 5 "$build/tests.log" >&2
}
python3 scripts/coverage.py "$build"
