/* Lines show every kind of value in its column, for any content of the file. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tree/traces/sample.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const char *const colours[] = {"red", "dark blue", NULL};
static const XtfFieldSpec every_type[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "u8", .type = XTF_TYPE_U8, .flags = XTF_FIELD_OPTIONAL},
    {.name = "i32", .type = XTF_TYPE_I32},
    {.name = "i64", .type = XTF_TYPE_I64},
    {.name = "u64", .type = XTF_TYPE_U64},
    {.name = "real", .type = XTF_TYPE_F64, .unit = "C"},
    {.name = "text", .type = XTF_TYPE_STRING},
    {.name = "colour", .type = XTF_TYPE_U8, .labels = colours},
    {0},
};

Test(format, every_type_of_value)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) schema = sample_define(&sample, "things", XTF_SCHEMA_RECORD, every_type);
    const char *long_text = "an error message that is far longer than the column";

    sample_append(&sample, schema, 9,
                  (uint64_t[]){5, 7, (uint64_t)-40, (uint64_t)INT64_MIN, UINT64_MAX, bits_of(-1.5),
                               sample_string(&sample, "a b\n"), 1});
    sample_append(&sample, schema, 9,
                  (uint64_t[]){6, 0xff, 3, INT64_MAX, 0, bits_of(1e300), sample_string(&sample, long_text), 0});
    sample_append(&sample, schema, 9, (uint64_t[]){7, 0, 0, 0, 1, bits_of(NAN), sample_string(&sample, ""), 2});
    sample_open(&sample);

    sample_assert_cell(&sample, "things", 0, "proc", "9"); /* no table of locations: the location's id */
    sample_assert_cell(&sample, "things", 0, "time", "0.000000000");
    sample_assert_cell(&sample, "things", 2, "time", "0.000000002");
    sample_assert_cell(&sample, "things", 0, "seq", "-");
    sample_assert_cell(&sample, "things", 0, "event", "things");
    sample_assert_cell(&sample, "things", 0, "u8", "7");
    sample_assert_cell(&sample, "things", 1, "u8", "-");
    sample_assert_cell(&sample, "things", 0, "i32", "-40");
    sample_assert_cell(&sample, "things", 0, "i64", "-9223372036854775808");
    sample_assert_cell(&sample, "things", 1, "i64", "9223372036854775807");
    sample_assert_cell(&sample, "things", 0, "u64", "18446744073709551615");
    sample_assert_cell(&sample, "things", 0, "real", "-1.5");
    sample_assert_cell(&sample, "things", 2, "real", "nan");
    sample_assert_cell(&sample, "things", 0, "text", "a\\x20b\\x0a");
    sample_assert_cell(&sample, "things", 2, "text", "\"\"");
    sample_assert_cell(&sample, "things", 0, "colour", "dark\\x20blue");
    sample_assert_cell(&sample, "things", 2, "colour", "?");
    g_autofree char *shortened = sample_cell(&sample, "things", 1, "text");
    cr_assert(g_str_has_prefix(shortened, "an\\x20error") && strchr(shortened, '~'), "%s", shortened);
    g_autofree char *record = sample_text(&sample, "things/num/1/record");
    cr_assert(strstr(record, long_text), "in the record itself it stands whole: %s", record);
    sample_assert_cell(&sample, "", 0, "event", "things");
    sample_assert_cell(&sample, "", 0, "name", "-");
    sample_end(&sample);
}

static const XtfFieldSpec message_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "peer", .type = XTF_TYPE_U32, .role = "peer", .flags = XTF_FIELD_OPTIONAL},
    {.name = "comm", .type = XTF_TYPE_U32, .role = "comm", .refers_to = "communicators", .flags = XTF_FIELD_OPTIONAL},
    {0},
};
static const XtfFieldSpec put_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "peer", .type = XTF_TYPE_U32, .role = "peer"},
    {.name = "window", .type = XTF_TYPE_U32, .refers_to = "windows"},
    {0},
};
static const XtfFieldSpec comm_fields[] = {
    {.name = "group", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "remote_group", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {0},
};
static const XtfFieldSpec group_fields[] = {
    {.name = "first", .type = XTF_TYPE_U64}, {.name = "count", .type = XTF_TYPE_U64}, {0}};
static const XtfFieldSpec member_fields[] = {
    {.name = "member", .type = XTF_TYPE_U64}, {.name = "proc", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL}, {0}};
static const XtfFieldSpec window_fields[] = {{.name = "comm", .type = XTF_TYPE_U32, .refers_to = "communicators"}, {0}};

/* Writes processes 0 to 3 and their communicators. 0 is the world, 1 is {3, 1}, 2 has one member, 3 connects {0, 2}
 * and {3, 1}, and 4 has damaged groups. */
static void define_communicators(Sample *sample)
{
    g_autoptr(XtfSchema) comms = sample_define(sample, "communicators", XTF_SCHEMA_TABLE, comm_fields);
    g_autoptr(XtfSchema) groups = sample_define(sample, "groups", XTF_SCHEMA_TABLE, group_fields);
    g_autoptr(XtfSchema) members = sample_define(sample, "members", XTF_SCHEMA_TABLE, member_fields);
    g_autoptr(XtfSchema) windows = sample_define(sample, "windows", XTF_SCHEMA_TABLE, window_fields);
    static const uint32_t procs[] = {0, 1, 2, 3, 3, 1, 0, 2, UINT32_MAX};
    static const uint64_t none = UINT32_MAX;

    for (unsigned i = 0; i < G_N_ELEMENTS(procs); i++)
        sample_append(sample, members, 0, (uint64_t[]){i, procs[i]});
    sample_append(sample, groups, 0, (uint64_t[]){0, 4});
    sample_append(sample, groups, 0, (uint64_t[]){4, 2});
    sample_append(sample, groups, 0, (uint64_t[]){6, 2});
    sample_append(sample, groups, 0, (uint64_t[]){8, UINT64_MAX});
    sample_append(sample, groups, 0, (uint64_t[]){8, 1});
    sample_append(sample, comms, 0, (uint64_t[]){0, none});
    sample_append(sample, comms, 0, (uint64_t[]){1, none});
    sample_append(sample, comms, 0, (uint64_t[]){none, none});
    sample_append(sample, comms, 0, (uint64_t[]){2, 1});
    sample_append(sample, comms, 0, (uint64_t[]){3, none});
    sample_append(sample, comms, 0, (uint64_t[]){4, none});
    sample_append(sample, windows, 0, (uint64_t[]){1});
}

Test(format, peers_are_processes)
{
    static const struct {
        uint64_t from, peer, comm;
        const char *shown;
    } cases[] = {
        {0, 3, 0, "3"}, {1, 0, 1, "3"}, {3, 1, 1, "1"},  {2, 0, 2, "2"},          {2, 1, 2, "?"},
        {0, 0, 3, "3"}, {2, 1, 3, "1"}, {3, 1, 3, "2"},  {1, 0, 3, "0"},          {0, 4, 0, "?"},
        {0, 0, 4, "?"}, {0, 0, 5, "?"}, {0, 0, 77, "?"}, {0, 0, UINT32_MAX, "?"}, {0, UINT32_MAX, 0, "-"},
    };
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) messages = sample_define(&sample, "letters", XTF_SCHEMA_RECORD, message_fields);
    g_autoptr(XtfSchema) puts = sample_define(&sample, "puts", XTF_SCHEMA_RECORD, put_fields);

    define_communicators(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        sample_append(&sample, messages, cases[i].from, (uint64_t[]){i, i, cases[i].peer, cases[i].comm});
    sample_append(&sample, puts, 0, (uint64_t[]){99, 99, 1, 0});
    sample_append(&sample, puts, 0, (uint64_t[]){100, 100, 1, 7});
    sample_open(&sample);

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        sample_assert_cell(&sample, "letters", i, "peer", cases[i].shown);
        sample_assert_cell(&sample, "", i, "peer", cases[i].shown);
    }
    sample_assert_cell(&sample, "puts", 0, "peer", "1"); /* rank 1 of {3, 1}, the communicator of its window */
    sample_assert_cell(&sample, "puts", 1, "peer", "?");
    sample_end(&sample);
}

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U32, .role = "region", .refers_to = "regions"},
    {0},
};
static const XtfFieldSpec region_fields[] = {
    {.name = "line", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "file", .type = XTF_TYPE_STRING},
    {.name = "name", .type = XTF_TYPE_STRING},
    {0},
};

Test(format, names_stay_distinct_and_printable)
{
    static const char *const names[] = {
        "main",
        "operator new(unsigned long)",
        "std::vector<std::pair<int, double>>::emplace_back<int, double&>(int&&)",
        "std::vector<std::pair<int, double>>::emplace_back<int, double&>(int&)",
        "\033[31mred\a",
        "back\\slash",
        "",
        "caf\xc3\xa9",
        "bad\xff",
    };
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) calls = sample_define(&sample, "enters_leaves", XTF_SCHEMA_RECORD, call_fields);
    g_autoptr(XtfSchema) regions = sample_define(&sample, "regions", XTF_SCHEMA_TABLE, region_fields);

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        sample_append(&sample, regions, 0,
                      (uint64_t[]){i ? i : UINT32_MAX, sample_string(&sample, i % 2 ? "a file.c" : ""),
                                   sample_string(&sample, names[i])});
        sample_append(&sample, calls, 0, (uint64_t[]){i, i});
    }
    sample_append(&sample, calls, 0, (uint64_t[]){20, 1000});
    sample_open(&sample);

    sample_assert_cell(&sample, "enters_leaves", 0, "name", "main");
    sample_assert_cell(&sample, "enters_leaves", 1, "name", "operator new(unsigned long)");
    sample_assert_cell(&sample, "enters_leaves", 2, "name", "std::vector<std::pair<int, double>>::e~2");
    sample_assert_cell(&sample, "", 3, "name", "std::vector<std::pair<int, double>>::e~3");
    sample_assert_cell(&sample, "enters_leaves", 4, "name", "\\x1b[31mred\\x07");
    sample_assert_cell(&sample, "enters_leaves", 5, "name", "back\\x5cslash");
    sample_assert_cell(&sample, "enters_leaves", 6, "name", "\"\"");
    sample_assert_cell(&sample, "enters_leaves", 7, "name", "caf\xc3\xa9");
    sample_assert_cell(&sample, "enters_leaves", 8, "name", "bad\\xff");
    sample_assert_cell(&sample, "enters_leaves", 9, "name", "?");

    g_autofree char *table = sample_text(&sample, "definitions/regions");
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    cr_assert(g_str_has_prefix(lines[0], "# row line file") && strstr(lines[0], " class "), "%s", lines[0]);
    cr_assert(g_str_has_prefix(g_strchug(lines[1]), "0"), "%s", lines[1]);
    cr_assert(strstr(lines[1], " - ") && strstr(lines[1], "\"\""), "no line, no file: %s", lines[1]);
    cr_assert(strstr(lines[2], "a\\x20file.c") && strstr(lines[2], " operator new(unsigned long)"), "%s", lines[2]);
    cr_assert(strstr(lines[3], names[2]), "long names stand whole in definitions: %s", lines[3]);
    sample_end(&sample);
}

/* One long name does not widen a million lines. The row's own file shows the whole text. */
Test(format, long_names_are_cut_in_tables)
{
    enum { LENGTH = 100000 };
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) calls = sample_define(&sample, "calls", XTF_SCHEMA_RECORD, call_fields);
    g_autoptr(XtfSchema) regions = sample_define(&sample, "regions", XTF_SCHEMA_TABLE, region_fields);
    g_autofree char *name = g_strnfill(LENGTH, 'x'), *long_name = g_strconcat(name, "\x1b", NULL);

    sample_append(&sample, regions, 0, (uint64_t[]){1, sample_string(&sample, ""), sample_string(&sample, name)});
    sample_append(&sample, regions, 0,
                  (uint64_t[]){2, sample_string(&sample, long_name), sample_string(&sample, long_name)});
    sample_append(&sample, calls, 0, (uint64_t[]){0, 0});
    sample_open(&sample);

    g_autofree char *table = sample_text(&sample, "definitions/regions");
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    cr_assert_leq(strlen(lines[1]), 3 * 256);
    cr_assert_eq(strlen(lines[1]), strlen(lines[2]));
    cr_assert(strstr(lines[1], "xxx~0"));
    cr_assert(strstr(lines[2], "xxx~1") != g_strrstr(lines[2], "xxx~1"));

    g_autofree char *row = sample_text(&sample, "definitions/rows/regions/1");
    g_autofree char *expected =
        g_strdup_printf("row   1\nline  2\nfile  %s\\x1b\nclass program\nname  %s\\x1b\n", name, name);
    cr_assert_str_eq(row, expected);
    g_autofree char *first = sample_text(&sample, "definitions/rows/regions/0");
    cr_assert(g_str_has_prefix(first, "row   0\nline  1\nfile  \"\"\nclass program\nname  xxx"));
    sample_end(&sample);
}

static const char *const value_types[] = {"NONE", "INT8", "UINT64", "DOUBLE", "STRING", NULL};
static const XtfFieldSpec value_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "type", .type = XTF_TYPE_U8, .role = "value_type", .labels = value_types},
    {.name = "value", .type = XTF_TYPE_U64, .role = "value"},
    {0},
};

Test(format, values_print_by_their_type)
{
    static const char *const shown[] = {"-7", "18446744073709551615", "0.25"};
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) messages = sample_define(&sample, "letters", XTF_SCHEMA_RECORD, message_fields);
    g_autoptr(XtfSchema) values = sample_define(&sample, "kept", XTF_SCHEMA_SIDE, value_fields);
    const char *text = "a string that is longer than any column of such a table is wide";

    sample_append(&sample, messages, 0, (uint64_t[]){5, 0, 0, 0});
    sample_append(&sample, messages, 0, (uint64_t[]){5, 1, 0, 0});
    sample_append(&sample, values, 0, (uint64_t[]){5, 0, 2, 99});
    sample_append(&sample, values, 0, (uint64_t[]){5, 1, 1, (uint64_t)-7});
    sample_append(&sample, values, 0, (uint64_t[]){5, 1, 2, UINT64_MAX});
    sample_append(&sample, values, 0, (uint64_t[]){5, 1, 3, bits_of(0.25)});
    sample_append(&sample, values, 0, (uint64_t[]){5, 1, 4, sample_string(&sample, text)});
    sample_open(&sample);

    g_autofree char *table = sample_text(&sample, "letters/num/1/kept");
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    cr_assert_eq(g_strv_length(lines), 6);
    cr_assert_str_eq(lines[0], "# type value");
    for (unsigned i = 0; i < G_N_ELEMENTS(shown); i++) {
        cr_assert(g_str_has_prefix(lines[i + 1], value_types[i + 1]));
        cr_assert_str_eq(strrchr(lines[i + 1], ' ') + 1, shown[i]);
    }
    cr_assert(g_str_has_suffix(lines[4], text), "%s", lines[4]);
    sample_end(&sample);
}

static const XtfFieldSpec only_time[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};

/* A record type may have any name. Where the tree cannot have that name, it shows the type as `schema~` and a number.
 */
Test(format, types_with_invalid_names_get_valid_ones)
{
    static const char *const names[] = {"count", "a/b", "..", "tab\there", "README", "fine name"};
    static const char *const shown[] = {"schema~0", "schema~1", "schema~2", "schema~3", "schema~4", "fine name"};
    Sample sample = sample_begin();

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(XtfSchema) schema = sample_define(&sample, names[i], XTF_SCHEMA_RECORD, only_time);
        sample_append(&sample, schema, 0, (uint64_t[]){i});
    }
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strconcat(shown[i], "/count", NULL);
        g_autofree char *count = sample_text(&sample, path);
        cr_assert_str_eq(count, "1\n");
    }
    g_autofree char *info = sample_text(&sample, "info");
    cr_assert(strstr(info, "\nfine\\x20name "), "%s", info);
    sample_end(&sample);
}

static const XtfFieldSpec one_string[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "text", .type = XTF_TYPE_STRING},
    {0},
};

Test(format, side_rows_of_a_time_alone)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) marks = sample_define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);
    g_autoptr(XtfSchema) flags = sample_define(&sample, "flags", XTF_SCHEMA_SIDE, only_time);

    sample_append(&sample, marks, 0, (uint64_t[]){7});
    sample_append(&sample, flags, 0, (uint64_t[]){7});
    sample_append(&sample, flags, 0, (uint64_t[]){7});
    sample_open(&sample);
    g_autofree char *text = sample_text(&sample, "num/0/flags");
    cr_assert_str_eq(text, "#\n\n\n");
    sample_end(&sample);
}

/* A file of 1 000 rows that name a string of 100 000 bytes stays small. */
Test(format, long_side_texts_are_bounded)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) marks = sample_define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);
    g_autoptr(XtfSchema) notes = sample_define(&sample, "notes", XTF_SCHEMA_SIDE, one_string);
    g_autofree char *words = g_strnfill(100000, 'w');
    unsigned more;

    sample_append(&sample, marks, 0, (uint64_t[]){7});
    for (unsigned i = 0; i < 1000; i++)
        sample_append(&sample, notes, 0, (uint64_t[]){7, sample_string(&sample, words)});
    sample_open(&sample);
    g_autofree char *text = sample_text(&sample, "num/0/notes");
    cr_assert_lt(strlen(text), 10000000);
    const char *last = strrchr(text, '#');
    cr_assert_eq(sscanf(last, "# %u more", &more), 1);
    cr_assert_eq((size_t)(last - text), strlen("# text\n") + (1000 - more) * (strlen(words) + 1));
    sample_end(&sample);
}

static const XtfFieldSpec location_fields[] = {
    {.name = "id", .type = XTF_TYPE_U64},
    {.name = "proc", .type = XTF_TYPE_U32},
    {0},
};

/* In the table location 10 is process 3. Location 4, which the table lacks, becomes process 4. Process 3 is taken, so
 * location 3 becomes process 5. */
Test(format, locations_that_the_table_leaves_out)
{
    static const uint64_t locations[] = {3, 4, 10}, procs[] = {5, 4, 3};
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) table = sample_define(&sample, "locations", XTF_SCHEMA_TABLE, location_fields);
    g_autoptr(XtfSchema) marks = sample_define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);

    sample_append(&sample, table, 0, (uint64_t[]){10, 3});
    for (unsigned i = 0; i < G_N_ELEMENTS(locations); i++)
        sample_append(&sample, marks, locations[i], (uint64_t[]){locations[i]});
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(procs); i++) {
        g_autofree char *path = g_strdup_printf("proc/%" G_GUINT64_FORMAT, procs[i]);
        g_autofree char *time = g_strdup_printf("0.%09" G_GUINT64_FORMAT, locations[i] - locations[0]);
        sample_assert_cell(&sample, path, 0, "time", time);
    }
    sample_end(&sample);
}

Test(format, an_empty_trace_has_all_files)
{
    static const char *const files[] = {"count",  "records",      "columns",      "info",           "histogram",
                                        "README", "time/5-/info", "zoom/3/count", "num/0-5/records"};
    Sample sample = sample_begin();

    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
        g_free(sample_text(&sample, files[i]));
    g_autofree char *count = sample_text(&sample, "count");
    cr_assert_str_eq(count, "0\n");
    cr_assert_null(xtf_tree_resolve(sample.tree, "proc/0", NULL));
    sample_end(&sample);
}

Test(format, the_last_tick_of_all)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) schema = sample_define(&sample, "ends", XTF_SCHEMA_RECORD, only_time);
    static const char *const ones[] = {"time/50%-/count", "time/50%-/ends/count", "proc/1/time/18446744073-/count"};

    sample_append(&sample, schema, 0, (uint64_t[]){0});
    sample_append(&sample, schema, 1, (uint64_t[]){UINT64_MAX});
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(ones); i++) {
        g_autofree char *count = sample_text(&sample, ones[i]);
        cr_assert_str_eq(count, "1\n", "%s", ones[i]);
    }
    g_autofree char *records = sample_text(&sample, "records");
    cr_assert(strstr(records, "18446744073.709551615 1 "), "%s", records);
    g_free(sample_text(&sample, "histogram"));
    sample_end(&sample);
}
