#!/bin/sh
# Runs a fuzzer of tests/fuzz/targets by libFuzzer, with ASan and UBSan; ends with `N executions, W wrong`.
#
# usage: fuzz.sh TARGET SECONDS     one target
#        fuzz.sh --long             each target for two hours
#        fuzz.sh --minimise TARGET  replaces the stored corpus by the smallest inputs that reach what all inputs reach
#        fuzz.sh --list             the names of the targets
#
# Needs clang (scripts/install-deps.sh build fuzz). The build folder is build-fuzz. New inputs are kept in
# build-fuzz/corpus, wrong ones in build-fuzz/findings, whose paths the last lines name.
set -eu

cd "$(dirname "$0")/.."
. scripts/until-signal.sh
export PYTHONDONTWRITEBYTECODE=1
build=build-fuzz
LONG=7200

usage() {
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit "$1"
}

list_targets() {
    sed -n "s/^ *\(fuzz_targets += {\)\{0,1\} *'\([a-z0-9]*\)': {'sources'.*/\2/p" tests/fuzz/targets/meson.build
}

# Clang's check of pointers refuses an offset of 0 from NULL, which empty arrays of GLib have, and which C23 allows.
setup() {
    if [ ! -f $build/build.ninja ]; then
        command -v clang >/dev/null || { echo "fuzz: needs clang: scripts/install-deps.sh build fuzz" >&2 && exit 2; }
        compiler=clang
        ! command -v ccache >/dev/null || compiler="ccache clang"
        export CC="$compiler"
        until_signal meson setup $build -Dfuzz=true -Dtests=enabled -Db_sanitize=address,undefined -Db_lundef=false \
            -Doptimization=1 -Ddebug=false -Dopenmpi=disabled -Dmpich=disabled \
            "-Dc_args=-g1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow" >/dev/null
    fi
    until_signal ninja -C $build --quiet fuzzers >/dev/null
}

# What each target needs: the longest input, and libFuzzer's other options.
options_of() {
    case $1 in
    file | otf1 | otf2) echo "-max_len=65536 -len_control=0" ;;
    path) echo "-max_len=256 -len_control=0" ;;
    requests) echo "-max_len=4096 -len_control=0" ;;
    *) echo "-max_len=16384 -len_control=0" ;;
    esac
    [ ! -f "tests/fuzz/targets/$1.dict" ] || echo "-dict=tests/fuzz/targets/$1.dict"
}

# Files of targets go into a folder that is removed at the end; /dev/shm is memory.
with_folder() {
    parent=/dev/shm
    [ -w $parent ] || parent=${TMPDIR:-/tmp}
    folder=$(mktemp -d "$parent/xtf-fuzz.XXXXXX")
    trap 'end_child; rm -rf "$folder"' EXIT
    export TMPDIR="$folder" XTF_FUZZ_TRACE="$PWD/examples/rod-4/rod.xtf" XTF_FUZZ_ANCHOR="$PWD/examples/heat-4/eztrace_log.otf2"
    export ASAN_OPTIONS="${ASAN_OPTIONS:-abort_on_error=1:handle_abort=1:allocator_may_return_null=1:max_allocation_size_mb=1024}"
    export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/fuzz/targets/lsan.supp:print_suppressions=0}"
    # GLib's warnings are part of answers; one for each input would fill the log.
    export G_MESSAGES_DEBUG=
}

# Compares libxtf with the Python reader on all inputs of a folder, and keeps the output.
compare_readers() {
    until_signal python3 tests/fuzz/opinions.py $build/tests/format/read-file $build/src/cli/xtf "$1" >$build/opinions.log 2>&1 && good=0 || good=1
    echo "file, two readers: $(tail -n 1 $build/opinions.log)"
    [ $good -eq 0 ] || echo "fuzz: the log is $build/opinions.log"
    return $good
}

# Makes traces without a fault, which the stored corpus has few of.
make_seeds() {
    [ ! -f "$1/000001.xtf" ] || return 0
    for codec in plain compact; do
        "$build/tests/reader/dump-trace" write "$folder/$codec.xtf" $codec 1 4096 1 6
    done
    "$build/tests/fuzz/rewrite-files" 1 200 "$1" "$folder/plain.xtf" "$folder/compact.xtf" examples/rod-4/rod.xtf
    rm "$folder/plain.xtf" "$folder/compact.xtf"
}

# Runs a target for some seconds. A finding ends the run.
run_target() {
    target=$1 seconds=$2
    stored=tests/fuzz/corpus/$target kept=$build/corpus/$target found=$build/findings/$target
    mkdir -p "$stored" "$kept" "$found"
    [ "$target" != file ] || make_seeds "$kept"
    log=$build/$target.log status=0
    # shellcheck disable=SC2046
    until_signal "$build/tests/fuzz/targets/fuzz-$target" $(options_of "$target") -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
        -malloc_limit_mb=1024 -artifact_prefix="$found/" -print_final_stats=1 "$kept" "$stored" >"$log" 2>&1 || status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    [ -n "$executions" ] || executions=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -n 1)
    wrong=0
    if [ $status -ne 0 ]; then
        wrong=1
        grep -E 'fuzz: |ERROR: |SUMMARY: |Test unit written' "$log" | tail -n 5 || true
        echo "fuzz: the log is $log; again: XTF_FUZZ_TRACE=$XTF_FUZZ_TRACE XTF_FUZZ_ANCHOR=$XTF_FUZZ_ANCHOR $build/tests/fuzz/targets/fuzz-$target INPUT"
    fi
    [ "$target" != file ] || compare_readers "$kept" || wrong=$((wrong + 1))
    echo "$target: ${executions:-0} executions, $wrong wrong"
    [ $wrong -eq 0 ]
}

minimise() {
    target=$1
    stored=tests/fuzz/corpus/$target new=$build/minimised/$target
    rm -rf "$new"
    mkdir -p "$stored" "$new" "$build/corpus/$target"
    # shellcheck disable=SC2046
    until_signal "$build/tests/fuzz/targets/fuzz-$target" $(options_of "$target") -timeout=60 -rss_limit_mb=2048 -merge=1 "$new" "$stored" "$build/corpus/$target" \
        >"$build/$target.minimise.log" 2>&1
    case $target in
    file) bound=240000 ;;
    *) bound=80000 ;;
    esac
    # The largest go first. Inputs that showed a defect have names of their own, and stay.
    find "$new" -type f -printf '%s %p\n' | sort -n | awk -v bound=$bound '{sum += $1; if (sum > bound) print $2}' | xargs -r rm
    find "$stored" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    mv "$new"/* "$stored"
    echo "fuzz: $stored has $(find "$stored" -type f | wc -l) inputs of $(du -sb "$stored" | cut -f1) bytes"
}

known() {
    list_targets | grep -qx "$1" || { echo "fuzz: there is no target $1: $(list_targets | tr '\n' ' ')" >&2 && exit 2; }
}

case ${1:-} in
--list) list_targets && exit 0 ;;
-h | --help) usage 0 ;;
--long) [ $# -eq 1 ] || usage 2; targets=$(list_targets) seconds=$LONG ;;
--minimise) [ $# -eq 2 ] || usage 2; known "$2" ;;
*) [ $# -eq 2 ] || usage 2; known "$1"; targets=$1 seconds=$2 ;;
esac
trap end_child EXIT
trap 'exit 130' INT TERM HUP
setup
with_folder
if [ "$1" = --minimise ]; then
    minimise "$2"
    exit 0
fi
failed=0
for target in $targets; do
    run_target "$target" "$seconds" || failed=1
done
exit $failed
