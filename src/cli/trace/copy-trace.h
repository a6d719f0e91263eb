/*
 * Copying a trace, row by row: what it holds is the same afterwards, how it is stored may be another way.
 */
#pragma once

#include <stdatomic.h>

#include "libxtf/trace.h"
#include "libxtf/writer.h"

/* Now and then: rows copied so far, of so many. */
typedef void (*XtfCopyProgress)(uint64_t done, uint64_t total, void *data);

typedef struct {
    atomic_bool *cancel; /* true: stop, with XTF_ERROR_CANCELLED */
    XtfCopyProgress progress;
    void *progress_data;
} XtfCopyOptions;

/* Everything that a trace holds into a writer that has nothing yet, made with the trace's clock and origin. */
bool xtf_copy_trace(XtfTrace *trace, XtfWriter *writer, const XtfCopyOptions *options, GError **error);
