/*
 * Copying a trace, row by row. The copy holds the same and may be stored another way.
 */
#pragma once

#include <stdatomic.h>

#include "libxtf/handles.h"
#include "libxtf/writer.h"

/* Now and then: rows copied so far, and all rows. May be NULL. */
typedef void (*XtfCopyProgress)(uint64_t done, uint64_t total, void *data);

typedef struct {
    atomic_bool *cancel; /* true: stop, with XTF_ERROR_CANCELLED */
    XtfCopyProgress progress;
    void *progress_data;
    bool no_derived; /* leave out what an analysis made; its tables are copied */
} XtfCopyOptions;

/* Copies all of a trace into an empty writer, which has the trace's clock and origin. */
bool xtf_copy_trace(XtfTrace *trace, XtfWriter *writer, const XtfCopyOptions *options, GError **error);
