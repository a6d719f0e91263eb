/*
 * Position and row of the record that a directory num/K and its files show. Output of texts for files that show a
 * record's texts uncut.
 */
#pragma once

#include "src/tree/node/node-class.h"

typedef struct {
    XtfSpan span; /* holds only this row, without a filter; its position is the row's number */
    uint8_t row[XTF_ROW_MAX];
    uint64_t t, seq;
} XtfFoundRecord;

/* Finds the record with the node's number, `record.number`, in the node's selection. */
bool xtf_found_record(XtfNode *node, XtfFoundRecord *record, GError **error);

/* Adds an escaped text in `width` characters. All columns but the last set `escape_blanks`. */
void xtf_add_shown_text(GString *out, const char *text, size_t width, bool escape_blanks);
/* Adds a whole text, unless `out`, which is held in memory, is too long already. */
void xtf_add_whole_text(GString *out, const char *text);
