#!/bin/sh
# Draws the pictures of the README and the cookbook from the example traces: timeline.png, index.png and messages.png.
# (classes.png is question 26 of the cookbook.)
#
# usage: draw.sh XTF        (the program)
#
# It needs Debian's packages chromium, fonts-dejavu-core and imagemagick, and says so if they are missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
for program in chromium convert; do
    command -v $program >/dev/null || { echo "draw.sh: no $program: apt-get install chromium fonts-dejavu-core imagemagick" >&2; exit 1; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR="$folder" # a browser that is ended leaves folders there

# shoot TRACE PATH WIDTH HEIGHT SCALE NAME: a screenshot in 128 colours, which is what these pictures need.
shoot() {
    "$xtf" cat "$folder/$1.xtf" "$2" >"$folder/page.${2##*.}"
    chromium --headless --no-sandbox --hide-scrollbars --user-data-dir="$folder/chromium" --window-size="$3,$4" \
        --force-device-scale-factor="$5" --screenshot="$folder/shot.png" "$folder/page.${2##*.}" >"$folder/log" 2>&1 ||
        { cat "$folder/log" >&2; exit 1; }
    convert "$folder/shot.png" +dither -colors 128 -strip -define png:compression-level=9 "$here/$6"
}

xtf=$1
"$xtf" import -q -o "$folder/melt-4.xtf" "$examples/melt-4"
"$xtf" import -q -o "$folder/heat.xtf" "$examples/heat-4"
"$xtf" align -q -o "$folder/heat-4.xtf" "$folder/heat.xtf"
"$xtf" analyze -q "$folder/heat-4.xtf"
shoot melt-4 timeline.svg 1600 372 0.75 timeline.png
shoot melt-4 index.html 1600 1380 0.75 index.png
shoot heat-4 time/0.07685-0.07725/timeline.svg 1600 252 0.75 messages.png
