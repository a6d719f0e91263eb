/* Reads any bytes as a trace, and checks each answer against properties that hold for any file. */
#include "fuzz-structure.h"

#include "libxtf/disk/codec.h"
#include "libxtf/xtf.h"

enum {
    CACHE_BYTES = 256 << 10, /* so small that the cache evicts blocks */
    ARRAYS_READ = 50,
    STEPS = 300,
    SUMS_READ = 4,
    PROBLEMS_MAX = 100000, /* bound of the problems that one check may report */
    FILES_BYTES = 1 << 30, /* bound of the bytes of a trace in several files, more than any test has */
};

static void must(bool condition, const char *fault)
{
    if (!condition)
        g_error("fuzz: %s", fault);
}

static void count_problem(const char *message, void *data)
{
    uint64_t *problems = data;
    must(*message != '\0' && ++*problems < PROBLEMS_MAX, "a problem has no message, or the check finds too many");
}

/* Returns `good`, and checks that an error is set if and only if the call failed. */
static bool check_result(bool good, GError **error)
{
    must(good == !*error, "a call failed without an error, or succeeded with one");
    g_clear_error(error);
    return good;
}

static void check_trace(XtfTrace *trace)
{
    GError *error = NULL;
    XtfCheckReport report;
    uint64_t problems = 0;

    if (check_result(xtf_trace_check(trace, count_problem, NULL, &problems, &report, &error), &error))
        must(report.problems == problems, "the check reported another number of problems than it counted");
}

static volatile size_t bytes_read; /* volatile, so that the compiler keeps the reads */

static void read_values(XtfTrace *trace, const XtfSchema *schema, const uint8_t *row)
{
    GError *error = NULL;
    const char *text = NULL;

    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        uint64_t value = xtf_field_get(field, row);
        bytes_read += value < field->n_labels ? strlen(field->labels[value]) : 0;
        if (field->type == XTF_TYPE_STRING &&
            check_result(xtf_trace_string(trace, (uint32_t)value, &text, &error), &error))
            bytes_read += strlen(text);
    }
}

static void read_tables(XtfTrace *trace)
{
    for (uint32_t id = 0; id < xtf_trace_n_schemas(trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(trace, id);
        GError *error = NULL;
        const XtfTable *table = NULL;
        if (!check_result(xtf_trace_table(trace, schema->name, &table, &error), &error) || !table)
            continue;
        for (uint64_t row = 0; row < MIN(table->n_rows, STEPS); row++)
            read_values(trace, schema, table->rows + row * schema->row_size);
    }
}

static void walk_rows(const XtfArray *array, int64_t step)
{
    GError *error = NULL;
    bool found = false;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    bool good = check_result(xtf_cursor_seek_n(&cursor, step > 0 ? 0 : array->n_rows - 1, &found, &error), &error);
    for (unsigned i = 0; good && found && i < STEPS; i++) {
        must(cursor.n < array->n_rows && xtf_cursor_available(&cursor) - 1 < array->n_rows - cursor.n,
             "a cursor is outside its array");
        read_values(array->trace, array->schema, xtf_cursor_row(&cursor));
        good = check_result(xtf_cursor_next(&cursor, step, &found, &error), &error);
    }
}

static void search_time(const XtfArray *array, uint64_t t)
{
    GError *error = NULL;
    uint64_t n, size, time;
    uint8_t row[XTF_ROW_MAX];
    bool found = false;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    if (check_result(xtf_cursor_seek_t(&cursor, t, &found, &error), &error) && found)
        read_values(array->trace, array->schema, xtf_cursor_row(&cursor));
    if (check_result(xtf_array_rank(array, t, &n, &error), &error))
        must(n <= array->n_rows, "a rank is beyond the array");
    if (check_result(xtf_array_size_t(array, array->first + 1, t, &size, &error), &error))
        must(size <= array->n_rows, "a window has more rows than the array");
    if (check_result(xtf_array_time(array, t % array->n_rows, &time, &error), &error) &&
        check_result(xtf_array_row(array, t % array->n_rows, row, &error), &error))
        read_values(array->trace, array->schema, row);
}

/* Matches some of the groups: a filter that matches all rows needs no totals. */
static XtfMatch match_some_groups(const uint64_t *key, unsigned depth, const void *data)
{
    (void)data;
    return depth == 0 ? XTF_MATCH_SOME : key[0] % 4 < 3 ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* Reads sums of intervals, and searches by them. In a hostile file they may be wrong, but not impossible. */
static void read_sums(const XtfArray *array, unsigned number, uint64_t n1, uint64_t n2)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[number];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;
    const XtfGroupFilter filter = {.match = match_some_groups};
    const XtfGroupFilter *some = aggregate->n_keys > 0 ? &filter : NULL;
    GError *error = NULL;
    uint64_t n;

    if (check_result(xtf_array_totals(array, number, NULL, n1, n2, totals, &error), &error))
        must(xtf_group_totals_n(totals) <= array->n_rows + 1, "the totals have more groups than the array has rows");
    if (check_result(xtf_array_group_rank(array, number, some, n2, &n, &error), &error))
        must(n <= n2, "a group has more rows than the interval");
    if (check_result(xtf_array_group_select(array, number, some, n1 / 3, &n, &error), &error))
        must(n <= array->n_rows, "a row of a group is beyond the array");
    if (aggregate->kind != XTF_AGGREGATE_FRAMES)
        return;
    if (check_result(xtf_array_stack(array, number, n2, &frames, &n_frames, &error), &error))
        must(n_frames <= array->n_rows, "a stack has more frames than the array has rows");
    check_result(
        xtf_array_profile(array, number, array->first + 1, array->last, array->first, array->last, totals, &error),
        &error);
}

/* Returns the most rows that an array can have in a file of file_size bytes. A plain row takes at least a byte.
 * Packed rows are in leaves, which have at most XTF_LEAF_ROWS_PER_BYTE rows for each byte, and in the open leaf. */
static uint64_t max_rows(const XtfArray *array, size_t file_size)
{
    return array->codec == XTF_CODEC_PLAIN ? file_size : file_size * XTF_LEAF_ROWS_PER_BYTE + XTF_LEAF_BYTES_MAX;
}

static void read_arrays(XtfTrace *trace, size_t file_size)
{
    uint64_t n = xtf_trace_n_arrays(trace);

    must(n <= file_size, "the file has more arrays than bytes");
    for (uint64_t rank = 0; rank < MIN(n, ARRAYS_READ); rank++) {
        GError *error = NULL;
        XtfArray array, same;
        bool found;
        uint64_t own;
        if (!check_result(xtf_trace_get_arrays(trace, rank, 1, &array, &error), &error))
            continue;
        must(array.n_rows > 0 && array.n_rows <= max_rows(&array, file_size),
             "an array has more rows than fit into the file");
        check_result(xtf_trace_find_array(trace, array.location, array.schema->id, &same, &found, &error), &error);
        check_result(xtf_trace_array_rank(trace, array.location, array.schema->id, &own, &error), &error);
        walk_rows(&array, 1);
        walk_rows(&array, -1);
        walk_rows(&array, 37);
        for (uint64_t i = 0; i <= 8; i++)
            search_time(&array, array.first + (array.last - array.first) / 8 * i + (i & 1));
        for (unsigned number = 0; number < array.schema->n_aggregates; number++)
            for (unsigned i = 0; i < SUMS_READ; i++)
                read_sums(&array, number, array.n_rows / SUMS_READ * i / 2, array.n_rows / SUMS_READ * (i + 1));
        search_time(&array, array.last);
        search_time(&array, UINT64_MAX);
    }
}

static const XtfOpenOptions options = {.cache_bytes = CACHE_BYTES};

/* Reads everything in a trace of `size` bytes. */
static void read_trace(XtfTrace *trace, size_t size)
{
    read_arrays(trace, size); /* reads the arrays before and after the check, which fills the cache */
    read_tables(trace);
    check_trace(trace);
    read_arrays(trace, size);
    XtfCounters counters;
    xtf_trace_get_counters(trace, &counters);
    must(counters.cache_pinned_bytes == 0, "a block stays pinned");
}

bool fuzz_read(const uint8_t *data, size_t size)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open_source(xtf_source_new_bytes(bytes), &options, &error);

    if (!check_result(trace != NULL, &error))
        return false;
    read_trace(trace, size);
    return true;
}

bool fuzz_read_file(const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, &options, &error);

    if (!check_result(trace != NULL, &error))
        return false;
    read_trace(trace, FILES_BYTES);
    return true;
}
