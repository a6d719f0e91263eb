/*
 * Files of codec compact: all modes and kinds of streams, and filters of groups.
 */
#include "tests/format/truth.h"

enum { DEPTH = 5 };

/* Returns the next number of a sequence without a pattern, the same each time. */
static uint64_t make_noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

static const char *const event_kinds[] = {"ENTER", "LEAVE", NULL};

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq", .flags = XTF_FIELD_RISES},
    {.name = "region", .type = XTF_TYPE_U32},
    {.name = "event", .type = XTF_TYPE_U8, .labels = event_kinds},
    {.name = "enter", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DISTANCE},
    {0},
};

/* Adds nested calls: the modes STEP, VALUE and DISTANCE, chained. */
static void add_calls(TestFile *file)
{
    uint32_t calls = test_file_add_schema(file, "calls", XTF_SCHEMA_RECORD, call_fields);
    uint64_t open[DEPTH], n_open = 0, row = 0, time = 1000, noise = 1;

    for (unsigned round = 0; round < 4; round++) {
        while (n_open < DEPTH) {
            test_file_add_row(
                file, 1, calls,
                (const Cell[]){U(time), U(row), U(n_open), U(0), U(n_open > 0 ? row - open[n_open - 1] : 0)});
            open[n_open++] = row++;
            time += 10 + make_noise(&noise) % 900;
        }
        while (n_open > (round < 3 ? 1 : 0)) {
            n_open--;
            test_file_add_row(file, 1, calls, (const Cell[]){U(time), U(row), U(n_open), U(1), U(row - open[n_open])});
            row++;
            time += 10 + make_noise(&noise) % 900;
        }
    }
}

static const XtfFieldSpec sample_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "counter", .type = XTF_TYPE_U64},
    {.name = "small", .type = XTF_TYPE_U32},
    {.name = "delta", .type = XTF_TYPE_I32},
    {.name = "wide", .type = XTF_TYPE_I64},
    {.name = "value", .type = XTF_TYPE_F64},
    {.name = "same", .type = XTF_TYPE_U64},
    {0},
};

/* Adds rows that go into columns: the modes STEPS, COLUMN and PLANES; streams that are deflated, and repeated ones. */
static void add_samples(TestFile *file)
{
    uint32_t samples = test_file_add_schema(file, "samples", XTF_SCHEMA_RECORD, sample_fields);
    uint64_t counter = UINT64_C(1) << 50, noise = 2;

    for (uint64_t i = 0; i < 80; i++) {
        uint64_t number = make_noise(&noise);
        counter += number % 100;
        test_file_add_row(file, 1, samples,
                          (const Cell[]){U(1000 + 7 * i), U(counter), U(number / 100 % 190),
                                         I((int64_t)(number / 19000 % 180) - 90),
                                         I((i % 2 ? -1 : 1) * (int64_t)((number & 0xff) << (number >> 8 & 31))),
                                         D((double)(number >> 10 & 0x3fff) / 64), U(7)});
    }
}

static const XtfFieldSpec state_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "state", .type = XTF_TYPE_U8, .labels = event_kinds},
    {0},
};

/* Adds rows whose templates have numbers of few kinds, one after the other, so that deflate shortens them. */
static void add_states(TestFile *file)
{
    uint32_t states = test_file_add_schema(file, "states", XTF_SCHEMA_RECORD, state_fields);

    for (uint64_t i = 0; i < 96; i++)
        test_file_add_row(file, 2, states, (const Cell[]){U(1000 + 50 * i), U(i % 12 / 6)});
}

/* Adds an array whose time steps have number heads of all classes, and an array of one row. */
static void add_times(TestFile *file)
{
    static const XtfFieldSpec tick_fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};
    static const uint64_t steps[] = {0,
                                     191,
                                     192,
                                     12479,
                                     12480,
                                     536767,
                                     536768,
                                     67645631,
                                     67645632,
                                     4362612927,
                                     4362612928,
                                     UINT64_C(1) << 40,
                                     UINT64_C(1) << 48,
                                     UINT64_C(1) << 62};
    uint32_t ticks = test_file_add_schema(file, "ticks", XTF_SCHEMA_SIDE, tick_fields);
    uint64_t time = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
        test_file_add_row(file, 2, ticks, (const Cell[]){U(time += steps[i])});
    test_file_add_row(file, 2, ticks, (const Cell[]){U(UINT64_MAX)});
    test_file_add_row(file, 3, ticks, (const Cell[]){U(1)});
}

/* Adds an array with a sealed leaf of more than 1024 groups. Their totals have less depth, and the leaf has a filter.
 */
static void add_sends(TestFile *file)
{
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "peer", .type = XTF_TYPE_U8},
        {.name = "tag", .type = XTF_TYPE_U32},
        {0},
    };
    static const char *const keys[] = {"peer", "tag", NULL};
    const XtfAggregateSpec aggregate = {.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .filters = true};
    uint32_t sends = test_file_add_schema_with(file, "sends", XTF_SCHEMA_RECORD, fields, &aggregate, 1);
    uint64_t noise = 3;

    for (uint64_t i = 0; i < 1245; i++)
        test_file_add_row(file, 4, sends, (const Cell[]){U(i / 1000), U(i % 2), U(make_noise(&noise) & 0xffffff)});
}

void make_packed_files(void)
{
    TestFile *file = test_file_new("compact", 0x11, "compact");

    add_calls(file);
    add_samples(file);
    add_states(file);
    add_times(file);
    add_sends(file);
    test_file_close(file);
}
