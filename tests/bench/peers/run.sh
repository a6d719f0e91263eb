#!/bin/sh
# Installs the peers, builds XTF, and measures all of them on one trace: prints one Markdown table.
#
# usage: run.sh [--dir DIR] [--windows N] [ARCHIVE.otf2]
#
# Installs Debian's packages of SQLite, LMDB, OTF2 and npm if they are missing (as root, or with sudo). Installs
# DuckDB's library from the npm package @duckdb/node-api into a folder that is removed at the end. Without an archive it
# records hpcc on 8 ranks. DIR (default: TMPDIR, or /var/tmp) needs some 6 GB.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../..
dir=${TMPDIR:-/var/tmp} windows=20
while [ $# -gt 0 ]; do
    case $1 in
    --dir) dir=$2 && shift 2 ;;
    --windows) windows=$2 && shift 2 ;;
    -*) sed -n 's/^# usage: /usage: /p' "$0" >&2 && exit 2 ;;
    *) break ;;
    esac
done
archive=${1:-}

say() {
    echo "peers: $*" >&2
}

"$top/scripts/install-deps.sh" build peers >&2
[ -n "$archive" ] || "$top/scripts/install-deps.sh" record >&2
"$top/scripts/install-deps.sh" npm >&2 || say "no npm"

scratch=$(mktemp -d "$dir/xtf-peers-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

say "building"
meson setup --buildtype=release "$scratch/build" "$top" >"$scratch/log" 2>&1 && ninja -C "$scratch/build" all benches >>"$scratch/log" 2>&1 || {
    tail -20 "$scratch/log" >&2
    exit 1
}
duckdb=
if command -v npm >/dev/null; then
    say "fetching DuckDB"
    mkdir "$scratch/npm"
    if npm install --prefix "$scratch/npm" --no-audit --no-fund --silent @duckdb/node-api >"$scratch/log" 2>&1; then
        duckdb=$(find "$scratch/npm" -name 'libduckdb.so' | head -1)
    fi
fi
[ -n "$duckdb" ] || say "DuckDB cannot be installed: DuckDB and Parquet are left out"
if [ -z "$archive" ]; then
    say "recording hpcc"
    archive=$("$here/../record-hpcc.sh" 8 1500 "$scratch/hpcc")
fi
say "measuring"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/peers.py" --build "$scratch/build" --dir "$scratch" --windows "$windows" \
    ${duckdb:+--libduckdb "$duckdb"} "$archive"
