/* A file of calls and marks at locations that have clock maps, and the same rows in memory. */
#pragma once

#include "clocks-fixture.h"
#include "frames-fixture.h"

enum { ROWS = 20000 }; /* calls of a location */

/* Row of a mark. Each fifth call has one, with other times in its fields. */
typedef struct __attribute__((packed)) {
    uint64_t time, until, took;
    uint32_t value;
} MarkRow;

static const XtfFieldSpec mark_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "until", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_INSTANT},
    {.name = "took", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DURATION},
    {.name = "value", .type = XTF_TYPE_U32},
    {0},
};

typedef struct {
    Calls *calls;
    GArray *marks; /* MarkRow */
    NaiveMap map;
} Location;

typedef struct {
    char *folder, *path;
    uint32_t page_size;
    bool plain;
    guint n;
    Location locations[4];
    GRand *random;
} Sample;

static inline GArray *random_marks(GRand *random, const Calls *calls)
{
    GArray *marks = g_array_new(FALSE, FALSE, sizeof(MarkRow));

    for (guint i = 0; i < calls->rows->len; i += 5) {
        uint64_t time = g_array_index(calls->rows, CallRow, i).time;
        bool none = g_rand_int_range(random, 0, 4) == 0;
        MarkRow mark = {.time = time,
                        .until = none ? UINT64_MAX : time + random_u64(random, 100000),
                        .took = random_u64(random, 1000),
                        .value = i};
        g_array_append_val(marks, mark);
    }
    return marks;
}

static inline void add_schemas(XtfWriter *writer)
{
    GError *error = NULL;
    g_autoptr(XtfSchema) calls = xtf_schema_new("calls", XTF_SCHEMA_RECORD, call_fields, &error);
    g_autoptr(XtfSchema) marks = xtf_schema_new("marks", XTF_SCHEMA_RECORD, mark_fields, &error);
    uint32_t id;

    cr_assert_good(calls && marks && xtf_schema_add_aggregate(calls, &call_aggregate, &error), error);
    cr_assert_good(xtf_writer_add_schema(writer, calls, &id, &error), error);
    cr_assert_good(xtf_writer_add_schema(writer, marks, &id, &error), error);
}

static inline void set_map(XtfWriter *writer, uint64_t location, const NaiveMap *naive)
{
    XtfClockMap map = naive_map(naive);
    GError *error = NULL;
    uint32_t number = 0;

    if (naive->n > 0)
        cr_assert_good(xtf_writer_add_clock_map(writer, &map, &number, &error), error);
    cr_assert_good(xtf_writer_set_clock_map(writer, location, number, &error), error);
}

static inline XtfWriter *sample_create(const Sample *sample)
{
    GError *error = NULL;
    XtfWriterOptions options = {
        .page_size = sample->page_size, .codec = sample->plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(sample->path, &options, &error);

    cr_assert_good(writer, error);
    add_schemas(writer);
    return writer;
}

static inline void sample_write(const Sample *sample, bool maps)
{
    GError *error = NULL;
    XtfWriter *writer = sample_create(sample);

    for (guint l = 0; l < sample->n; l++) {
        const Location *location = &sample->locations[l];
        if (maps && l % 2) /* half of the maps are set before the location has arrays, the others after */
            set_map(writer, l, &location->map);
        append_rows(writer, l, 0, location->calls->rows, 0, location->calls->rows->len);
        append_rows(writer, l, 1, location->marks, 0, location->marks->len);
        if (maps && l % 2 == 0)
            set_map(writer, l, &location->map);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Makes a sample whose first location has no clock map. */
static inline Sample make_sample(uint32_t seed, uint32_t page_size, bool plain, guint n)
{
    const CallShape shape = {.name = "nested", .rows = ROWS, .deep = 90, .regions = 20, .ties = 20, .orphans = 1};
    Sample sample = {
        .folder = make_folder(), .page_size = page_size, .plain = plain, .n = n, .random = g_rand_new_with_seed(seed)};

    sample.path = g_build_filename(sample.folder, "a.xtf", NULL);
    for (guint l = 0; l < n; l++) {
        Location *location = &sample.locations[l];
        location->calls = random_calls(sample.random, &shape);
        location->marks = random_marks(sample.random, location->calls);
        uint64_t last = g_array_index(location->calls->rows, CallRow, ROWS - 1).time;
        if (l > 0)
            location->map = random_map(sample.random, 0, last, UINT64_C(3600000000000) << l, l > 1 ? 20 : 0);
    }
    return sample;
}

static inline void sample_free(Sample *sample)
{
    for (guint l = 0; l < sample->n; l++) {
        calls_free(sample->locations[l].calls);
        g_array_unref(sample->locations[l].marks);
    }
    g_rand_free(sample->random);
    g_free(sample->path);
    remove_folder(sample->folder);
}

static inline char *contents(const char *path, gsize *length)
{
    GError *error = NULL;
    char *bytes;

    cr_assert_good(g_file_get_contents(path, &bytes, length, &error), error);
    return bytes;
}

static inline uint64_t local_time(const GArray *rows, guint n)
{
    uint64_t t;
    memcpy(&t, rows->data + (size_t)n * g_array_get_element_size((GArray *)rows), sizeof t);
    return t;
}

/* Finds by bisection the least local time that is mapped to t or later. */
static inline uint64_t naive_local(const NaiveMap *map, uint64_t t)
{
    uint64_t low = 0, high = UINT64_MAX;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (naive_global(map, middle) >= t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Picks a global time: that of a row or a knot, one tick before or after, or another one. */
static inline uint64_t pick_time(GRand *random, const GArray *rows, const NaiveMap *map, int round)
{
    uint64_t off = (uint64_t)g_rand_int_range(random, -1, 2);
    uint64_t first = naive_global(map, local_time(rows, 0)), last = naive_global(map, local_time(rows, rows->len - 1));

    if (round % 4 == 0)
        return naive_global(map, local_time(rows, g_rand_int(random) % rows->len)) + off;
    if (round % 4 == 1 && map->n > 0)
        return map->knots[g_rand_int(random) % map->n].global + off;
    if (round % 4 == 2 && map->n > 1) { /* between two knots, often in a jump */
        uint32_t knot = g_rand_int(random) % (map->n - 1);
        const XtfClockKnot *at = &map->knots[knot];
        return at->global + random_u64(random, at[1].global - at->global + 1);
    }
    return first - MIN(first, 100) + random_u64(random, last - first + 200);
}
