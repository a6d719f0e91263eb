/*
 * The distance between two rows: half the sum, over regions, of the differences of their shares of a window. The
 * distance is thus the share of the window that one row spends differently.
 */
#pragma once

#include "src/pictures/timeline/rows/row-columns.h"

enum {
    XTF_UNLIKE_MAX = 5,
};

/* The least distance that pictures show. */
#define XTF_DISTANCE_SEEN 0.02

/* A row that is unlike the others, and the number of similar rows. */
typedef struct {
    uint32_t row;
    uint32_t more;   /* further rows that differ in the same way */
    double distance; /* distance from the mean of all rows */
    uint64_t line;   /* line of the region whose share differs most */
    double share;    /* difference of that share, as a part of the window */
} XtfUnlikeRow;

/* Finds the rows of [first, first + n) that are closest to their mean, and farthest from it. Each element of `wholes`
 * is a row's whole window. *distance is the greatest distance. */
void xtf_rows_typical(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines, uint32_t *typical,
                      uint32_t *unlike, double *distance);

/* Finds the rows that are most unlike the mean, each kind of difference once. Returns their number. */
uint32_t xtf_rows_unlike(const XtfPictureColumn *wholes, uint32_t n, uint64_t n_lines,
                         XtfUnlikeRow unlike[static XTF_UNLIKE_MAX]);
