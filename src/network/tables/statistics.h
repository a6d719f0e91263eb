/*
 * A matrix of times in figures, and the values in it that stand out.
 *
 * A value stands out if it is farther from the median of its sender's row, or of its receiver's column, than 5 times
 * the standard deviation that the median absolute deviation of these stands for (1.4826 MAD). Where it is known which
 * processes share a node, pairs on one node are compared with such pairs, and the others with the others. If more than
 * half of a row stand out, the sender is the reason; of a column, the receiver; else the pair. What a process sends to
 * itself counts nowhere. (Rousseeuw, Croux: Alternatives to the Median Absolute Deviation, 1993, for the factor.)
 */
#pragma once

#include "src/network/tables/links.h"

typedef struct {
    uint64_t pairs; /* measured; 0: the others mean nothing */
    double min, q1, median, mean, q3, max;
    double stddev;    /* of the whole, not of a sample */
    double asymmetry; /* mean of |there - back| / their mean, of pairs measured both ways; NaN: there are none */
} XtfLinkStatistics;

/* Quartiles are interpolated between values. The matrix is of all senders of the sides. False with XTF_ERROR_TOO_LARGE
 * if another one does not fit the memory. */
bool xtf_link_statistics(const double *values, const XtfLinkSides *sides, XtfLinkStatistics *statistics,
                         GError **error);

typedef enum {
    XTF_OUTLIER_PAIR,
    XTF_OUTLIER_SENDER,
    XTF_OUTLIER_RECEIVER,
} XtfOutlierReason;

typedef struct {
    uint32_t sender, receiver; /* indices in the sides */
    double value, expected;    /* the median of the row; of the column if it is usual in the row */
    XtfOutlierReason reason;
} XtfOutlier;

/* Of XtfOutlier, the farthest from what was expected first. The caller frees it. NULL with
 * XTF_ERROR_TOO_LARGE if they cannot be told within the memory. */
GArray *xtf_link_outliers(const double *values, const XtfLinkSides *sides, GError **error);
