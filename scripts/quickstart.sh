#!/bin/sh
# From a clean clone to a mounted trace: installs what is missing, builds into build/, records a small program where an MPI
# is installed, imports the example, mounts it and shows some queries. A build/ that is there is configured anew when
# packages were installed, removed or upgraded, and keeps its options.
#
# usage: quickstart.sh [DIR]
#
# With DIR the trace stays mounted there; without, it is mounted in a temporary folder and unmounted at the end.
set -eu

say() {
    printf '\n== %s\n' "$*"
}

# Shows a command and what it prints, its first lines only where that is much.
show() {
    printf '\n$ %s\n' "$*"
    sh -c "$*" | cut -c1-150
}

target=${1:-}
if [ -n "$target" ]; then
    mkdir -p "$target"
    target=$(cd "$target" && pwd)
fi
cd "$(dirname "$0")/.."

say "installing what is missing"
scripts/install-deps.sh build || exit 1

# Prints the packages that a build finds, with their versions. Nothing where there is no Debian.
packages() {
    dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' '*-dev' meson gcc 2>/dev/null || true
}

# Configures build/, or configures it anew unless the packages are those of the last time: meson remembers what it found.
configure() {
    found=$(packages)
    if [ ! -f build/build.ninja ]; then
        meson setup build --buildtype=release || return 1
    elif [ -z "$found" ] || [ "$found" != "$(cat build/packages 2>/dev/null)" ]; then
        meson configure build --clearcache >/dev/null && meson setup --reconfigure build && ninja -C build -t cleandead >/dev/null || return 1
    fi
    printf '%s\n' "$found" >build/packages
}

say "building into build/"
configure
ninja -C build --quiet
xtf=$PWD/build/src/cli/xtf

# Whether there is what it takes to record programs of an MPI: "openmpi" or "mpich".
can_record() {
    command -v "mpicc.$1" >/dev/null && command -v "mpirun.$1" >/dev/null && [ -f "build/src/record/libxtf-record-$1.so" ]
}

# Open MPI's launcher wants more processes than there are processors, and root, to be allowed.
record() {
    compiler=mpicc.$1 launcher=mpirun.$1
    say "recording a small program on 4 processes: examples/rod-4/rod.c, compiled by $compiler"
    "$compiler" -O1 -o build/rod examples/rod-4/rod.c || return 1
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # up to version 4, and from 5 on
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    printf '\n$ %s\n' "'$xtf' record --force -o build/rod.xtf $launcher -n 4 build/rod"
    "$xtf" record --force -o build/rod.xtf "$launcher" -n 4 build/rod 2>&1 || return 1 # not shown by a pipe, which has a status of its own
    show "'$xtf' cat build/rod.xtf /profile | head -6"
    show "'$xtf' cat build/rod.xtf /messages | head -4"
}
failed=0
mpi=
for name in mpich openmpi; do
    if can_record "$name"; then mpi=$name; fi
done
if [ -z "$mpi" ]; then
    say "no MPI with its headers is installed here, so nothing is recorded: scripts/install-deps.sh mpi, then this again"
elif ! record "$mpi"; then
    say "the program could not be recorded, for the reason above; what follows needs no recording"
    failed=1
fi

say "importing the example: a melt of 4000 atoms on 4 processes, recorded as OTF2"
trace=$PWD/build/melt-4.xtf
"$xtf" import examples/melt-4/eztrace_log.otf2 -o "$trace"

mounted=
temporary=
cleanup() {
    status=$?
    cd /
    if [ -n "$mounted" ] && ! "$xtf" unmount "$temporary"; then
        say "the example is still mounted on $temporary: 'umount -l $temporary' as root ends that"
        status=1
    elif [ -n "$temporary" ]; then
        rmdir "$temporary" || status=1
    fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ ! -c /dev/fuse ]; then
    say "there is no /dev/fuse here, so nothing is mounted; 'xtf cat' shows the same without a mount"
    show "'$xtf' ls '$trace' /"
    show "'$xtf' cat '$trace' /info"
    show "'$xtf' cat '$trace' /proc/2/time/60%-61%/sends/count"
    exit "$failed"
fi

if [ -n "$target" ]; then
    if mountpoint -q "$target"; then
        echo "$target is mounted already; to mount it anew: $xtf unmount $target"
    else
        "$xtf" mount "$trace" "$target"
    fi
    mnt=$target
else
    temporary=$(mktemp -d "${TMPDIR:-/tmp}/xtf-quickstart.XXXXXX")
    if ! "$xtf" mount "$trace" "$temporary"; then
        say "it cannot be mounted here; 'xtf ls' and 'xtf cat' show the same without a mount"
        show "'$xtf' ls '$trace' /"
        exit 1
    fi
    mounted=yes
    mnt=$temporary
fi

cd "$mnt"
say "the trace is mounted on $mnt: a directory is a selection, its files show it"
show "ls"
show "cat info"
show "ls proc proc/2"

say "sub-directories narrow it: by process, time, record type, in any order"
show "cat proc/2/count"
show "cat proc/2/time/60%-61%/count"
show "cat time/60%-61%/sends/proc/2/count"
show "cat proc/0-1/sends/count"

say "records are lines of a fixed width, which the tools you know can take apart"
show "head -5 proc/2/sends/records"
show "tail -3 records"
show "cat sends/columns"
show "awk '/MPI_SEND/ {bytes[\$6] += \$7} END {for (p in bytes) printf \"to process %s: %.0f bytes\\n\", p, bytes[p]}' proc/2/records | sort"
show "cat proc/0/region/MPI_Allreduce/calls/count"
show "head -3 proc/0/region/MPI_Allreduce/calls/records"

say "totals of any window cost no scan: where the time went, and who waits for whom"
show "head -5 time/40%-60%/profile"
show "head -4 time/40%-60%/imbalance"
show "cat time/40%-60%/matrix"

say "and there are links to move about"
show "awk '\$3' proc/2/time/60%-61%/histogram | head -8"
show "ls -l zoom | tail -3"
show "readlink proc/2/time/60%-61%/next"
show "ls definitions && head -5 definitions/regions"

if [ -n "$target" ]; then
    say "it stays mounted on $target; a browser shows $target/index.html; to unmount: $xtf unmount $target"
fi
exit "$failed"
