/* Definitions that the three ways of drawing a timeline share. */
#pragma once

#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/time-axis.h"
#include "src/pictures/timeline/rows/row-columns.h"
#include "src/pictures/timeline/rows/row-waits.h"
#include "src/pictures/timeline/timeline.h"

enum {
    XTF_TIMELINE_TOP = 84,   /* pixels above the first row */
    XTF_TIMELINE_ROWS = 760, /* pixels of all rows, if rows can be that thin */
    XTF_TIMELINE_FOOT = 28,  /* pixels below the rows */
    XTF_STACKED_ROWS_MAX = 64,
    XTF_DENSE_ROWS_MAX = 1000,
    XTF_TILE_TEXT = 4, /* most regions in a tool tip */
};

typedef struct {
    const XtfPictureJob *job;
    const char *file; /* file to which tiles link */
    XtfDrawing *drawing;
    XtfPictureLinks links;
    XtfPictureRows rows;
    XtfRegionTimes times;
    XtfColumnPlan plan;
    XtfRowColumns *columns; /* by row; empty for rows that were not measured */
    const bool *only;       /* by row: whether to measure it; NULL: all */
    XtfPictureColumn total; /* of all rows, sorted */
    XtfRowWaits waits;
    XtfRowColumns *waited; /* waiting by row, in columns as in `columns`; NULL: no waits, or not shown */
    uint64_t waited_ticks; /* of all rows */
    XtfClockVerdict clocks;
    XtfPlot plot;
    uint32_t tiles;   /* tiles of a row; divides plan.columns */
    uint64_t n_edges; /* number of edges of columns for which the index was read */
} XtfTimeline;

/* Measures the rows whose flag is set, or all if `only` is NULL, on all cores; and their total. Frees earlier measures.
 */
bool xtf_timeline_measure(XtfTimeline *timeline, const bool *only, GError **error);

/* Frees all measures. */
void xtf_timeline_forget(XtfTimeline *timeline);

/* Draws the title, the legend and the axis of a timeline whose rows take `height` pixels. */
void xtf_timeline_begin(XtfTimeline *timeline, int height);

/* Draws the line below all rows. A remark precedes the text if clocks contradict each other. */
void xtf_timeline_footer(XtfTimeline *timeline, int y, const char *text);
/* Draws the label of a row, with a link to its process. */
void xtf_timeline_label(XtfTimeline *timeline, const XtfPictureRow *row, int middle);
/* Returns the pixels from the left of the picture to a cell. */
static inline uint32_t xtf_timeline_x(const XtfTimeline *timeline, uint32_t cell)
{
    return timeline->plot.left + (uint32_t)((uint64_t)timeline->plot.width * cell / timeline->plan.cells);
}

/* Draws transparent tiles over a row, side by side. The tool tip of a tile has the regions with most time in its
 * window. The tile links to that window of the row. */
void xtf_timeline_tiles(XtfTimeline *timeline, uint32_t row, int top, int height);
/* Draws the tool tip of a window of the processes that `procs_text` names. Sorts their column. `waited` has the part of
 * it that was waiting; NULL: unknown. */
void xtf_timeline_tip(XtfTimeline *timeline, const char *procs_text, uint64_t from, uint64_t to,
                      XtfPictureColumn *column, const XtfPictureColumn *waited);

/* Draws one measured row stacked, with its label, in at most `room` bytes. */
void xtf_timeline_stacked_row(XtfTimeline *timeline, uint32_t row, int top, int height, size_t room);

/* Draws a timeline in one of three ways: rows of stacked areas, an image, or a bar for each call. The first two measure
 * the rows. The last draws nothing and clears *drawn if there are more than `items` calls and messages, or a row has
 * several locations. */
bool xtf_timeline_stacked(XtfTimeline *timeline, GError **error);
bool xtf_timeline_dense(XtfTimeline *timeline, GError **error);
bool xtf_timeline_exact(XtfTimeline *timeline, uint64_t items, bool *drawn, GError **error);
