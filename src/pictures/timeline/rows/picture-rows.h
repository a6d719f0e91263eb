/*
 * The rows of a picture: a process each, or where they are few, a thread each.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"

enum {
    XTF_ROWS_WITH_THREADS = 64, /* of more rows each is a process */
    XTF_ROW_LABEL = 48,
};

typedef struct {
    uint64_t proc, thread;
    bool is_thread;    /* else a process, with all of its selected threads */
    uint32_t first, n; /* of the selected locations */
} XtfPictureRow;

typedef struct {
    XtfSelectedLocations selected; /* those that may have calls */
    XtfPictureRow *all;
    uint32_t n;
} XtfPictureRows;

bool xtf_picture_rows_init(XtfPictureRows *rows, XtfTraceContext *context, const XtfSelection *selection,
                           GError **error);
void xtf_picture_rows_finish(XtfPictureRows *rows); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPictureRows, xtf_picture_rows_finish)

/* The times of the first and the last record of a row that is one location; false with an error. */
bool xtf_picture_row_life(const XtfPictureRow *row, const XtfPictureRows *rows, XtfTraceContext *context,
                          uint64_t *first, uint64_t *last, GError **error);

/* "3", or "3.1" of thread 1 of process 3. */
void xtf_picture_row_label(const XtfPictureRow *row, char label[static XTF_ROW_LABEL]);
