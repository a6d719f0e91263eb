/*
 * Definition tables as text: a `#` line, then a line a row, all as wide as the widest needs, every text whole.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/trace.h"

typedef struct XtfTableView XtfTableView;

/* The view of a TABLE schema; its table is loaded, and looked over once for its widths. */
XtfTableView *xtf_table_view_new(XtfTrace *trace, const XtfSchema *schema, GError **error);
void xtf_table_view_free(XtfTableView *view); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTableView, xtf_table_view_free)

uint64_t xtf_table_view_size(const XtfTableView *view);
bool xtf_table_view_read(const XtfTableView *view, uint64_t offset, char *buffer, size_t length, GError **error);

/* What of a text of `size` bytes, that stands at `at` in a file, is asked for by a read of `length` bytes from
 * `offset`. */
void xtf_copy_part(const char *text, size_t size, uint64_t at, uint64_t offset, char *buffer, size_t length);
