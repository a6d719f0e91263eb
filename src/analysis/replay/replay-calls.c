#include "src/analysis/replay/replay-calls.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/vocabulary.h"

enum {
    DEPTH_MAX = 1 << 20,
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
    for (uint64_t i = 0; i < types->n_kinds; i++)
        types->kinds[i] = (uint8_t)xtf_mpi_call(names[i], xtf_region_classes_of(classes, i));
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
        types->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
        types->region = &schema->fields[aggregate->keys[0]];
        types->event = &schema->fields[aggregate->values[0]];
        types->enter = &schema->fields[aggregate->values[1]];
        types->frames = i;
        types->schema = types->seq ? schema : NULL;
        break;
    }
    return true;
}

void xtf_replay_call_types_finish(XtfReplayCallTypes *types)
{
    g_clear_pointer(&types->kinds, g_free);
}

/* ---- A walk. */

void xtf_replay_walk_init(XtfReplayWalk *walk, const XtfReplayCallTypes *types, const XtfArray *calls, uint64_t first,
                          uint64_t end)
{
    *walk = (XtfReplayWalk){.types = types, .any = calls && types->schema, .first = first, .time = first, .end = end};
    if (walk->any)
        walk->calls = *calls;
    walk->stack = g_array_new(FALSE, FALSE, sizeof(XtfReplayFrame));
}

void xtf_replay_walk_rest(XtfReplayWalk *walk)
{
    if (walk->open)
        xtf_cursor_finish(&walk->cursor);
    walk->open = false;
}

void xtf_replay_walk_finish(XtfReplayWalk *walk)
{
    xtf_replay_walk_rest(walk);
    g_clear_pointer(&walk->stack, g_array_unref);
}

void xtf_replay_walk_rewind(XtfReplayWalk *walk)
{
    xtf_replay_walk_rest(walk);
    walk->n = walk->outside = 0;
    walk->time = walk->first;
    g_array_set_size(walk->stack, 0);
    walk->init = walk->finalize = (XtfReplayBound){0};
}

static XtfReplayFrame *top_of(const XtfReplayWalk *walk)
{
    return walk->stack->len ? &g_array_index(walk->stack, XtfReplayFrame, walk->stack->len - 1) : NULL;
}

static uint64_t outside_until(const XtfReplayWalk *walk, uint64_t time)
{
    const XtfReplayFrame *top = top_of(walk);
    return walk->outside + ((!top || top->kind == XTF_MPI_CALL_NONE) && time > walk->time ? time - walk->time : 0);
}

static void note_bound(XtfReplayWalk *walk, const XtfReplayFrame *frame, uint64_t time, uint64_t seq)
{
    XtfReplayBound *bound = frame->kind == XTF_MPI_CALL_INIT ? &walk->init : &walk->finalize;

    if (bound->found)
        return;
    *bound = (XtfReplayBound){.found = true,
                              .row = frame->row,
                              .enter = frame->enter,
                              .leave = time,
                              .leave_row = walk->n,
                              .leave_seq = seq,
                              .outside = walk->outside,
                              .region = frame->region};
}

/* A LEAVE ends its frame and all above it; an ENTER ends all above the frame that it leads to. */
static void pop(XtfReplayWalk *walk, uint64_t until, bool that_too, uint64_t time, uint64_t seq)
{
    XtfReplayFrame *top;

    while ((top = top_of(walk)) && (until == UINT64_MAX || top->row > until || (that_too && top->row == until))) {
        if (that_too && (top->kind == XTF_MPI_CALL_INIT || top->kind == XTF_MPI_CALL_FINALIZE))
            note_bound(walk, top, time, seq);
        g_array_set_size(walk->stack, walk->stack->len - 1);
    }
}

static uint32_t context_of(const XtfReplayFrame *frame)
{
    return frame ? frame->context : UINT32_MAX;
}

static void go_to(XtfReplayWalk *walk, uint64_t time)
{
    walk->outside = outside_until(walk, time);
    if (walk->hooks && time > walk->time)
        walk->hooks->charge(walk->hooks->data, context_of(top_of(walk)), time - walk->time);
    walk->time = MAX(walk->time, time);
}

static void push(XtfReplayWalk *walk, uint64_t time, uint64_t region)
{
    XtfReplayFrame frame = {.row = walk->n,
                            .enter = time,
                            .leave = UINT64_MAX,
                            .region = (uint32_t)MIN(region, UINT32_MAX),
                            .context = UINT32_MAX};

    frame.kind = (uint8_t)xtf_replay_call_kind(walk->types, frame.region);
    if (walk->hooks)
        frame.context = walk->hooks->enter(walk->hooks->data, context_of(top_of(walk)), frame.region, walk->stack->len);
    g_array_append_val(walk->stack, frame);
}

static bool step(XtfReplayWalk *walk, uint64_t seq, GError **error)
{
    const XtfReplayCallTypes *types = walk->types;
    const uint8_t *row = xtf_cursor_row(&walk->cursor);
    uint64_t time = xtf_cursor_time(&walk->cursor), distance = xtf_field_get(types->enter, row);
    bool enters = xtf_field_get(types->event, row) == 0;

    go_to(walk, time);
    if (distance > walk->n)
        return xtf_damaged(error, "enters_leaves of location %" PRIu64 ": row %" PRIu64 " leads to no row",
                           walk->calls.location, walk->n);
    if (enters || distance > 0)
        pop(walk, distance > 0 ? walk->n - distance : UINT64_MAX, !enters, time, seq);
    if (enters) {
        if (walk->stack->len == DEPTH_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the calls of location %" PRIu64 " nest more than %d deep",
                            walk->calls.location, DEPTH_MAX);
        push(walk, time, xtf_field_get(types->region, row));
    }
    walk->n++;
    return xtf_cursor_next(&walk->cursor, 1, &walk->found, error);
}

static bool open_cursor(XtfReplayWalk *walk, GError **error)
{
    if (walk->open || !walk->any)
        return true;
    xtf_cursor_init(&walk->cursor, &walk->calls);
    walk->open = true;
    walk->found = false;
    return walk->n >= walk->calls.n_rows || xtf_cursor_seek_n(&walk->cursor, walk->n, &walk->found, error);
}

static bool walk_before(XtfReplayWalk *walk, uint64_t seq, GError **error)
{
    if (!open_cursor(walk, error))
        return false;
    while (walk->any && walk->found) {
        uint64_t own = xtf_field_get(walk->types->seq, xtf_cursor_row(&walk->cursor));
        if (own >= seq)
            return true;
        if (!step(walk, own, error))
            return false;
    }
    return true;
}

/* Mostly the next row of the calls is the one that is looked for. */
static bool find_leave(XtfReplayWalk *walk, XtfReplayFrame *frame, GError **error)
{
    uint64_t end;

    if (walk->found) {
        const uint8_t *row = xtf_cursor_row(&walk->cursor);
        if (xtf_field_get(walk->types->event, row) != 0 &&
            xtf_field_get(walk->types->enter, row) == walk->n - frame->row) {
            frame->leave = xtf_cursor_time(&walk->cursor);
            return true;
        }
    }
    if (!xtf_array_frame_end(&walk->calls, walk->types->frames, frame->row, &end, error))
        return false;
    if (end >= walk->calls.n_rows) {
        frame->leave = MAX(walk->end, frame->enter);
        return true;
    }
    return xtf_array_time(&walk->calls, end, &frame->leave, error);
}

bool xtf_replay_walk_to(XtfReplayWalk *walk, uint64_t time, uint64_t seq, XtfReplayCall *call, GError **error)
{
    if (!walk_before(walk, seq, error))
        return false;
    XtfReplayFrame *top = top_of(walk);
    *call = (XtfReplayCall){
        .row = UINT64_MAX, .enter = time, .leave = time, .outside = outside_until(walk, time), .region = UINT32_MAX};
    if (!top)
        return true;
    if (top->kind != XTF_MPI_CALL_NONE && top->leave == UINT64_MAX && !find_leave(walk, top, error))
        return false;
    call->row = top->row;
    call->enter = top->enter;
    call->leave = top->leave;
    call->region = top->region;
    call->context = top->context;
    call->kind = top->kind;
    return true;
}

bool xtf_replay_walk_end(XtfReplayWalk *walk, GError **error)
{
    bool good = walk_before(walk, UINT64_MAX, error);

    xtf_replay_walk_rest(walk);
    if (good)
        go_to(walk, walk->end);
    return good;
}
