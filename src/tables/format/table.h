/*
 * Definition tables as text: a `#` line, then one line for each row. Columns are as wide as their widest cell, up to
 * XTF_TABLE_TEXT_MAX, so that one long name does not widen a million lines. Longer text is cut and ends in ~ROW.
 * xtf_table_view_row_text() has the whole text.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "src/trace/text/row-sink.h"

enum {
    XTF_TABLE_TEXT_MAX = 256,      /* bytes of a cell */
    XTF_WHOLE_TEXT_MAX = 64 << 20, /* bytes of the text of one row; many fields may refer to one long string */
};

typedef struct XtfTableView XtfTableView;

/* An additional column, before the last text of the table. */
typedef struct {
    const char *name;
    const char *const *words; /* texts of the cells */
    const uint8_t *by_row;    /* by row: index into `words` */
} XtfTableExtra;

/* Makes the view of a TABLE schema: loads the table and measures its columns. Borrows `extra`, which may be NULL. */
XtfTableView *xtf_table_view_new(XtfTrace *trace, const XtfSchema *schema, const XtfTableExtra *extra, GError **error);
void xtf_table_view_free(XtfTableView *view); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTableView, xtf_table_view_free)

uint64_t xtf_table_view_size(const XtfTableView *view);
bool xtf_table_view_read(const XtfTableView *view, uint64_t offset, char *buffer, size_t length, GError **error);

/* Passes the rows of the table to a sink, with uncut texts. */
bool xtf_table_view_rows(const XtfTableView *view, const XtfRowSink *sink, GError **error);

uint64_t xtf_table_view_n_rows(const XtfTableView *view);
/* Returns the text of one row, a line for each column: its name and the whole cell, up to XTF_WHOLE_TEXT_MAX. NULL with
 * an error. */
GString *xtf_table_view_row_text(const XtfTableView *view, uint64_t number, GError **error);

/* Copies the part of a text that a read of `length` bytes from `offset` covers. The text has `size` bytes and begins at
 * `at` in the file. `buffer` holds the whole read. */
void xtf_copy_part(const char *text, size_t size, uint64_t at, uint64_t offset, char *buffer, size_t length);
