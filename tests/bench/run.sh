#!/bin/sh
# Measures XTF without its peers, and writes the figures as one Markdown table to stdout. docs/BENCHMARKS.md has the
# main figures of this script, of peers/run.sh and of scale.py.
#
# usage: run.sh [--build DIR] [--dir DIR] [--archive ARCHIVE.otf2] [--records N]
#
# DIR (default: TMPDIR, or /var/tmp) is the folder for the files: at most 12 GB, all removed at the end. The archive is
# one that record-hpcc.sh recorded. Without --archive one is recorded into DIR first, if eztrace and hpcc are installed.
# --records is the size of the paper's example (default: 100 million).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build dir=${TMPDIR:-/var/tmp} archive='' records=100000000

while [ $# -gt 1 ]; do
    case $1 in
    --build) build=$2 ;;
    --dir) dir=$2 ;;
    --archive) archive=$2 ;;
    --records) records=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -ne 0 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
. "$here/begin.sh"

print_machine
print_head
figures "import.py hpcc.otf2" python3 "$here/import.py" --build "$build" --dir "$scratch" "$archive"
import_traces
figures "count-window hpcc.xtf" "$build/tests/bench/count-window" --dir "$scratch" "$scratch/hpcc.xtf"
figures "read-rows hpcc.xtf" "$build/tests/bench/read-rows" "$scratch/hpcc.xtf"
figures "totals hpcc.xtf" "$build/tests/bench/totals" --dir "$scratch" "$scratch/hpcc.xtf"
figures "waits" "$build/tests/bench/waits" --dir "$scratch"
figures "longest hpcc.xtf" "$build/tests/bench/longest" "$scratch/hpcc.xtf"
figures "by.py hpcc.xtf" python3 "$here/by.py" --build "$build" "$scratch/hpcc.xtf"
figures "mount.py hpcc.xtf melt-4.xtf" \
    python3 "$here/mount.py" --build "$build" --dir "$scratch" "$scratch/hpcc.xtf" "$scratch/small.xtf"
figures "records.py --archive hpcc.otf2 hpcc.xtf" \
    python3 "$here/records.py" --build "$build" --dir "$scratch" --archive "$archive" "$scratch/hpcc.xtf"
figures "open-time hpcc.xtf melt-4.xtf" "$build/tests/bench/open-time" "$scratch/hpcc.xtf" "$scratch/small.xtf"
figures "commits" "$build/tests/bench/commits" --dir "$scratch"
figures "small-locations" "$build/tests/bench/small-locations" --dir "$scratch"
figures "papers-example" "$build/tests/bench/papers-example" --dir "$scratch" --records "$records"
