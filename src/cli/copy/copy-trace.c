#include "src/cli/copy/copy-trace.h"

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "src/cli/copy/kept-rows.h"
#include "src/cli/copy/retimed.h"

typedef struct {
    XtfCopyRows rows;
    const XtfCopyOptions *options;
    uint64_t done, total; /* rows copied, and all rows of arrays */
    XtfKeptRows *kept;    /* changes the rows; NULL: no volume was removed */
} Copy;

/* Appends rows from row n on of a trace whose first volumes were removed. */
static bool append_kept_rows(Copy *copy, XtfArrayWriter *to, const XtfSchema *schema, const GArray *strings,
                             const uint8_t *rows, uint64_t n, uint64_t count, GError **error)
{
    uint8_t row[XTF_ROW_MAX];

    for (uint64_t i = 0; i < count; i++, rows += schema->row_size) {
        bool left_out;
        if (!xtf_copy_row(&copy->rows, schema, strings, rows, row, error) ||
            !xtf_kept_rows_change(copy->kept, n + i, row, &left_out, error) ||
            (!left_out && !xtf_array_writer_append(to, row, error)))
            return false;
    }
    return true;
}

/* Begins an array of a trace whose first volumes were removed. */
static bool begin_kept_rows(Copy *copy, XtfArrayWriter *to, const XtfArray *array, uint64_t *first, GError **error)
{
    if (!xtf_kept_rows_begin(copy->kept, array, first, error))
        return false;
    g_autoptr(GByteArray) early = xtf_kept_rows_early(copy->kept, array, error);
    for (guint at = 0; early && at < early->len; at += array->schema->row_size)
        if (!xtf_array_writer_append(to, early->data + at, error))
            return false;
    return early;
}

static bool append_rows(Copy *copy, XtfArrayWriter *to, const XtfSchema *schema, const GArray *strings,
                        const uint8_t *rows, uint64_t count, GError **error)
{
    uint8_t copied_row[XTF_ROW_MAX];

    for (uint64_t i = 0; i < count; i++, rows += schema->row_size) {
        if (strings->len > 0 && !xtf_copy_row(&copy->rows, schema, strings, rows, copied_row, error))
            return false;
        if (!xtf_array_writer_append(to, strings->len > 0 ? copied_row : rows, error))
            return false;
    }
    return true;
}

/* Reports the progress. Returns false if the user has cancelled. Called after each leaf. */
static bool report_copy_progress(Copy *copy, GError **error)
{
    const XtfCopyOptions *options = copy->options;

    if (options->progress)
        options->progress(copy->done, copy->total, options->progress_data);
    return !atomic_load(options->cancel) || xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
}

static bool copy_array(Copy *copy, const XtfArray *array, GError **error)
{
    XtfArrayWriter *to = xtf_writer_array(copy->rows.writer, array->location, copy->rows.ids[array->schema->id], error);
    g_autoptr(GArray) strings = xtf_copy_string_references(array->schema);
    g_auto(XtfCursor) cursor;
    uint64_t first = 0;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!to || (copy->kept && !begin_kept_rows(copy, to, array, &first, error)) ||
        !xtf_cursor_seek_n(&cursor, first, &found, error))
        return false;
    copy->done += first;
    while (found) {
        uint64_t n = xtf_cursor_available(&cursor);
        const uint8_t *rows = xtf_cursor_row(&cursor);
        if (!(copy->kept ? append_kept_rows(copy, to, array->schema, strings, rows, cursor.n, n, error)
                         : append_rows(copy, to, array->schema, strings, rows, n, error)))
            return false;
        copy->done += n;
        if (!report_copy_progress(copy, error) || !xtf_cursor_next(&cursor, (int64_t)n, &found, error))
            return false;
    }
    return xtf_array_writer_close(to, error);
}

/* Copies the clock map of the array's location, so that rows keep their local times. */
static bool copy_clock_map(Copy *copy, const XtfArray *array, GError **error)
{
    uint32_t number;

    return !array->clock || (xtf_writer_add_clock_map(copy->rows.writer, array->clock, &number, error) &&
                             xtf_writer_set_clock_map(copy->rows.writer, array->location, number, error));
}

static bool is_copied(const Copy *copy, const XtfSchema *schema)
{
    bool derived = !copy->options->no_derived && !copy->kept && !copy->options->new_times;

    return (derived || schema->kind != XTF_SCHEMA_DERIVED) &&
           (!copy->options->new_times || !xtf_copy_is_left_out(schema));
}

static bool copy_arrays(Copy *copy, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(copy->rows.trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(copy->rows.trace, rank, 1, &array, error) || !copy_clock_map(copy, &array, error))
            return false;
        array = xtf_array_local(&array);
        if (is_copied(copy, array.schema) && !copy_array(copy, &array, error))
            return false;
    }
    return true;
}

static bool copy_schemas(Copy *copy, GError **error)
{
    uint32_t added = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(copy->rows.trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(copy->rows.trace, i);
        if (!is_copied(copy, schema))
            continue;
        if (!xtf_writer_add_schema(copy->rows.writer, schema, &copy->rows.ids[i], error))
            return false;
        if (copy->rows.ids[i] != added++) /* the writer numbers schemas in the order of adding */
            return xtf_fail(error, XTF_ERROR_DAMAGED, "schema \"%s\" exists twice", schema->name);
        if (schema->kind != XTF_SCHEMA_TABLE)
            copy->total += xtf_trace_n_rows(copy->rows.trace, i);
    }
    return true;
}

static bool copy_table(Copy *copy, const XtfTable *table, GError **error)
{
    XtfTableWriter *to = xtf_writer_table(copy->rows.writer, copy->rows.ids[table->schema->id], error);
    g_autoptr(GArray) strings = xtf_copy_string_references(table->schema);
    uint8_t row[XTF_ROW_MAX];

    for (uint64_t i = 0; to && i < table->n_rows; i++)
        if (!xtf_copy_row(&copy->rows, table->schema, strings, table->rows + i * table->schema->row_size, row, error) ||
            !xtf_table_writer_append(to, row, NULL, error))
            return false;
    return to;
}

static bool copy_tables(Copy *copy, GError **error)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(copy->rows.trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(copy->rows.trace, i);
        const XtfTable *table = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE && is_copied(copy, schema) &&
            !xtf_trace_table(copy->rows.trace, schema->name, &table, error))
            return false;
        if (table && !copy_table(copy, table, error))
            return false;
    }
    return true;
}

XtfWriterOptions xtf_copy_writer_options(XtfTrace *trace)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return (XtfWriterOptions){
        .page_size = info.page_size,
        .resolution_num = clock->resolution_num,
        .resolution_den = clock->resolution_den,
        .origin = clock->origin == clock->first ? UINT64_MAX : clock->origin,
        .codec = info.codec,
    };
}

bool xtf_copy_trace(XtfTrace *trace, XtfWriter *writer, const XtfCopyOptions *options, GError **error)
{
    g_autoptr(GHashTable) strings = g_hash_table_new(NULL, NULL);
    g_autofree uint32_t *ids = g_new0(uint32_t, xtf_trace_n_schemas(trace) + 1);
    g_autoptr(XtfKeptRows) kept = NULL;
    Copy copy = {.rows = {.trace = trace, .writer = writer, .strings = strings, .ids = ids}, .options = options};

    if (!xtf_trace_is_supported(trace, error))
        return false;
    if (xtf_trace_kept_from(trace) > 0 && !(copy.kept = kept = xtf_kept_rows_new(trace, error)))
        return false;
    return copy_schemas(&copy, error) && copy_tables(&copy, error) &&
           (options->new_times ? xtf_copy_retimed(&copy.rows, options->new_times, options->properties,
                                                  options->n_properties, options->steps, error)
                               : copy_arrays(&copy, error));
}
