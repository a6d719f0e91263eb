/*
 * Collective operations in an exact timeline: a band from the first begin to the last end, around the rows of its
 * members. A band is an outline under the bars, so that bars keep the colours of the legend. Only operations of few
 * members are drawn, of which those in the picture are neighbours: a band around others would be one around rows that
 * have nothing to do with it. Bands that overlap are not outlined: nobody could tell which line belongs to which.
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
    bool overlaps; /* another band: it has a tool tip, and no outline */
} XtfBand;

/* The operations that a selected row ends in the window. *bands is empty if the trace does not say who takes part. */
bool xtf_timeline_bands(XtfTimeline *timeline, GArray **bands, GError **error);

/* Draws them, before the calls, and returns the number that have an outline. `tops` has the end of the last row, too;
 * row i ends `gap` pixels before row i + 1. */
uint32_t xtf_timeline_draw_bands(XtfTimeline *timeline, GArray *bands, const int *tops, int gap);
