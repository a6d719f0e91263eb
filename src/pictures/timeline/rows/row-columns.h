/*
 * Columns of a row: what a process did in each of many neighbouring slices of a window, exactly.
 *
 * A window is divided into cells of equal width, the narrowest columns. Columns begin wide. A column in which a single
 * region has nearly all of the time would look the same if it were divided, and stays. Any other column is halved,
 * down to cells, while a budget lasts. The index gives one half, and the other is the difference.
 *
 * One pass over a location gives many columns (libxtf/slices.h). If the budget allows all columns to be halved, the
 * first pass gives the narrowest ones, of which the others are sums. Otherwise each halving of all columns is a pass.
 */
#pragma once

#include "src/pictures/timeline/rows/picture-rows.h"
#include "src/tables/totals/regions/region-times.h"

/* Exclusive time of a region. */
typedef struct {
    uint64_t line; /* line of XtfRegions */
    uint64_t ticks, calls;
} XtfShare;

typedef struct {
    uint32_t from, to; /* cells [from, to) */
    uint64_t whole;    /* ticks of the column times the locations of the row */
    uint64_t alive;    /* ticks between the first and the last record of each location */
    uint64_t regions;  /* ticks that the row's locations spend in any region */
    XtfShare *shares;  /* by line, ascending, until xtf_picture_column_sort() */
    uint32_t n, room;
} XtfPictureColumn;

/* The division of a window. */
typedef struct {
    uint64_t from, to;  /* bounds of the window in ticks */
    uint32_t cells;     /* number of cells in the window */
    uint32_t narrowest; /* cells of the narrowest column */
    uint32_t columns;   /* number of columns before any is halved */
    uint32_t splits;    /* most columns to halve */
} XtfColumnPlan;

/* Returns the time at which a cell begins. */
uint64_t xtf_column_time(const XtfColumnPlan *plan, uint32_t cell);

typedef struct {
    XtfPictureColumn *all; /* ascending, without gaps */
    uint32_t n;
} XtfRowColumns;

/* State of measuring rows, for one thread. */
typedef struct {
    XtfRegionTimes times;
    const XtfPictureRows *rows; /* borrowed */
    const XtfColumnPlan *plan;  /* borrowed */
} XtfRowMeter;

/* Borrows all arguments. `times` is of the picture's selection. */
void xtf_row_meter_init(XtfRowMeter *meter, const XtfRegionTimes *times, const XtfPictureRows *rows,
                        const XtfColumnPlan *plan);
void xtf_row_meter_finish(XtfRowMeter *meter);

bool xtf_row_columns_measure(XtfRowColumns *columns, XtfRowMeter *meter, const XtfPictureRow *row, GError **error);
void xtf_row_columns_finish(XtfRowColumns *columns); /* all zeros is valid */

void xtf_picture_column_add(XtfPictureColumn *column, const XtfShare *share);
/* Adds the times and shares of a column to another. */
void xtf_picture_column_join(XtfPictureColumn *to, const XtfPictureColumn *from);
void xtf_picture_column_finish(XtfPictureColumn *column);
/* Sorts shares by ticks, the most first, then by line. Nothing may be added to the column afterwards. */
void xtf_picture_column_sort(XtfPictureColumn *column);
/* Returns the sum of all columns in cells [from, to), as a new column. No column may lie across the bounds. */
XtfPictureColumn xtf_row_columns_sum(const XtfRowColumns *columns, uint32_t from, uint32_t to);
