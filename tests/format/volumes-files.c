/* Test files in several volumes. */
#include "tests/format/truth.h"

enum { LONG = 1, SHORT = 2, CLOSED = 3, ROWS = 80 };

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions"},
    {.name = "bytes", .type = XTF_TYPE_U64},
    {.name = "a", .type = XTF_TYPE_U64},
    {.name = "b", .type = XTF_TYPE_U64},
    {.name = "c", .type = XTF_TYPE_U64},
    {.name = "d", .type = XTF_TYPE_U64},
    {.name = "e", .type = XTF_TYPE_U32},
    {0},
};
static const XtfFieldSpec region_fields[] = {{.name = "name", .type = XTF_TYPE_STRING}, {0}};
static const XtfAggregateSpec by_region = {.kind = XTF_AGGREGATE_GROUPS,
                                           .keys = (const char *const[]){"region", NULL},
                                           .values = (const char *const[]){"bytes", NULL}};

static void add_call(TestFile *file, uint64_t location, uint32_t calls, uint64_t n, uint64_t volume)
{
    test_file_add_row(file, location, calls,
                      (const Cell[]){U(10 * n), U(n % (volume + 1)), U(n * n), U(0), U(0), U(0), U(0), U(volume)});
}

/* Makes a trace in volumes. The array LONG fills leaves in each of them, SHORT none, and CLOSED has rows in the first
 * volume only. A table grows. Rows of 56 bytes: 72 in a leaf. */
static void make_trace(const char *name, uint8_t id, uint32_t keep_volumes, uint64_t n_volumes)
{
    TestFile *file = test_file_new_keeping(name, id, "plain", keep_volumes);
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);
    uint32_t calls = test_file_add_schema_with(file, "calls", XTF_SCHEMA_RECORD, call_fields, &by_region, 1);
    static const char *const names[] = {"first", "second", "third"};

    for (uint64_t i = 0; i < 3; i++)
        add_call(file, CLOSED, calls, i, 0);
    test_file_close_array(file, CLOSED, calls);
    for (uint64_t volume = 0; volume < n_volumes; volume++) {
        if (volume > 0)
            test_file_begin_volume(file);
        test_file_add_table_row(file, regions, (const Cell[]){T(names[volume])});
        for (uint64_t i = 0; i < ROWS; i++)
            add_call(file, LONG, calls, ROWS * volume + i, volume);
        add_call(file, SHORT, calls, 1000 * volume + 5, volume);
    }
    test_file_close(file);
}

void make_volumes(void)
{
    make_trace("volumes", 0xd0, 0, 2);
    make_trace("removed", 0xe0, 1, 3);
}
