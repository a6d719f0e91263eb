/*
 * The calls around the rows of a replay: a walk over the calls of a location, in step with its rows by `seq`.
 *
 * A walk keeps the stack of calls, so it needs no look-ups. It uses the index only for the LEAVE of a call that
 * contains other calls. The walk also adds up the time of each call path (callpath-log.h). The ticks between two
 * records of calls count for the innermost call in between.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/field-load.h"
#include "src/analysis/replay/logs/callpath-log.h"
#include "src/analysis/replay/logs/callpath-totals.h"
#include "src/model/mpi-functions.h"
#include "src/trace/context/run-gaps.h"
#include "src/trace/context/trace-context.h"

/* The innermost call around a row. */
typedef struct {
    uint64_t row;          /* row of its ENTER in `enters_leaves`; UINT64_MAX: no call */
    uint64_t enter, leave; /* no call: both are the row's time; a call outside of MPI: leave is UINT64_MAX */
    uint64_t outside;      /* ticks up to the row in which no region of MPI was on top of the location's stack; or
                              parts of them (XtfReplayOptions.factors) */
    uint32_t region;       /* UINT32_MAX: none */
    uint32_t callpath;     /* UINT32_MAX: none */
    uint8_t kind;          /* XtfMpiCall */
} XtfReplayCall;

/* The first MPI_Init or MPI_Finalize of a location that has a LEAVE. */
typedef struct {
    bool found;
    uint32_t region, callpath;
    uint64_t enter, leave, leave_row, leave_seq;
} XtfReplayBound;

#define XTF_REPLAY_NO_FACTOR UINT32_MAX /* a region without a factor of its own */

/* The types of all calls. Immutable. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no calls */
    XtfFieldLoad time, seq, region, event, enter;
    bool any_signed;         /* seq, region or enter may have a sign */
    unsigned frames;         /* aggregate of the schema */
    uint8_t *kinds;          /* XtfMpiCall, by region */
    uint64_t n_kinds;        /* number of regions */
    bool *probed;            /* by region: true if it receives a message that was probed before */
    const uint32_t *factors; /* by region; NULL: none. Borrowed from the options of the replay */
} XtfReplayCallTypes;

bool xtf_replay_call_types_init(XtfReplayCallTypes *types, XtfTraceContext *context, GError **error);
void xtf_replay_call_types_finish(XtfReplayCallTypes *types); /* accepts zeros */

static inline XtfMpiCall xtf_replay_call_kind(const XtfReplayCallTypes *types, uint32_t region)
{
    return region < types->n_kinds ? (XtfMpiCall)types->kinds[region] : XTF_MPI_CALL_NONE;
}

typedef struct {
    uint64_t row, enter, leave; /* leave: UINT64_MAX if not known yet */
    uint32_t region, callpath;
    uint32_t factor; /* of computing in it, if there are factors */
    uint8_t kind;
} XtfReplayFrame;

/* State that the walks of one thread share. `sums` are of the walk in progress: before another walk continues, the
 * caller takes them. Each walk with its own sums would need too much memory. A process may have thousands of walks, and
 * the sums have an entry for each call path. */
typedef struct {
    const XtfReplayCallTypes *types;
    XtfCallpathLog *callpaths;
    XtfCallpathCache *cache; /* of this thread */
    XtfCallpathTotals *sums; /* of this thread: the ticks since the caller last took them */
    /* Called after each leaf with the number of rows of calls since the last time; false stops the walk. May be
     * NULL. */
    bool (*went)(void *data, uint64_t n_rows, GError **error);
    void *data; /* of `went` */
} XtfReplayWalkShared;

static inline bool xtf_replay_call_is_probed(const XtfReplayCallTypes *types, uint32_t region)
{
    return region < types->n_kinds && types->probed[region];
}

/* An interval in which a location was outside of MPI, from the LEAVE of one call to the ENTER of the next. */
typedef struct {
    uint64_t begin, end;
    uint64_t seq, row; /* of the ENTER, in `enters_leaves` */
} XtfReplayGap;

/* The walk of a location. */
typedef struct {
    const XtfReplayWalkShared *shared;
    XtfArray calls;
    bool any; /* false: the location has no calls */
    uint64_t n, time;
    unsigned __int128 outside; /* ticks, or ticks times factors */
    uint64_t n_reported;       /* rows that the walk has reported by `went` */
    XtfReplayFrame *frames;
    uint32_t depth, room;
    XtfRunWindow window; /* only calls in it; the caller sets it before the first step */
    uint64_t end_row;    /* row after the last one in the window */
    uint32_t n_bounds;   /* frames of MPI_Init and MPI_Finalize */
    XtfReplayBound init, finalize;
    uint64_t end; /* time of the location's last record, where calls without a LEAVE end */
    /* Called before a LEAVE that may end MPI_Init or MPI_Finalize. May be NULL; the caller sets it. */
    bool (*before_bound)(void *data, uint64_t seq, GError **error);
    /* Called after the ENTER at the end of a gap of `least_gap` ticks or more. May be NULL; the caller sets it. */
    bool (*after_gap)(void *data, const XtfReplayGap *gap, GError **error);
    void *data;
    uint64_t least_gap, left; /* left: time of the last LEAVE of MPI */
    uint32_t n_in_mpi;        /* frames of MPI */
    bool was_in_mpi;

    XtfCursor cursor;              /* at the first row of the leaf, or of the window */
    const uint8_t *row, *rows_end; /* the next rows, in a leaf and the window; equal: there are none */
    bool open;
} XtfReplayWalk;

/* Begins a walk. `calls` may be NULL; `first` and `end` are the times of the location's first and last record. */
void xtf_replay_walk_init(XtfReplayWalk *walk, const XtfReplayWalkShared *shared, const XtfArray *calls, uint64_t first,
                          uint64_t end);
void xtf_replay_walk_finish(XtfReplayWalk *walk);
/* Finds the call around a record. The caller must pass records in the order of `seq`. */
bool xtf_replay_walk_to(XtfReplayWalk *walk, uint64_t time, uint64_t seq, XtfReplayCall *call, GError **error);
/* Adds the ticks up to `time` to the sums before the record; later ticks count behind it. */
void xtf_replay_walk_split(XtfReplayWalk *walk, uint64_t time);
/* Returns the time outside of MPI up to a time that is not before the last record of the walk, as calls have it. */
uint64_t xtf_replay_walk_outside(const XtfReplayWalk *walk, uint64_t time);
/* Walks to the end of the calls. */
bool xtf_replay_walk_end(XtfReplayWalk *walk, GError **error);
