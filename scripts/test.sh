#!/bin/sh
# Sets up and runs all tests, in an ordinary build and in one with ASan and UBSan, and the shortest in one without all that is
# optional; ends with `N passed, N failed`.
#
# usage: test.sh [--no-install] [--long]
#
# --long runs the tests too that take minutes, and with sanitizers those of which the ordinary build is enough otherwise; and there as much of
# each as in the ordinary build.
#
# The builds are kept in build-test/, build-sanitize/ and build-bare/, so that the next run builds only what changed; DuckDB in build-duckdb/.
set -eu

cd "$(dirname "$0")/.."

say() {
    echo "test: $*"
}

# Configures a build folder, or goes on with the one that is there; starts afresh where that one is of no use.
configure() {
    build=$1
    shift
    if [ -f "$build/build.ninja" ] && meson configure "$build" "$@" >/dev/null 2>&1; then
        return 0
    fi
    rm -rf "$build"
    meson setup "$build" -Dtests=enabled "$@"
}

# The results go into the build's meson-logs; a build that fails leaves none there, and counts as one failure. Targets are all, or what
# tests need; benches are the same in each build, and the ordinary one makes them.
build_and_test() {
    name=$1 build=$2 target=$3 options=$4
    shift 4
    say "== $name"
    rm -f "$build"/meson-logs/testlog.junit.xml
    # shellcheck disable=SC2086
    if ! configure "$build" $options || ! ninja -C "$build" --quiet $target; then
        say "$name: the build failed"
        return 0
    fi
    # Tests that hang are ended; on a busy machine others take several times as long as they do alone. Some wait for something most of the
    # time: one more than there are processors leaves none of these idle.
    meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) + 1)) "$@" || true
}

# For ccache, if it is installed: by default it preprocesses each source that it does not have, which takes a third of the time that the
# compiler takes. It also keeps objects that were compiled with a precompiled header.
export CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros

install=yes without_long="--no-suite long" without_once="--no-suite once"
for option; do
    case $option in
    --no-install) install=no ;;
    --long) without_long= without_once=; export XTF_TEST_ALL=yes ;;
    *)
        echo "usage: test.sh [--no-install] [--long]" >&2
        exit 2
        ;;
    esac
done
if [ $install = yes ]; then
    scripts/install-deps.sh build test record browser simgrid
fi
# A test reads tables by DuckDB, which Debian does not have: 70 MB. Without npm or its registry, the test reads them by other programs only.
if [ $install = yes ] && command -v npm >/dev/null; then
    if [ -d build-duckdb/node_modules ] || npm install --silent --no-fund --no-audit --prefix build-duckdb @duckdb/node-api >/dev/null 2>&1; then
        export XTF_DUCKDB="$PWD/build-duckdb"
    else
        say "npm cannot fetch @duckdb/node-api: tables are not read by DuckDB"
    fi
fi
if [ -c /dev/fuse ]; then
    mounts=
else
    say "there is no /dev/fuse here: the tests that mount are skipped; the same checks through 'xtf cat' run"
    mounts="--no-suite mount"
fi

# Of debug information the numbers of lines are enough, here and below: more of it takes a seventh of the time.
# shellcheck disable=SC2086
build_and_test "ordinary build" build-test "all benches" "-Doptimization=2 -Ddebug=false -Dc_args=-g1 --werror" $mounts $without_long

# Optional parts are left out at compile time. The compiler shows what else used them; the suite `optional` runs the code that takes
# their place, and `quick` and `reader` something of the rest. Without optimisation this build takes a third of the time. The ordinary build
# shows a source that does not include glib.h; this one and the next precompile it.
build_and_test "build without importers, MPIs, libdeflate, libseccomp and ncurses" build-bare all \
    "-Dprecompiled=true -Doptimization=0 -Ddebug=false -Dc_args=-g1 --werror -Dotf2=disabled -Dotf1=disabled -Dnetcdf=disabled -Delf=disabled -Dlibdeflate=disabled -Dseccomp=disabled -Dncurses=disabled -Dopenmpi=disabled -Dmpich=disabled" \
    --suite optional --suite quick --suite reader --no-suite slow --no-suite mount

# What ends the program at the first finding. Leaks are looked for too. Sanitizers find nothing in the rules of the house, and mounts
# are the business of the ordinary build; so is what is loaded into recorded programs (preload), which is made without sanitizers and not built here.
# With less optimisation this build is made in little more than half the time. What is undefined ends in a trap, of which ASan tells the
# function and the line: messages that say more would need 12 MB of descriptions in each program, which are compiled, linked and read
# whenever a program starts, and that takes longer than what most do. Without -fsanitize-undefined-trap-on-error they are there.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/lsan.supp:print_suppressions=0}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-abort_on_error=1:detect_leaks=1:handle_sigill=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1:abort_on_error=1}"
export XTF_VIEW_WINDOWS="${XTF_VIEW_WINDOWS:-2}" # of 3
# shellcheck disable=SC2086
build_and_test "ASan and UBSan" build-sanitize meson-test-prereq "-Dprecompiled=true -Doptimization=1 -Ddebug=false -Dc_args=['-g1','-fsanitize-undefined-trap-on-error'] -Db_sanitize=address,undefined -Db_lundef=false -Dopenmpi=disabled -Dmpich=disabled" \
    --no-suite mount --no-suite preload --no-suite house $without_long $without_once

exec python3 scripts/count-tests.py build-test build-bare build-sanitize
