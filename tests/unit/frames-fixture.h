/*
 * Calls that begin and end frames, well nested or not, and their totals by the rules of aggregates.h. The totals are
 * computed naively: from a list of all frames with their times, and of the region charged between each two rows.
 * Nothing here uses the library.
 */
#pragma once

#include "fixture.h"

#include "libxtf/aggregates.h"

#ifndef CALL_REGIONS
#define CALL_REGIONS 40
#endif

enum { REGIONS = CALL_REGIONS, BEFORE = REGIONS, SLOTS }; /* the last slot is for XTF_FRAMES_BEFORE */

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint32_t region;
    uint8_t event;
    uint64_t enter;
    uint8_t outermost;
} CallRow;

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "region", .type = XTF_TYPE_U32},
    {.name = "event", .type = XTF_TYPE_U8},
    {.name = "enter", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8},
    {0},
};

static const XtfAggregateSpec call_aggregate = {
    .kind = XTF_AGGREGATE_FRAMES,
    .keys = (const char *const[]){"region", NULL},
    .values = (const char *const[]){"event", "enter", "outermost", NULL},
};

/* Shares of kinds of rows, in percent. All other rows begin or end a frame correctly. */
typedef struct {
    const char *name;
    uint32_t rows;
    unsigned deep;         /* about the greatest depth of the stack */
    unsigned ties;         /* rows at the time of the row before */
    unsigned orphans;      /* ends of frames that never began */
    unsigned jumps;        /* ends of frames below the top; begins whose parent is below the top */
    unsigned lies;         /* distances that lead to no open frame */
    unsigned regions;      /* at most REGIONS */
    unsigned never_ending; /* rows at the end that all begin frames */
} CallShape;

/* From a single row to all errors at once. */
G_GNUC_UNUSED static const CallShape call_shapes[] = {
    {.name = "a row", .rows = 1, .deep = 3, .regions = 3},
    {.name = "few", .rows = 70, .deep = 4, .regions = 3},
    {.name = "nested", .rows = 60000, .deep = 6, .regions = 20, .ties = 40},
    {.name = "recursion", .rows = 8000, .deep = 30, .regions = 2, .ties = 20},
    {.name = "never ended", .rows = 8000, .deep = 10, .regions = 20, .never_ending = 500},
    {.name = "mis-nested", .rows = 8000, .deep = 20, .regions = 20, .jumps = 20, .orphans = 3},
    {.name = "all wrong", .rows = 8000, .deep = 8, .regions = REGIONS, .jumps = 20, .orphans = 10, .lies = 10},
    {.name = "very deep", .rows = 20000, .deep = 3000, .regions = 10, .jumps = 1},
};

typedef struct {
    uint64_t begin, end; /* times; end: UINT64_MAX if the frame never ends */
    uint32_t row, region;
    bool outermost;
    uint32_t end_row; /* UINT32_MAX if the frame never ends */
} NaiveFrame;

/* The amount that a row adds to a cell. */
typedef struct {
    uint32_t row, slot, cell;
    uint64_t amount;
} NaiveEffect;

typedef struct {
    GArray *rows;    /* CallRow */
    GArray *frames;  /* NaiveFrame, also the ended ones */
    GArray *effects; /* NaiveEffect */
    GArray *stack;   /* guint: indices in `frames` of the open frames, outermost first */
    GArray *turns;   /* uint32_t: the slot charged with the time up to each row; SLOTS if none */
} Calls;

static inline void naive_effect(Calls *calls, uint32_t row, uint32_t slot, uint32_t cell, uint64_t amount)
{
    NaiveEffect effect = {row, slot, cell, amount};
    g_array_append_val(calls->effects, effect);
}

static inline void naive_pop(Calls *calls, uint32_t row, uint64_t time)
{
    guint top = g_array_index(calls->stack, guint, calls->stack->len - 1);
    NaiveFrame *frame = &g_array_index(calls->frames, NaiveFrame, top);

    frame->end = time;
    frame->end_row = row;
    if (frame->outermost)
        naive_effect(calls, row, frame->region, XTF_FRAMES_INCLUSIVE, time - frame->begin);
    naive_effect(calls, row, frame->region, XTF_FRAMES_LONGEST, time - frame->begin);
    g_array_set_size(calls->stack, calls->stack->len - 1);
}

/* Returns the position in the stack of the frame that a row began; -1 if the frame is not open. */
static inline int naive_find(const Calls *calls, uint64_t row)
{
    for (guint i = calls->stack->len; i-- > 0;) /* most often it is the last */
        if (g_array_index(calls->frames, NaiveFrame, g_array_index(calls->stack, guint, i)).row == row)
            return (int)i;
    return -1;
}

/* Adds a row after the others, in the order of aggregates.h: charge, end, begin. */
static inline void naive_row(Calls *calls, CallRow call)
{
    uint32_t n = calls->rows->len;
    uint64_t ticks = n > 0 ? call.time - g_array_index(calls->rows, CallRow, n - 1).time : 0;
    bool empty = calls->stack->len == 0;
    int found = call.enter > 0 && call.enter <= n ? naive_find(calls, n - call.enter) : -1;
    bool orphan = call.event != 0 && found < 0;
    uint32_t turn = SLOTS;

    if (!empty) {
        guint top = g_array_index(calls->stack, guint, calls->stack->len - 1);
        turn = g_array_index(calls->frames, NaiveFrame, top).region;
        naive_effect(calls, n, turn, XTF_FRAMES_EXCLUSIVE, ticks);
    } else if (orphan) {
        turn = BEFORE;
        naive_effect(calls, n, BEFORE, XTF_FRAMES_INCLUSIVE, ticks);
        naive_effect(calls, n, BEFORE, XTF_FRAMES_EXCLUSIVE, ticks);
    }
    g_array_append_val(calls->turns, turn);
    naive_effect(calls, n, call.region, call.event ? XTF_FRAMES_ENDED : XTF_FRAMES_BEGUN, 1);
    if (orphan)
        naive_effect(calls, n, BEFORE, XTF_FRAMES_BEGUN, 1);
    else
        while ((int)calls->stack->len > (call.event ? found : found + 1))
            naive_pop(calls, n, call.time);
    if (call.event == 0) {
        NaiveFrame frame = {call.time, UINT64_MAX, n, call.region, call.outermost, UINT32_MAX};
        g_array_append_val(calls->stack, calls->frames->len);
        g_array_append_val(calls->frames, frame);
    }
    g_array_append_val(calls->rows, call);
}

static inline bool naive_is_open(const Calls *calls, uint32_t region, guint depth)
{
    for (guint i = 0; i < depth; i++)
        if (g_array_index(calls->frames, NaiveFrame, g_array_index(calls->stack, guint, i)).region == region)
            return true;
    return false;
}

static inline uint32_t naive_frame_row(const Calls *calls, guint at)
{
    return g_array_index(calls->frames, NaiveFrame, g_array_index(calls->stack, guint, at)).row;
}

static inline bool chance(GRand *random, unsigned percent)
{
    return g_rand_int_range(random, 0, 100) < (gint32)percent;
}

static inline CallRow random_call(const Calls *calls, GRand *random, const CallShape *shape, uint64_t time)
{
    uint32_t n = calls->rows->len, depth = calls->stack->len;
    CallRow call = {.time = time, .region = (uint32_t)g_rand_int_range(random, 0, (gint32)shape->regions)};
    bool begins = n + shape->never_ending >= shape->rows || depth == 0 ||
                  g_rand_int_range(random, 0, (gint32)(2 * shape->deep)) >= (gint32)depth;

    if (chance(random, shape->orphans)) {
        call.event = 1;
        return call;
    }
    guint to = depth; /* open frame to - 1 is the parent of the new frame, or the frame that ends */
    if (depth > 1 && chance(random, shape->jumps))
        to = (guint)g_rand_int_range(random, (gint32)(depth > 20 ? depth - 20 : 1), (gint32)depth + 1);
    call.event = begins ? 0 : 1;
    if (to > 0)
        call.enter = n - naive_frame_row(calls, to - 1);
    if (begins) {
        call.outermost = !naive_is_open(calls, call.region, to);
    } else {
        const NaiveFrame *frame = &g_array_index(calls->frames, NaiveFrame, g_array_index(calls->stack, guint, to - 1));
        call.region = frame->region;
        call.outermost = frame->outermost;
    }
    if (n > 0 && chance(random, shape->lies))
        call.enter = (uint64_t)g_rand_int_range(random, 0, (gint32)n + 20);
    return call;
}

static inline Calls *calls_new(void)
{
    Calls *calls = g_new0(Calls, 1);

    calls->rows = g_array_new(FALSE, FALSE, sizeof(CallRow));
    calls->frames = g_array_new(FALSE, FALSE, sizeof(NaiveFrame));
    calls->effects = g_array_new(FALSE, FALSE, sizeof(NaiveEffect));
    calls->stack = g_array_new(FALSE, FALSE, sizeof(guint));
    calls->turns = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return calls;
}

static inline void calls_free(Calls *calls)
{
    g_array_unref(calls->rows);
    g_array_unref(calls->frames);
    g_array_unref(calls->effects);
    g_array_unref(calls->stack);
    g_array_unref(calls->turns);
    g_free(calls);
}

static inline Calls *random_calls(GRand *random, const CallShape *shape)
{
    Calls *calls = calls_new();
    uint64_t time = 1000;

    for (uint32_t n = 0; n < shape->rows; n++) {
        if (!chance(random, shape->ties))
            time += (uint64_t)g_rand_int_range(random, 1, 1000);
        naive_row(calls, random_call(calls, random, shape, time));
    }
    return calls;
}

typedef uint64_t NaiveCells[SLOTS][XTF_FRAMES_CELLS];

static inline void naive_add(NaiveCells cells, const NaiveEffect *effect)
{
    uint64_t *cell = &cells[effect->slot][effect->cell];

    *cell = effect->cell == XTF_FRAMES_LONGEST ? MAX(*cell, effect->amount) : *cell + effect->amount;
}

/* Adds up the effects of rows [n1, n2). */
static inline void naive_totals(const Calls *calls, uint64_t n1, uint64_t n2, NaiveCells cells)
{
    memset(cells, 0, sizeof(NaiveCells));
    for (guint i = 0; i < calls->effects->len; i++) {
        const NaiveEffect *effect = &g_array_index(calls->effects, NaiveEffect, i);
        if (effect->row >= n1 && effect->row < n2)
            naive_add(cells, effect);
    }
}

/* Returns the number of ticks in both [from, to) and [a, b). */
static inline uint64_t overlap(uint64_t from, uint64_t to, uint64_t a, uint64_t b)
{
    from = MAX(from, a);
    to = MIN(to, b);
    return from < to ? to - from : 0;
}

/* Computes the profile of the window [a, b) from intervals of time. */
static inline void naive_profile(const Calls *calls, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                                 NaiveCells cells)
{
    const GArray *rows = calls->rows;
    uint64_t before = first;

    memset(cells, 0, sizeof(NaiveCells));
    for (guint i = 0; i < calls->effects->len; i++) {
        const NaiveEffect *effect = &g_array_index(calls->effects, NaiveEffect, i);
        uint64_t time = g_array_index(rows, CallRow, effect->row).time;
        bool of_rows = effect->cell <= XTF_FRAMES_ENDED || effect->cell == XTF_FRAMES_LONGEST;
        if (of_rows && time >= a && time < b)
            naive_add(cells, effect);
    }
    for (guint i = 0; i < calls->frames->len; i++) {
        const NaiveFrame *frame = &g_array_index(calls->frames, NaiveFrame, i);
        if (frame->outermost)
            cells[frame->region][XTF_FRAMES_INCLUSIVE] += overlap(frame->begin, MIN(frame->end, last), a, b);
    }
    for (guint n = 0; n < rows->len; n++) {
        uint64_t time = g_array_index(rows, CallRow, n).time;
        uint32_t turn = g_array_index(calls->turns, uint32_t, n);
        if (turn < SLOTS)
            cells[turn][XTF_FRAMES_EXCLUSIVE] += overlap(before, time, a, b);
        if (turn == BEFORE)
            cells[turn][XTF_FRAMES_INCLUSIVE] += overlap(before, time, a, b);
        before = time;
    }
    if (calls->stack->len > 0) {
        guint top = g_array_index(calls->stack, guint, calls->stack->len - 1);
        cells[g_array_index(calls->frames, NaiveFrame, top).region][XTF_FRAMES_EXCLUSIVE] +=
            overlap(before, last, a, b);
    }
}

/* Asserts that the totals are exactly these cells. A group of zeros counts as absent. */
static inline void assert_cells(const XtfGroupTotals *totals, NaiveCells cells, const char *label)
{
    uint32_t seen = 0;

    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        static const uint64_t none[XTF_FRAMES_CELLS];
        uint64_t key = slot == BEFORE ? XTF_FRAMES_BEFORE : slot;
        const uint64_t *found = xtf_group_totals_find(totals, &key);
        seen += found != NULL;
        for (int cell = 0; cell < XTF_FRAMES_CELLS; cell++)
            cr_assert_eq((found ? found : none)[cell], cells[slot][cell],
                         "%s: region %u, cell %d: %" G_GUINT64_FORMAT ", should be %" G_GUINT64_FORMAT, label, slot,
                         cell, (found ? found : none)[cell], cells[slot][cell]);
    }
    cr_assert_eq(seen, xtf_group_totals_n(totals), "%s: the totals have groups with other keys", label);
}

/* Writes the calls as array 0 of location 7, in many small leaves. */
static inline void write_small_leaves(const char *path, bool plain, const Calls *calls)
{
    GError *error = NULL;
    const XtfWriterOptions options = {
        .page_size = 4096, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    uint32_t id;

    cr_assert_good(writer, error);
    g_autoptr(XtfSchema) schema = xtf_schema_new("calls", XTF_SCHEMA_RECORD, call_fields, &error);
    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &call_aggregate, &error), error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    for (guint i = 0; i < calls->rows->len; i++)
        cr_assert_good(xtf_array_writer_append(array, &g_array_index(calls->rows, CallRow, i), &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}
