# A text to a C file that holds it: the file README at the root of each tree.
s/[\"]/\\&/g
s/^/    "/
s/$/\\n"/
1i\
#include "src/tree/paths/entries.h"\
\
const char xtf_readme[] =
$s/$/;/
