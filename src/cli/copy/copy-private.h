/*
 * Shared by the files that copy a trace.
 */
#pragma once

#include "src/analysis/compensate/compensate.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/copy/kept-rows.h"

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    const XtfCopyOptions *options;
    uint32_t *ids;        /* ids of the copy's schemas, by schema id of the trace */
    uint64_t done, total; /* rows copied, and all rows of arrays */
    GHashTable *strings;  /* string ids of the trace -> ids of the copy, plus 1 */
    XtfKeptRows *kept;    /* changes the rows; NULL: no volume was removed */
} XtfCopy;

/* Returns the references of a schema that lead to strings. The caller unrefs the array. */
GArray *xtf_copy_string_references(const XtfSchema *schema);
/* Copies a row, and replaces its string ids by ids of the copy. */
bool xtf_copy_row(XtfCopy *copy, const XtfSchema *schema, const GArray *strings, const uint8_t *row, uint8_t *to,
                  GError **error);

/* True if a table describes clocks or derived rows that a compensated copy does not have. */
bool xtf_copy_leaves_out_table(const XtfCopy *copy, const XtfSchema *schema);
/* Copies the arrays of all locations with the times of options->compensation. Adds changes of order, and the
 * properties that say so. */
bool xtf_copy_compensated(XtfCopy *copy, GError **error);
