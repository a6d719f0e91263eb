/*
 * A walk over the tree of an array with stops at many edges: the engine of slices.h.
 */
#pragma once

#include "libxtf/aggregate/profile.h"
#include "libxtf/slices.h"

typedef struct {
    XtfTotalsQuery query;
    bool by_time;         /* edges are local times of `array`, else numbers of rows */
    const uint64_t *keys; /* the edges */
    size_t n, next;
    bool takes_stacks; /* edges need their stacks */
    /* The query counts frames that begin. Their number before a row follows from the depth of the stack there: see
     * xtf_frames_nest_fully(). `begun` is that before the last edge, `all_begun` that of all rows. */
    bool by_depth;
    uint64_t begun, all_begun;
    XtfSliceVisitor visit;
    XtfStackVisitor visit_stack; /* instead of `visit`, for stacks alone */
    void *data;
    XtfGroupTotals *row_totals; /* by all keys; NULL: rows are added to the query's totals */
    const XtfProfile *profile;  /* NULL: the caller wants totals of whole rows */
    uint64_t last;              /* of the profile: local tick of the location's last record */
    const uint64_t *times;      /* of the profile: the edges as the caller gave them */
    const XtfClockMap *clock;   /* converts them; may be NULL */
    XtfStackCapture edges[2];   /* the last edge, and the next when it is reached */
    XtfFrameStack stacks[3];    /* two for `edges`; the last is at the walk's row */
} XtfSliceWalk;

/* Initializes the private members. The caller has set the others. */
void xtf_slice_walk_init(XtfSliceWalk *walk);
/* Walks over all edges. The first `begins` edges lie before row 0. Edges from number `ends` on lie behind the last row.
 */
bool xtf_slice_walk_run(XtfSliceWalk *walk, size_t begins, size_t ends, GError **error);
void xtf_slice_walk_finish(XtfSliceWalk *walk);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSliceWalk, xtf_slice_walk_finish)
