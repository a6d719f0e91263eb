/*
 * The waits that move the critical path to another location. They are in an unnamed temporary file, by location.
 *
 * In a job each rank adds the waits of its own locations, and rank 0 then gets the waits of all ranks. One thread uses
 * them.
 */
#pragma once

#include "src/analysis/path/critical-path.h"
#include "src/analysis/replay/logs/spool.h"
#include "src/analysis/waits/points.h"
#include "src/world/world.h"

typedef struct {
    uint64_t seq; /* of the record at which the wait ended */
    XtfPathWait wait;
} XtfPathMove;

typedef struct {
    uint64_t first, n;
} XtfPathMoveSpan;

typedef struct {
    XtfSpool spool;         /* XtfPathMove */
    XtfPathMoveSpan *spans; /* by location */
    uint64_t n;
    uint32_t n_locations;
} XtfPathMoves;

#define XTF_PATH_MOVES_NONE ((XtfPathMoves){.spool = XTF_SPOOL_NONE})

bool xtf_path_moves_init(XtfPathMoves *moves, uint32_t n_locations, GError **error);
void xtf_path_moves_finish(XtfPathMoves *moves);

/* Adds n moves of a location, in the order of records. No other location gets moves between two calls for one. */
bool xtf_path_moves_add(XtfPathMoves *moves, uint32_t location, const XtfPathMove *all, uint32_t n, GError **error);
/* Finds the latest move of a location whose wait ended at time `end` or before, at a record before `seq`. */
bool xtf_path_moves_find(const XtfPathMoves *moves, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait,
                         bool *found, GError **error);
/* Sends the moves of all ranks to rank 0. Collective, as xtf_world_take_turns(). */
bool xtf_path_moves_gather(XtfPathMoves *moves, XtfWorld *world, GError **error);
