/*
 * The screen of `xtf top`: the profile of a window, with the least and greatest process of each region, or a line for
 * each process.
 */
#pragma once

#include "src/cli/play/screen.h"
#include "src/cli/play/value-table.h"

typedef enum {
    XTF_TOP_CALLS,
    XTF_TOP_INCLUSIVE,
    XTF_TOP_EXCLUSIVE,
    XTF_TOP_MIN,
    XTF_TOP_MAX,
    XTF_TOP_N_COLUMNS
} XtfTopColumn;

typedef struct {
    XtfTree *tree;       /* borrowed */
    const char *name;    /* name of the trace; borrowed */
    GString *path;       /* path of the selection without its window: "", "proc/3/" */
    double from, to;     /* begin and end of the window, seconds */
    double duration;     /* duration of the trace, seconds */
    XtfTopColumn sorted; /* column by which lines are sorted, greatest first */
    guint line, first;   /* chosen line, and line at the top */
    bool by_process;
    bool help;    /* help on the keys replaces the table */
    char *chosen; /* region or process of the chosen line, to which Enter narrows. Owned */
} XtfTop;

/* Returns the path of the selection with its window: "proc/3/time/0.5-1/". The caller frees it. */
char *xtf_top_path(const XtfTop *top);
/* Draws a new screen. Sets top->chosen, and keeps the chosen line visible. Returns NULL with an error. */
XtfScreen *xtf_top_screen(XtfTop *top, int columns, int lines, bool ascii, GError **error);
