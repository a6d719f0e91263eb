/*
 * A table that is made whole, as text or as rows: who makes it need not know which.
 *
 *     xtf_grid_init(&output->grid, &table);
 *     xtf_grid_add(&output->grid, "proc", width);
 *     XtfLines *lines = xtf_table_output_begin(output, scale);
 *     xtf_lines_number(lines, proc);
 *     return xtf_lines_finish(lines, error);
 */
#pragma once

#include "src/trace/text/lines.h"

typedef struct {
    XtfGrid grid;
    XtfLines lines;
    GString *text; /* NULL: rows are made */
    XtfRows rows;
} XtfTableOutput;

void xtf_table_output_init_text(XtfTableOutput *output);
void xtf_table_output_init_rows(XtfTableOutput *output);
void xtf_table_output_finish(XtfTableOutput *output); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfTableOutput, xtf_table_output_finish)

/* Begins the lines once the grid has its columns; of a text, adds the heading. */
XtfLines *xtf_table_output_begin(XtfTableOutput *output, const XtfTimeScale *scale);
