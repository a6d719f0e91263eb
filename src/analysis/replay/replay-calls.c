#include "src/analysis/replay/replay-calls.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

enum {
    DEPTH_MAX = 1 << 20,
    FACTOR_BITS = 20,
    PART_BITS = 10,
    NO_CHANGE = 1 << FACTOR_BITS, /* the factor 1 */
};

/* ---- Types. */

static bool find_kinds(XtfReplayCallTypes *types, XtfTraceContext *context, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(context, error);
    g_autofree const char **names = NULL;

    if (!classes || !xtf_table_names(context->trace, XTF_TABLE_REGIONS, &names, &types->n_kinds, error))
        return false;
    if (!names)
        types->n_kinds = 0;
    types->kinds = g_malloc(types->n_kinds + 1);
    types->probed = g_new(bool, types->n_kinds + 1);
    for (uint64_t i = 0; i < types->n_kinds; i++) {
        XtfRegionClass class = xtf_region_classes_of(classes, i);
        types->kinds[i] = (uint8_t)xtf_mpi_call(names[i], class);
        types->probed[i] = xtf_mpi_takes_probed(names[i], class);
    }
    return true;
}

bool xtf_replay_call_types_init(XtfReplayCallTypes *types, XtfTraceContext *context, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_RECORD_ENTERS_LEAVES);

    *types = (XtfReplayCallTypes){0};
    if (!find_kinds(types, context, error))
        return false;
    for (unsigned i = 0; schema && schema->kind == XTF_SCHEMA_RECORD && i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        if (aggregate->kind != XTF_AGGREGATE_FRAMES)
            continue;
        const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
        if (!seq)
            break;
        types->time = xtf_field_load(&schema->fields[0]);
        types->seq = xtf_field_load(seq);
        types->region = xtf_field_load(&schema->fields[aggregate->keys[0]]);
        types->event = xtf_field_load(&schema->fields[aggregate->values[0]]);
        types->enter = xtf_field_load(&schema->fields[aggregate->values[1]]);
        types->any_signed = types->seq.sign != 0 || types->region.sign != 0 || types->enter.sign != 0;
        types->frames = i;
        types->schema = schema;
        break;
    }
    return true;
}

void xtf_replay_call_types_finish(XtfReplayCallTypes *types)
{
    g_clear_pointer(&types->kinds, g_free);
    g_clear_pointer(&types->probed, g_free);
}

/* ---- A walk. */

void xtf_replay_walk_init(XtfReplayWalk *walk, const XtfReplayWalkShared *shared, const XtfArray *calls, uint64_t first,
                          uint64_t end)
{
    *walk = (XtfReplayWalk){.shared = shared, .any = calls && shared->types->schema, .time = first, .end = end};
    if (walk->any)
        walk->calls = *calls;
}

void xtf_replay_walk_finish(XtfReplayWalk *walk)
{
    if (walk->open)
        xtf_cursor_finish(&walk->cursor);
    walk->open = false;
    g_clear_pointer(&walk->frames, g_free);
    walk->depth = walk->room = 0;
}

static inline XtfReplayFrame *top_of(const XtfReplayWalk *walk)
{
    return walk->depth ? &walk->frames[walk->depth - 1] : NULL;
}

static bool is_bound(const XtfReplayFrame *frame)
{
    return frame->kind == XTF_MPI_CALL_INIT || frame->kind == XTF_MPI_CALL_FINALIZE;
}

/* Returns the part of the ticks after the last record that are outside of MPI, in ticks, or in ticks times factors. */
static inline unsigned __int128 count_outside(const XtfReplayWalk *walk, const XtfReplayFrame *top, uint64_t ticks)
{
    if (top && top->kind != XTF_MPI_CALL_NONE)
        return 0;
    return !walk->shared->types->factors ? ticks : (unsigned __int128)ticks * (top ? top->factor : NO_CHANGE);
}

/* Adds the ticks up to `time` to the sums. `top` is the frame on top. */
__attribute__((always_inline)) static inline void advance_to(XtfReplayWalk *walk, const XtfReplayFrame *top,
                                                             uint64_t time)
{
    if (time <= walk->time)
        return;
    walk->outside += count_outside(walk, top, time - walk->time);
    xtf_callpath_totals_add(walk->shared->sums, top ? top->callpath : UINT32_MAX, time - walk->time);
    walk->time = time;
}

static void note_bound(XtfReplayWalk *walk, const XtfReplayFrame *frame, uint32_t callpath, uint64_t time, uint64_t seq)
{
    XtfReplayBound *bound = frame->kind == XTF_MPI_CALL_INIT ? &walk->init : &walk->finalize;

    if (!bound->found)
        *bound = (XtfReplayBound){.found = true,
                                  .region = frame->region,
                                  .callpath = callpath,
                                  .enter = frame->enter,
                                  .leave = time,
                                  .leave_row = walk->n,
                                  .leave_seq = seq};
}

static inline void pop_frame(XtfReplayWalk *walk, const XtfReplayFrame *top, uint64_t time)
{
    if (top->kind != XTF_MPI_CALL_NONE && --walk->n_in_mpi == 0)
        walk->left = time;
    walk->depth--;
}

/* Pops frames. A LEAVE ends its frame and all above it; an ENTER ends all above the frame that it leads to. */
static void pop_frames(XtfReplayWalk *walk, uint64_t until, bool including_until, uint64_t time, uint64_t seq)
{
    uint32_t callpath = walk->depth ? top_of(walk)->callpath : UINT32_MAX;
    const XtfReplayFrame *top;

    while ((top = top_of(walk)) &&
           (until == UINT64_MAX || top->row > until || (including_until && top->row == until))) {
        if (is_bound(top)) {
            if (including_until)
                note_bound(walk, top, callpath, time, seq);
            walk->n_bounds--;
        }
        pop_frame(walk, top, time);
    }
}

static bool make_frame_room(XtfReplayWalk *walk, GError **error)
{
    if (walk->depth == DEPTH_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the calls of location %" PRIu64 " nest more than %d deep",
                        walk->calls.location, DEPTH_MAX);
    walk->room = MAX(8, 2 * walk->room);
    walk->frames = g_renew(XtfReplayFrame, walk->frames, walk->room);
    return true;
}

/* Notes that the frame on top enters MPI, and passes the gap before it to `after_gap`. */
static inline bool enter_mpi(XtfReplayWalk *walk, uint64_t time, uint64_t seq, GError **error)
{
    bool first = !walk->was_in_mpi;

    walk->was_in_mpi = true;
    if (walk->n_in_mpi++ > 0 || first || !walk->after_gap || time < walk->left || time - walk->left < walk->least_gap)
        return true;
    const XtfReplayGap gap = {.begin = walk->left, .end = time, .seq = seq, .row = walk->n};
    return walk->after_gap(walk->data, &gap, error);
}

/* Returns the factor of a new frame on top. */
static uint32_t factor_of(const XtfReplayWalk *walk, uint32_t region)
{
    const XtfReplayCallTypes *types = walk->shared->types;
    uint32_t own = region < types->n_kinds ? types->factors[region] : XTF_REPLAY_NO_FACTOR;

    return own != XTF_REPLAY_NO_FACTOR ? own : walk->depth > 0 ? top_of(walk)->factor : NO_CHANGE;
}

/* Puts the frame of an ENTER on top of `outer`. */
__attribute__((always_inline)) static inline bool push_call_frame(XtfReplayWalk *walk, const XtfReplayFrame *outer,
                                                                  uint64_t time, uint64_t number, uint64_t seq,
                                                                  GError **error)
{
    const XtfReplayWalkShared *shared = walk->shared;
    uint32_t region = (uint32_t)MIN(number, UINT32_MAX), parent = outer ? outer->callpath : UINT32_MAX;
    XtfMpiCall kind = xtf_replay_call_kind(shared->types, region);

    if (G_UNLIKELY(walk->depth == walk->room) && !make_frame_room(walk, error))
        return false;
    XtfReplayFrame *frame = &walk->frames[walk->depth];
    *frame = (XtfReplayFrame){
        .row = walk->n,
        .enter = time,
        .leave = UINT64_MAX,
        .region = region,
        .callpath = xtf_callpath_log_enter(shared->callpaths, shared->cache, parent, region, walk->depth),
        .factor = G_UNLIKELY(shared->types->factors) ? factor_of(walk, region) : NO_CHANGE,
        .kind = (uint8_t)kind,
    };
    walk->depth++;
    if (kind == XTF_MPI_CALL_NONE)
        return true;
    walk->n_bounds += is_bound(frame);
    return enter_mpi(walk, time, seq, error);
}

/* Returns the value of a field. */
static inline uint64_t load_number(const XtfFieldLoad *load, const uint8_t *row, bool any_signed)
{
    return any_signed ? xtf_load_value(load, row) : xtf_load_bits(load, row);
}

/* Walks over a row of calls. Most end the frame on top, or begin one above it. */
__attribute__((always_inline)) static inline bool walk_row(XtfReplayWalk *walk, const uint8_t *row, uint64_t seq,
                                                           bool any_signed, GError **error)
{
    const XtfReplayCallTypes *types = walk->shared->types;
    uint64_t time = xtf_load_bits(&types->time, row), distance = load_number(&types->enter, row, any_signed);
    uint64_t until = distance > 0 ? walk->n - distance : UINT64_MAX;
    bool enters = xtf_load_bits(&types->event, row) == 0;
    const XtfReplayFrame *top = top_of(walk);

    if (G_UNLIKELY(walk->n_bounds > 0) && !enters && walk->before_bound && !walk->before_bound(walk->data, seq, error))
        return false;
    advance_to(walk, top, time);
    if (G_UNLIKELY(distance > walk->n))
        return xtf_damaged(error,
                           "enters_leaves of location %" PRIu64 ": the distance of row %" PRIu64 " leads to no row",
                           walk->calls.location, walk->n);
    bool is_top = top && top->row == until;
    if (enters) {
        if (G_UNLIKELY(top && !is_top)) {
            pop_frames(walk, until, false, time, seq);
            top = top_of(walk);
        }
        if (!push_call_frame(walk, top, time, load_number(&types->region, row, any_signed), seq, error))
            return false;
    } else if (is_top && !is_bound(top)) {
        pop_frame(walk, top, time);
    } else if (distance > 0) {
        pop_frames(walk, until, true, time, seq);
    }
    walk->n++;
    return true;
}

/* Takes the rows of the cursor's leaf that are in the window. */
static void take_leaf(XtfReplayWalk *walk, bool found)
{
    found &= walk->n < walk->end_row;
    uint64_t n_rows = found ? MIN(xtf_cursor_available(&walk->cursor), walk->end_row - walk->n) : 0;
    walk->row = found ? xtf_cursor_row(&walk->cursor) : NULL;
    walk->rows_end = found ? walk->row + n_rows * walk->calls.schema->row_size : NULL;
}

static bool open_cursor(XtfReplayWalk *walk, GError **error)
{
    bool found = false;

    if (walk->open || !walk->any)
        return true;
    xtf_cursor_init(&walk->cursor, &walk->calls);
    walk->open = true;
    if (!xtf_run_window_rows(&walk->window, &walk->calls, &walk->n, &walk->end_row, error))
        return false;
    walk->n_reported = walk->n;
    if (walk->n < walk->end_row && !xtf_cursor_seek_n(&walk->cursor, walk->n, &found, error))
        return false;
    take_leaf(walk, found);
    return true;
}

static bool enter_next_leaf(XtfReplayWalk *walk, GError **error)
{
    const XtfReplayWalkShared *shared = walk->shared;
    bool found;

    if (!xtf_cursor_next(&walk->cursor, (int64_t)(walk->n - walk->cursor.n), &found, error))
        return false;
    take_leaf(walk, found);
    if (shared->went && !shared->went(shared->data, walk->n - walk->n_reported, error))
        return false;
    walk->n_reported = walk->n;
    return true;
}

/* Walks over the rows of the walk's leaf before a record. With the constant false for `any_signed` the loads of a row
 * are few instructions. */
__attribute__((always_inline)) static inline bool walk_leaf(XtfReplayWalk *walk, uint64_t seq, bool any_signed,
                                                            GError **error)
{
    const XtfFieldLoad load = walk->shared->types->seq;
    const uint32_t row_size = walk->calls.schema->row_size;
    const uint8_t *row = walk->row;

    for (; row < walk->rows_end; row += row_size) {
        uint64_t own = load_number(&load, row, any_signed);
        if (own >= seq)
            break;
        if (!walk_row(walk, row, own, any_signed, error))
            return false;
    }
    walk->row = row;
    return true;
}

/* Walks over all calls before a record. */
static bool walk_before(XtfReplayWalk *walk, uint64_t seq, GError **error)
{
    if (G_UNLIKELY(!walk->open) && !open_cursor(walk, error))
        return false;
    while (walk->row < walk->rows_end) {
        bool good = G_UNLIKELY(walk->shared->types->any_signed) ? walk_leaf(walk, seq, true, error)
                                                                : walk_leaf(walk, seq, false, error);
        if (!good)
            return false;
        if (walk->row < walk->rows_end)
            return true;
        if (!enter_next_leaf(walk, error))
            return false;
    }
    return true;
}

/* Finds the LEAVE of a frame. The next row of the calls usually is the LEAVE. */
static bool find_leave(XtfReplayWalk *walk, XtfReplayFrame *frame, GError **error)
{
    const XtfReplayCallTypes *types = walk->shared->types;
    uint64_t end;

    if (walk->row < walk->rows_end && xtf_load_bits(&types->event, walk->row) != 0 &&
        xtf_load_value(&types->enter, walk->row) == walk->n - frame->row) {
        frame->leave = xtf_load_value(&types->time, walk->row);
        return true;
    }
    if (!xtf_array_frame_end(&walk->calls, types->frames, frame->row, &end, error))
        return false;
    if (end >= walk->calls.n_rows) {
        frame->leave = MAX(walk->end, frame->enter);
        return true;
    }
    return xtf_array_time(&walk->calls, end, &frame->leave, error);
}

/* Returns the time outside of MPI up to `time`, as xtf_replay_walk_outside() does. `top` is the frame on top. */
static inline uint64_t outside_until(const XtfReplayWalk *walk, const XtfReplayFrame *top, uint64_t time)
{
    uint64_t ticks = time > walk->time ? time - walk->time : 0;

    if (G_LIKELY(!walk->shared->types->factors))
        return (uint64_t)walk->outside + (top && top->kind != XTF_MPI_CALL_NONE ? 0 : ticks);
    return (uint64_t)((walk->outside + count_outside(walk, top, ticks)) >> (FACTOR_BITS - PART_BITS));
}

uint64_t xtf_replay_walk_outside(const XtfReplayWalk *walk, uint64_t time)
{
    return outside_until(walk, top_of(walk), time);
}

bool xtf_replay_walk_to(XtfReplayWalk *walk, uint64_t time, uint64_t seq, XtfReplayCall *call, GError **error)
{
    bool is_there = walk->row < walk->rows_end && xtf_load_value(&walk->shared->types->seq, walk->row) >= seq;

    if (!is_there && !walk_before(walk, seq, error))
        return false;
    XtfReplayFrame *top = top_of(walk);
    if (!top) {
        *call = (XtfReplayCall){.row = UINT64_MAX,
                                .enter = time,
                                .leave = time,
                                .outside = outside_until(walk, NULL, time),
                                .region = UINT32_MAX,
                                .callpath = UINT32_MAX};
        return true;
    }
    if (top->kind != XTF_MPI_CALL_NONE && top->leave == UINT64_MAX && !find_leave(walk, top, error))
        return false;
    *call = (XtfReplayCall){.row = top->row,
                            .enter = top->enter,
                            .leave = top->leave,
                            .outside = outside_until(walk, top, time),
                            .region = top->region,
                            .callpath = top->callpath,
                            .kind = top->kind};
    return true;
}

void xtf_replay_walk_split(XtfReplayWalk *walk, uint64_t time)
{
    advance_to(walk, top_of(walk), MIN(time, walk->end));
}

bool xtf_replay_walk_end(XtfReplayWalk *walk, GError **error)
{
    if (!walk_before(walk, UINT64_MAX, error))
        return false;
    advance_to(walk, top_of(walk), walk->end);
    return true;
}
