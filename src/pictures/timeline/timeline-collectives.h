/*
 * Collective operations in an exact timeline: a translucent band from the first begin to the last end, over the rows of
 * its members. Only of few, of which those in the picture are neighbours: a band over others would be one over rows
 * that have nothing to do with it.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

/* The bands, of XtfBand. */
typedef struct {
    uint32_t first, last;       /* rows */
    uint64_t begin, end;        /* global ticks, of all members */
    uint64_t operation;         /* a value of the field */
    uint32_t n, n_shown;        /* members; those in the picture */
    char latest[XTF_ROW_LABEL]; /* the last one to begin */
    bool certain;
} XtfBand;

/* The operations that a selected row ends in the window. *bands is empty if the trace does not say who takes part. */
bool xtf_timeline_bands(XtfTimeline *timeline, GArray **bands, GError **error);

/* Draws them, under the calls with a tool tip, and over them translucent. `tops` has the end of the last row, too; row
 * i ends `gap` pixels before row i + 1. */
void xtf_timeline_bands_under(XtfTimeline *timeline, const GArray *bands, const int *tops, int gap);
void xtf_timeline_bands_over(XtfTimeline *timeline, const GArray *bands, const int *tops, int gap);
