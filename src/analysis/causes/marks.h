/*
 * What each point is told beforehand, so that the interval since a meeting is found, and what was done in it, without a
 * walk over all points in between: a sweep forward over the points of every location.
 *
 * A point knows where its location met the process of its `partner` last; the one that was waited for in an operation,
 * where it met each of the members. Sums stand at some points (checkpoints): for each call path its time up to there,
 * less the waits on it, as often as about as many times were added as there are call paths. So the sums of an interval
 * are a difference of two checkpoints and of what lies between them and the interval's ends, and checkpoints take no
 * more room than the times.
 *
 * They lie in files that have no name, beside those of the points. Any number of threads may read them at once.
 */
#pragma once

#include "src/analysis/causes/meetings.h"
#include "src/analysis/steps/steps.h"

typedef struct {
    /* The last point before this one at which the location met the partner's process; XTF_NO_POINT: none. Of the one
     * that was waited for in an operation: where its meetings lie. Of an OpenMP barrier: where the threads of the team
     * met last; of a FORKS: the JOINS before it. */
    uint64_t since;
    uint64_t last_wait; /* the last point before this one at which it waited and synchronised; XTF_NO_POINT: none */
    uint64_t waited;    /* at all such points before this one */
    uint64_t sums;      /* where those of the last checkpoint before this point lie; XTF_NO_POINT: there is none */
} XtfMark;

/* Up to a checkpoint and with it. */
typedef struct {
    uint64_t ticks;    /* times less waits; wraps */
    uint64_t last;     /* the last point with either */
    uint32_t callpath; /* UINT32_MAX: outside of all calls */
    uint32_t unused;
} XtfCallpathSum;

typedef struct {
    uint64_t point;
    GArray *all; /* XtfCallpathSum */
} XtfCheckpoint;

/* The last meeting with a member of an operation, by its number among the members. */
typedef struct {
    uint64_t at;
    uint32_t member, unused;
} XtfMeeting;

typedef struct {
    XtfSpool marks, sums, meetings;
} XtfMarks;

#define XTF_MARKS_NONE ((XtfMarks){XTF_SPOOL_NONE, XTF_SPOOL_NONE, XTF_SPOOL_NONE})

/* By all cores, as one step. To be finished after a failure, too. */
bool xtf_marks_find(XtfMarks *marks, const XtfPoints *points, XtfSteps *steps, GError **error);
void xtf_marks_finish(XtfMarks *marks);

/* Of points [first, first + n), by number. */
bool xtf_marks_read(const XtfMarks *marks, uint64_t first, uint64_t n, XtfMark *to, GError **error);
/* The checkpoint at a place; `all` is given. */
bool xtf_marks_checkpoint(const XtfMarks *marks, uint64_t at, XtfCheckpoint *checkpoint, GError **error);
/* The meetings at a place. *from: the last point before which the location had met all members; XTF_NO_POINT: it had
 * not. `later`, XtfMeeting: the meetings with single members after that. */
bool xtf_marks_meetings(const XtfMarks *marks, uint64_t at, uint64_t *from, GArray *later, GError **error);

/* Whether a point is a wait at which its location synchronised. */
static inline bool xtf_is_synchronising_wait(const XtfPoint *point)
{
    return point->wait > 0 && point->side != XTF_POINT_ALONE && point->side != XTF_POINT_FORKED;
}
