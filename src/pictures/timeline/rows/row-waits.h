/*
 * Waits in a picture, of a trace that was analysed: of each column of a row how long was waited in it, by the region
 * that was waited in; and waits one by one. A wait belongs to a window by as much of it as lies there, as in the table
 * waits/profile, whose ticks these are.
 */
#pragma once

#include "src/pictures/timeline/rows/row-columns.h"
#include "src/tables/totals/waits/lasting-totals.h"
#include "src/tables/totals/waits/wait-fields.h"

/* What is asked. It stays where it is, since it refers to itself. */
typedef struct {
    bool exist;               /* else there is nothing to ask */
    XtfTraceContext *context; /* borrowed */
    XtfSelection *selection;  /* of waits, in the window of the picture */
    XtfWaitFields fields;
    XtfAggregateRef ref;
    XtfLastingTotals lasting;  /* without any groups in it: each thread has its own */
    const XtfRegions *regions; /* borrowed */
} XtfRowWaits;

/* `exist` is false of a trace that was not analysed, or whose analysis is of other clocks, and of a selection that has
 * no waits, such as one of calls alone. Borrows the regions. */
bool xtf_row_waits_init(XtfRowWaits *waits, XtfTraceContext *context, XtfSelection *selection,
                        const XtfRegions *regions, GError **error);
void xtf_row_waits_finish(XtfRowWaits *waits); /* all zeros is fine */

typedef struct {
    uint64_t row;        /* of the location's waits */
    uint64_t begin, end; /* global ticks; they may lie beyond the window */
    uint64_t line;       /* of XtfRegions, that was waited in */
    const uint8_t *bytes;
} XtfPictureWait;

typedef void (*XtfPictureWaitVisit)(const XtfPictureWait *wait, void *data);

/* Visits the selected waits of an array, which process `proc` recorded, that have a part in [from, to): in the order of
 * time, none before the end of the one before. */
bool xtf_row_waits_visit(const XtfRowWaits *waits, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                         XtfPictureWaitVisit visit, void *data, GError **error);

/* Columns of waits beside the columns of a row: equally wide, shares are waiting, and none of it is counted as calls.
 * `arrays` is scratch. */
bool xtf_row_waits_measure(const XtfRowWaits *waits, XtfRowColumns *waited, const XtfRowColumns *columns,
                           const XtfColumnPlan *plan, const XtfPictureRows *rows, const XtfPictureRow *row,
                           XtfLocationArrays *arrays, GError **error);
