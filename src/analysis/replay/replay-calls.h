/*
 * The calls around the rows of a replay: a walk over the calls of a location beside its rows, in the order of `seq`.
 *
 * A walk keeps the stack, so it costs no look-up. Only the end of a call that makes others is looked for in the index.
 */
#pragma once

#include "libxtf/array.h"
#include "src/model/mpi-functions.h"
#include "src/query/select/trace-context.h"

/* The innermost call around a row. */
typedef struct {
    uint64_t row;          /* its ENTER in `enters_leaves`; UINT64_MAX: there is no call */
    uint64_t enter, leave; /* without a call both are the row's time; of one outside of MPI leave is UINT64_MAX */
    uint64_t outside;      /* ticks, up to the row, that no region of MPI was on top of the location's stack */
    uint32_t region;       /* UINT32_MAX: none */
    uint32_t context;      /* what the hooks gave the call; UINT32_MAX: none */
    uint8_t kind;          /* XtfMpiCall */
} XtfReplayCall;

/* MPI_Init or MPI_Finalize of a location, the first one that was left. */
typedef struct {
    bool found;
    uint64_t row, enter, leave, leave_row, leave_seq, outside;
    uint32_t region;
} XtfReplayBound;

/* What is known of all calls. Immutable. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no calls */
    const XtfField *seq, *region, *event, *enter;
    unsigned frames;  /* aggregate of the schema */
    uint8_t *kinds;   /* XtfMpiCall, by region */
    uint64_t n_kinds; /* regions */
} XtfReplayCallTypes;

bool xtf_replay_call_types_init(XtfReplayCallTypes *types, XtfTraceContext *context, GError **error);
void xtf_replay_call_types_finish(XtfReplayCallTypes *types); /* also one of zeros */

static inline XtfMpiCall xtf_replay_call_kind(const XtfReplayCallTypes *types, uint32_t region)
{
    return region < types->n_kinds ? (XtfMpiCall)types->kinds[region] : XTF_MPI_CALL_NONE;
}

typedef struct {
    uint64_t row, enter, leave; /* leave: UINT64_MAX: not known yet */
    uint32_t region, context;
    uint8_t kind;
} XtfReplayFrame;

/* What else is done with calls. */
typedef struct {
    void *data;
    /* Gives a call that is entered a context; `outer` is that of the call around it, UINT32_MAX: there is none. */
    uint32_t (*enter)(void *data, uint32_t outer, uint32_t region, uint32_t depth);
    /* Time since the call record before, or the location's first record, in the call that was innermost then. */
    void (*charge)(void *data, uint32_t context, uint64_t ticks);
} XtfReplayWalkHooks;

/* The walk of a location. */
typedef struct {
    const XtfReplayCallTypes *types;
    XtfArray calls;
    bool any; /* calls */
    uint64_t n, first, time, outside;
    GArray *stack; /* XtfReplayFrame */
    XtfReplayBound init, finalize;
    uint64_t end;                    /* of the location's last record: calls that are never left end there */
    const XtfReplayWalkHooks *hooks; /* NULL: none; to be set by the caller */

    XtfCursor cursor; /* between begin and end of a batch */
    bool open, found;
} XtfReplayWalk;

/* `calls` may be NULL; `first` and `end` are times of the location's first and last record. */
void xtf_replay_walk_init(XtfReplayWalk *walk, const XtfReplayCallTypes *types, const XtfArray *calls, uint64_t first,
                          uint64_t end);
void xtf_replay_walk_finish(XtfReplayWalk *walk);
void xtf_replay_walk_rewind(XtfReplayWalk *walk);
/* The call around a record; records must come in their order. */
bool xtf_replay_walk_to(XtfReplayWalk *walk, uint64_t time, uint64_t seq, XtfReplayCall *call, GError **error);
/* Gives back the leaf that the walk stands on; the next step takes it again. */
void xtf_replay_walk_rest(XtfReplayWalk *walk);
/* Goes through the calls that are left. */
bool xtf_replay_walk_end(XtfReplayWalk *walk, GError **error);
