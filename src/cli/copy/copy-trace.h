/*
 * Copying a trace, row by row. The copy has the same rows, and may store them differently. A copy of a trace whose
 * first volumes were removed begins at the kept time, without derived rows (kept-rows.h).
 */
#pragma once

#include <stdatomic.h>

#include "libxtf/handles.h"
#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"

struct XtfNewTimes;

/* A property that a copy gets. */
typedef struct {
    const char *name, *value;
} XtfCopyProperty;

/* Called now and then with the rows copied so far, and all rows. */
typedef void (*XtfCopyProgress)(uint64_t done, uint64_t total, void *data);

typedef struct {
    atomic_bool *cancel; /* true ends the copying with XTF_ERROR_CANCELLED */
    XtfCopyProgress progress;
    void *progress_data;
    bool no_derived; /* leave out derived rows of an analysis; its tables are copied */
    /* The new times of all records; NULL: they keep theirs. The copy then has no derived rows but changes of order. It
     * gets the properties. */
    const struct XtfNewTimes *new_times;
    const XtfCopyProperty *properties;
    unsigned n_properties;
    XtfSteps *steps; /* of a copy with new times, in place of `cancel` and `progress`; may be NULL */
} XtfCopyOptions;

/* Returns options for a copy with the clock, page size and codec of a trace. If time 0 of the trace is its first
 * record, time 0 of the copy is the copy's first record. */
XtfWriterOptions xtf_copy_writer_options(XtfTrace *trace);

/* Copies a whole trace into an empty writer, which has the same clock and origin. */
bool xtf_copy_trace(XtfTrace *trace, XtfWriter *writer, const XtfCopyOptions *options, GError **error);
