/*
 * run: facts of the run, and which frame of it this is. What the OpenTS visualizer shows as its group C.
 */
#pragma once

#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

extern const XtfTableDeclaration xtf_table_run;

/* Frame k of n, the window [from, to). The output is one of rows. */
bool xtf_run_table(XtfViews *views, uint64_t k, uint64_t n, uint64_t from, uint64_t to, XtfTableOutput *output,
                   GError **error);
/* The file: lines of a name, a value and its unit, without a heading. */
GString *xtf_run_text(const XtfTableOutput *output);
