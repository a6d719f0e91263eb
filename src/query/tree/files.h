/*
 * The files of a selection's directory.
 */
#pragma once

#include "src/query/tree/node.h"

extern const char xtf_readme[]; /* docs/TREE.md */

extern const XtfNodeClass xtf_readme_file, xtf_count_file, xtf_columns_file, xtf_records_file;
extern const XtfNodeClass xtf_view_file; /* its `view` is set before its size is asked for */
