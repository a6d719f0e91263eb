/*
 * Reads whatever it is given as a trace, and holds each answer against what must be true of any file. An entry point
 * for libFuzzer:
 *
 *     clang -fsanitize=fuzzer,address,undefined ... fuzz-reader.c fuzz-structure.c, and the sources of libxtf
 */
#include "fuzz-structure.h"

#include "libxtf/disk/codec.h"
#include "libxtf/xtf.h"

enum {
    CACHE_BYTES = 256 << 10, /* so small that blocks are evicted */
    ARRAYS_READ = 50,
    STEPS = 300,
    SUMS_READ = 4,
    PROBLEMS_MAX = 100000, /* messages of one check */
    FILES_BYTES = 1 << 30, /* more than any files of the tests have */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void must(bool truth, const char *what)
{
    if (!truth)
        g_error("fuzz: %s", what);
}

static void count_problem(const char *message, void *data)
{
    uint64_t *problems = data;
    must(*message != '\0' && ++*problems < PROBLEMS_MAX, "problems without words or number");
}

/* A failure says why, and nothing else does. */
static bool said(bool good, GError **error)
{
    must(good == !*error, "an error that was not set, or was for nothing");
    g_clear_error(error);
    return good;
}

static void check_trace(XtfTrace *trace)
{
    GError *error = NULL;
    XtfCheckReport report;
    uint64_t problems = 0;

    if (said(xtf_trace_check(trace, count_problem, NULL, &problems, &report, &error), &error))
        must(report.problems == problems, "the check told of other problems than it counted");
}

static volatile size_t bytes_read; /* so that reading is not left out */

static void read_values(XtfTrace *trace, const XtfSchema *schema, const uint8_t *row)
{
    GError *error = NULL;
    const char *text = NULL;

    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        uint64_t value = xtf_field_get(field, row);
        bytes_read += value < field->n_labels ? strlen(field->labels[value]) : 0;
        if (field->type == XTF_TYPE_STRING && said(xtf_trace_string(trace, (uint32_t)value, &text, &error), &error))
            bytes_read += strlen(text);
    }
}

static void read_tables(XtfTrace *trace)
{
    for (uint32_t id = 0; id < xtf_trace_n_schemas(trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(trace, id);
        GError *error = NULL;
        const XtfTable *table = NULL;
        if (!said(xtf_trace_table(trace, schema->name, &table, &error), &error) || !table)
            continue;
        for (uint64_t row = 0; row < MIN(table->n_rows, STEPS); row++)
            read_values(trace, schema, table->rows + row * schema->row_size);
    }
}

static void walk(const XtfArray *array, int64_t step)
{
    GError *error = NULL;
    bool found = false;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    bool good = said(xtf_cursor_seek_n(&cursor, step > 0 ? 0 : array->n_rows - 1, &found, &error), &error);
    for (unsigned i = 0; good && found && i < STEPS; i++) {
        must(cursor.n < array->n_rows && xtf_cursor_available(&cursor) - 1 < array->n_rows - cursor.n,
             "a cursor that stands nowhere");
        read_values(array->trace, array->schema, xtf_cursor_row(&cursor));
        good = said(xtf_cursor_next(&cursor, step, &found, &error), &error);
    }
}

static void search(const XtfArray *array, uint64_t t)
{
    GError *error = NULL;
    uint64_t n, size, time;
    uint8_t row[XTF_ROW_MAX];
    bool found = false;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    if (said(xtf_cursor_seek_t(&cursor, t, &found, &error), &error) && found)
        read_values(array->trace, array->schema, xtf_cursor_row(&cursor));
    if (said(xtf_array_rank(array, t, &n, &error), &error))
        must(n <= array->n_rows, "a rank beyond the array");
    if (said(xtf_array_size_t(array, array->first + 1, t, &size, &error), &error))
        must(size <= array->n_rows, "a window with more rows than the array");
    if (said(xtf_array_time(array, t % array->n_rows, &time, &error), &error) &&
        said(xtf_array_row(array, t % array->n_rows, row, &error), &error))
        read_values(array->trace, array->schema, row);
}

/* Some groups: without a filter all rows are meant, which needs no totals. */
static XtfMatch match_some(const uint64_t *key, unsigned depth, const void *data)
{
    (void)data;
    return depth == 0 ? XTF_MATCH_SOME : key[0] % 4 < 3 ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* Sums of intervals, and the ways through them: of a hostile file they may be wrong, but not impossible. */
static void read_sums(const XtfArray *array, unsigned which, uint64_t n1, uint64_t n2)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[which];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;
    const XtfGroupFilter filter = {.match = match_some};
    const XtfGroupFilter *some = aggregate->n_keys > 0 ? &filter : NULL;
    GError *error = NULL;
    uint64_t n;

    if (said(xtf_array_totals(array, which, NULL, n1, n2, totals, &error), &error))
        must(xtf_group_totals_n(totals) <= array->n_rows + 1, "more groups than rows");
    if (said(xtf_array_group_rank(array, which, some, n2, &n, &error), &error))
        must(n <= n2, "more rows of a group than rows");
    if (said(xtf_array_group_select(array, which, some, n1 / 3, &n, &error), &error))
        must(n <= array->n_rows, "a row of a group beyond the array");
    if (aggregate->kind != XTF_AGGREGATE_FRAMES)
        return;
    if (said(xtf_array_stack(array, which, n2, &frames, &n_frames, &error), &error))
        must(n_frames <= array->n_rows, "more frames than rows");
    said(xtf_array_profile(array, which, array->first + 1, array->last, array->first, array->last, totals, &error),
         &error);
}

/* The most rows that an array can have in a file of that size: plain ones take a byte at least, packed ones leaves of
 * so many rows for each byte of their pages, and the open leaf. */
static uint64_t rows_most(const XtfArray *array, size_t file_size)
{
    return array->codec == XTF_CODEC_PLAIN ? file_size : file_size * XTF_LEAF_ROWS_PER_BYTE + XTF_LEAF_BYTES_MAX;
}

static void read_arrays(XtfTrace *trace, size_t file_size)
{
    uint64_t n = xtf_trace_n_arrays(trace);

    must(n <= file_size, "more arrays than bytes");
    for (uint64_t rank = 0; rank < MIN(n, ARRAYS_READ); rank++) {
        GError *error = NULL;
        XtfArray array, same;
        bool found;
        uint64_t own;
        if (!said(xtf_trace_get_arrays(trace, rank, 1, &array, &error), &error))
            continue;
        must(array.n_rows > 0 && array.n_rows <= rows_most(&array, file_size), "more rows than the file has room for");
        said(xtf_trace_find_array(trace, array.location, array.schema->id, &same, &found, &error), &error);
        said(xtf_trace_array_rank(trace, array.location, array.schema->id, &own, &error), &error);
        walk(&array, 1);
        walk(&array, -1);
        walk(&array, 37);
        for (uint64_t i = 0; i <= 8; i++)
            search(&array, array.first + (array.last - array.first) / 8 * i + (i & 1));
        for (unsigned which = 0; which < array.schema->n_aggregates; which++)
            for (unsigned i = 0; i < SUMS_READ; i++)
                read_sums(&array, which, array.n_rows / SUMS_READ * i / 2, array.n_rows / SUMS_READ * (i + 1));
        search(&array, array.last);
        search(&array, UINT64_MAX);
    }
}

static const XtfOpenOptions options = {.cache_bytes = CACHE_BYTES};

/* Reads everything. `size`: the bytes that there are. */
static void read_trace(XtfTrace *trace, size_t size)
{
    read_arrays(trace, size); /* before the check, which leaves what it read in the cache, and after it */
    read_tables(trace);
    check_trace(trace);
    read_arrays(trace, size);
    XtfCounters counters;
    xtf_trace_get_counters(trace, &counters);
    must(counters.cache_pinned_bytes == 0, "a block that stays pinned");
}

bool fuzz_read(const uint8_t *data, size_t size)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open_source(xtf_source_new_bytes(bytes), &options, &error);

    if (!said(trace != NULL, &error))
        return false;
    read_trace(trace, size);
    return true;
}

bool fuzz_read_file(const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, &options, &error);

    if (!said(trace != NULL, &error))
        return false;
    read_trace(trace, FILES_BYTES);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return size < 512 ? size : fuzz_mutate(data, size, seed);
}
