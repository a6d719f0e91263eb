/*
 * The rows of a picture: processes, or threads if they are few.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"

enum {
    XTF_ROWS_WITH_THREADS = 64, /* most rows that are threads; of more, each is a process */
    XTF_ROW_LABEL = 48,
};

typedef struct {
    uint64_t proc, thread;
    bool is_thread;    /* false: a process with all of its selected threads */
    uint32_t first, n; /* n selected locations from the first */
} XtfPictureRow;

typedef struct {
    XtfSelectedLocations selected; /* locations that may have calls */
    XtfPictureRow *all;
    uint32_t n;
} XtfPictureRows;

bool xtf_picture_rows_init(XtfPictureRows *rows, XtfTraceContext *context, const XtfSelection *selection,
                           GError **error);
void xtf_picture_rows_finish(XtfPictureRows *rows); /* all zeros is valid */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPictureRows, xtf_picture_rows_finish)

/* The times of the first and the last record of a location in one run. */
typedef struct {
    uint64_t first, last;
} XtfPictureLife;

/* Returns the lives of a row that is one location, as XtfPictureLife, ascending. The caller unrefs the array. NULL with
 * an error. */
GArray *xtf_picture_row_lives(const XtfPictureRow *row, const XtfPictureRows *rows, XtfTraceContext *context,
                              GError **error);

/* Prints "3" for process 3, or "3.1" for its thread 1. */
void xtf_picture_row_label(const XtfPictureRow *row, char label[static XTF_ROW_LABEL]);
