#include "src/analysis/path/moves.h"

#include "src/world/stream.h"

enum {
    WALK_AT_ONCE = 32, /* moves read at once: the path soon leaves a location */
    SENT_AT_ONCE = 512,
};

bool xtf_path_moves_init(XtfPathMoves *moves, uint32_t n_locations, GError **error)
{
    *moves = XTF_PATH_MOVES_NONE;
    moves->spans = g_new0(XtfPathMoveSpan, (size_t)n_locations + 1);
    moves->n_locations = n_locations;
    return xtf_spool_open(&moves->spool, error);
}

void xtf_path_moves_finish(XtfPathMoves *moves)
{
    xtf_spool_close(&moves->spool);
    g_clear_pointer(&moves->spans, g_free);
}

bool xtf_path_moves_add(XtfPathMoves *moves, uint32_t location, const XtfPathMove *all, uint32_t n, GError **error)
{
    XtfPathMoveSpan *span = &moves->spans[location];

    if (n == 0)
        return true;
    if (span->n == 0)
        span->first = moves->n;
    span->n += n;
    moves->n += n;
    return xtf_spool_put(&moves->spool, (moves->n - n) * sizeof *all, all, n * sizeof *all, error);
}

/* Finds the number of a location's first move at or behind record `seq`. Reads the last moves of the search at once. */
static bool find_first_from(const XtfPathMoves *moves, const XtfPathMoveSpan *span, uint64_t seq, uint64_t *number,
                            GError **error)
{
    uint64_t low = span->first, high = low + span->n;
    XtfPathMove all[WALK_AT_ONCE];

    while (high - low > WALK_AT_ONCE) {
        uint64_t middle = low + (high - low) / 2, found;
        if (!xtf_spool_get(&moves->spool, middle * sizeof(XtfPathMove) + offsetof(XtfPathMove, seq), &found,
                           sizeof found, error))
            return false;
        if (found < seq)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t n = high - low, i = 0;
    if (!xtf_spool_get(&moves->spool, low * sizeof *all, all, n * sizeof *all, error))
        return false;
    while (i < n && all[i].seq < seq)
        i++;
    *number = low + i;
    return true;
}

bool xtf_path_moves_find(const XtfPathMoves *moves, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait,
                         bool *found, GError **error)
{
    const XtfPathMoveSpan *span = &moves->spans[location];
    uint64_t behind = span->first + span->n;
    XtfPathMove all[WALK_AT_ONCE];

    *found = false;
    if (seq != UINT64_MAX && !find_first_from(moves, span, seq, &behind, error))
        return false;
    while (!*found && behind > span->first) {
        uint64_t n = MIN(behind - span->first, (uint64_t)WALK_AT_ONCE);
        behind -= n;
        if (!xtf_spool_get(&moves->spool, behind * sizeof *all, all, n * sizeof *all, error))
            return false;
        while (!*found && n-- > 0) {
            *found = all[n].wait.end <= end;
            *wait = all[n].wait;
        }
    }
    return true;
}

/* ---- Ranks. */

/* An item of the stream: moves follow. */
typedef struct {
    uint32_t location, n;
} Item;

static bool send_location(const XtfPathMoves *moves, uint32_t location, XtfWorldStream *stream, GError **error)
{
    const XtfPathMoveSpan *span = &moves->spans[location];

    for (uint64_t at = 0; at < span->n; at += SENT_AT_ONCE) {
        uint32_t n = (uint32_t)MIN(span->n - at, (uint64_t)SENT_AT_ONCE);
        Item *item = xtf_world_stream_put(stream, 0, 0, (uint32_t)(sizeof *item + n * sizeof(XtfPathMove)));
        *item = (Item){location, n};
        if (!xtf_spool_get(&moves->spool, (span->first + at) * sizeof(XtfPathMove), item + 1, n * sizeof(XtfPathMove),
                           error))
            return false;
    }
    return true;
}

static bool send_moves(void *data, XtfWorldStream *stream, GError **error)
{
    const XtfPathMoves *moves = data;

    for (uint32_t i = 0; i < moves->n_locations; i++)
        if (!send_location(moves, i, stream, error))
            return false;
    return true;
}

static bool read_moves(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    const Item *item = bytes;

    return xtf_path_moves_add(data, item->location, (const XtfPathMove *)(const void *)(item + 1), item->n, error);
}

/* Gathers the moves of one rank after the other, so that the moves of a location are together. */
bool xtf_path_moves_gather(XtfPathMoves *moves, XtfWorld *world, GError **error)
{
    return xtf_world_take_turns(world, send_moves, read_moves, moves, error);
}
