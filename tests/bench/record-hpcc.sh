#!/bin/sh
# Records Debian's hpcc by Debian's eztrace: the trace for the figures in docs/BENCHMARKS.md.
#
# usage: record-hpcc.sh [RANKS [N [DIR]]]
#
# Writes the archive DIR/hpcc.otf2, with hpcc.def and hpcc/ beside it, and prints that path. By default 8 ranks on a 2 x
# 4 grid, N = 1500, in ./hpcc: 35 million events, 500 MB.
set -eu

fail() {
    echo "record-hpcc: $*" >&2
    exit 1
}

ranks=${1:-8} size=${2:-1500} dir=${3:-hpcc}
input=/usr/share/doc/hpcc/examples/_hpccinf.txt

for tool in hpcc eztrace mpirun; do
    command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install hpcc eztrace openmpi-bin"
done
[ ! -e "$dir/hpcc.otf2" ] || fail "$dir/hpcc.otf2 exists already"
[ -f "$input" ] || input=$input.gz
[ -f "$input" ] || fail "hpcc's example input is missing: $input"

# The grid: the two factors of the number of ranks that are nearest to each other.
rows=1 try=1
while [ $((try * try)) -le "$ranks" ]; do
    [ $((ranks % try)) -ne 0 ] || rows=$try
    try=$((try + 1))
done

mkdir -p "$dir"
scratch=$(mktemp -d "$dir/recording.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

zcat -f "$input" |
    sed -e "s/^[0-9 ]*Ns *\$/$size         Ns/" -e "s/^[0-9 ]*Ps *\$/$rows            Ps/" \
        -e "s/^[0-9 ]*Qs *\$/$((ranks / rows))            Qs/" >"$scratch/hpccinf.txt"
root_too=
[ "$(id -u)" -ne 0 ] || root_too=--allow-run-as-root
# shellcheck disable=SC2086
(cd "$scratch" && mpirun $root_too --oversubscribe -n "$ranks" eztrace -t openmpi -o out hpcc) >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; fail "the recording failed"; }

# The files of an archive refer to one another by their common name, so they can be renamed together.
for part in .def '' .otf2; do
    mv "$scratch"/out/*_trace/*_log$part "$dir/hpcc$part"
done
echo "$dir/hpcc.otf2"
