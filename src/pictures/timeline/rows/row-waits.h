/*
 * Waits in a picture of a trace that was analysed: the waiting in each column of a row, by region, and waits one by
 * one. A wait counts in a window with the part of it that lies there, as in the table waits/profile, and in equal
 * ticks.
 */
#pragma once

#include "src/pictures/timeline/rows/row-columns.h"
#include "src/tables/totals/waits/lasting-totals.h"
#include "src/tables/totals/waits/wait-fields.h"

/* The waits to read. The struct must not move, as it refers to itself. */
typedef struct {
    bool exist;               /* false: no waits to read */
    XtfTraceContext *context; /* borrowed */
    XtfSelection *selection;  /* selection of waits in the window of the picture */
    XtfWaitFields fields;
    XtfAggregateRef ref;
    XtfLastingTotals lasting;  /* sums of waits without groups: each thread has its own groups */
    const XtfRegions *regions; /* borrowed */
} XtfRowWaits;

/* Clears `exist` if the trace was not analysed, or the analysis is of other clocks. Also clears it if the selection has
 * no waits, such as a selection of calls only. Borrows the regions. */
bool xtf_row_waits_init(XtfRowWaits *waits, XtfTraceContext *context, XtfSelection *selection,
                        const XtfRegions *regions, GError **error);
void xtf_row_waits_finish(XtfRowWaits *waits); /* all zeros is valid */

typedef struct {
    uint64_t row;        /* row of the location's waits */
    uint64_t begin, end; /* global ticks; may lie outside of the window */
    uint64_t line;       /* line of XtfRegions: the region in which the process waited */
    const uint8_t *bytes;
} XtfPictureWait;

typedef void (*XtfPictureWaitVisit)(const XtfPictureWait *wait, void *data);

/* Visits the selected waits of an array of process `proc` that have a part in [from, to). They are in the order of
 * time, and none begins before the end of the one before. */
bool xtf_row_waits_visit(const XtfRowWaits *waits, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                         XtfPictureWaitVisit visit, void *data, GError **error);

/* Measures waiting in columns that match the columns of a row. Shares are waiting time, without calls. `arrays` is
 * scratch. */
bool xtf_row_waits_measure(const XtfRowWaits *waits, XtfRowColumns *waited, const XtfRowColumns *columns,
                           const XtfColumnPlan *plan, const XtfPictureRows *rows, const XtfPictureRow *row,
                           XtfLocationArrays *arrays, GError **error);
