#!/bin/sh
# Installs the Debian packages that XTF needs, those that are missing only.
#
# usage: install-deps.sh GROUP...
#   build    to build xtf and libxtf
#   test     to run the tests
#   record   to record programs of MPI in the tests: both MPIs, Fortran, eztrace, and programs to record (some 250 MB; done without where it
#            cannot be had)
#   mpi      to record programs of Open MPI (some 40 MB; done without where it cannot be had)
#   browser  to look at pictures in the tests (some 300 MB; done without where it cannot be had)
#   simgrid  to judge potential deadlocks by SimGrid in the tests (some 13 MB to fetch, 205 MB installed; done without where it cannot be had)
#   fuzz     to run the fuzzers of scripts/fuzz.sh: clang (some 400 MB)
#   peers    to build the benches beside SQLite and LMDB
#   npm      to fetch DuckDB for tests/bench/peers, where npm is missing
set -eu

BUILD="build-essential meson ninja-build pkg-config libglib2.0-dev zlib1g-dev libdeflate-dev libfuse3-dev fuse3 libseccomp-dev libncurses-dev libopen-trace-format2-dev libopen-trace-format-dev libnetcdf-dev libdw-dev"
TEST="libcriterion-dev libpng-dev file otf2-tools otf-trace netcdf-bin python3 python3-pandas jq attr rsync gnuplot-nox tmux"
MPI="openmpi-bin libopenmpi-dev"
RECORD="eztrace hpcc $MPI mpich libmpich-dev gfortran lammps python3-mpi4py"
BROWSER="chromium fonts-dejavu-core libxml2-utils"
SIMGRID="libsimgrid-dev"
FUZZ="clang"
PEERS="sqlite3 libsqlite3-dev liblmdb-dev otf2-tools python3"

say() {
    echo "install-deps: $*"
}

missing() {
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        echo "neither root nor sudo"
        return 1
    fi
}

# Runs a command as root, whose messages go to $log; shows a dot for each package that is fetched or set up.
watched() {
    { as_root "$@" 2>&1 && echo "done: well"; } | tee "$log" | awk '/^(Get:|Unpacking|Setting up)/ {printf "."; fflush(); n++} END {if (n) print ""}'
    [ "$(tail -n 1 "$log")" = "done: well" ]
}

install() {
    wanted=$(missing "$@")
    [ -n "$wanted" ] || return 0
    say "installing $wanted"
    log=$(mktemp)
    # Lists that were never fetched, or are too old to name packages that still exist, are fetched again.
    # shellcheck disable=SC2086
    if watched apt-get install -q -y --no-install-recommends $wanted ||
        { watched apt-get update -q && watched apt-get install -q -y --no-install-recommends $wanted; }; then
        rm -f "$log"
        return 0
    fi
    tail -n 3 "$log" >&2
    rm -f "$log"
    say "these packages are missing and cannot be installed from here (is there a network? may you use sudo?): install them by hand, and run this again: $wanted" >&2
    return 1
}

if [ $# -eq 0 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 2
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no Debian here: nothing is installed. Needed: $BUILD; for the tests: $TEST"
    exit 0
fi
for group in "$@"; do
    case $group in
    build) install $BUILD ;;
    test) install $TEST ;;
    record) install $RECORD || say "going on without $RECORD" ;;
    mpi) install $MPI || say "going on without $MPI" ;;
    browser) install $BROWSER || say "going on without $BROWSER" ;;
    simgrid) install $SIMGRID || say "going on without $SIMGRID" ;;
    fuzz) install $FUZZ ;;
    peers) install $PEERS ;;
    npm) command -v npm >/dev/null || install npm ;;
    *)
        say "no group is called '$group'" >&2
        exit 2
        ;;
    esac
done
