/*
 * Prefixes: what a forward sweep over each location's points notes for each point. With them, the interval since a
 * meeting and its work are found without a walk over all points in between.
 *
 * The prefix of a point says where its location last met the process of its `partner`. For the culprit of an operation,
 * it says where the location last met each of the members. Some points have a checkpoint: for each call path its time
 * up to that point, less the waits on it. A checkpoint follows when the number of times added since the last one
 * reaches that of call paths. So checkpoints take no more room than the times. The work in an interval is the
 * difference of two checkpoints, plus what lies between them and the interval's ends.
 *
 * Prefixes are in unnamed temporary files, like points. Any number of threads may read them at once.
 */
#pragma once

#include "src/analysis/causes/intervals/meetings.h"
#include "src/analysis/steps/steps.h"

typedef struct {
    /* The last point before this one at which the location met the partner's process; XTF_NO_POINT: none. For the
     * culprit of an operation: the offset of its meetings. For an OpenMP barrier: where the threads of the team
     * met last. For a FORKS: the JOINS before it. */
    uint64_t since;
    uint64_t last_wait; /* the last point before this one that is a synchronising wait; XTF_NO_POINT: none */
    uint64_t waited;    /* sum of the synchronising waits before this point */
    uint64_t sums;      /* offset of the last checkpoint before this point; XTF_NO_POINT: none */
} XtfPrefix;

/* The time of a call path up to a checkpoint, including it. */
typedef struct {
    uint64_t ticks;    /* times less waits; may wrap */
    uint64_t last;     /* the last point with a time or a wait of this call path */
    uint32_t callpath; /* UINT32_MAX: outside of all calls */
    uint32_t unused;
} XtfCallpathSum;

typedef struct {
    uint64_t point;
    GArray *all; /* XtfCallpathSum */
} XtfCheckpoint;

/* The last meeting with a member of an operation. `member` is an index of the operation's members, `at` a point. */
typedef struct {
    uint64_t at;
    uint32_t member, unused;
} XtfMeeting;

typedef struct {
    XtfSpool prefixes, sums, meetings;
} XtfPrefixes;

#define XTF_PREFIXES_NONE ((XtfPrefixes){XTF_SPOOL_NONE, XTF_SPOOL_NONE, XTF_SPOOL_NONE})

/* Finds the prefixes of all points by all cores, as one step. Call xtf_prefixes_finish() after a failure, too. */
bool xtf_prefixes_find(XtfPrefixes *prefixes, const XtfPoints *points, XtfSteps *steps, GError **error);
void xtf_prefixes_finish(XtfPrefixes *prefixes);

/* Reads the prefixes of n points, from the point with number `first` on. */
bool xtf_prefixes_read(const XtfPrefixes *prefixes, uint64_t first, uint64_t n, XtfPrefix *to, GError **error);
/* Reads the checkpoint at an offset into checkpoint->all, which the caller has allocated. */
bool xtf_prefixes_checkpoint(const XtfPrefixes *prefixes, uint64_t at, XtfCheckpoint *checkpoint, GError **error);
/* Reads the meetings at an offset. *from: the last point before which the location had met all members;
 * XTF_NO_POINT: none. `later` (XtfMeeting): the meetings with single members after that point. */
bool xtf_prefixes_meetings(const XtfPrefixes *prefixes, uint64_t at, uint64_t *from, GArray *later, GError **error);

/* True if a point is a wait at which its location synchronised. */
static inline bool xtf_is_synchronising_wait(const XtfPoint *point)
{
    return point->wait > 0 && point->side != XTF_POINT_ALONE && point->side != XTF_POINT_FORKED;
}
