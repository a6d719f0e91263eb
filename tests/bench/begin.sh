# Common part of run.sh and all.sh, which source it after they set $here, $build, $dir and $archive. It makes $build an
# absolute path, $scratch a folder that is removed at the end, $archive a recording of hpcc if it is empty, and $xtf the
# program.

# Prints the progress with the elapsed time to standard error.
began=$(date +%s)
say() {
    echo "$(basename "$0"): $(($(date +%s) - began)) s: $*" >&2
}

build=$(cd "$build" && pwd)
xtf=$build/src/cli/xtf bench=$build/tests/bench
[ -x "$xtf" ] || { echo "$(basename "$0"): $xtf is not built" >&2 && exit 1; }
export PYTHONDONTWRITEBYTECODE=1

scratch=$(mktemp -d "$dir/xtf-bench-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

if [ -z "$archive" ]; then
    say "recording hpcc"
    archive=$("$here/record-hpcc.sh" 8 1500 "$scratch/hpcc")
fi

# Prints the rows of a bench, each with the command that made it.
figures() {
    name=$1
    say "$name"
    shift
    "$@" --rows | sed "s#\$# \`$name\` |#"
}

# Prints the date and the machine.
print_machine() {
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
    echo "Measured on $(date -u +%Y-%m-%d), $(nproc) cores ($processor), Linux $(uname -r), load average when it began" \
        "$(cut -d' ' -f1 /proc/loadavg)."
}

print_head() {
    printf '\n| figure | XTF | to reach | peers, in the same run | bench |\n|---|---|---|---|---|\n'
}

import_traces() {
    "$xtf" import -q -o "$scratch/hpcc.xtf" "$archive" 2>/dev/null
    "$xtf" import -q -o "$scratch/small.xtf" "$here/../../examples/melt-4" 2>/dev/null
}
