/*
 * The screen of `xtf watch`: a box for each process, numbered and coloured, and the details of a chosen process. If
 * there are too many processes for boxes, they become cells of one character, the worst first.
 */
#pragma once

#include "src/cli/watch/watched-run.h"

typedef struct {
    const char *name; /* name of the run; borrowed */
    const char *note; /* a remark at the foot, such as an error; NULL: none. Borrowed */
    uint64_t chosen;  /* process whose details are shown */
    bool has_chosen;
    bool help; /* help on the keys replaces the details */
} XtfWatchView;

/* Draws a new screen. */
XtfScreen *xtf_watch_screen(const XtfWatchView *view, const XtfWatchedRun *run, int columns, int lines, bool ascii);
/* Returns the number of boxes that fit in a row of a screen of `columns` columns; at least 1. */
guint xtf_watch_boxes_per_row(const XtfWatchedRun *run, int columns);
