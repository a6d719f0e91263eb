/*
 * run: facts of the run, and the number of the frame. The OpenTS visualizer shows them as its group C.
 */
#pragma once

#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

extern const XtfTableDeclaration xtf_table_run;

/* Writes the table for frame k of n, the window [from, to), to an output of rows. */
bool xtf_run_table(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, XtfTableOutput *output,
                   GError **error);
/* Returns the file: lines of a name, a value and its unit, without a heading. The caller frees it. */
GString *xtf_run_text(const XtfTableOutput *output);
