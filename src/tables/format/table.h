/*
 * Definition tables as text: a `#` line, then a line a row. Columns are as wide as their widest cell, up to
 * XTF_TABLE_TEXT_MAX: one long name must not widen a million lines. Longer text is cut and ends in ~ROW; the text of a
 * row has it whole.
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
    XTF_WHOLE_TEXT_MAX = 64 << 20, /* of whatever is shown whole; many fields may refer to one long string */
};

typedef struct XtfTableView XtfTableView;

/* A column that the table does not have, before the last text. */
typedef struct {
    const char *name;
    const char *const *words; /* what cells say */
    const uint8_t *by_row;    /* numbers of words */
} XtfTableExtra;

/* The view of a TABLE schema. Loads its table and measures it. Borrows what `extra` points to, which may be NULL. */
XtfTableView *xtf_table_view_new(XtfTrace *trace, const XtfSchema *schema, const XtfTableExtra *extra, GError **error);
void xtf_table_view_free(XtfTableView *view); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTableView, xtf_table_view_free)

uint64_t xtf_table_view_size(const XtfTableView *view);
bool xtf_table_view_read(const XtfTableView *view, uint64_t offset, char *buffer, size_t length, GError **error);

/* Gives the rows of the table to a sink, with texts that are whole. */
bool xtf_table_view_rows(const XtfTableView *view, const XtfRowSink *sink, GError **error);

uint64_t xtf_table_view_n_rows(const XtfTableView *view);
/* One row, a line a column: its name and its text, which is whole as long as XTF_WHOLE_TEXT_MAX lets it be. NULL
 * with an error. */
GString *xtf_table_view_row_text(const XtfTableView *view, uint64_t number, GError **error);

/* A text of `size` bytes begins at `at` in a file. Copies the part of it that a read of `length` bytes from `offset`
 * wants, to its position in `buffer`. */
void xtf_copy_part(const char *text, size_t size, uint64_t at, uint64_t offset, char *buffer, size_t length);
