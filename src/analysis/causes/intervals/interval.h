/*
 * Computes the work of a location between two points of synchronisation with others. meetings.h defines these points.
 */
#pragma once

#include "src/analysis/causes/intervals/point-cache.h"
#include "src/analysis/formulas/callpath-sums.h"

/* Number of checkpoints in memory: the same one is needed again and again. */
enum { XTF_CHECKPOINTS = 64 };

typedef struct {
    XtfCheckpoint all[XTF_CHECKPOINTS];
    uint64_t places[XTF_CHECKPOINTS]; /* their offsets in the file, plus 1; 0: none */
    uint64_t n;                       /* number of sums in all of them */
} XtfCheckpoints;

/* The sources of intervals. Time outside of all calls counts as call path `outside` for locations in
 * `counts_outside`. */
typedef struct {
    XtfPoints *points;           /* borrowed */
    const XtfPrefixes *prefixes; /* borrowed */
    XtfPointCache *cache;
    uint32_t outside;
    const bool *counts_outside; /* by location */
    XtfCheckpoints checkpoints; /* zeros at first */
} XtfIntervals;

/* Frees the checkpoints. */
void xtf_intervals_finish(XtfIntervals *intervals);

/* The interval from one point of a location to a later one, by index, without both points. `from` XTF_NO_POINT:
 * since the location's first record. */
typedef struct {
    uint32_t location;
    uint64_t from, to;
} XtfInterval;

/* Finds the interval that ends at point `to`. It begins at the last point before at which the location synchronised
 * with the process of the point's partner. */
bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval, GError **error);

/* Finds the interval that ends at point `to`, at which the members of an operation waited for the location. It
 * begins at the last point before which the location had synchronised with each other member's process. `later`
 * (XtfMeeting): the meetings with single members after that point. */
bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval,
                            GArray *later, GError **error);

/* Sums the location's own work in the interval by call path. Waits are not counted, nor the call in which the
 * interval begins, except its completion. No sum is negative. Clears `sum` first. *waited: the sum of the waits. */
bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfCallpathSums *sum, uint64_t *waited,
                       GError **error);

/* Returns the length of the call at an interval's first point without its completion. */
int64_t xtf_interval_idle(const XtfPoint *first);

/* Finds the meeting at which an interval begins, relative to the interval's end. */
bool xtf_interval_meeting(XtfIntervals *intervals, const XtfInterval *interval, XtfPointMeeting *meeting,
                          GError **error);

/* Finds the last wait in the interval, by its row of `waits`; UINT64_MAX: none. */
bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *row, GError **error);
