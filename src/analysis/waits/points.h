/*
 * Points: the records at which locations synchronise with others, and what was found of them; with the time by call
 * path between them. What the forward pass leaves for those that go backward: causes of waits, the critical path.
 *
 * A message is a point where somebody waited for it: on the side that waited, the record that ended the wait (the
 * receive; or the send, or its completion), and on the other side the record that was waited for (the send; or the
 * record that posts the receive). Of a blocking probe it is no record that ended the wait, but the posting of the
 * receive. An operation of many is a point on all members that synchronise in it: the end of
 * it. In one-sided communication a record may be a point several times, since many may wait for it, and it for others.
 * Threads of OpenMP have points where they fork, join, and meet at barriers. The points of a location are numbered side
 * by side, in the order of `seq`, no two of one record but those that are ALONE, MEETS or MET, which are in the order
 * of `end`; the last one of each location is no record but its end, with the time since the one before.
 *
 * Points lie in files that have no name. Any number of threads may read them at once.
 *
 * All times are global ticks.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/analysis/replay/replay.h"
#include "src/analysis/waits/operations.h"

typedef enum {
    XTF_POINT_WAITS,   /* of a message: this side waited, for `partner` */
    XTF_POINT_AWAITED, /* of a message: `partner` waited for this side */
    XTF_POINT_ALL,     /* of an operation: synchronises with all members that have a point of this `instance` */
    XTF_POINT_ROOT,    /* the root: with all others of the instance, which are LEAVEs */
    XTF_POINT_LEAF,    /* with the root alone */
    XTF_POINT_PAIR,    /* a root and the latest of those it waits for, with one another */
    XTF_POINT_WORLD,   /* MPI_Init, MPI_Finalize: with all that have a point of this instance */
    XTF_POINT_ALONE,   /* a wait that is no synchronisation: early scan, and all that need no messages */
    XTF_POINT_END,     /* of the location */
    XTF_POINT_PART,    /* internal */
    XTF_POINT_MEETS, /* in one-sided communication: this side waited, for `partner`, which has the same `instance`... */
    XTF_POINT_MET,   /* ...and is a point where it came, and was waited for no longer */
    XTF_POINT_TEAM,  /* the end of an OpenMP barrier: with all threads that have a point of this `instance` */
    XTF_POINT_FORKED, /* a thread of a team enters its parallel region: with the others; `wait` since the fork is none
                       */
    XTF_POINT_JOINS,  /* out of all parallel regions of the process, on the thread that forked */
    XTF_POINT_FORKS,  /* into them, on that thread, at the record `partner_seq`; or at the end, behind that record */
} XtfPointSide;

typedef struct {
    uint64_t seq, time;    /* of its record */
    uint64_t enter, leave; /* of the call around it; of MEETS, MET and ALL of windows without what is behind the wait */
    uint64_t wait, end;    /* waited `wait` ticks, until `end`; wait 0: did not wait */
    /* Time of the call behind the wait. Of late receivers it is that of the other side with the sign turned, as in
     * Scalasca: 0 or less, so that their call counts for more than its length (xtf_interval_idle()). Of FORKED: since
     * the first of the team came. Of FORKS: for how long other threads were idle since the JOINS, in all. */
    int64_t completion;
    uint64_t partner_seq; /* the record of `partner` */
    /* Of an operation: the same on all its members, and no other operation's; of MEETS and MET that of both. Else
     * UINT64_MAX. */
    uint64_t instance;
    uint64_t match, bytes; /* as a row of `waits` has them; UINT64_MAX: none */
    uint64_t part;
    uint64_t row;     /* of `waits`: its first row, if it has one */
    uint64_t times;   /* where they lie */
    uint32_t partner; /* index of the location that was late (of AWAITED: that waited); UINT32_MAX: none, or itself */
    uint32_t region, callpath; /* of the call; UINT32_MAX: none */
    uint32_t comm, tag;        /* UINT32_MAX: none */
    uint32_t n_times;
    uint8_t kind; /* XTF_LABEL_late_sender ...; of AWAITED that of the other side's wait */
    uint8_t side; /* XtfPointSide */
    uint8_t part_kind;
    uint8_t depth; /* of TEAM and FORKED: teams that the thread is in */
    bool leads;    /* of ALONE: if this side waited, the critical path goes on at `partner` */
    bool created;  /* of ALONE: `partner` created the thread, at `end` */
} XtfPoint;

/* Whether somebody waited for the location at the point, and it for nobody. */
static inline bool xtf_is_awaited(const XtfPoint *point)
{
    return point->side == XTF_POINT_AWAITED || point->side == XTF_POINT_MET;
}

/* Time since the point before, or since the location's beginning: calls' own time, as the ENTERs and LEAVEs between say
 * that come at or behind the point before and before this one. */
typedef struct {
    uint64_t ticks;
    uint32_t callpath; /* UINT32_MAX: outside of all calls */
    uint32_t spare;
} XtfCallpathTicks;

/* A location, by its index: the order of (proc, thread). */
typedef struct {
    uint64_t id, proc, thread;
    uint64_t first, n;             /* its points; `n` counts its end. 0: it has no records */
    XtfReplayBound init, finalize; /* MPI_Init, MPI_Finalize */
    uint64_t begin, end;           /* of its first and last record */
    uint64_t calls;                /* as XtfReplayBounds has it: see xtf_points_calls() */
    const XtfClockMap *clock;      /* NULL: local times are global */
} XtfPointLocation;

typedef struct XtfPoints XtfPoints;

void xtf_points_free(XtfPoints *points); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPoints, xtf_points_free)

uint32_t xtf_points_n_locations(const XtfPoints *points);
const XtfPointLocation *xtf_points_location(const XtfPoints *points, uint32_t index);
/* Its `enters_leaves`. */
bool xtf_points_calls(const XtfPoints *points, const XtfPointLocation *location, XtfArray *calls, bool *found,
                      GError **error);
/* Locations need not all stay in memory: who goes over them counts those that are done, from 0 on. In any thread. */
void xtf_points_rest_sometimes(const XtfPoints *points, uint32_t n_done);
uint64_t xtf_points_n(const XtfPoints *points); /* numbers are below this; between locations some may be free */

/* Points [first, first + n), of one location. */
bool xtf_points_read(const XtfPoints *points, uint64_t first, uint64_t n, XtfPoint *to, GError **error);
/* The number of the first point of a location at or behind record `seq`. */
bool xtf_points_find(const XtfPoints *points, uint32_t location, uint64_t seq, uint64_t *number, GError **error);
/* The times of several points, those of each behind those of the one before. */
bool xtf_points_all_times(const XtfPoints *points, const XtfPoint *of, uint32_t n, XtfCallpathTicks *to,
                          GError **error);

/* Times of points, one after the other: those of many points are read at once. Zeros at first. */
typedef struct {
    XtfCallpathTicks *times;
    uint64_t at; /* of the first of them */
    uint32_t n, room;
} XtfPointTimes;

/* The n_times of a point, good until the next call; NULL: an error. */
const XtfCallpathTicks *xtf_point_times(XtfPointTimes *times, const XtfPoints *points, const XtfPoint *point,
                                        GError **error);
void xtf_point_times_finish(XtfPointTimes *times);

/* The operation of points with an instance, but of XTF_POINT_WORLD. */
const XtfOperations *xtf_points_operations(const XtfPoints *points);

/* Where a location met another one before a point. */
typedef struct {
    uint64_t back; /* so many records before the point's; 0: they had never met; UINT64_MAX: it is not known */
    int64_t idle;  /* the length of the call there, less its completion */
} XtfPointMeeting;

/* What follows of a wait, for its row of `waits`: to be set by who goes backward; XTF_POINT_RESULT_NONE at first. */
typedef struct {
    uint64_t indirect, propagating, passed;
    uint64_t cause;                   /* number of a point of `partner` that is a wait; UINT64_MAX: none */
    XtfPointMeeting met, culprit_met; /* on its own location, and on that of the partner */
} XtfPointResult;

#define XTF_POINT_RESULT_NONE \
    ((XtfPointResult){.cause = UINT64_MAX, .met = {.back = UINT64_MAX}, .culprit_met = {.back = UINT64_MAX}})

/* Of one thread. Fails where the disk has no room for results of all points. */
bool xtf_points_put_result(XtfPoints *points, uint64_t number, const XtfPointResult *result, GError **error);
void xtf_points_results(const XtfPoints *points, uint64_t first, uint64_t n, XtfPointResult *to);
/* What was read of them need not stay in memory. */
void xtf_points_rest_results(const XtfPoints *points);

/* Call paths: call paths, of which the parent has a lower number. */
uint32_t xtf_points_n_callpaths(const XtfPoints *points);
uint32_t xtf_points_callpath_parent(const XtfPoints *points, uint32_t callpath); /* UINT32_MAX: none */
uint32_t xtf_points_callpath_region(const XtfPoints *points, uint32_t callpath);
/* The call path of a call of a region on a call path, which is in the trace at `depth`: how many calls are around it.
 */
uint32_t xtf_points_callpath_of(const XtfPoints *points, uint32_t parent, uint32_t region, uint32_t depth);

const XtfReplayCallTypes *xtf_points_call_types(const XtfPoints *points);
