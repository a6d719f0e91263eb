/*
 * A small trace with schemas of one's own, and what its files show.
 */
#pragma once

#include <stdint.h>

#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

typedef struct {
    char *path;
    XtfWriter *writer;
    XtfTrace *trace;
    XtfTree *tree;
} Sample;

/* First everything is written, then it is opened, then it is read. */
Sample sample_begin(void);
void sample_open(Sample *sample);
void sample_end(Sample *sample); /* removes the file */

XtfSchema *sample_define(Sample *sample, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields);
/* A row of an array, or of a table, whose location does not count. */
void sample_append(Sample *sample, const XtfSchema *schema, uint64_t location, const uint64_t *values);
uint64_t sample_string(Sample *sample, const char *text);

/* All of a file, which must have its stated size. */
char *sample_text(Sample *sample, const char *path);
/* What stands in a column of a line, by the bytes that `columns` states for it; without the blanks around it. */
char *sample_cell(Sample *sample, const char *directory, unsigned line, const char *column);
void sample_assert_cell(Sample *sample, const char *directory, unsigned line, const char *column, const char *expected);
