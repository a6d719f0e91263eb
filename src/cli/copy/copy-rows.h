/*
 * Rows of a copy: a copy has its own ids of strings and schemas.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    uint32_t *ids;       /* ids of the copy's schemas, by schema id of the trace */
    GHashTable *strings; /* string ids of the trace -> ids of the copy, plus 1 */
} XtfCopyRows;

/* Returns the references of a schema that lead to strings. The caller unrefs the array. */
GArray *xtf_copy_string_references(const XtfSchema *schema);
/* Copies a row, and replaces its string ids by ids of the copy. `strings`: the references of its schema. */
bool xtf_copy_row(const XtfCopyRows *copy, const XtfSchema *schema, const GArray *strings, const uint8_t *row,
                  uint8_t *to, GError **error);
