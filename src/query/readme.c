/* The file README at the root of each tree: docs/TREE.md, made into a string by the build. */
#include "src/query/node.h"

const char xtf_readme[] =
#include "src/query/tree-md.inc"
    ;
