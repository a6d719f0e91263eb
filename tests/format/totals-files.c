/*
 * Files with totals: frames, groups with extremes, values with a type by a key.
 */
#include <math.h>

#include "tests/format/truth.h"

enum { OPEN_MAX = 128 };

static const char *const event_kinds[] = {"BEGIN", "END", NULL};

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U16},
    {.name = "event", .type = XTF_TYPE_U8, .labels = event_kinds},
    {.name = "distance", .type = XTF_TYPE_U32, .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8},
    {.name = "metric", .type = XTF_TYPE_U8},
    {.name = "value", .type = XTF_TYPE_U64},
    {.name = "delta", .type = XTF_TYPE_I32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "real", .type = XTF_TYPE_F64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "bytes", .type = XTF_TYPE_U64, .unit = "B", .flags = XTF_FIELD_OPTIONAL},
    {.name = "wide", .type = XTF_TYPE_I64},
    /* Padding, always 0: wide rows, of which few fill a leaf. */
    {.name = "pad0", .type = XTF_TYPE_U64},
    {.name = "pad1", .type = XTF_TYPE_U64},
    {.name = "pad2", .type = XTF_TYPE_U64},
    {.name = "pad3", .type = XTF_TYPE_U64},
    {0},
};

static const char *const region[] = {"region", NULL}, *const metric[] = {"metric", NULL};
static const char *const region_metric[] = {"region", "metric", NULL}, *const no_keys[] = {NULL};
static const char *const frame_values[] = {"event", "distance", "outermost", NULL};
static const char *const typed_values[] = {"value", NULL}, *const real_values[] = {"real", "wide", NULL};
static const char *const all_values[] = {"delta", "real", "bytes", "wide", NULL};

static const XtfAggregateSpec call_aggregates[] = {
    {.kind = XTF_AGGREGATE_FRAMES, .keys = region, .values = frame_values},
    {.kind = XTF_AGGREGATE_GROUPS,
     .keys = region_metric,
     .values = typed_values,
     .extremes = true,
     .typed_by = "metric",
     .reals = 1 << 1,
     .signeds = 1 << 2},
    {.kind = XTF_AGGREGATE_GROUPS, .keys = no_keys, .values = all_values, .extremes = true},
    {.kind = XTF_AGGREGATE_GROUPS, .keys = metric, .values = real_values},
};

/* The calls of a location while they are written. */
typedef struct {
    TestFile *file;
    uint32_t schema;
    uint64_t location, row, time;
    struct {
        uint64_t row, region;
    } open[OPEN_MAX];
    unsigned n_open;
} Calls;

/* Returns a value of the metric's type: 0 unsigned, 1 a double, 2 signed. */
static Cell make_value(uint64_t metric_number, uint64_t row)
{
    if (metric_number == 1)
        return D(row % 2 ? -0.25 * (double)row : (double)row);
    return metric_number == 2 ? I(-(int64_t)row) : U(row == 3 ? UINT64_MAX : row);
}

/* Returns a double: none, a NaN, infinities, or a number. */
static Cell make_real(uint64_t row)
{
    if (row % 5 == 0)
        return NONE;
    if (row == 33)
        return BITS(UINT64_C(0x7ff8000000000001));
    return D(row == 61 ? INFINITY : row == 64 ? -INFINITY : (double)row / 8);
}

static Cell make_wide(uint64_t row)
{
    if (row == 5)
        return I(INT64_MIN);
    return I(row == 6 ? INT64_MAX : 0);
}

static void add_call(Calls *calls, uint64_t key, bool end, uint64_t distance, bool outermost)
{
    uint64_t row = calls->row++;
    Cell value = make_value(row % 3, row);

    value.kind = 'u'; /* the field is a U64 */
    test_file_add_row(calls->file, calls->location, calls->schema,
                      (const Cell[]){U(calls->time), U(key), U(end), U(distance), U(outermost), U(row % 3), value,
                                     row % 4 == 0 ? NONE : I(row == 9 ? INT32_MIN : (int64_t)row), make_real(row),
                                     row % 7 == 0 ? U(row) : NONE, make_wide(row), U(0), U(0), U(0), U(0)});
    calls->time += 1 + row % 4 * row % 7;
}

static void begin_frame(Calls *calls, uint64_t key)
{
    bool outermost = true;

    for (unsigned i = 0; i < calls->n_open; i++)
        outermost &= calls->open[i].region != key;
    calls->open[calls->n_open].row = calls->row;
    calls->open[calls->n_open].region = key;
    uint64_t distance = calls->n_open > 0 ? calls->row - calls->open[calls->n_open - 1].row : 0;
    calls->n_open++;
    add_call(calls, key, false, distance, outermost);
}

/* Ends the frame with `n` frames around it, and all frames inside it. */
static void end_frame(Calls *calls, unsigned n)
{
    calls->n_open = n;
    add_call(calls, calls->open[n].region, true, calls->row - calls->open[n].row, false);
}

/* Makes 96 nested frames, more than a snapshot has, over two leaves; then ends of frames in and out of order. */
static void make_nested(Calls *calls)
{
    add_call(calls, 9, true, 0, false); /* the end of a frame that never began */
    for (uint64_t i = 0; i < 96; i++)
        begin_frame(calls, i % 3);
    while (calls->n_open > 92)
        end_frame(calls, calls->n_open - 1);
    end_frame(calls, 40);               /* with frames inside that have no end */
    add_call(calls, 2, true, 3, false); /* its distance leads to no open frame */
    calls->n_open = 8;
    begin_frame(calls, 2); /* its distance leads to an outer frame, so the frames inside that frame end */
    while (calls->n_open > 3)
        end_frame(calls, calls->n_open - 1);
    begin_frame(calls, 1); /* four frames stay open */
}

/* Makes frames in an array that stores no totals, since it is one leaf of few rows. */
static void make_few(Calls *calls)
{
    begin_frame(calls, 1);
    begin_frame(calls, 1);
    end_frame(calls, 1);
    calls->n_open = 0;
    begin_frame(calls, 5); /* distance 0 leads to no frame, so all open frames end */
    end_frame(calls, 0);
    add_call(calls, 5, true, 1, true); /* the end of a frame that has ended already */
}

/* Makes groups without values, and with values that are no numbers. */
static void make_numbers(TestFile *file)
{
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "group", .type = XTF_TYPE_I32},
        {.name = "value", .type = XTF_TYPE_F64, .flags = XTF_FIELD_OPTIONAL},
        {.name = "until", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL},
        {0},
    };
    static const char *const keys[] = {"group", NULL}, *const values[] = {"value", "until", NULL};
    const XtfAggregateSpec aggregate = {.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .values = values, .extremes = true};
    uint32_t numbers = test_file_add_schema_with(file, "numbers", XTF_SCHEMA_RECORD, fields, &aggregate, 1);
    const Cell not_a_number = BITS(UINT64_C(0x7ff8000000000001)), infinite = D(INFINITY), minus = D(-INFINITY);
    const struct {
        int64_t group;
        Cell value, until;
    } rows[] = {
        {0, D(1), U(5)},
        {0, not_a_number, NONE},
        {0, D(-2), U(3)},
        {-1, not_a_number, NONE},
        {-2, NONE, NONE},
        {3, infinite, U(1)},
        {3, D(1), U(2)},
        {4, infinite, NONE},
        {4, minus, U(1)},
        {5, D(-0.0), U(0)},
        {5, D(0.0), U(0)},
        {INT32_MIN, D(1e300), NONE},
        {INT32_MIN, D(1e300), U(UINT64_MAX - 1)},
    };

    for (uint64_t i = 0; i < G_N_ELEMENTS(rows); i++)
        test_file_add_row(file, 3, numbers, (const Cell[]){U(i), I(rows[i].group), rows[i].value, rows[i].until});
}

void make_totals_files(void)
{
    Calls calls = {.file = test_file_new("totals", 0x13, "plain"), .location = 1, .time = 500};

    calls.schema = test_file_add_schema_with(calls.file, "calls", XTF_SCHEMA_RECORD, call_fields, call_aggregates,
                                             G_N_ELEMENTS(call_aggregates));
    make_nested(&calls);
    calls = (Calls){.file = calls.file, .schema = calls.schema, .location = 2, .time = 700};
    make_few(&calls);
    make_numbers(calls.file);
    test_file_close(calls.file);
}

/* Appends rows of a schema with `n_fields` fields. Most are always 0, and make the rows wide: few fill a leaf. Frames
 * get the first four regions by their depth, or many regions by their rows. */
static void add_wide_rows(TestFile *file, const char *name, unsigned n_fields, uint64_t n_rows, bool many_regions)
{
    enum { FIELDS_MAX = 64, FIRST_PAD = 5, FEW = 4, MANY = 200 };
    XtfFieldSpec fields[FIELDS_MAX + 1] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "region", .type = XTF_TYPE_U8},
        {.name = "event", .type = XTF_TYPE_U8, .labels = event_kinds},
        {.name = "distance", .type = XTF_TYPE_U16, .flags = XTF_FIELD_DISTANCE},
        {.name = "outermost", .type = XTF_TYPE_U8},
    };
    char names[FIELDS_MAX][8];

    for (unsigned f = FIRST_PAD; f < n_fields; f++) {
        g_snprintf(names[f], sizeof names[f], "f%u", f);
        fields[f] = (XtfFieldSpec){.name = names[f], .type = XTF_TYPE_U64};
    }
    uint32_t schema = test_file_add_schema_with(file, name, XTF_SCHEMA_RECORD, fields, call_aggregates, 1);
    for (uint64_t row = 0, open = 0; row < n_rows; row++) {
        bool end = row % 3 == 2;
        Cell cells[FIELDS_MAX] = {U(10 * row), U(many_regions ? row % MANY : open % FEW), U(end),
                                  U(row == 0       ? 0
                                    : row % 3 == 0 ? 3
                                                   : 1),
                                  U(!end && open < FEW)};
        open = end ? open - 1 : open + 1;
        for (unsigned f = FIRST_PAD; f < n_fields; f++)
            cells[f] = U(0);
        test_file_add_row(file, 1, schema, cells);
    }
}

/* Makes two trees of three levels, of which one has totals in batches, and enough arrays for a P index of two. */
void make_high_file(void)
{
    enum { LOCATIONS = 60 };
    static const XtfFieldSpec tick_fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};
    TestFile *file = test_file_new("high", 0x14, "plain");

    add_wide_rows(file, "wide", 64, 1400, false);
    add_wide_rows(file, "batched", 40, 2300, true);
    uint32_t ticks = test_file_add_schema(file, "ticks", XTF_SCHEMA_RECORD, tick_fields);
    for (uint64_t location = 0; location < LOCATIONS; location++)
        test_file_add_row(file, location, ticks, (const Cell[]){U(location)});
    test_file_close(file);
}
