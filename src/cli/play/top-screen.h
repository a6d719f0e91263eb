/*
 * The screen of `xtf top`: the profile of a window, with its least and greatest process, or a line a process.
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
    const char *name;    /* of the trace; borrowed */
    GString *path;       /* of the selection, without its window: "", "proc/3/" */
    double from, to;     /* of the window, seconds */
    double duration;     /* of the trace */
    XtfTopColumn sorted; /* by this column, the greatest first */
    guint line, first;   /* the chosen line, and the one at the top */
    bool by_process;
    bool help;    /* the keys are shown instead of a table */
    char *chosen; /* the region, or the process, of the chosen line: what Enter narrows to. Owned */
} XtfTop;

/* "proc/3/time/0.5-1/": what is shown. The caller frees it. */
char *xtf_top_path(const XtfTop *top);
/* A new screen. Sets top->chosen, and keeps the chosen line on the screen. NULL with an error. */
XtfScreen *xtf_top_screen(XtfTop *top, int columns, int lines, bool ascii, GError **error);
