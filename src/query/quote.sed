# Text to the lines of a C string.
s/[\"]/\\&/g
s/^/"/
s/$/\\n"/
