/*
 * Sources of the metrics of an analysis: fields of derived types, which the export adds up. The table of wait kinds
 * (src/model/wait-kinds.h) names the metrics of each kind.
 */
#pragma once

#include <glib.h>

#include "src/model/wait-kinds.h"

/* Rows to use, by the bytes of the awaited message. */
typedef enum { XTF_CUBE_ALL, XTF_CUBE_WITHOUT_BYTES, XTF_CUBE_WITH_BYTES } XtfCubeRows;

/* Rows of a derived type, of one kind or all, and the field to add up. */
typedef struct {
    int metric;
    const char *array;
    const XtfWaitKind *kind; /* NULL: all */
    const char *field;       /* NULL: rows are counted, at their time */
    /* Only rows whose field `condition` has `label` count. NULL: all rows; label NULL: any label. */
    const char *condition, *label;
    const char *subtracted; /* field to subtract; NULL: none */
    XtfCubeRows rows;
    XtfWaitRegion region; /* regions in whose calls the waits count */
} XtfCubeSource;

/* Returns all sources (XtfCubeSource). The caller unrefs the array. */
GArray *xtf_cube_sources_new(void);
