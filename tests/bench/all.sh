#!/bin/sh
# Measures the figures that need an idle machine, and prints tables. docs/BENCHMARKS.md has the main figures.
# With hpcc on 8 ranks it takes some 12 minutes on two cores, and less than 10 GB of disk, which it frees at the end.
#
# usage: all.sh [--build DIR] [--dir DIR] [--archive ARCHIVE.otf2] [--libduckdb FILE] [--locations L] [--times N] [--windows N]
#
# DIR (default: TMPDIR, or /var/tmp) is the folder for the files. The archive is one that record-hpcc.sh recorded;
# without --archive one is recorded first.
# DuckDB and Parquet are measured if --libduckdb names DuckDB's library, which peers/run.sh fetches.
# --locations (default: 100000) is the number of locations of the large traces. A figure is the median of --times (5)
# runs and --windows (10) windows. A trial of a minute:
#
#     all.sh --archive examples/melt-4/eztrace_log.otf2 --locations 1000 --times 1 --windows 2
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build dir=${TMPDIR:-/var/tmp} archive='' duckdb='' locations=100000 times=5 windows=10

while [ $# -gt 1 ]; do
    case $1 in
    --build) build=$2 ;;
    --dir) dir=$2 ;;
    --archive) archive=$2 ;;
    --libduckdb) duckdb=$2 ;;
    --locations) locations=$2 ;;
    --times) times=$2 ;;
    --windows) windows=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -ne 0 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
. "$here/begin.sh"
[ -x "$bench/ask" ] || { echo "all.sh: $bench/ask is not built: ninja -C $build benches" >&2 && exit 1; }
meson configure "$build" 2>/dev/null | grep -q '^ *buildtype *release' ||
    echo "all.sh: $build is no release build: the figures are not comparable" >&2

print_machine
printf '\n## XTF by itself\n'
print_head
figures "import.py hpcc.otf2" python3 "$here/import.py" --build "$build" --dir "$scratch" --times "$times" "$archive"
import_traces
figures "read-rows hpcc.xtf" "$bench/read-rows" "$scratch/hpcc.xtf"
figures "longest hpcc.xtf" "$bench/longest" "$scratch/hpcc.xtf"
figures "mount.py hpcc.xtf melt-4.xtf" python3 "$here/mount.py" --build "$build" --dir "$scratch" --times "$times" \
    "$scratch/hpcc.xtf" "$scratch/small.xtf"
figures "records.py --archive hpcc.otf2 hpcc.xtf" python3 "$here/records.py" --build "$build" --dir "$scratch" --times "$times" \
    --archive "$archive" "$scratch/hpcc.xtf"
figures "first.py hpcc.xtf" python3 "$here/first.py" --build "$build" --times "$times" "$scratch/hpcc.xtf"
figures "messages.py hpcc.xtf" python3 "$here/messages.py" --build "$build" --dir "$scratch" --times "$times" "$scratch/hpcc.xtf"
rm "$scratch/hpcc.xtf" "$scratch/small.xtf"

printf '\n## Beside the peers\n\n'
say "peers.py"
python3 "$here/peers/peers.py" --build "$build" --dir "$scratch" --windows "$windows" ${duckdb:+--libduckdb "$duckdb"} "$archive"

printf '\n## How it grows\n\n'
say "scale.py --only many"
python3 "$here/scale.py" --build "$build" --dir "$scratch" --only many --locations "$locations" --limit 10 --whole
printf '\n### Very many small locations\n\n'
say "scale.py --only small"
python3 "$here/scale.py" --build "$build" --dir "$scratch" --only small --locations "$locations"
say "done"
