/*
 * Collective operations in an exact timeline: a band from the first begin to the last end, around the rows of the
 * members. A band is an outline under the bars, so that bars keep the colours of the legend. Only operations of few
 * members get a band, and only if their members in the picture are neighbours. Otherwise the band would surround rows
 * of other processes. Bands that overlap get no outline, as a reader could not separate their lines.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

/* The band of an operation. */
typedef struct {
    uint32_t first, last;       /* rows of members */
    uint64_t begin, end;        /* global ticks, of all members */
    uint64_t operation;         /* value of the field `operation` */
    uint32_t n, n_shown;        /* members; members in the picture */
    char latest[XTF_ROW_LABEL]; /* label of the member that began last */
    bool certain;
    bool overlaps; /* the band overlaps another one: it gets a tool tip, and no outline */
} XtfBand;

/* Finds the operations that a selected row ends in the window, as XtfBand. *bands is empty if the trace does not record
 * members. */
bool xtf_timeline_bands(XtfTimeline *timeline, GArray **bands, GError **error);

/* Draws the bands, before the calls. Returns the number of outlines. `tops` includes the end of the last row. Row i
 * ends `gap` pixels before row i + 1. */
uint32_t xtf_timeline_draw_bands(XtfTimeline *timeline, GArray *bands, const int *tops, int gap);
