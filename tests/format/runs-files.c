/* Test files of two runs of a job, and an anchor that joins them. */
#include "libxtf/runs.h"
#include "tests/format/truth.h"

enum { FIRST = 1, ONLY_FIRST = 2, CORRECTED = 3, ROWS = 90, SHIFT = 5000 };

static const char *const event_kinds[] = {"ENTER", "LEAVE", NULL};

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions"},
    {.name = "event", .type = XTF_TYPE_U8, .labels = event_kinds},
    {.name = "enter", .type = XTF_TYPE_U32, .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8},
    {.name = "request", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "note", .type = XTF_TYPE_STRING},
    {.name = "a", .type = XTF_TYPE_U64},
    {.name = "b", .type = XTF_TYPE_U64},
    {0},
};
static const XtfFieldSpec region_fields[] = {
    {.name = "name", .type = XTF_TYPE_STRING, .role = "name", .flags = XTF_FIELD_IDENTIFIES}, {0}};
static const XtfAggregateSpec frames = {.kind = XTF_AGGREGATE_FRAMES,
                                        .keys = (const char *const[]){"region", NULL},
                                        .values = (const char *const[]){"event", "enter", "outermost", NULL}};

static void add_call(TestFile *file, uint64_t location, uint32_t calls, uint64_t time, uint64_t n, uint64_t region,
                     uint64_t event, uint64_t enter, Cell request)
{
    test_file_add_row(file, location, calls,
                      (const Cell[]){U(time), U(n), U(region), U(event), U(enter), U(1), request,
                                     T(region == 0 ? "outer" : "inner"), U(0), U(0)});
}

/* Adds `n` rows: calls of region 1 within a call of region 0, which is still open. With an odd `n`, the first inner
 * call after it is open, too. Rows of 50 bytes: 80 in a leaf of codec plain. */
static void add_calls(TestFile *file, uint64_t location, uint32_t calls, uint64_t from, uint64_t n)
{
    add_call(file, location, calls, from, 0, 0, 0, 0, NONE);
    for (uint64_t i = 1; i < n; i++)
        add_call(file, location, calls, from + 10 * i, i, 1, (i - 1) % 2, i % 2 == 1 ? i : 1, U(i / 2));
}

/* Makes the first run, of codec plain: two leaves, and an array of one leaf. */
static void make_first_run(void)
{
    TestFile *file = test_file_new("run-1", 0xa8, "plain");
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);
    uint32_t calls = test_file_add_schema_with(file, "calls", XTF_SCHEMA_RECORD, call_fields, &frames, 1);

    test_file_add_table_row(file, regions, (const Cell[]){T("main")});
    test_file_add_table_row(file, regions, (const Cell[]){T("work")});
    add_calls(file, FIRST, calls, 100, ROWS);
    add_calls(file, ONLY_FIRST, calls, 100, 3);
    add_calls(file, CORRECTED, calls, 100, 2);
    test_file_close(file);
}

/* Makes the second run, of codec compact: other numbers of regions, and a clock map. */
static void make_second_run(void)
{
    static const XtfClockKnot knots[] = {{.local = 0, .global = SHIFT}};
    TestFile *file = test_file_new("run-2", 0xb8, "compact");
    uint32_t calls = test_file_add_schema_with(file, "calls", XTF_SCHEMA_RECORD, call_fields, &frames, 1);
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);

    test_file_add_table_row(file, regions, (const Cell[]){T("restart")});
    test_file_add_table_row(file, regions, (const Cell[]){T("work")});
    test_file_add_table_row(file, regions, (const Cell[]){T("main")});
    add_calls(file, FIRST, calls, SHIFT, 6);
    test_file_set_clock(file, CORRECTED, knots, 1);
    add_calls(file, CORRECTED, calls, 7, 4);
    test_file_close(file);
}

void make_runs(void)
{
    static const XtfRunNumber numbers[] = {{"calls", "request"}};
    const XtfRunsOptions options = {.numbers = numbers, .n_numbers = 1, .in_place = true};
    const XtfWriterOptions storage = {
        .page_size = 4096, .resolution_num = 1000000000, .resolution_den = 1, .origin = 100};
    char *paths[2];
    g_autofree char *path = test_files_path("runs", ".xtf");
    XtfRun runs[2];
    GError *error = NULL;

    make_first_run();
    make_second_run();
    for (unsigned i = 0; i < 2; i++) {
        paths[i] = test_files_path(i == 0 ? "run-1" : "run-2", ".xtf");
        runs[i] = (XtfRun){.trace = xtf_trace_open(paths[i], NULL, &error), .path = paths[i]};
        test_files_check(runs[i].trace, &error);
    }
    test_files_set_id(0xc8);
    XtfWriter *writer = xtf_writer_create(path, &storage, &error);
    test_files_check(writer && xtf_join_runs(writer, runs, 2, &options, &error), &error);
    test_files_check(xtf_writer_close(writer, &error), &error);
    for (unsigned i = 0; i < 2; i++) {
        xtf_trace_unref(runs[i].trace);
        g_free(paths[i]);
    }
}
