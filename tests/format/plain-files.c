/*
 * Files of codec plain, with all types, tables, clock maps, side rows and derived rows. A second part, in codec
 * compact; both parts joined; companion files of one file and of an anchor; a file that is still being written.
 */
#include <glib/gstdio.h>

#include "libxtf/merge.h"
#include "tests/format/truth.h"

enum { FIRST = 3, CORRECTED = 4, OTHER = 100 };
static const uint64_t far_location = UINT64_C(1) << 40;

static const char *const event_kinds[] = {"ENTER", "LEAVE", "MARK", NULL};
static const char *const value_kinds[] = {"REGION", "TEXT", "NUMBER", NULL};

static const XtfFieldSpec region_fields[] = {
    {.name = "name", .type = XTF_TYPE_STRING, .role = "name", .flags = XTF_FIELD_IDENTIFIES},
    {.name = "parent",
     .type = XTF_TYPE_U32,
     .refers_to = "regions",
     .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_IDENTIFIES},
    {0},
};

static const XtfFieldSpec event_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq", .flags = XTF_FIELD_RISES},
    {.name = "kind", .type = XTF_TYPE_U8, .labels = event_kinds},
    {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions", .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_NAMES},
    {0},
};

static const XtfFieldSpec value_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "u8", .type = XTF_TYPE_U8},
    {.name = "u16", .type = XTF_TYPE_U16},
    {.name = "u32", .type = XTF_TYPE_U32},
    {.name = "u64", .type = XTF_TYPE_U64},
    {.name = "i32", .type = XTF_TYPE_I32},
    {.name = "i64", .type = XTF_TYPE_I64},
    {.name = "f64", .type = XTF_TYPE_F64},
    {.name = "text", .type = XTF_TYPE_STRING},
    {.name = "maybe_u8", .type = XTF_TYPE_U8, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_u16", .type = XTF_TYPE_U16, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_u32", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_u64", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_i32", .type = XTF_TYPE_I32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_i64", .type = XTF_TYPE_I64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_f64", .type = XTF_TYPE_F64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "maybe_text", .type = XTF_TYPE_STRING, .flags = XTF_FIELD_OPTIONAL},
    {0},
};

static const XtfFieldSpec note_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq", .flags = XTF_FIELD_RISES},
    {.name = "note", .type = XTF_TYPE_STRING},
    {0},
};

static const XtfFieldSpec span_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "begin", .type = XTF_TYPE_U64, .flags = XTF_FIELD_INSTANT | XTF_FIELD_OPTIONAL},
    {.name = "length", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DURATION},
    {.name = "of", .type = XTF_TYPE_U8, .labels = value_kinds},
    {.name = "value", .type = XTF_TYPE_U32, .refers_to = "of:REGION=regions,TEXT="},
    {0},
};

static const XtfFieldSpec tick_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {0},
};

static void add_event(TestFile *file, uint64_t location, uint32_t schema, uint64_t time, uint64_t seq, uint64_t kind,
                      Cell region)
{
    test_file_add_row(file, location, schema, (const Cell[]){U(time), U(seq), U(kind), region});
}

/* Adds regions: a root and its descendants, among them an empty name and a name that is not UTF-8. */
static uint32_t add_regions(TestFile *file)
{
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);

    test_file_add_table_row(file, regions, (const Cell[]){T("main"), NONE});
    test_file_add_table_row(file, regions, (const Cell[]){T("solve"), U(0)});
    test_file_add_table_row(file, regions, (const Cell[]){T("größe \xe2\x86\x92 \"x\\y\"\n"), U(1)});
    test_file_add_table_row(file, regions, (const Cell[]){T(""), U(0)});
    test_file_add_table_row(file, regions, (const Cell[]){T("not UTF-8: \xff\xc3("), U(0)});
    return regions;
}

/* Adds rows with fields of all types: least and greatest values, NaN and infinity, and absent values. */
static void add_values(TestFile *file)
{
    uint32_t values = test_file_add_schema(file, "values", XTF_SCHEMA_RECORD, value_fields);

    test_file_add_row(file, far_location, values,
                      (const Cell[]){U(70), U(0), U(0), U(0), U(0), I(0), I(0), D(0.0), T(""), NONE, NONE, NONE, NONE,
                                     NONE, NONE, NONE, NONE});
    test_file_add_row(file, far_location, values,
                      (const Cell[]){U(70), U(UINT8_MAX), U(UINT16_MAX), U(UINT32_MAX), U(UINT64_MAX), I(INT32_MAX),
                                     I(INT64_MAX), D(1.7976931348623157e308), T("text"), U(UINT8_MAX - 1),
                                     U(UINT16_MAX - 1), U(UINT32_MAX - 1), U(UINT64_MAX - 1), I(INT32_MAX),
                                     I(INT64_MAX), D(0.1), T("text")});
    test_file_add_row(file, far_location, values,
                      (const Cell[]){U(71), U(1), U(258), U(16909060), U(72623859790382856), I(INT32_MIN), I(INT64_MIN),
                                     D(5e-324), T("äöü"), U(0), U(0), U(0), U(0), I(INT32_MIN), I(INT64_MIN),
                                     BITS(UINT64_C(0x7ff8000000000000)), T("")});
    test_file_add_row(file, far_location, values,
                      (const Cell[]){U(72), U(128), U(32768), U(0x80000000), U(UINT64_C(1) << 63), I(-1), I(-1),
                                     BITS(UINT64_C(0xfff0000000000000)), T("\x80"), U(128), U(32768), U(0x80000000),
                                     U(UINT64_C(1) << 63), I(-2), I(-2), BITS(UINT64_C(0x8000000000000000)),
                                     T("text")});
}

/* Adds derived rows of the location whose clock has a map. */
static void add_spans(TestFile *file)
{
    uint32_t spans = test_file_add_schema(file, "spans", XTF_SCHEMA_DERIVED, span_fields);

    test_file_add_row(file, CORRECTED, spans, (const Cell[]){U(1500), U(1000), U(499), U(0), U(2)});
    test_file_add_row(file, CORRECTED, spans, (const Cell[]){U(2001), NONE, U(UINT64_MAX), U(1), T("a text")});
    test_file_add_row(file, CORRECTED, spans, (const Cell[]){U(2001), U(2001), U(0), U(2), U(1)});
}

/* Adds rows of a location whose clock has a map that jumps. */
static void add_corrected(TestFile *file, uint32_t events, uint32_t notes)
{
    static const XtfClockKnot knots[] = {
        {.local = 1000, .global = 10}, {.local = 2000, .global = 1011, .jumps = true}, {.local = 2001, .global = 4010}};
    static const uint64_t times[] = {5, 989, 990, 999, 1000, 1001, 1500, 1998, 1999, 2000, 2001, 2011};

    test_file_set_clock(file, CORRECTED, knots, G_N_ELEMENTS(knots));
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        add_event(file, CORRECTED, events, times[i], i, i % 3, i % 3 == 2 ? NONE : U(i % 5));
    test_file_add_row(file, CORRECTED, notes, (const Cell[]){U(1000), U(4), T("in the drift")});
    test_file_add_row(file, CORRECTED, notes, (const Cell[]){U(2000), U(9), T("before the jump")});
    test_file_add_row(file, CORRECTED, notes, (const Cell[]){U(2001), U(10), T("behind the jump")});
}

static void make_plain(void)
{
    TestFile *file = test_file_new("plain", 0x10, "plain");

    uint32_t events = test_file_add_schema(file, "events", XTF_SCHEMA_RECORD, event_fields);
    add_regions(file);
    uint32_t notes = test_file_add_schema(file, "notes", XTF_SCHEMA_SIDE, note_fields);
    for (uint64_t i = 0; i < 7; i++) /* two events at each time; regions 5 and 6 have no row */
        add_event(file, FIRST, events, 100 + 10 * (i / 2), i, i % 2, U(i));
    test_file_add_row(file, FIRST, notes, (const Cell[]){U(100), U(1), T("the second of two records")});
    add_corrected(file, events, notes);
    add_values(file);
    add_spans(file);
    test_file_add_schema(file, "without_rows", XTF_SCHEMA_RECORD, tick_fields);
    test_file_close(file);
}

/* Makes the second part: other locations, the same schemas by other numbers, other rows of tables, other strings. */
static void make_second(void)
{
    TestFile *file = test_file_new("second", 0x30, "compact");

    uint32_t notes = test_file_add_schema(file, "notes", XTF_SCHEMA_SIDE, note_fields);
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);
    uint32_t events = test_file_add_schema(file, "events", XTF_SCHEMA_RECORD, event_fields);
    test_file_add_table_row(file, regions, (const Cell[]){T("finish"), U(2)}); /* before its parent */
    test_file_add_table_row(file, regions, (const Cell[]){T("solve"), U(2)});
    test_file_add_table_row(file, regions, (const Cell[]){T("main"), NONE});
    test_file_add_table_row(file, regions, (const Cell[]){T("solve"), U(1)});
    for (uint64_t i = 0; i < 9; i++)
        add_event(file, OTHER + i % 2, events, 95 + 7 * i, i / 2, i % 3, i % 3 == 2 ? NONE : U(i % 5));
    test_file_add_row(file, OTHER, notes, (const Cell[]){U(95), U(0), T("text")});
    test_file_add_row(file, OTHER, notes, (const Cell[]){U(109), U(1), T("behind the jump")});
    test_file_close(file);
}

/* Joins both parts: as one file, and by an anchor beside them. */
static void join_parts(void)
{
    g_autofree char *plain = test_files_path("plain", ".xtf"), *second = test_files_path("second", ".xtf");
    g_autofree char *merged = test_files_path("merged", ".xtf"), *anchor = test_files_path("anchor", ".xtf");
    const char *parts[] = {plain, second};
    const XtfMergeOptions options = {.no_sync = true};
    GError *error = NULL;

    test_files_set_id(0x50);
    test_files_check(xtf_merge(merged, parts, G_N_ELEMENTS(parts), &options, NULL, &error), &error);
    g_autofree char *hidden = test_files_path("merged", ".not-a-part");
    test_files_check(g_rename(merged, hidden) == 0, NULL);
    test_files_set_id(0x70);
    g_autofree char *folder = test_files_path("", "");
    test_files_check(xtf_merge_anchor(folder, &options, NULL, &error), &error);
    test_files_check(g_rename(hidden, merged) == 0 && g_file_test(anchor, G_FILE_TEST_EXISTS), NULL);
}

/* Makes a companion file of `plain`, or of the anchor. It has other derived rows than `plain`, and one more table. */
static void make_companion(const char *name, uint8_t id, const char *base)
{
    static const XtfFieldSpec method_fields[] = {{.name = "name", .type = XTF_TYPE_STRING}, {0}};
    static const XtfFieldSpec finding_fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "method", .type = XTF_TYPE_U16, .refers_to = "methods"},
        {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions"},
        {.name = "note", .type = XTF_TYPE_STRING},
        {0},
    };
    TestFile *file = test_file_new_companion(name, id, base);
    uint32_t methods = test_file_add_schema(file, "methods", XTF_SCHEMA_TABLE, method_fields);
    uint32_t findings = test_file_add_schema(file, "findings", XTF_SCHEMA_DERIVED, finding_fields);

    test_file_add_table_row(file, methods, (const Cell[]){T("by hand")});
    test_file_add_row(file, FIRST, findings, (const Cell[]){U(110), U(0), U(1), T("a new string")});
    test_file_add_row(file, FIRST, findings, (const Cell[]){U(130), U(0), U(4), T("behind the jump")});
    test_file_add_row(file, CORRECTED, findings, (const Cell[]){U(2001), U(1), U(0), T("")});
    test_file_close(file);
}

/* Makes a file that is still being written. One superblock has its second commit, the other one the first. */
static void make_growing(void)
{
    TestFile *file = test_file_new("growing", 0xb0, "plain");
    uint32_t events = test_file_add_schema(file, "events", XTF_SCHEMA_RECORD, event_fields);
    uint32_t regions = test_file_add_schema(file, "regions", XTF_SCHEMA_TABLE, region_fields);
    static const char *const names[] = {"first", "second"};

    for (uint64_t commit = 0; commit < G_N_ELEMENTS(names); commit++) {
        test_file_add_table_row(file, regions, (const Cell[]){T(names[commit]), NONE});
        for (uint64_t i = 0; i < 5; i++)
            add_event(file, FIRST, events, 1000 * commit + 10 * i, 5 * commit + i, 2, U(commit));
        if (commit > 0)
            add_event(file, FIRST + commit, events, 1000 * commit + 5, 0, 2, U(commit));
        test_file_set_complete(file, 1000 * commit + 41);
        test_file_commit(file);
    }
    test_file_leave_open(file);
}

void make_plain_files(void)
{
    make_plain();
    make_second();
    join_parts();
    make_companion("companion", 0x90, "plain");
    make_companion("anchored", 0x9c, "anchor");
    make_growing();
}
