/*
 * Where metrics of an analysis come from: rows of derived types, which are added up. Kinds of waits name their metrics
 * in their table (src/model/wait-kinds.h).
 */
#pragma once

#include <glib.h>

#include "src/model/wait-kinds.h"

/* By the bytes of the message that was waited for. */
typedef enum { XTF_CUBE_ALL, XTF_CUBE_WITHOUT_BYTES, XTF_CUBE_WITH_BYTES } XtfCubeRows;

/* Rows of a derived type, of one kind or all, and the field that is added up. */
typedef struct {
    int metric;
    const char *array;
    const XtfWaitKind *kind; /* NULL: all */
    const char *field;       /* NULL: rows are counted, at their time */
    const char *when, *is;   /* only rows in which this field has this label; when NULL: all; is NULL: any label */
    const char *less;        /* a field that is taken off; NULL: none */
    XtfCubeRows rows;
    XtfWaitRegion region; /* of the call */
} XtfCubeSource;

/* Returns all of them, XtfCubeSource; the caller unrefs the array. */
GArray *xtf_cube_sources_new(void);
