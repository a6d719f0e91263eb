#!/bin/sh
# Sets up and runs all tests, in an ordinary build and in one with ASan and UBSan, and the shortest in one without all that is
# optional; ends with `N passed, N failed`.
#
# usage: test.sh [--no-install] [--long]
#
# Without --long each test runs in one of the two large builds, and many take a part of their cases. --long runs all tests in both, also those
# that take minutes, with all cases. On two cores a clean clone takes 23 minutes, or 16 to 18 if ccache has the objects (2026-12-01). Of the 44
# minutes of processor time 15 are compiling.
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

# Runs ninja as a child that a trap can end: $builder.
run_ninja() {
    # shellcheck disable=SC2086
    $low ninja -C "$1" --quiet $2 &
    builder=$!
    wait $builder
}

# Prints the targets that the tests with sanitizers need. A build folder that was kept is configured again first where its description changed.
list_targets() {
    # shellcheck disable=SC2086
    ninja -C "$1" --quiet build.ninja >&2 && scripts/targets-of-tests.py "$1" $sanitized_suites
}

# Builds targets: all, or what tests need that run there; benches are the same in each build, and the ordinary one makes them. A build that
# fails leaves no results of tests, and counts as one failure.
build() {
    name=$1 build=$2 targets=$3 options=$4
    # shellcheck disable=SC2086
    if ! configure "$build" $options ||
        { [ "$targets" = tests ] && ! targets=$(list_targets "$build"); } ||
        ! run_ninja "$build" "$targets"; then
        say "$name: the build failed"
        return 1
    fi
}

# The results go into the build's meson-logs.
run_tests() {
    name=$1 build=$2
    shift 2
    say "== $name"
    # Tests that hang are ended; on a busy machine others take several times as long as they do alone. Some wait for something most of the
    # time: one more than there are processors leaves none of these idle.
    meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) + 1)) "$@" || true
}

# For ccache, if it is installed: by default it preprocesses each source that it does not have, which takes a third of the time that the
# compiler takes. It also keeps objects that were compiled with a precompiled header.
export CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros

low="" precompiled=true
install=yes
# The build with sanitizers leaves out mounts, the rules of the house, which need no program, and tests of libraries that are loaded into
# recorded programs (preload): these libraries are made without sanitizers.
not_sanitized="--no-suite mount --no-suite preload --no-suite house"
ordinary_suites="--no-suite long --no-suite unit --no-suite sanitized" sanitized_suites="--suite unit --suite sanitized --no-suite long $not_sanitized"
for option; do
    case $option in
    --no-install) install=no ;;
    --long) precompiled=false ordinary_suites="" sanitized_suites=$not_sanitized; export XTF_TEST_ALL=yes ;;
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

rm -f build-test/meson-logs/testlog.junit.xml build-bare/meson-logs/testlog.junit.xml build-sanitize/meson-logs/testlog.junit.xml

# Of debug information the numbers of lines are enough, here and below: more of it takes a seventh of the time. A test finds the sources that
# do not include glib.h; with --long, which does not precompile it, the compiler does.
ordinary="-Dprecompiled=$precompiled -Doptimization=2 -Ddebug=false -Dc_args=-g1 --werror"
ordinary_built=yes
build "ordinary build" build-test "all benches" "$ordinary" || ordinary_built=no

# Optional parts are left out at compile time. The compiler shows what else used them; the suite `optional` runs the code that takes
# their place, and `quick` and `reader` something of the rest. This build begins as a copy of the ordinary one, in which a tenth of the
# sources is compiled again.
bare="$ordinary -Dotf2=disabled -Dotf1=disabled -Dnetcdf=disabled -Delf=disabled -Dlibdeflate=disabled -Dseccomp=disabled -Dncurses=disabled -Dopenmpi=disabled -Dmpich=disabled"
build_bare() {
    if [ ! -f build-bare/build.ninja ] && [ $ordinary_built = yes ]; then
        rm -rf build-bare
        cp -a build-test build-bare
        # shellcheck disable=SC2086
        meson setup --reconfigure build-bare $bare >/dev/null || rm -rf build-bare
    fi
    build "build without importers, MPIs, libdeflate, libseccomp and ncurses" build-bare all "$bare"
}

# With -O1 this build is made in little more than half the time of -O2. Without optimisation its sources would compile in half to three fifths
# of that, but four unit tests took 64 instead of 23 s of processor time (2026-11-30). What is undefined ends in a trap, of which ASan tells the
# function and the line: messages that say more would need 12 MB of descriptions in each program, which are compiled, linked and read
# whenever a program starts, and that takes longer than what most do. Without -fsanitize-undefined-trap-on-error they are there.
build_sanitized() {
    build "ASan and UBSan" build-sanitize tests "-Dprecompiled=true -Doptimization=1 -Ddebug=false -Dc_args=['-g1','-fsanitize-undefined-trap-on-error'] -Db_sanitize=address,undefined -Db_lundef=false -Dopenmpi=disabled -Dmpich=disabled"
}

# With sanitizers the first finding ends the program. Leaks are looked for too.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/lsan.supp:print_suppressions=0}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-abort_on_error=1:detect_leaks=1:handle_sigill=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1:abort_on_error=1}"

# These builds are made while the tests of the ordinary one run, as these wait a part of their time. They end with this script: at Ctrl-C
# ninja stops by itself, and this shell is gone.
mkdir -p build-test
(
    low=nice failed=0 builder=
    trap 'kill $builder 2>/dev/null; exit 3' TERM
    build_bare || failed=1
    kill -0 $$ 2>/dev/null || exit 3
    build_sanitized || failed=$((failed + 2))
    exit $failed
) >build-test/other-builds.log 2>&1 &
other_builds=$!
trap 'kill $other_builds 2>/dev/null' EXIT
trap 'exit 130' INT TERM
# shellcheck disable=SC2086
[ $ordinary_built = no ] || run_tests "ordinary build" build-test $mounts $ordinary_suites

failed=0
wait $other_builds || failed=$?
trap - EXIT INT TERM
[ $failed = 0 ] || cat build-test/other-builds.log
[ $((failed % 2)) = 1 ] ||
    run_tests "build without importers, MPIs, libdeflate, libseccomp and ncurses" build-bare --suite optional --suite quick --suite reader --no-suite slow --no-suite mount

# shellcheck disable=SC2086
[ $failed -ge 2 ] || run_tests "ASan and UBSan" build-sanitize $sanitized_suites

exec python3 scripts/count-tests.py build-test build-bare build-sanitize
