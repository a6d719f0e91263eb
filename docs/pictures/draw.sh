#!/bin/sh
# Draws the pictures of the README anew, from the example traces.
#
# usage: draw.sh XTF        (the program; needs rsvg-convert, Debian's librsvg2-bin)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" import -q -o "$folder/melt.xtf" "$here/../../examples/melt-4"
"$1" cat "$folder/melt.xtf" timeline.svg | rsvg-convert -w 1200 -o "$here/timeline.png"
