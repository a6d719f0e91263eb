/*
 * Definition tables as text: a `#` line, then a line a row. Columns are as wide as their widest cell: no text is cut.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/trace.h"

typedef struct XtfTableView XtfTableView;

/* The view of a TABLE schema. Loads its table and measures it. */
XtfTableView *xtf_table_view_new(XtfTrace *trace, const XtfSchema *schema, GError **error);
void xtf_table_view_free(XtfTableView *view); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTableView, xtf_table_view_free)

uint64_t xtf_table_view_size(const XtfTableView *view);
bool xtf_table_view_read(const XtfTableView *view, uint64_t offset, char *buffer, size_t length, GError **error);

/* A text of `size` bytes begins at `at` in a file. Copies the part of it that a read of `length` bytes from `offset`
 * wants, to its position in `buffer`. */
void xtf_copy_part(const char *text, size_t size, uint64_t at, uint64_t offset, char *buffer, size_t length);
