/*
 * What a location did between two points of synchronisation with others (meetings.h says which these are).
 */
#pragma once

#include "src/analysis/causes/point-cache.h"
#include "src/analysis/formulas/callpath-sums.h"

/* Checkpoints that were read: the same one is asked for again and again. */
enum { XTF_CHECKPOINTS = 64 };

typedef struct {
    XtfCheckpoint all[XTF_CHECKPOINTS];
    uint64_t places[XTF_CHECKPOINTS]; /* where they lie, plus 1; 0: none */
    uint64_t n;                       /* sums of all of them */
} XtfCheckpoints;

/* Where to look. The time outside of all calls is that of call path `outside` for locations where it counts. */
typedef struct {
    XtfPoints *points;     /* borrowed */
    const XtfMarks *marks; /* likewise */
    XtfPointCache *cache;
    uint32_t outside;
    const bool *counts_outside; /* by location */
    XtfCheckpoints checkpoints; /* zeros at first */
} XtfIntervals;

/* Frees the checkpoints. */
void xtf_intervals_finish(XtfIntervals *intervals);

/* From one point of a location to a later one, by index, without both; from the location's beginning if `from` is
 * XTF_NO_POINT. */
typedef struct {
    uint32_t location;
    uint64_t from, to;
} XtfInterval;

/* Where an interval that ends at point `to` begins: at the last point before it at which the location synchronised with
 * the process of the point's partner. */
bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval, GError **error);

/* The same for point `to` at which an operation waited for the location, and the processes of all members but its own:
 * it begins at the last point before which it had synchronised with every one of them. `later`, XtfMeeting: where it
 * met single members after that. */
bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval,
                            GArray *later, GError **error);

/* By call path: time that the location used itself, nothing of it negative: without the waits in the interval, and of
 * the call in which the interval begins only what is counted as completion. `sum` is cleared first. *waited: the sum of
 * the waits. */
bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfCallpathSums *sum, uint64_t *waited,
                       GError **error);

/* What of the call at an interval's first point is not counted as completion. */
int64_t xtf_interval_idle(const XtfPoint *first);

/* The last point with a wait in the interval; XTF_NO_POINT: there is none. */
bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *i, GError **error);
