/*
 * Columns of a row: what a process did in each of many neighbouring slices of a window, exactly.
 *
 * A window is divided into cells of equal width, the narrowest columns. Columns begin wide. One in which a single
 * region has nearly all of the time would look the same if it were divided, and stays; any other is halved, down to
 * cells, as long as a budget lasts. One half is asked of the index, the other is the rest. So a picture costs what
 * there is to see in it, and never more than its budget.
 */
#pragma once

#include "src/pictures/timeline/rows/picture-rows.h"
#include "src/tables/totals/regions/region-times.h"

/* Exclusive time of a region. */
typedef struct {
    uint64_t line; /* of XtfRegions */
    uint64_t ticks, calls;
} XtfShare;

typedef struct {
    uint32_t from, to; /* cells [from, to) */
    uint64_t whole;    /* its ticks, times the locations of the row */
    uint64_t alive;    /* those between the first and the last record of each location */
    uint64_t regions;  /* those in any region */
    XtfShare *shares;  /* by line, ascending, until they are sorted otherwise */
    uint32_t n, room;
} XtfPictureColumn;

/* How a window is divided. */
typedef struct {
    uint64_t from, to;  /* the window, ticks */
    uint32_t cells;     /* of the window */
    uint32_t narrowest; /* column, cells */
    uint32_t columns;   /* at first */
    uint32_t splits;    /* at most */
} XtfColumnPlan;

/* The time at which a cell begins. */
uint64_t xtf_column_time(const XtfColumnPlan *plan, uint32_t cell);

typedef struct {
    XtfPictureColumn *all; /* ascending, without gaps */
    uint32_t n;
} XtfRowColumns;

/* Measures rows; of one thread. */
typedef struct {
    XtfRegionTimes times;
    const XtfPictureRows *rows; /* borrowed */
    const XtfColumnPlan *plan;  /* borrowed */
} XtfRowMeter;

/* Borrows all; `times` is of the picture's selection. */
void xtf_row_meter_init(XtfRowMeter *meter, const XtfRegionTimes *times, const XtfPictureRows *rows,
                        const XtfColumnPlan *plan);
void xtf_row_meter_finish(XtfRowMeter *meter);

bool xtf_row_columns_measure(XtfRowColumns *columns, XtfRowMeter *meter, const XtfPictureRow *row, GError **error);
void xtf_row_columns_finish(XtfRowColumns *columns); /* all zeros is fine */

/* Adds a share to those of a column. */
void xtf_picture_column_add(XtfPictureColumn *column, const XtfShare *share);
/* Adds all of a column to another. */
void xtf_picture_column_join(XtfPictureColumn *to, const XtfPictureColumn *from);
void xtf_picture_column_finish(XtfPictureColumn *column);
/* Orders shares by ticks, the most first, then by line: of a column to which nothing is added any more. */
void xtf_picture_column_sort(XtfPictureColumn *column);
/* All columns [from, to) of cells, which they divide evenly, as one; a new one. */
XtfPictureColumn xtf_row_columns_sum(const XtfRowColumns *columns, uint32_t from, uint32_t to);
