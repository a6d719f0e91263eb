#!/bin/sh
# Precompiles glib.h for a build with -Dprecompiled=true; the compiler needs 0.1 s to read it. Writes HEADER, which sources then include
# first, and the folder HEADER.gch beside it. The folder has a file for each kind of code. GCC chooses the file that fits, or reads HEADER.
#
# usage: precompile.sh HEADER DEPENDENCIES COMPILER [FLAG]...
set -eu
header=$1 dependencies=$2
shift 2
# Without random addresses, GCC writes equal files at each run. ccache needs them. Some containers forbid it.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
mkdir -p "$header.gch"
echo '#include <glib.h>' >"$header.in" # else the header would depend on itself
for kind in "-fPIC" "-fPIE" "-fPIE -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=600"; do # the last is that of sources which may use ncurses
    # shellcheck disable=SC2086
    $fixed "$@" $kind -x c-header -MD -MF "$dependencies" -MQ "$header" -o "$header.gch/$(echo "$kind" | tr -d ' =-')" "$header.in"
done
cp "$header.in" "$header"
