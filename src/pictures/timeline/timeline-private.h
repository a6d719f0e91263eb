/* Inside the timeline: what its ways of drawing have in common. */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/time-axis.h"
#include "src/pictures/timeline/rows/row-columns.h"
#include "src/pictures/timeline/rows/row-waits.h"
#include "src/pictures/timeline/timeline.h"

enum {
    XTF_TIMELINE_TOP = 84,   /* of the first row, pixels */
    XTF_TIMELINE_ROWS = 760, /* pixels of all rows, where they can be that thin */
    XTF_TIMELINE_FOOT = 28,  /* below the rows */
    XTF_STACKED_ROWS_MAX = 64,
    XTF_DENSE_ROWS_MAX = 1000,
    XTF_TILE_TEXT = 4, /* regions in a tool tip */
};

typedef struct {
    const XtfPictureJob *job;
    const char *file; /* that tiles link to */
    XtfDrawing *drawing;
    XtfPictureLinks links;
    XtfPictureRows rows;
    XtfRegionTimes times;
    XtfColumnPlan plan;
    XtfRowColumns *columns; /* by row; none of rows that were not measured */
    const bool *only;       /* rows to measure; NULL: all */
    XtfPictureColumn total; /* of all rows, sorted */
    XtfRowWaits waits;
    XtfRowColumns *waited; /* beside `columns`; NULL: there are no waits, or they are not shown */
    uint64_t waited_ticks; /* of all rows */
    XtfClockVerdict clocks;
    XtfPlot plot;
    uint32_t tiles;   /* of a row: divides plan.columns */
    uint64_t n_edges; /* of columns, that were asked of the index so far */
} XtfTimeline;

/* Measures the rows whose flag is set, all without flags, by all cores; and the total of these. What was measured
 * before is forgotten. */
bool xtf_timeline_measure(XtfTimeline *timeline, const bool *only, GError **error);

/* Frees what was measured. */
void xtf_timeline_forget(XtfTimeline *timeline);

/* The title, the legend and the axis of a timeline whose rows take `height` pixels. */
void xtf_timeline_begin(XtfTimeline *timeline, int height);

/* The label of a row, with a link to the process alone. */
/* Draws the line below all rows. Where clocks contradict each other that comes first. */
void xtf_timeline_footer(XtfTimeline *timeline, int y, const char *text);
void xtf_timeline_label(XtfTimeline *timeline, const XtfPictureRow *row, int middle);
/* Pixels from the left of the picture. */
static inline uint32_t xtf_timeline_x(const XtfTimeline *timeline, uint32_t cell)
{
    return timeline->plot.left + (uint32_t)((uint64_t)timeline->plot.width * cell / timeline->plan.cells);
}

/* Transparent tiles over a row, side by side: each has a tool tip with the regions of most time in its window, and is a
 * link to that window of the row alone. */
void xtf_timeline_tiles(XtfTimeline *timeline, uint32_t row, int top, int height);
/* The tool tip of a window of the processes that `who` names, which the column is of; sorts it. `waited`: what of it
 * was waiting; NULL: not known. */
void xtf_timeline_tip(XtfTimeline *timeline, const char *who, uint64_t from, uint64_t to, XtfPictureColumn *column,
                      const XtfPictureColumn *waited);

/* Draws one measured row stacked, with its label, in at most `room` bytes. */
void xtf_timeline_stacked_row(XtfTimeline *timeline, uint32_t row, int top, int height, size_t room);

/* The ways to draw. Each measures what it needs. */
bool xtf_timeline_stacked(XtfTimeline *timeline, GError **error);
bool xtf_timeline_dense(XtfTimeline *timeline, GError **error);
/* Draws nothing, and *drawn is false, if there is too much for `items` elements. */
bool xtf_timeline_exact(XtfTimeline *timeline, uint64_t items, bool *drawn, GError **error);
