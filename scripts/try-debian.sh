#!/bin/sh
# Tries the commands of the README on a bare Debian: as an ordinary user with sudo and without LANG, in a chroot that
# holds Debian's base system and a copy of the commit that is checked out (HEAD).
#
# usage: try-debian.sh [--mirror URL] [--without-openmpi] [--tests] bookworm|trixie
#
# The steps: scripts/quickstart.sh without an MPI; the same with Open MPI; the same with MPICH as well; the install of an
# ordinary user; recordings in C and Fortran with each MPI, by both forms of the command. --tests adds scripts/test.sh.
# The last lines are a verdict for each step.
#
# The mirror is that of this machine's apt, unless --mirror names one. --without-openmpi leaves Open MPI out.
#
# debootstrap and root are needed, a network, some 2 GB below TMPDIR (6 GB with --tests) and some 10 minutes. Mounts and
# processes live in namespaces of their own, so that nothing stays behind, however the trial ends.
#
# The exit status: 0 all is well, 1 a step failed, 2 wrong usage, 77 nothing could be tried, and the reason is printed.
set -u
umask 022

USER_NAME=tracer # of the chroot's ordinary user

say() {
    printf '\ntry-debian: %s\n' "$*"
}

skip() {
    say "skipped: $*"
    exit 77
}

usage() {
    sed -n '/^# usage/s/^# //p' "$0" >&2
    exit 2
}

# Prints the first URI of Debian in the sources of apt, in either of their two formats.
mirror_of_apt() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -nE 's/^deb +(\[[^]]*\] *)?(https?:[^ ]+) .*/\2/p; s/^URIs: *(https?:[^ ]+).*/\1/p' | grep -E '/debian/?$' | head -n 1
}

# ---- outside: the folder, the namespaces, and their end

# Ends the first process of the namespaces, and with it all others of them, and removes the folder.
clean_up() {
    status=$?
    trap '' INT TERM HUP
    if [ -n "$child" ]; then
        # shellcheck disable=SC2046
        kill -KILL $(cat "/proc/$child/task/$child/children" 2>/dev/null) "$child" 2>/dev/null
        wait "$child" 2>/dev/null
    fi
    rm -rf --one-file-system "$folder"
    exit "$status"
}

# Copies what apt and the resolver of this machine know of the network.
describe_network() {
    cp -L /etc/resolv.conf "$folder/resolv.conf"
    printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$folder/hosts"
    apt-config dump 2>/dev/null | grep -iE '^Acquire::(https?|ftp)::Proxy' >"$folder/proxy.conf"
    for name in http https; do
        value=$(printenv "${name}_proxy")
        [ -z "$value" ] || printf 'Acquire::%s::Proxy "%s";\n' "$name" "$value" >>"$folder/proxy.conf"
    done
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt "$folder/authorities.crt"; fi
}

try() {
    [ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
    for tool in debootstrap unshare setsid git wget; do
        command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || skip "$tool is not installed"
    done
    [ -n "$mirror" ] || mirror=$(mirror_of_apt)
    [ -n "$mirror" ] || skip "the sources of apt name no mirror of Debian (--mirror URL)"
    wget -q -T 30 -t 2 -O /dev/null "$mirror/dists/$suite/Release" || skip "the mirror $mirror cannot be reached"
    commit=$(git -c safe.directory="$PWD" rev-parse --short HEAD 2>/dev/null) || skip "$PWD is no clone by git"

    child=
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xtf-try-debian.XXXXXX") || exit 1
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    git -c safe.directory="$PWD" archive --format=tar -o "$folder/project.tar" HEAD || exit 1
    describe_network
    say "commit $commit on Debian's $suite, from $mirror"
    # In a session of its own the trial gets no SIGINT from the terminal; this process ends it.
    env --default-signal=INT,QUIT setsid unshare --mount --propagation private --pid --fork --kill-child \
        "$PWD/scripts/try-debian.sh" --inside "$folder" "$mirror" "$suite" "$openmpi" "$tests" </dev/null &
    child=$!
    wait "$child"
    status=$?
    child=
    exit "$status"
}

# ---- inside: the chroot, and the steps

# Makes the chroot in $root, with an ordinary user, who may use sudo.
make_chroot() {
    # Where a folder for temporary files allows no devices and programs of other users, this mount of it does.
    mount --bind "$folder" "$folder" && mount -o remount,bind,dev,suid,exec "$folder" || return 1
    mount -t proc proc /proc || return 1 # that of the new namespace, of which debootstrap's scripts ask
    debootstrap --variant=minbase --include=sudo,ca-certificates "$suite" "$root" "$mirror" || return 1
    cp "$folder/resolv.conf" "$folder/hosts" "$root/etc/"
    cp "$folder/proxy.conf" "$root/etc/apt/apt.conf.d/90proxy"
    if [ -f "$folder/authorities.crt" ]; then cp "$folder/authorities.crt" "$root/etc/ssl/certs/ca-certificates.crt"; fi
    mount -t proc proc "$root/proc" && mount --rbind -o ro /sys "$root/sys" || return 1
    mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts" || return 1
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" || return 1
    if [ -c /dev/fuse ]; then mknod -m 666 "$root/dev/fuse" c 10 229 || return 1; fi
    ln -s ../proc/self/mounts "$root/etc/mtab" # systemd's work elsewhere
    chroot "$root" useradd --create-home --shell /bin/bash $USER_NAME || return 1
    printf '%s ALL=(ALL) NOPASSWD: ALL\n' $USER_NAME >"$root/etc/sudoers.d/$USER_NAME"
    mkdir "$root$home/xtf" && tar -x -C "$root$home/xtf" -f "$folder/project.tar" || return 1
    chroot "$root" chown -R "$USER_NAME:$USER_NAME" "$home"
}

# Runs the lines of a shell as the ordinary user, in the copy of the project. The first that fails ends them.
as_user() {
    chroot --userspec="$USER_NAME:$USER_NAME" "$root" env -i HOME="$home" USER=$USER_NAME LOGNAME=$USER_NAME \
        SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin bash -e -u -o pipefail -c "cd ~/xtf; $1"
}

# Runs a step, and notes its verdict: NAME COMMAND [ARGUMENT]...
step() {
    name=$1
    shift
    say "== $name"
    began=$(date +%s)
    if "$@"; then verdict=passed; else verdict=FAILED status=1; fi
    printf '%-6s %5d s  %s\n' $verdict $(($(date +%s) - began)) "$name" >>"$folder/verdicts"
    [ $verdict = passed ]
}

# Runs scripts/quickstart.sh, whose output must have a line that says this.
quickstart_says() {
    as_user "scripts/quickstart.sh" >"$folder/output" 2>&1
    ended=$?
    cat "$folder/output"
    [ $ended -eq 0 ] || return 1
    grep -q -- "$1" "$folder/output" || { say "quickstart.sh did not say: $1"; return 1; }
    [ ! -c "$root/dev/fuse" ] || grep -q 'the trace is mounted on' "$folder/output" || { say "nothing was mounted"; return 1; }
}

# Types the README's lines for the install of an ordinary user.
install_for_user() {
    lines=$(sed -n 's/^    \(.*build-home.*\)/\1/p' "$root$home/xtf/README.md")
    [ -n "$lines" ] || { say "the README shows no install by build-home/"; return 1; }
    printf '$ %s\n' "$lines"
    as_user "$lines
        ~/.local/bin/xtf --version
        test -s ~/.local/share/man/man1/xtf.1
        for mpi in $mpis; do ls ~/.local/lib/*/xtf/libxtf-record-\$mpi.so; done"
}

# Shell functions for recordings: an example in C, and a ring in Fortran.
RECORDING='
PATH=~/.local/bin:$PATH
folder=$(mktemp -d); trap "rm -rf $folder" EXIT; cd $folder
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
cat >ring.f90 <<END
program ring
  use mpi
  implicit none
  integer :: ierr, rank, n, token, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  do i = 1, 100
    token = rank
    call MPI_Sendrecv_replace(token, 1, MPI_INTEGER, mod(rank + 1, n), 7, mod(rank + n - 1, n), 7, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (token /= mod(rank + n - 1, n)) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end do
  call MPI_Finalize(ierr)
end program ring
END
# TRACE CALL: four processes, who send and receive, and the region or call.
expect() {
    xtf check $1
    processes=$(xtf ls $1 /proc | wc -w); sends=$(xtf cat $1 /sends/count); receives=$(xtf cat $1 /recvs/count)
    echo "$1: $processes processes, $sends sends, $receives receives"
    test $processes -eq 4 -a $sends -gt 0 -a $receives -eq $sends
    xtf cat $1 /profile | grep -w -- "$2"
}
'

# Records both programs by both forms of the command, with one MPI.
record_with() {
    as_user "$RECORDING
        mpicc.$1 -O1 -o rod ~/xtf/examples/rod-4/rod.c
        xtf record -o rod.xtf mpirun.$1 -n 4 ./rod
        expect rod.xtf 'inner cells'
        mpirun.$1 -n 4 xtf record -o rod-inside.xtf ./rod
        xtf merge -o merged.xtf rod-inside.xtf.d
        expect merged.xtf 'inner cells'
        mpif90.$1 -O1 -o ring ring.f90
        xtf record -o ring.xtf mpirun.$1 -n 4 ./ring
        expect ring.xtf MPI_Sendrecv_replace
        mpirun.$1 -n 4 xtf record -o ring-inside.xtf ./ring
        xtf check ring-inside.xtf.d"
}

run_steps() {
    step "a bare $suite" make_chroot || return
    step "quickstart.sh, no MPI" quickstart_says 'no MPI with its headers is installed here'
    if [ "$openmpi" = yes ]; then
        step "quickstart.sh, after install-deps.sh mpi, which it names" as_user "scripts/install-deps.sh mpi" &&
            step "quickstart.sh, with Open MPI" quickstart_says 'recording a small program .* mpicc.openmpi'
    fi
    step "MPICH and Fortran" as_user "sudo apt-get install -q -y --no-install-recommends mpich libmpich-dev gfortran" || return
    [ "$openmpi" = yes ] || step "quickstart.sh, with MPICH" quickstart_says 'recording a small program .* mpicc.mpich'
    step "install for an ordinary user, as in the README" install_for_user
    for mpi in $mpis; do
        step "record C and Fortran with $mpi" record_with "$mpi"
    done
    if [ "$tests" = yes ]; then step "scripts/test.sh" as_user "scripts/test.sh"; fi
}

inside() {
    folder=$1 mirror=$2 suite=$3 openmpi=$4 tests=$5
    root=$folder/root home=/home/$USER_NAME status=0 mpis=mpich
    [ "$openmpi" = no ] || mpis="openmpi mpich"
    run_steps
    say "$suite:"
    cat "$folder/verdicts"
    exit $status
}

if [ "${1:-}" = --inside ]; then
    shift
    inside "$@"
fi
suite= mirror= openmpi=yes tests=no
while [ $# -gt 0 ]; do
    case $1 in
    --mirror)
        [ $# -gt 1 ] || usage
        mirror=$2
        shift
        ;;
    --without-openmpi) openmpi=no ;;
    --tests) tests=yes ;;
    bookworm | trixie) suite=$1 ;;
    *) usage ;;
    esac
    shift
done
[ -n "$suite" ] || usage
cd "$(dirname "$0")/.." || exit 1
try
