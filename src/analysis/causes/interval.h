/*
 * What a process did between two points of synchronisation with others.
 */
#pragma once

#include "src/analysis/causes/call-times.h"
#include "src/analysis/causes/sync-points.h"

#define XTF_NO_POINT UINT64_MAX

/* From one point of a location to a later one, without both; from the location's beginning if `from` is XTF_NO_POINT.
 */
typedef struct {
    uint32_t location;
    uint64_t from, to;
} XtfInterval;

/* Where an interval that ends at point `to` begins: at the last point before it at which the location synchronised with
 * the other process. */
bool xtf_interval_since(XtfSyncPoints *points, uint32_t location, uint64_t to, uint32_t process, XtfInterval *interval,
                        GError **error);

/* The same for all members of an operation but the location's own process: it begins at the last point before which it
 * had synchronised with every one of them. later[i], for member i: the point after that at which they met alone, else
 * XTF_NO_POINT. */
bool xtf_interval_since_all(XtfSyncPoints *points, uint32_t location, uint64_t to, const XtfSyncOperation *operation,
                            XtfInterval *interval, uint64_t *later, GError **error);

/* By call path: time that the location used itself, nothing of it negative: without the waits in the interval, and of
 * the call in which the interval begins only what is counted as completion. `sum` is cleared first. *waited: the sum of
 * the waits. */
bool xtf_interval_work(XtfSyncPoints *points, XtfCallTimes *times, const XtfInterval *interval, XtfContextTimes *sum,
                       uint64_t *waited, GError **error);

/* The last point with a wait in the interval; XTF_NO_POINT: there is none. */
bool xtf_interval_last_wait(XtfSyncPoints *points, const XtfInterval *interval, uint64_t *i, GError **error);
