/*
 * The calls around the rows of a replay: a walk over the calls of a location beside its rows, in the order of `seq`.
 *
 * A walk keeps the stack, so it costs no look-up. Only the end of a call that makes others is looked for in the index.
 * On its way it adds up the time of each call path (callpath-log.h): the ticks between two records of calls count for
 * the call that is innermost in between.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/field-load.h"
#include "src/analysis/replay/logs/callpath-log.h"
#include "src/analysis/replay/logs/callpath-totals.h"
#include "src/model/mpi-functions.h"
#include "src/trace/context/trace-context.h"

/* The innermost call around a row. */
typedef struct {
    uint64_t row;          /* its ENTER in `enters_leaves`; UINT64_MAX: there is no call */
    uint64_t enter, leave; /* without a call both are the row's time; of one outside of MPI leave is UINT64_MAX */
    uint64_t outside;      /* ticks, up to the row, that no region of MPI was on top of the location's stack */
    uint32_t region;       /* UINT32_MAX: none */
    uint32_t callpath;     /* its call path; UINT32_MAX: none */
    uint8_t kind;          /* XtfMpiCall */
} XtfReplayCall;

/* MPI_Init or MPI_Finalize of a location, the first one that was left. */
typedef struct {
    bool found;
    uint32_t region, callpath;
    uint64_t enter, leave, leave_row, leave_seq;
} XtfReplayBound;

/* What is known of all calls. Immutable. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no calls */
    XtfFieldLoad time, seq, region, event, enter;
    unsigned frames;  /* aggregate of the schema */
    uint8_t *kinds;   /* XtfMpiCall, by region */
    uint64_t n_kinds; /* regions */
    bool *probed;     /* by region: whether it takes a message that was probed before */
} XtfReplayCallTypes;

bool xtf_replay_call_types_init(XtfReplayCallTypes *types, XtfTraceContext *context, GError **error);
void xtf_replay_call_types_finish(XtfReplayCallTypes *types); /* also one of zeros */

static inline XtfMpiCall xtf_replay_call_kind(const XtfReplayCallTypes *types, uint32_t region)
{
    return region < types->n_kinds ? (XtfMpiCall)types->kinds[region] : XTF_MPI_CALL_NONE;
}

typedef struct {
    uint64_t row, enter, leave; /* leave: UINT64_MAX: not known yet */
    uint32_t region, callpath;
    uint8_t kind;
} XtfReplayFrame;

/* What walks of one thread share. The sums are of the walk at hand: whoever goes on with another one takes them first,
 * since they are as long as there are call paths, and a process may have thousands of walks. */
typedef struct {
    const XtfReplayCallTypes *types;
    XtfCallpathLog *callpaths;
    XtfCallpathCache *cache; /* the thread's own */
    XtfCallpathTotals *sums; /* the thread's own: since the caller took them last */
    /* Called leaf by leaf, with the rows of calls since the last time; false stops the walk. May be NULL. */
    bool (*went)(void *data, uint64_t n_rows, GError **error);
    void *data; /* of `went` */
} XtfReplayWalkShared;

static inline bool xtf_replay_call_is_probed(const XtfReplayCallTypes *types, uint32_t region)
{
    return region < types->n_kinds && types->probed[region];
}

/* A time that a location spent outside of MPI, from the LEAVE of one call to the ENTER of the next. */
typedef struct {
    uint64_t begin, end;
    uint64_t seq, row; /* of the ENTER, in `enters_leaves` */
} XtfReplayGap;

/* The walk of a location. */
typedef struct {
    const XtfReplayWalkShared *shared;
    XtfArray calls;
    bool any; /* calls */
    uint64_t n, time, outside;
    uint64_t told; /* rows that `went` was told of */
    XtfReplayFrame *frames;
    uint32_t depth, room;
    uint32_t n_bounds; /* frames of MPI_Init and MPI_Finalize */
    XtfReplayBound init, finalize;
    uint64_t end; /* of the location's last record: calls that are never left end there */
    /* Called before a LEAVE that may end MPI_Init or MPI_Finalize; may be NULL; to be set by the caller. */
    bool (*before_bound)(void *data, uint64_t seq, GError **error);
    /* Called behind the ENTER at the end of a gap of `least_gap` ticks or more; may be NULL; likewise. */
    bool (*after_gap)(void *data, const XtfReplayGap *gap, GError **error);
    void *data;
    uint64_t least_gap, left; /* when MPI was left last */
    uint32_t n_in_mpi;        /* frames of MPI */
    bool was_in_mpi;

    XtfCursor cursor;
    bool open, found;
} XtfReplayWalk;

/* `calls` may be NULL; `first` and `end` are times of the location's first and last record. */
void xtf_replay_walk_init(XtfReplayWalk *walk, const XtfReplayWalkShared *shared, const XtfArray *calls, uint64_t first,
                          uint64_t end);
void xtf_replay_walk_finish(XtfReplayWalk *walk);
/* The call around a record; records must come in their order. */
bool xtf_replay_walk_to(XtfReplayWalk *walk, uint64_t time, uint64_t seq, XtfReplayCall *call, GError **error);
/* What the call around the record took up to there counts before the record, not behind it. */
void xtf_replay_walk_split(XtfReplayWalk *walk, uint64_t time);
/* Goes through the calls that are left. */
bool xtf_replay_walk_end(XtfReplayWalk *walk, GError **error);
