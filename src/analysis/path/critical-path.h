/*
 * The critical path: the chain of activities that the run took its time for, from its end back to its beginning.
 *
 * The path is followed backwards. It begins on the process that was the last one to enter MPI_Finalize. On a location
 * it goes back to the end of the latest wait. What the location waited for was done elsewhere: so the path goes on
 * there, at the same time, with what was before the record that ended the wait (the send that came late, the posting of
 * the receive that came late, the end of the collective operation at the last member or the root). It ends at MPI_Init,
 * or where the records of the location begin.
 *
 * So the segments of the path lie side by side in time, and together they last exactly as long as the run, whatever the
 * clocks are: a jump never goes forward in time. Where clocks contradict the order of records, waits can cause each
 * other in a circle; the path leaves a circle at the location where it closes, and counts it.
 *
 * Source: CriticalPath.pattern of Scalasca 2.6; Boehme, Wolf, de Supinski, Schulz, Geimer: Scalable critical-path based
 * performance analysis, IPDPS 2012.
 *
 * One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_PATH_NOWHERE UINT32_MAX

/* A wait on the path. Times are global ticks, locations are numbers of the caller's. */
typedef struct {
    uint64_t end;         /* time at which it was over */
    uint32_t culprit;     /* location that was waited for */
    uint64_t culprit_seq; /* its record that ended the wait */
} XtfPathWait;

/* The latest wait of a location that was over at time `end` or before, and ended at a record before `seq`. */
typedef bool (*XtfPathFindWait)(void *data, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait,
                                bool *found, GError **error);

/* The path was on `location` in [begin, end), up to record `seq`, and went on on `next`; XTF_PATH_NOWHERE: that was its
 * end. */
typedef struct {
    uint64_t begin, end;
    uint64_t seq;
    uint32_t location, next;
} XtfPathSegment;

typedef struct {
    uint32_t n_locations;
    const uint64_t *starts; /* by location: where the path ends at the latest, going back */
    uint32_t last;          /* location on which it begins, going back... */
    uint64_t end;           /* ...at this time... */
    uint64_t seq;           /* ...before this record of it */
    XtfPathFindWait find_wait;
    /* Takes the segments, the latest first. None is empty: locations that the path passes through are left out. */
    bool (*take)(void *data, const XtfPathSegment *segment, GError **error);
    void *data;
} XtfPathWalk;

/* *circles: how often the path had to leave a circle. */
bool xtf_path_walk(const XtfPathWalk *walk, uint64_t *circles, GError **error);
