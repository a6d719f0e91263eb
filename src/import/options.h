/* How to import. */
#pragma once

#include <stdatomic.h>

#include "libxtf/writer.h"

/* Now and then, from the calling thread: events read so far, and the share of the work that is done, 0 to 1. */
typedef void (*XtfImportProgress)(uint64_t events, double done, void *data);

typedef struct {
    unsigned jobs;              /* locations read at a time; 0: as many as there are processors */
    bool keep_going;            /* import what can be read of a damaged or incomplete archive */
    const char *values;         /* NULL: find out; of counters, "cumulative" or "per-frame" (importers that have it) */
    bool force;                 /* replace an output that is no import of the same archive */
    XtfWriterOptions storage;   /* of the output; its clock is the source's */
    atomic_bool *cancel;        /* true: stop, with XTF_ERROR_CANCELLED. May be set by a signal handler; may be NULL */
    XtfImportProgress progress; /* may be NULL */
    void *progress_data;
} XtfImportOptions;
