/*
 * The critical path: the chain of activities that determines the length of the run, from its end back to its begin.
 *
 * The walk goes backwards. It begins on the process that was the last one to enter MPI_Finalize. On a location it goes
 * back to the end of the latest wait. The culprit caused that time, so the path continues on the culprit's location. It
 * continues there at the same time, before the record that ended the wait. This record is the late send, the posting of
 * the late receive, or an end of a collective operation. The latter end is that of the last member or of the root. The
 * walk ends at MPI_Init, or at the first record of the location.
 *
 * So the segments of the path are adjacent in time, and together they last exactly as long as the run. A jump never
 * goes forward in time, even with wrong clocks. If clocks contradict the order of records, waits may cause each other
 * in a circle. The walk leaves a circle at the location where it closes, and counts it.
 *
 * Source: CriticalPath.pattern of Scalasca 2.6; Boehme, Wolf, de Supinski, Schulz, Geimer: Scalable critical-path based
 * performance analysis, IPDPS 2012.
 *
 * One thread uses a walk.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_PATH_NOWHERE UINT32_MAX

/* A wait on the path. Times are global ticks, locations are numbers of the caller. */
typedef struct {
    uint64_t end;         /* time of its end */
    uint32_t culprit;     /* location that caused it */
    uint64_t culprit_seq; /* the culprit's record that ended the wait */
} XtfPathWait;

/* Finds the latest wait of a location that ended at time `end` or before, and at a record before `seq`. */
typedef bool (*XtfPathFindWait)(void *data, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait,
                                bool *found, GError **error);

/* A segment of the path: it was on `location` in [begin, end), up to record `seq`, and continued on `next`.
 * XTF_PATH_NOWHERE: the segment is the last of the run. */
typedef struct {
    uint64_t begin, end;
    uint64_t seq;
    uint32_t location, next;
} XtfPathSegment;

typedef struct {
    uint32_t n_locations;
    const uint64_t *starts; /* by location: time at which a walk back must end */
    uint32_t last;          /* location on which the walk begins */
    uint64_t end;           /* time at which the walk begins */
    uint64_t seq;           /* record of `last` before which the walk begins */
    XtfPathFindWait find_wait;
    /* Gets the segments, the latest first. No segment is empty: locations that the path only passes through have
     * none. */
    bool (*add_segment)(void *data, const XtfPathSegment *segment, GError **error);
    void *data;
} XtfPathWalk;

/* Walks back along the path. *circles: number of circles that the walk left. */
bool xtf_path_walk(const XtfPathWalk *walk, uint64_t *circles, GError **error);
