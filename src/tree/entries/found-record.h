/*
 * The record of a directory num/K, and of the files in it: where it is, and its row. Texts of files that have a
 * record's texts whole.
 */
#pragma once

#include "src/tree/node/node-class.h"

typedef struct {
    XtfSpan span; /* of this row only, without a filter: its position is the row's number */
    uint8_t row[XTF_ROW_MAX];
    uint64_t t, seq;
} XtfFoundRecord;

/* Finds the record that the number of a node, `record.number`, has in the node's selection. */
bool xtf_found_record(XtfNode *node, XtfFoundRecord *record, GError **error);

/* Adds a text in `width` characters; with blanks, as of the last column. */
void xtf_add_shown_text(GString *out, const char *text, size_t width, bool blanks);
/* Adds all of a text, unless there is too much before it already: it is held in memory. */
void xtf_add_whole_text(GString *out, const char *text);
