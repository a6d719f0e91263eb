#!/bin/sh
# Runs the torture harnesses of tests/torture: crash, power loss, hostile input, load. Each ends with `N cases, W wrong`.
#
# usage: torture.sh [--quick | --long | --cases N] [--seed N] [HARNESS...]
#
# --quick (default) takes about 2 minutes, --long hours; --cases N runs at most some N cases of each row. A fault names the seed and the case,
# which show it again:
#     torture.sh crash --seed 1 --case 17 import
#
# Without names, only --long runs `threads`. scripts/torture-planted.sh shows that the harnesses find defects.
set -eu

cd "$(dirname "$0")/.."
. scripts/until-signal.sh
trap end_child EXIT
trap 'exit 130' INT TERM HUP
export PYTHONDONTWRITEBYTECODE=1

count= seed=1 harnesses=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) count= ;;
    --long) count=--long ;;
    --cases) count="--cases $2" && shift ;;
    --seed) seed=$2 && shift ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 0 ;;
    -*) break ;;
    *) [ -f "tests/torture/$1.py" ] || { echo "torture: there is no harness $1" >&2 && exit 2; } && harnesses="$harnesses $1" ;;
    esac
    shift
done
if [ -z "$harnesses" ]; then
    harnesses=$(cd tests/torture && grep -l '^    main()' ./*.py | sed 's/^..//; s/\.py$//')
    [ "$count" = --long ] || harnesses=$(echo "$harnesses" | grep -vx threads) # it builds all once more
fi

build=${XTF_BUILD:-build-test}
if [ ! -f "$build/build.ninja" ]; then
    echo "torture: configures $build"
    until_signal meson setup "$build" -Dtests=enabled >/dev/null
fi
until_signal ninja -C "$build" --quiet

failed=0
for harness in $harnesses; do
    printf '%s: ' "$harness"
    # shellcheck disable=SC2086
    until_signal python3 "tests/torture/$harness.py" --build "$build" $count --seed "$seed" "$@" || failed=1
done
exit $failed
