/*
 * Statistics of a matrix of times, and its outliers.
 *
 * A value is an outlier if it is too far from the median of its sender's row, or of its receiver's column. The limit is
 * 5 standard deviations. 1.4826 times the median absolute deviation from the median estimates the standard deviation.
 * (Rousseeuw, Croux: Alternatives to the Median Absolute Deviation, 1993, for the factor.)
 *
 * Pairs on one node are compared with such pairs only, and other pairs with other pairs, as far as the nodes are known.
 * If more than half of a row are outliers, the sender is the reason. If more than half of a column are, the receiver
 * is. Otherwise the reason is the pair. Values from a process to itself are ignored.
 */
#pragma once

#include "src/network/tables/links.h"

typedef struct {
    uint64_t pairs; /* measured pairs; 0: the other fields are undefined */
    double min, q1, median, mean, q3, max;
    double stddev;    /* of the population, not of a sample */
    double asymmetry; /* mean of |forth - back| / their mean, over pairs measured both ways; NaN: there are none */
} XtfLinkStatistics;

/* Computes statistics of a matrix of all senders. Interpolates quartiles. Fails with XTF_ERROR_TOO_LARGE without enough
 * memory for another matrix. */
bool xtf_link_statistics(const double *values, const XtfLinkSides *sides, XtfLinkStatistics *statistics,
                         GError **error);

typedef enum {
    XTF_OUTLIER_PAIR,
    XTF_OUTLIER_SENDER,
    XTF_OUTLIER_RECEIVER,
} XtfOutlierReason;

typedef struct {
    uint32_t sender, receiver; /* indices in the sides */
    double value, expected; /* expected: the median of the row if the value is an outlier in it, else of the column */
    XtfOutlierReason reason;
} XtfOutlier;

/* Returns the outliers (XtfOutlier), the farthest from its expected value first. The caller frees the array. Returns
 * NULL with XTF_ERROR_TOO_LARGE without enough memory. */
GArray *xtf_link_outliers(const double *values, const XtfLinkSides *sides, GError **error);
