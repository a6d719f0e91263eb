/*
 * An estimate of a network by the messages of a trace: latency and time per byte, as a line under the times of all
 * messages.
 *
 * The time of a message is from the record of its send to that of its receive. Messages count whose receiver already
 * waited when they were sent: other messages may have arrived before they were received. If there are none, all count.
 * The least time is kept for each of some hundred sizes. The estimate is the edge of their lower hull at the mean of the
 * sizes. It is the nearest line below these points. Other messages that were faster than the line count, too: then a
 * second line is the estimate.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { XTF_ESTIMATE_SIZES = 64 * 8 };

typedef struct {
    uint64_t bytes, ticks; /* of the fastest message of a size; ticks: UINT64_MAX if there is none */
} XtfFastest;

typedef struct {
    XtfFastest waited[XTF_ESTIMATE_SIZES]; /* messages for which a receiver waited */
    XtfFastest all[XTF_ESTIMATE_SIZES];
    uint64_t n, n_waited;
} XtfEstimate;

void xtf_estimate_init(XtfEstimate *estimate);
/* Adds a message of bytes that took some ticks. */
void xtf_estimate_add(XtfEstimate *estimate, uint64_t bytes, uint64_t ticks, bool waited);
/* Finds latency, in ticks, and ticks per byte. False: the trace has no messages. */
bool xtf_estimate_fit(const XtfEstimate *estimate, double *latency, double *per_byte);
