/* A small trace with schemas of the test, and the contents of its files. */
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

/* Begins a sample. A test first writes all schemas and rows, then opens the sample, then reads. */
Sample sample_begin(void);
void sample_open(Sample *sample);
void sample_end(Sample *sample); /* removes the file */

XtfSchema *sample_define(Sample *sample, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields);
/* Appends a row of an array, or of a table, which ignores the location. */
void sample_append(Sample *sample, const XtfSchema *schema, uint64_t location, const uint64_t *values);
uint64_t sample_string(Sample *sample, const char *text);

/* Reads a whole file and asserts that it has the stated size. */
char *sample_text(Sample *sample, const char *path);
/* Returns the cell of a line at the bytes that `columns` states for a column, without the blanks around it. */
char *sample_cell(Sample *sample, const char *directory, unsigned line, const char *column);
void sample_assert_cell(Sample *sample, const char *directory, unsigned line, const char *column, const char *expected);
