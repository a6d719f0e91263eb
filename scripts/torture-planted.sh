#!/bin/sh
# Shows that the harnesses of tests/torture can fail: plants the defects of tests/torture/planted, which they must find.
#
# usage: torture-planted.sh [--check] [NAME...]
#
# Each patch takes one mend out of a copy of this folder, or adds a defect of the same kind. `Breaks:` in its head says what then is wrong, and
# `Found by:` which harness must report it. The same command must report nothing wrong without the patch. Ends with `N defects planted, N found`.
#
# --check only tries whether each patch has its head and applies.
set -eu

cd "$(dirname "$0")/.."
. scripts/until-signal.sh
patches=tests/torture/planted
GIT_CEILING_DIRECTORIES=$(dirname "$PWD") # the copy is in no repository
export GIT_CEILING_DIRECTORIES PYTHONDONTWRITEBYTECODE=1

# Prints a line of a patch's head.
head_of() {
    sed -n "/^diff/q; s/^$2: //p" "$patches/$1.patch"
}

# Fails unless a patch has its head and applies.
check_patch() {
    if [ -z "$(head_of "$1" Breaks)" ] || [ ! -f "tests/torture/$(head_of "$1" 'Found by' | cut -d' ' -f1)" ]; then
        echo "$1: its head does not say what it breaks, or which harness finds it" >&2
        return 1
    fi
    git apply --check "$patches/$1.patch" || { echo "$1: no longer applies" >&2 && return 1; }
}

# Runs a harness in the copy. Keeps its output, and sets `result` to the last line.
run_harness() {
    harness=$1 && shift
    until_signal python3 "$copy/tests/torture/$harness" --build "$copy/build" "$@" >"$copy.output" 2>&1 || true
    result=$(tail -n 1 "$copy.output")
}

# Runs the command of a defect without the defect, once.
run_control() {
    grep -qxF "$1" "$copy.clean" && return
    # shellcheck disable=SC2086
    run_harness $1
    case $result in
    *" cases, 0 wrong"*) echo "$1" >>"$copy.clean" ;;
    *) echo "$1 reports without a defect: $result" && cat "$copy.output" && return 1 ;;
    esac
}

# Plants a defect. Fails unless its harness counts wrong cases.
plant() {
    git -C "$copy" apply "$PWD/$patches/$1.patch"
    until_signal ninja -C "$copy/build" --quiet
    # shellcheck disable=SC2046
    run_harness $(head_of "$1" 'Found by')
    git -C "$copy" apply -R "$PWD/$patches/$1.patch"
    case $result in
    *" cases, 0 wrong"*) ;;
    *" cases, "*" wrong"*) echo "found: $1, by $(head_of "$1" 'Found by'): $result" && return ;;
    esac
    echo "MISSED: $1, by $(head_of "$1" 'Found by'): $result"
    return 1
}

check=
case ${1-} in
--check) check=1 && shift ;;
-h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
command -v git >/dev/null || { echo "there is no git here" && exit 77; }
names=$*
[ -n "$names" ] || names=$(cd $patches && find . -name '*.patch' | sed 's/^..//; s/\.patch$//' | sort)

bad=0
for name in $names; do
    check_patch "$name" || bad=1
done
[ -z "$check" ] && [ $bad = 0 ] || exit $bad

scratch=$(mktemp -d "${TMPDIR:-/tmp}/xtf-planted-XXXXXX")
trap 'end_child; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$scratch"
copy=$scratch/copy
mkdir "$copy"
touch "$copy.clean"
git ls-files -z | xargs -0 cp -P --parents -t "$copy"
until_signal meson setup "$copy/build" "$copy" -Dtests=enabled >/dev/null

planted=0 found=0
for name in $names; do
    until_signal ninja -C "$copy/build" --quiet
    run_control "$(head_of "$name" 'Found by')" || exit 1
    planted=$((planted + 1))
    if plant "$name"; then
        found=$((found + 1))
    fi
done
echo "$planted defects planted, $found found"
[ "$planted" = "$found" ]
