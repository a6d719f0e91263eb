/* The opening run: a closed file is opened by two reads, which bring its right edges, P index, tables and strings, too.
 */
#include <criterion/criterion.h>

#include "fixture.h"
#include "libxtf/merge.h"
#include "tests/counted-source.h"

enum { SMALL_TEXT = 100, LONG_TEXT = 100 << 10, LARGE_TEXT = 2 << 20 };

static const XtfFieldSpec name_fields[] = {
    {.name = "name", .type = XTF_TYPE_STRING, .role = "name"},
    {0},
};

/* Writes a file with three arrays, each with a string and a row of a table, by one commit. */
static void write_file(const char *path, size_t text_bytes)
{
    GError *error = NULL;
    XtfWriterOptions options = {.page_size = 4096, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(XtfSchema) names = xtf_schema_new("names", XTF_SCHEMA_TABLE, name_fields, &error);
    g_autofree char *text = g_strnfill(text_bytes, 'x');
    uint32_t table, calls;

    cr_assert_good(writer, error);
    calls = add_schema(writer, "calls");
    cr_assert_good(xtf_writer_add_schema(writer, names, &table, &error), error);
    for (unsigned i = 0; i < 3; i++) {
        g_autoptr(GArray) rows = random_rows(random, 200, 10);
        uint32_t string;
        text[0] = (char)('a' + i);
        append_rows(writer, i, calls, rows, 0, rows->len);
        cr_assert_good(xtf_writer_add_string(writer, text, &string, &error), error);
        cr_assert_good(xtf_table_writer_append(xtf_writer_table(writer, table, &error), &string, NULL, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Reads a small array, the table and its last string. */
static void read_all(XtfTrace *trace)
{
    GError *error = NULL;
    const XtfTable *table;
    const char *text;
    XtfArray array;
    uint64_t n_rows;
    bool found;

    cr_assert_good(xtf_trace_find_array(trace, 2, 0, &array, &found, &error) && found, error);
    cr_assert_good(xtf_array_size_t(&array, array.first, array.last, &n_rows, &error), error);
    cr_assert(n_rows > 0 && n_rows < array.n_rows);
    cr_assert_good(xtf_trace_table(trace, "names", &table, &error) && table, error);
    cr_assert_eq(table->n_rows, 3);
    uint32_t string = (uint32_t)xtf_field_get(&table->schema->fields[0], table->rows + 2 * table->schema->row_size);
    cr_assert_good(xtf_trace_string(trace, string, &text, &error), error);
    cr_assert_eq(text[0], 'c');
}

/* Asserts the number of reads that opening a file takes, and that its content takes then. */
static void assert_reads(const char *path, unsigned opening, unsigned at_least, unsigned at_most)
{
    GError *error = NULL;
    CountedSource *counted = counted_source_open(path, false, &error);

    cr_assert_good(counted, error);
    g_autoptr(XtfTrace) trace = xtf_trace_open_source(&counted->source, NULL, &error);

    cr_assert_good(trace, error);
    cr_assert_eq(counted->n_reads, opening, "opening took %" PRIu64 " reads", counted->n_reads);
    read_all(trace);
    uint64_t more = counted->n_reads - opening;
    cr_assert(more >= at_least && more <= at_most, "the content took %" PRIu64 " more reads", more);
    assert_sound(trace);
}

/* FORMAT W55 */
Test(opening, the_run_of_a_small_closed_file_has_all_of_it)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "small.xtf", NULL);

    write_file(path, SMALL_TEXT);
    assert_reads(path, 2, 0, 0);
    remove_folder(folder);
}

Test(opening, the_run_of_a_file_with_many_strings_has_the_catalog)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "large.xtf", NULL);

    write_file(path, LARGE_TEXT);
    assert_reads(path, 2, 1, 6);
    remove_folder(folder);
}

static void expect_nothing(XtfSource *self, uint64_t offset, uint64_t length)
{
}

/* Opens a file by a counted source, with reads that are cheap or costly. *counted is owned by the trace. */
static XtfTrace *open_counted(const char *path, bool cheap, CountedSource **counted)
{
    static const XtfSourceOps local = {.read = counted_read, .close = counted_close, .expect = expect_nothing};
    GError *error = NULL;

    *counted = counted_source_open(path, false, &error);
    cr_assert_good(*counted, error);
    if (cheap)
        (*counted)->source.ops = &local;
    XtfTrace *trace = xtf_trace_open_source(&(*counted)->source, NULL, &error);
    cr_assert_good(trace, error);
    cr_assert_eq((*counted)->n_reads, 2);
    return trace;
}

Test(opening, only_the_end_of_a_long_run_is_read_where_reads_are_cheap)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "long.xtf", NULL);
    CountedSource *cheap, *costly;

    write_file(path, LONG_TEXT);
    g_autoptr(XtfTrace) local = open_counted(path, true, &cheap);
    g_autoptr(XtfTrace) distant = open_counted(path, false, &costly);
    cr_assert_lt(cheap->n_bytes, LONG_TEXT);
    cr_assert_gt(costly->n_bytes, 3 * LONG_TEXT);
    read_all(local);
    read_all(distant);
    cr_assert_eq(costly->n_reads, 4); /* of an edge and its open leaf, which lie before a long run */
    assert_sound(local);
    assert_sound(distant);
    remove_folder(folder);
}

Test(opening, the_run_of_a_merged_file_has_its_definitions)
{
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *part = g_build_filename(folder, "part.xtf", NULL);
    g_autofree char *merged = g_build_filename(folder, "merged.xtf", NULL);
    char *paths[] = {part, NULL};

    write_file(part, SMALL_TEXT);
    cr_assert_good(xtf_merge(merged, (const char *const *)paths, 1, NULL, NULL, &error), error);
    assert_reads(merged, 2, 2, 2); /* the right edge and its open leaf lie in the part's pages */
    remove_folder(folder);
}
