/*
 * What a location did between two points of synchronisation with others.
 *
 * Which records are points, and of which processes, is as in Scalasca 2.6 (src/scout/SynchpointHandler.cpp):
 * - a receive that waited for its sender (in a call for many, only the one that waited longest), and the send;
 * - the completion of a send that waited for the posting of its receive, and the posting;
 * - the end of a barrier, and of an operation of all with all in which everybody was at one time, at each member; else,
 *   of all with all, at the last one that sends and at those that received something and began before it;
 * - the end of an operation of one to all, at those that waited for the root, and then at the root, too;
 * - the end of an operation of all to one, at the root and the last one that sends, if the root waited for it;
 * - the ends of MPI_Init and of MPI_Finalize, with all processes.
 */
#pragma once

#include "src/analysis/causes/context-times.h"
#include "src/analysis/causes/point-cache.h"

#define XTF_NO_POINT UINT64_MAX

/* Where to look. The time outside of all calls is that of context `outside` for locations where it counts. */
typedef struct {
    XtfPoints *points; /* borrowed */
    XtfPointCache *cache;
    uint32_t outside;
    const bool *counts_outside; /* by location */
    /* The members of the operation that was asked about last. */
    XtfOperationMember *members;
    XtfOperation operation;
    uint64_t instance; /* UINT64_MAX: none */
} XtfIntervals;

/* From one point of a location to a later one, by index, without both; from the location's beginning if `from` is
 * XTF_NO_POINT. */
typedef struct {
    uint32_t location;
    uint64_t from, to;
} XtfInterval;

/* The operation of an instance and its members; good until the next is asked for. */
bool xtf_intervals_operation(XtfIntervals *intervals, uint64_t instance, GError **error);

/* Where an interval that ends at point `to` begins: at the last point before it at which the location synchronised with
 * the process of another. */
bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, uint32_t other, XtfInterval *interval,
                        GError **error);

/* The same for the processes of n locations, but the location's own: it begins at the last point before which it had
 * synchronised with every one of them. later[i]: the point after that at which they met alone, else XTF_NO_POINT. */
bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, const uint32_t *others, uint32_t n,
                            XtfInterval *interval, uint64_t *later, GError **error);

/* By call path: time that the location used itself, nothing of it negative: without the waits in the interval, and of
 * the call in which the interval begins only what is counted as completion. `sum` is cleared first. *waited: the sum of
 * the waits. */
bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfContextTimes *sum, uint64_t *waited,
                       GError **error);

/* The last point with a wait in the interval; XTF_NO_POINT: there is none. */
bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *i, GError **error);

/* Whether a point is a wait at which its location synchronised. */
static inline bool xtf_is_synchronising_wait(const XtfPoint *point)
{
    return point->wait > 0 && point->side != XTF_POINT_ALONE;
}
