/* Lines: every kind of value in its column, whatever a file holds. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/query/tree/tree.h"

typedef struct {
    char *path;
    XtfWriter *writer;
    XtfTrace *trace;
    XtfTree *tree;
} Sample;

static Sample sample_begin(void)
{
    XtfWriterOptions options = {.page_size = 4096, .origin = UINT64_MAX, .no_sync = true};
    Sample sample = {0};

    close(g_file_open_tmp("xtf-format-XXXXXX", &sample.path, NULL));
    sample.writer = xtf_writer_create(sample.path, &options, NULL);
    cr_assert(sample.writer);
    return sample;
}

static void sample_open(Sample *sample)
{
    GError *error = NULL;

    cr_assert(xtf_writer_close(sample->writer, &error), "%s", error ? error->message : "");
    sample->trace = xtf_trace_open(sample->path, NULL, &error);
    cr_assert(sample->trace, "%s", error ? error->message : "");
    sample->tree = xtf_tree_new(sample->trace, NULL);
}

static void sample_end(Sample *sample)
{
    xtf_tree_free(sample->tree);
    xtf_trace_unref(sample->trace);
    g_unlink(sample->path);
    g_free(sample->path);
}

static char *content(Sample *sample, const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(sample->tree, path, &error);
    size_t length = 0;

    cr_assert(node, "%s", error ? error->message : "");
    char *text = g_malloc0(xtf_node_size(node) + 1);
    cr_assert(xtf_node_read(node, 0, text, xtf_node_size(node), &length, &error), "%s", error ? error->message : "");
    cr_assert_eq(length, xtf_node_size(node));
    return text;
}

/* What stands in a column of a line, by the bytes that `columns` states for it; without the blanks around it. */
static char *cell(Sample *sample, const char *directory, unsigned line, const char *column)
{
    g_autofree char *columns_path = g_strconcat(directory, "/columns", NULL),
                    *records_path = g_strconcat(directory, "/records", NULL);
    g_autofree char *columns = content(sample, columns_path), *records = content(sample, records_path);
    g_auto(GStrv) rows = g_strsplit(records, "\n", -1), defined = g_strsplit(columns, "\n", -1);

    for (char **one = defined + 1; **one; one++) {
        char name[64];
        unsigned from, to, width;
        cr_assert_eq(sscanf(*one, "%63s %u %u %u", name, &from, &to, &width), 4);
        cr_assert_eq(to - from + 1, width);
        if (!g_str_equal(name, column))
            continue;
        cr_assert_leq(to, strlen(rows[line]));
        cr_assert(to == strlen(rows[line]) || rows[line][to] == ' ', "a blank after each column");
        return g_strstrip(g_strndup(rows[line] + from - 1, width));
    }
    cr_assert_fail("no column %s", column);
    return NULL;
}

static void assert_cell(Sample *sample, const char *directory, unsigned line, const char *column, const char *expected)
{
    g_autofree char *text = cell(sample, directory, line, column);
    cr_assert_str_eq(text, expected, "%s, line %u, %s: \"%s\", not \"%s\"", directory, line, column, text, expected);
}

static XtfSchema *define(Sample *sample, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields)
{
    XtfSchema *schema = xtf_schema_new(name, kind, fields, NULL);
    cr_assert(schema);
    cr_assert(xtf_writer_add_schema(sample->writer, schema, &schema->id, NULL));
    return schema;
}

static void append(Sample *sample, const XtfSchema *schema, uint64_t location, const uint64_t *values)
{
    uint8_t row[XTF_ROW_MAX];

    for (uint32_t i = 0; i < schema->n_fields; i++)
        xtf_field_set(&schema->fields[i], row, values[i]);
    if (schema->kind == XTF_SCHEMA_TABLE)
        cr_assert(xtf_table_writer_append(xtf_writer_table(sample->writer, schema->id, NULL), row, NULL, NULL));
    else
        cr_assert(xtf_array_writer_append(xtf_writer_array(sample->writer, location, schema->id, NULL), row, NULL));
}

static uint64_t string(Sample *sample, const char *text)
{
    uint32_t id = 0;
    cr_assert(xtf_writer_add_string(sample->writer, text, &id, NULL));
    return id;
}

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
    g_autoptr(XtfSchema) schema = define(&sample, "things", XTF_SCHEMA_RECORD, every_type);
    const char *long_text = "an error message that is far longer than the column";

    append(
        &sample, schema, 9,
        (uint64_t[]){5, 7, (uint64_t)-40, (uint64_t)INT64_MIN, UINT64_MAX, bits_of(-1.5), string(&sample, "a b\n"), 1});
    append(&sample, schema, 9, (uint64_t[]){6, 0xff, 3, INT64_MAX, 0, bits_of(1e300), string(&sample, long_text), 0});
    append(&sample, schema, 9, (uint64_t[]){7, 0, 0, 0, 1, bits_of(NAN), string(&sample, ""), 2});
    sample_open(&sample);

    assert_cell(&sample, "things", 0, "proc", "9"); /* no table of locations: the key itself */
    assert_cell(&sample, "things", 0, "time", "0.000000000");
    assert_cell(&sample, "things", 2, "time", "0.000000002");
    assert_cell(&sample, "things", 0, "seq", "-");
    assert_cell(&sample, "things", 0, "event", "things");
    assert_cell(&sample, "things", 0, "u8", "7");
    assert_cell(&sample, "things", 1, "u8", "-");
    assert_cell(&sample, "things", 0, "i32", "-40");
    assert_cell(&sample, "things", 0, "i64", "-9223372036854775808");
    assert_cell(&sample, "things", 1, "i64", "9223372036854775807");
    assert_cell(&sample, "things", 0, "u64", "18446744073709551615");
    assert_cell(&sample, "things", 0, "real", "-1.5");
    assert_cell(&sample, "things", 2, "real", "nan");
    assert_cell(&sample, "things", 0, "text", "a\\x20b\\x0a");
    assert_cell(&sample, "things", 2, "text", "\"\"");
    assert_cell(&sample, "things", 0, "colour", "dark\\x20blue");
    assert_cell(&sample, "things", 2, "colour", "?");
    g_autofree char *shortened = cell(&sample, "things", 1, "text");
    cr_assert(g_str_has_prefix(shortened, "an\\x20error") && strchr(shortened, '~'), "%s", shortened);
    g_autofree char *record = content(&sample, "things/num/1/record");
    cr_assert(strstr(record, long_text), "in the record itself it stands whole: %s", record);
    assert_cell(&sample, "", 0, "event", "things");
    assert_cell(&sample, "", 0, "name", "-");
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

/* Processes 0 to 3. Communicators: 0 world, 1 {3, 1}, 2 of oneself, 3 between {0, 2} and {3, 1}, 4 with broken groups.
 */
static void define_communicators(Sample *sample)
{
    g_autoptr(XtfSchema) comms = define(sample, "communicators", XTF_SCHEMA_TABLE, comm_fields);
    g_autoptr(XtfSchema) groups = define(sample, "groups", XTF_SCHEMA_TABLE, group_fields);
    g_autoptr(XtfSchema) members = define(sample, "members", XTF_SCHEMA_TABLE, member_fields);
    g_autoptr(XtfSchema) windows = define(sample, "windows", XTF_SCHEMA_TABLE, window_fields);
    static const uint32_t procs[] = {0, 1, 2, 3, 3, 1, 0, 2, UINT32_MAX};
    static const uint64_t none = UINT32_MAX;

    for (unsigned i = 0; i < G_N_ELEMENTS(procs); i++)
        append(sample, members, 0, (uint64_t[]){i, procs[i]});
    append(sample, groups, 0, (uint64_t[]){0, 4});
    append(sample, groups, 0, (uint64_t[]){4, 2});
    append(sample, groups, 0, (uint64_t[]){6, 2});
    append(sample, groups, 0, (uint64_t[]){8, UINT64_MAX});
    append(sample, groups, 0, (uint64_t[]){8, 1});
    append(sample, comms, 0, (uint64_t[]){0, none});
    append(sample, comms, 0, (uint64_t[]){1, none});
    append(sample, comms, 0, (uint64_t[]){none, none});
    append(sample, comms, 0, (uint64_t[]){2, 1});
    append(sample, comms, 0, (uint64_t[]){3, none});
    append(sample, comms, 0, (uint64_t[]){4, none});
    append(sample, windows, 0, (uint64_t[]){1});
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
    g_autoptr(XtfSchema) messages = define(&sample, "letters", XTF_SCHEMA_RECORD, message_fields);
    g_autoptr(XtfSchema) puts = define(&sample, "puts", XTF_SCHEMA_RECORD, put_fields);

    define_communicators(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        append(&sample, messages, cases[i].from, (uint64_t[]){i, i, cases[i].peer, cases[i].comm});
    append(&sample, puts, 0, (uint64_t[]){99, 99, 1, 0});
    append(&sample, puts, 0, (uint64_t[]){100, 100, 1, 7});
    sample_open(&sample);

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_cell(&sample, "letters", i, "peer", cases[i].shown);
        assert_cell(&sample, "", i, "peer", cases[i].shown);
    }
    assert_cell(&sample, "puts", 0, "peer", "1"); /* rank 1 of {3, 1}, by way of its window */
    assert_cell(&sample, "puts", 1, "peer", "?");
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

Test(format, names_stay_apart_and_tame)
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
    g_autoptr(XtfSchema) calls = define(&sample, "enters_leaves", XTF_SCHEMA_RECORD, call_fields);
    g_autoptr(XtfSchema) regions = define(&sample, "regions", XTF_SCHEMA_TABLE, region_fields);

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        append(&sample, regions, 0,
               (uint64_t[]){i ? i : UINT32_MAX, string(&sample, i % 2 ? "a file.c" : ""), string(&sample, names[i])});
        append(&sample, calls, 0, (uint64_t[]){i, i});
    }
    append(&sample, calls, 0, (uint64_t[]){20, 1000});
    sample_open(&sample);

    assert_cell(&sample, "enters_leaves", 0, "name", "main");
    assert_cell(&sample, "enters_leaves", 1, "name", "operator new(unsigned long)");
    assert_cell(&sample, "enters_leaves", 2, "name", "std::vector<std::pair<int, double>>::e~2");
    assert_cell(&sample, "", 3, "name", "std::vector<std::pair<int, double>>::e~3");
    assert_cell(&sample, "enters_leaves", 4, "name", "\\x1b[31mred\\x07");
    assert_cell(&sample, "enters_leaves", 5, "name", "back\\x5cslash");
    assert_cell(&sample, "enters_leaves", 6, "name", "\"\"");
    assert_cell(&sample, "enters_leaves", 7, "name", "caf\xc3\xa9");
    assert_cell(&sample, "enters_leaves", 8, "name", "bad\\xff");
    assert_cell(&sample, "enters_leaves", 9, "name", "?");

    g_autofree char *table = content(&sample, "definitions/regions");
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    cr_assert(g_str_has_prefix(lines[0], "# row line file") && strstr(lines[0], " class "), "%s", lines[0]);
    cr_assert(g_str_has_prefix(g_strchug(lines[1]), "0"), "%s", lines[1]);
    cr_assert(strstr(lines[1], " - ") && strstr(lines[1], "\"\""), "no line, no file: %s", lines[1]);
    cr_assert(strstr(lines[2], "a\\x20file.c") && strstr(lines[2], " operator new(unsigned long)"), "%s", lines[2]);
    cr_assert(strstr(lines[3], names[2]), "long names stand whole in definitions: %s", lines[3]);
    sample_end(&sample);
}

/* A million lines are no wider for one long name. Whole text stands in the row's own file. */
Test(format, long_names_are_cut_in_tables)
{
    enum { LENGTH = 100000 };
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) calls = define(&sample, "calls", XTF_SCHEMA_RECORD, call_fields);
    g_autoptr(XtfSchema) regions = define(&sample, "regions", XTF_SCHEMA_TABLE, region_fields);
    g_autofree char *name = g_strnfill(LENGTH, 'x'), *other = g_strconcat(name, "\x1b", NULL);

    append(&sample, regions, 0, (uint64_t[]){1, string(&sample, ""), string(&sample, name)});
    append(&sample, regions, 0, (uint64_t[]){2, string(&sample, other), string(&sample, other)});
    append(&sample, calls, 0, (uint64_t[]){0, 0});
    sample_open(&sample);

    g_autofree char *table = content(&sample, "definitions/regions");
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    cr_assert_leq(strlen(lines[1]), 3 * 256);
    cr_assert_eq(strlen(lines[1]), strlen(lines[2]));
    cr_assert(strstr(lines[1], "xxx~0"));
    cr_assert(strstr(lines[2], "xxx~1") != g_strrstr(lines[2], "xxx~1"));

    g_autofree char *row = content(&sample, "definitions/rows/regions/1");
    g_autofree char *expected =
        g_strdup_printf("row   1\nline  2\nfile  %s\\x1b\nclass program\nname  %s\\x1b\n", name, name);
    cr_assert_str_eq(row, expected);
    g_autofree char *first = content(&sample, "definitions/rows/regions/0");
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

Test(format, values_are_what_their_type_says)
{
    static const char *const shown[] = {"-7", "18446744073709551615", "0.25"};
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) messages = define(&sample, "letters", XTF_SCHEMA_RECORD, message_fields);
    g_autoptr(XtfSchema) values = define(&sample, "kept", XTF_SCHEMA_SIDE, value_fields);
    const char *text = "a string that is longer than any column of such a table is wide";

    append(&sample, messages, 0, (uint64_t[]){5, 0, 0, 0});
    append(&sample, messages, 0, (uint64_t[]){5, 1, 0, 0});
    append(&sample, values, 0, (uint64_t[]){5, 0, 2, 99});
    append(&sample, values, 0, (uint64_t[]){5, 1, 1, (uint64_t)-7});
    append(&sample, values, 0, (uint64_t[]){5, 1, 2, UINT64_MAX});
    append(&sample, values, 0, (uint64_t[]){5, 1, 3, bits_of(0.25)});
    append(&sample, values, 0, (uint64_t[]){5, 1, 4, string(&sample, text)});
    sample_open(&sample);

    g_autofree char *table = content(&sample, "letters/num/1/kept");
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

/* A record type may be called anything; the tree must not. */
Test(format, types_with_impossible_names)
{
    static const char *const names[] = {"count", "a/b", "..", "tab\there", "README", "fine name"};
    static const char *const shown[] = {"schema~0", "schema~1", "schema~2", "schema~3", "schema~4", "fine name"};
    Sample sample = sample_begin();

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(XtfSchema) schema = define(&sample, names[i], XTF_SCHEMA_RECORD, only_time);
        append(&sample, schema, 0, (uint64_t[]){i});
    }
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strconcat(shown[i], "/count", NULL);
        g_autofree char *count = content(&sample, path);
        cr_assert_str_eq(count, "1\n");
    }
    g_autofree char *info = content(&sample, "info");
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
    g_autoptr(XtfSchema) marks = define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);
    g_autoptr(XtfSchema) flags = define(&sample, "flags", XTF_SCHEMA_SIDE, only_time);

    append(&sample, marks, 0, (uint64_t[]){7});
    append(&sample, flags, 0, (uint64_t[]){7});
    append(&sample, flags, 0, (uint64_t[]){7});
    sample_open(&sample);
    g_autofree char *text = content(&sample, "num/0/flags");
    cr_assert_str_eq(text, "#\n\n\n");
    sample_end(&sample);
}

/* 1 000 rows that name a string of 100 000 bytes are small in a file. */
Test(format, long_side_texts_are_bounded)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) marks = define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);
    g_autoptr(XtfSchema) notes = define(&sample, "notes", XTF_SCHEMA_SIDE, one_string);
    g_autofree char *words = g_strnfill(100000, 'w');
    unsigned more;

    append(&sample, marks, 0, (uint64_t[]){7});
    for (unsigned i = 0; i < 1000; i++)
        append(&sample, notes, 0, (uint64_t[]){7, string(&sample, words)});
    sample_open(&sample);
    g_autofree char *text = content(&sample, "num/0/notes");
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

/* The table knows location 10 as process 3. So 3 can't be process 3, nor, since there is a 4, the one after it. */
Test(format, locations_that_the_table_leaves_out)
{
    static const uint64_t locations[] = {3, 4, 10}, procs[] = {5, 4, 3};
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) table = define(&sample, "locations", XTF_SCHEMA_TABLE, location_fields);
    g_autoptr(XtfSchema) marks = define(&sample, "marks", XTF_SCHEMA_RECORD, only_time);

    append(&sample, table, 0, (uint64_t[]){10, 3});
    for (unsigned i = 0; i < G_N_ELEMENTS(locations); i++)
        append(&sample, marks, locations[i], (uint64_t[]){locations[i]});
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(procs); i++) {
        g_autofree char *path = g_strdup_printf("proc/%" G_GUINT64_FORMAT, procs[i]);
        g_autofree char *time = g_strdup_printf("0.%09" G_GUINT64_FORMAT, locations[i] - locations[0]);
        assert_cell(&sample, path, 0, "time", time);
    }
    sample_end(&sample);
}

Test(format, a_trace_of_nothing)
{
    static const char *const files[] = {"count",  "records",      "columns",      "info",           "histogram",
                                        "README", "time/5-/info", "zoom/3/count", "num/0-5/records"};
    Sample sample = sample_begin();

    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
        g_free(content(&sample, files[i]));
    g_autofree char *count = content(&sample, "count");
    cr_assert_str_eq(count, "0\n");
    cr_assert_null(xtf_tree_resolve(sample.tree, "proc/0", NULL));
    sample_end(&sample);
}

Test(format, the_last_tick_of_all)
{
    Sample sample = sample_begin();
    g_autoptr(XtfSchema) schema = define(&sample, "ends", XTF_SCHEMA_RECORD, only_time);
    static const char *const ones[] = {"time/50%-/count", "time/50%-/ends/count", "proc/1/time/18446744073-/count"};

    append(&sample, schema, 0, (uint64_t[]){0});
    append(&sample, schema, 1, (uint64_t[]){UINT64_MAX});
    sample_open(&sample);
    for (unsigned i = 0; i < G_N_ELEMENTS(ones); i++) {
        g_autofree char *count = content(&sample, ones[i]);
        cr_assert_str_eq(count, "1\n", "%s", ones[i]);
    }
    g_autofree char *records = content(&sample, "records");
    cr_assert(strstr(records, "18446744073.709551615 1 "), "%s", records);
    g_free(content(&sample, "histogram"));
    sample_end(&sample);
}
