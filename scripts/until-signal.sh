# Sourced by scripts that run long programs. A shell handles a signal when its foreground program has ended; until_signal lets it do so at once.
#
# usage: . scripts/until-signal.sh
#        trap 'end_child; ...' EXIT
#        trap 'exit 130' INT TERM HUP
#        until_signal PROGRAM [ARGUMENT...]

child=

# Runs a program, and returns its status. A signal to this script ends the script, whose end ends the program.
until_signal() {
    setsid "$@" &
    child=$!
    ended=0
    wait "$child" || ended=$?
    child=
    return $ended
}

# Ends the program that runs, and waits for it, since it may have files to remove. Then ends what it has started and left.
end_child() {
    trap '' INT TERM HUP
    if [ -n "$child" ]; then
        kill "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
        kill -- "-$child" 2>/dev/null || true
    fi
}
