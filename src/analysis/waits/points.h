/*
 * Points: the records at which locations synchronise with others, their waits, and the time by call path between them.
 * The forward pass writes points. The backward passes (causes of waits, critical path) read them.
 *
 * - A message has points if one side waited. On the waiting side, it is the record that ended the wait: the receive,
 *   the send, or the completion of the send. For a blocking probe it is the posting of the receive. On the other side,
 *   it is the record that was waited for: the send, or the record that posts the receive.
 * - A collective operation has a point at its end on each member that synchronises in it.
 * - In one-sided communication a record may be several points, since many locations may wait for it, and it for many.
 * - Threads of OpenMP have points where they fork, join, and meet at barriers.
 *
 * The points of a location have consecutive numbers in the order of `seq`. Only ALONE, MEETS and MET points may share
 * a record; they are in the order of `end`. The last point of each location is no record but the location's end. It
 * has the time since the point before.
 *
 * Points are stored in unnamed temporary files. Any number of threads may read them at once.
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
    XTF_POINT_WAITS,   /* a message for which this side waited; `partner` is the other side */
    XTF_POINT_AWAITED, /* a message for which `partner` waited */
    XTF_POINT_ALL,     /* an operation: synchronises with all members that have a point of this `instance` */
    XTF_POINT_ROOT,    /* a root: synchronises with all others of the instance, which are LEAFs */
    XTF_POINT_LEAF,    /* synchronises with the root only */
    XTF_POINT_PAIR,    /* a root and the last member that it waits for: synchronise with each other */
    XTF_POINT_WORLD,   /* MPI_Init, MPI_Finalize: synchronises with all that have a point of this instance */
    XTF_POINT_ALONE,   /* a wait without synchronisation: early scan, and most kinds that need no messages */
    XTF_POINT_END,     /* the end of the location */
    XTF_POINT_PART,    /* only in raw points: adds `part` to another point of the record */
    XTF_POINT_MEETS,   /* one-sided communication: this side waited for `partner`; the MET point has the same `instance`
                        */
    XTF_POINT_MET,     /* the other side of MEETS: where the late location arrived */
    XTF_POINT_TEAM, /* the end of an OpenMP barrier: synchronises with all threads that have a point of this `instance`
                     */
    XTF_POINT_FORKED, /* a thread of a team enters its parallel region, together with the others. The time since the
                         fork is no wait */
    XTF_POINT_JOINS,  /* the process leaves all its parallel regions, on the thread that forked */
    XTF_POINT_FORKS,  /* the thread enters parallel regions: at record `partner_seq`, or, for the last one, at the end
                         behind that record */
} XtfPointSide;

typedef struct {
    uint64_t seq, time;    /* of the point's record */
    uint64_t enter, leave; /* of the call around it; MEETS, MET and window operations end the call with the wait and its
                              completion */
    uint64_t wait, end;    /* the length and the end of the wait; wait 0: no wait */
    /* Time of the call after the wait. A late receiver has minus the time of the other side, as in Scalasca. It is
     * then 0 or less, so that the call counts for more than its length (xtf_interval_idle()). FORKED: the time since
     * the first thread of the team was there. FORKS: the sum of the idle times of other threads since the JOINS. */
    int64_t completion;
    uint64_t partner_seq; /* seq of the partner's record */
    /* The number that all members of an operation share, and no other operation has. A MEETS and its MET share one,
     * too. Else UINT64_MAX. */
    uint64_t instance;
    uint64_t match, bytes; /* fields of the point's row of `waits`; UINT64_MAX: none */
    uint64_t part;
    uint64_t row;     /* number of its first row of `waits`, if it has one */
    uint64_t times;   /* offset of its times in the file */
    uint32_t partner; /* index of the location that was late, or (AWAITED) that waited; UINT32_MAX: none, or this one */
    uint32_t region, callpath; /* of the call; UINT32_MAX: none */
    uint32_t comm, tag;        /* UINT32_MAX: none */
    uint32_t n_times;
    uint8_t kind; /* XTF_LABEL_late_sender ...; for AWAITED the kind of the other side's wait */
    uint8_t side; /* XtfPointSide */
    uint8_t part_kind;
    uint8_t depth; /* TEAM, FORKED: number of nested teams that the thread is in */
    bool leads;    /* ALONE: if this side waited, the critical path continues at `partner` */
    bool created;  /* ALONE: `partner` created the thread, at `end` */
} XtfPoint;

/* True if another location waited for this one at the point, and this one did not wait. */
static inline bool xtf_is_awaited(const XtfPoint *point)
{
    return point->side == XTF_POINT_AWAITED || point->side == XTF_POINT_MET;
}

/* The exclusive time of a call path since the previous point, or since the location's first record. It counts the
 * ENTERs and LEAVEs from the previous point on and before this one. */
typedef struct {
    uint64_t ticks;
    uint32_t callpath; /* UINT32_MAX: outside of all calls */
    uint32_t spare;
} XtfCallpathTicks;

/* A location, by its index: the order of (proc, thread). */
typedef struct {
    uint64_t id, proc, thread;
    uint64_t first, n;             /* points of the location; `n` includes its end. n 0: it has no records, or another
                                    * rank of a job has its points */
    XtfReplayBound init, finalize; /* MPI_Init, MPI_Finalize */
    uint64_t begin, end;           /* times of the first and the last record */
    uint64_t calls;                /* rank of its array of calls in the P index, see xtf_points_calls() */
    const XtfClockMap *clock;      /* NULL: local times are global */
} XtfPointLocation;

typedef struct XtfPoints XtfPoints;

void xtf_points_free(XtfPoints *points); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPoints, xtf_points_free)

uint32_t xtf_points_n_locations(const XtfPoints *points);
const XtfPointLocation *xtf_points_location(const XtfPoints *points, uint32_t index);
/* Finds the array of `enters_leaves` of a location. */
bool xtf_points_calls(const XtfPoints *points, const XtfPointLocation *location, XtfArray *calls, bool *found,
                      GError **error);
/* Releases the pages of locations once in a while. Callers that walk over locations pass the number of locations
 * done, from 0 on. Thread-safe. */
void xtf_points_page_out_sometimes(const XtfPoints *points, uint32_t n_done);
uint64_t xtf_points_n(const XtfPoints *points); /* all numbers are below; some between locations may be unused */

/* Reads points [first, first + n) of one location. */
bool xtf_points_read(const XtfPoints *points, uint64_t first, uint64_t n, XtfPoint *to, GError **error);
/* Reads the times of several points, one after the other. */
bool xtf_points_all_times(const XtfPoints *points, const XtfPoint *several, uint32_t n, XtfCallpathTicks *to,
                          GError **error);

/* A buffer of times of many points, filled by one read. Zeros at first. */
typedef struct {
    XtfCallpathTicks *times;
    uint64_t at; /* offset of times[0] in the file */
    uint32_t n, room;
} XtfPointTimes;

/* Returns the point->n_times times of a point, valid until the next call; NULL: an error. */
const XtfCallpathTicks *xtf_point_times(XtfPointTimes *times, const XtfPoints *points, const XtfPoint *point,
                                        GError **error);
void xtf_point_times_finish(XtfPointTimes *times);

/* Returns the operations of points with an instance. WORLD points have none there. */
const XtfOperations *xtf_points_operations(const XtfPoints *points);

/* The last meeting of a location with another one before a point. */
typedef struct {
    uint64_t back; /* number of records before the point's; 0: they never met before; UINT64_MAX: unknown */
    int64_t idle;  /* the length of the call there, less its completion */
} XtfPointMeeting;

/* The results of the backward pass for a wait's row of `waits`. XTF_POINT_RESULT_NONE at first. */
typedef struct {
    double indirect; /* ticks, not rounded yet */
    uint64_t propagating, passed;
    uint64_t cause;                   /* row of `waits` of `partner` that caused this wait; UINT64_MAX: none */
    XtfPointMeeting met, culprit_met; /* on this location, and on the partner */
} XtfPointResult;

#define XTF_POINT_RESULT_NONE \
    ((XtfPointResult){.cause = UINT64_MAX, .met = {.back = UINT64_MAX}, .culprit_met = {.back = UINT64_MAX}})

/* Stores the result of a point. Any number of threads may store results of different points. Fails if the disk has no
 * room for the results of all points. */
bool xtf_points_put_result(XtfPoints *points, uint64_t number, const XtfPointResult *result, GError **error);
void xtf_points_results(const XtfPoints *points, uint64_t first, uint64_t n, XtfPointResult *to);
/* Releases the pages of results that were read. */
void xtf_points_page_out_results(const XtfPoints *points);

/* Returns the number of call paths. A parent has a lower number than its children. */
uint32_t xtf_points_n_callpaths(const XtfPoints *points);
uint32_t xtf_points_callpath_parent(const XtfPoints *points, uint32_t callpath); /* UINT32_MAX: none */
uint32_t xtf_points_callpath_region(const XtfPoints *points, uint32_t callpath);
/* Returns the call path of a region called on `parent`. `depth` is the number of calls around it in the trace. */
uint32_t xtf_points_callpath_of(const XtfPoints *points, uint32_t parent, uint32_t region, uint32_t depth);

const XtfReplayCallTypes *xtf_points_call_types(const XtfPoints *points);
