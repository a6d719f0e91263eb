/*
 * How unlike rows are: the distance between two is half the sum, over regions, of the differences of their shares of a
 * window. So it is the share of the window that would have to be spent otherwise.
 */
#pragma once

#include "src/pictures/timeline/rows/row-columns.h"

enum {
    XTF_UNLIKE_MAX = 5,
};

/* Differences of less are none, for pictures. */
#define XTF_DISTANCE_SEEN 0.02

/* A row that stands out, and how many are like it. */
typedef struct {
    uint32_t row;
    uint32_t more;   /* others that are unlike the rest in the same way */
    double distance; /* from the mean of all */
    uint64_t line;   /* the region whose share differs most... */
    double share;    /* ...and by how much, of the window */
} XtfUnlikeRow;

/* Of rows [first, first + n) of `wholes`, each with all of its window: the least distant from their mean, and the most
 * distant. */
void xtf_rows_typical(const XtfPictureColumn *wholes, uint32_t first, uint32_t n, uint64_t n_lines, uint32_t *typical,
                      uint32_t *unlike, double *distance);

/* The rows that are most unlike the mean, each kind of difference once; returns how many. */
uint32_t xtf_rows_unlike(const XtfPictureColumn *wholes, uint32_t n, uint64_t n_lines,
                         XtfUnlikeRow unlike[static XTF_UNLIKE_MAX]);
