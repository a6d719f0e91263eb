/* Options of an import. */
#pragma once

#include <stdatomic.h>

#include "libxtf/writer.h"

/* Called at least every 50 ms from the calling thread. `events`: read so far; `done`: share of the work, 0 to 1. */
typedef void (*XtfImportProgress)(uint64_t events, double done, void *data);

typedef struct {
    const char *format;       /* name of the format (importer.h), in any case of letters; NULL: detect it */
    unsigned jobs;            /* locations read in parallel; 0: one per processor */
    bool keep_going;          /* import what can be read of a damaged or incomplete archive */
    const char *values;       /* what counters count: "cumulative" or "per-frame"; NULL: detect. Only with has_values */
    bool force;               /* replace an output that is not an import of the same trace */
    XtfWriterOptions storage; /* of the output; the source's clock replaces the clock in it */
    atomic_bool *cancel;      /* true: stop, with XTF_ERROR_CANCELLED. May be set by a signal handler; may be NULL */
    XtfImportProgress progress; /* may be NULL */
    void *progress_data;
} XtfImportOptions;
