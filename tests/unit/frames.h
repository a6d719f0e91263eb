/*
 * Random rows that begin and end frames, well or badly nested, and their totals. The totals are computed without a
 * stack, unlike in the library: for each tick, the naive code looks for the open frame that began last.
 */
#pragma once

#include "fixture.h"

#include "libxtf/aggregates.h"

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint16_t region;
    uint8_t is_end;
    uint32_t distance;
    uint8_t outermost;
} FrameRow;

static const XtfFieldSpec frame_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U16},
    {.name = "is_end", .type = XTF_TYPE_U8},
    {.name = "distance", .type = XTF_TYPE_U32, .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8},
    {0},
};

static inline XtfSchema *frame_schema(void)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("calls", XTF_SCHEMA_RECORD, frame_fields, &error);
    cr_assert_good(schema, error);
    const XtfAggregateSpec spec = {
        .kind = XTF_AGGREGATE_FRAMES,
        .keys = (const char *const[]){"region", NULL},
        .values = (const char *const[]){"is_end", "distance", "outermost", NULL},
    };
    cr_assert_good(xtf_schema_add_aggregate(schema, &spec, &error), error);
    return schema;
}

/* Returns a schema with aggregates of frames, and of groups by region and distance. */
static inline XtfSchema *frame_schema_with_groups(void)
{
    GError *error = NULL;
    XtfSchema *schema = frame_schema();
    const XtfAggregateSpec spec = {
        .kind = XTF_AGGREGATE_GROUPS,
        .keys = (const char *const[]){"region", "distance", NULL},
        .values = (const char *const[]){"outermost", NULL},
    };
    cr_assert_good(xtf_schema_add_aggregate(schema, &spec, &error), error);
    return schema;
}

typedef struct {
    uint32_t regions;
    uint32_t deepest; /* approximate greatest depth of the stack */
    uint32_t mishaps; /* rows with a wrong distance, in percent */
    uint32_t ties;    /* rows at the time of the row before, in percent */
} FrameShape;

/* Gives a row a wrong distance. */
static inline void random_mishap(GRand *random, FrameRow *row, uint32_t n)
{
    switch (g_rand_int_range(random, 0, 4)) {
    case 0: /* ends a frame that never began, or begins one without a parent */
        row->distance = 0;
        break;
    case 1: /* refers to any row: one with an open frame, a closed frame, or an end */
        row->distance = n > 0 ? (uint32_t)g_rand_int_range(random, 1, (gint32)n + 1) : 0;
        break;
    case 2: /* refers to before the first row */
        row->distance = n + (uint32_t)g_rand_int_range(random, 1, 5);
        break;
    case 3:
        row->distance = UINT32_MAX;
        break;
    }
}

static inline GArray *random_frames(GRand *random, uint32_t count, FrameShape shape)
{
    GArray *rows = g_array_sized_new(FALSE, TRUE, sizeof(FrameRow), count);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(uint32_t)); /* rows of correctly open frames */
    uint64_t time = g_rand_int_range(random, 0, 50);

    for (uint32_t n = 0; n < count; n++) {
        if (g_rand_int_range(random, 0, 100) >= (gint32)shape.ties)
            time += (uint64_t)g_rand_int_range(random, 1, 4);
        bool ends = open->len > 0 && g_rand_int_range(random, 0, (gint32)(2 * shape.deepest)) < (gint32)open->len + 2;
        uint32_t top = open->len > 0 ? g_array_index(open, uint32_t, open->len - 1) : 0;
        FrameRow row = {.time = time, .is_end = ends, .distance = open->len > 0 ? n - top : 0};
        row.region = ends ? g_array_index(rows, FrameRow, top).region
                          : (uint16_t)g_rand_int_range(random, 0, (gint32)shape.regions);
        row.outermost = g_rand_int_range(random, 0, 3) > 0;
        if (g_rand_int_range(random, 0, 100) < (gint32)shape.mishaps)
            random_mishap(random, &row, n);
        else if (ends)
            g_array_set_size(open, open->len - 1);
        if (!ends)
            g_array_append_val(open, n);
        g_array_append_val(rows, row);
    }
    return rows;
}

/* Returns rows with runs of calls that end at once, some of which lead to no frame, between other frames. */
static inline GArray *random_brief_calls(GRand *random)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(FrameRow));
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint64_t time = 10;

    while (rows->len < 400) {
        bool leads_to_none = g_rand_int_range(random, 0, 8) == 0;
        uint16_t region = (uint16_t)g_rand_int_range(random, 0, 2);
        for (int calls = g_rand_int_range(random, 0, 12); calls > 0; calls--) {
            uint32_t n = rows->len, top = open->len > 0 ? g_array_index(open, uint32_t, open->len - 1) : n;
            const FrameRow begin = {time += (uint64_t)g_rand_int_range(random, 0, 3), region, false,
                                    leads_to_none ? 1 : n - top, region % 2 > 0};
            time += (uint64_t)g_rand_int_range(random, 0, g_rand_int_range(random, 0, 16) == 0 ? 1000 : 3);
            const FrameRow end = {time, region, true, 1, region % 2 > 0};
            g_array_append_val(rows, begin);
            g_array_append_val(rows, end);
        }
        if (leads_to_none)
            g_array_set_size(open, 0);
        uint32_t n = rows->len, top = open->len > 0 ? g_array_index(open, uint32_t, open->len - 1) : n;
        bool ends = open->len > 0 && g_rand_int_range(random, 0, 2) == 0;
        const FrameRow row = {++time, ends ? g_array_index(rows, FrameRow, top).region : 0, ends, n - top,
                              region % 2 > 0};
        g_array_append_val(rows, row);
        if (ends)
            g_array_set_size(open, open->len - 1);
        else
            g_array_append_val(open, n);
    }
    return rows;
}

/* Sets end[r] of each row that begins a frame to the row that ends the frame; UINT32_MAX: none. Sets target[r] of each
 * row to the row that began the open frame it refers to; UINT32_MAX: none. */
static inline void naive_ends(const GArray *rows, uint32_t *end, uint32_t *target)
{
    for (uint32_t n = 0; n < rows->len; n++)
        end[n] = UINT32_MAX;
    for (uint32_t n = 0; n < rows->len; n++) {
        const FrameRow *row = &g_array_index(rows, FrameRow, n);
        target[n] = UINT32_MAX;
        if (row->distance > 0 && row->distance <= n) {
            uint32_t to = n - row->distance;
            if (!g_array_index(rows, FrameRow, to).is_end && end[to] == UINT32_MAX)
                target[n] = to;
        }
        uint32_t from = row->is_end ? target[n] : target[n] + 1; /* without a target `from` is 0: all open frames end */
        for (uint32_t r = from; r < n; r++)
            if (!g_array_index(rows, FrameRow, r).is_end && end[r] == UINT32_MAX)
                end[r] = n;
    }
}

/* Returns the row of the frame that began last of the frames open in (tick, tick + 1); UINT32_MAX if none. */
static inline uint32_t naive_top(const GArray *rows, const uint32_t *end, uint64_t tick)
{
    uint32_t top = UINT32_MAX;

    for (uint32_t n = 0; n < rows->len && g_array_index(rows, FrameRow, n).time <= tick; n++)
        if (!g_array_index(rows, FrameRow, n).is_end &&
            (end[n] == UINT32_MAX || g_array_index(rows, FrameRow, end[n]).time > tick))
            top = n;
    return top;
}

/* Computes the cells by region; the cells of XTF_FRAMES_BEFORE follow the last region. */
static inline void naive_frames(const GArray *rows, uint32_t regions, uint64_t (*cells)[XTF_FRAMES_CELLS])
{
    g_autofree uint32_t *end = g_new(uint32_t, rows->len);
    g_autofree uint32_t *target = g_new(uint32_t, rows->len);

    memset(cells, 0, (regions + 1) * sizeof *cells);
    naive_ends(rows, end, target);
    for (uint32_t n = 0; n < rows->len; n++) {
        const FrameRow *row = &g_array_index(rows, FrameRow, n);
        cells[row->region][row->is_end ? XTF_FRAMES_ENDED : XTF_FRAMES_BEGUN]++;
        if (row->is_end && target[n] == UINT32_MAX)
            cells[regions][XTF_FRAMES_BEGUN]++;
        if (row->is_end || end[n] == UINT32_MAX)
            continue;
        uint64_t duration = g_array_index(rows, FrameRow, end[n]).time - row->time;
        cells[row->region][XTF_FRAMES_INCLUSIVE] += row->outermost ? duration : 0;
        cells[row->region][XTF_FRAMES_LONGEST] = MAX(cells[row->region][XTF_FRAMES_LONGEST], duration);
    }
    for (uint32_t n = 0; n + 1 < rows->len; n++) {
        uint64_t from = g_array_index(rows, FrameRow, n).time, to = g_array_index(rows, FrameRow, n + 1).time;
        for (uint64_t tick = from; tick < to; tick++) {
            uint32_t top = naive_top(rows, end, tick);
            if (top != UINT32_MAX)
                cells[g_array_index(rows, FrameRow, top).region][XTF_FRAMES_EXCLUSIVE]++;
            else if (g_array_index(rows, FrameRow, n + 1).is_end && target[n + 1] == UINT32_MAX) {
                cells[regions][XTF_FRAMES_INCLUSIVE]++;
                cells[regions][XTF_FRAMES_EXCLUSIVE]++;
            }
        }
    }
}
