/*
 * Copying the rows of runs: location by location, and for each location run by run.
 */
#include "libxtf/aggregates.h"
#include "libxtf/merge/runs-private.h"
#include "libxtf/references.h"
#include "libxtf/tree/descent.h"
#include "libxtf/write/writer-private.h"

/* A location of the whole while its rows are copied. */
typedef struct {
    XtfRunsJoin *runs;
    uint64_t location;
    XtfArrayWriter **arrays; /* by schema of the whole; NULL: no row yet */
    uint64_t *rows_before;   /* by schema of the whole: rows of earlier runs */
    uint64_t seq_before;     /* number after the last record of earlier runs */
    uint64_t next_seq;       /* number after the last record so far */
    GByteArray *leaf;        /* of runs that stay where they are: rows that are not added yet */
} CopiedLocation;

/* The arrays of a location in one run. */
typedef struct {
    XtfRunPart *part;
    GArray *arrays; /* XtfArray */
} RunArrays;

/* Copies a string, unless that was done before, and returns its id in the whole. */
static bool copy_string(const XtfRunsJoin *runs, const XtfRunPart *part, uint64_t id, uint32_t *copied, GError **error)
{
    gpointer known = g_hash_table_lookup(part->strings, GSIZE_TO_POINTER(id));
    const char *text;

    if (known) {
        *copied = GPOINTER_TO_UINT(known) - 1;
        return true;
    }
    if (id > UINT32_MAX)
        return xtf_damaged(error, "string %" PRIu64 ": the id is outside of the string heap", id);
    if (!xtf_trace_string(part->run->trace, (uint32_t)id, &text, error) ||
        !xtf_writer_add_string(runs->writer, text, copied, error))
        return false;
    g_hash_table_insert(part->strings, GSIZE_TO_POINTER(id), GUINT_TO_POINTER(*copied + 1));
    return true;
}

/* Changes the numbers in a row to the whole's. */
static bool change_row(CopiedLocation *to, const XtfRunPart *part, const XtfRunPlan *plan, uint8_t *row, GError **error)
{
    for (guint i = 0; i < plan->shifts->len; i++) {
        const XtfFieldShift *shift = &g_array_index(plan->shifts, XtfFieldShift, i);
        if (!xtf_field_is_none(shift->field, row))
            xtf_field_set(shift->field, row, xtf_field_get(shift->field, row) + shift->by);
    }
    for (guint i = 0; i < plan->strings->len; i++) {
        const XtfReference *reference = xtf_reference_at(plan->strings, i);
        const XtfField *field = &plan->schema->fields[reference->field];
        uint32_t id;
        if (!xtf_reference_holds(reference, plan->schema, row))
            continue;
        if (!copy_string(to->runs, part, xtf_field_get(field, row), &id, error))
            return false;
        xtf_field_set(field, row, id);
    }
    xtf_row_map_apply_all(plan->map, row, 1);
    if (plan->message)
        xtf_field_set(plan->message, row, xtf_field_get(plan->message, row) + to->rows_before[plan->message_schema]);
    if (!plan->seq)
        return true;
    uint64_t seq = xtf_field_get(plan->seq, row) + to->seq_before;
    xtf_field_set(plan->seq, row, seq);
    if (plan->schema->kind == XTF_SCHEMA_RECORD)
        to->next_seq = MAX(to->next_seq, seq + 1);
    return true;
}

static bool copy_row(CopiedLocation *to, const XtfRunPart *part, const XtfRunPlan *plan, const uint8_t *row,
                     GError **error)
{
    uint8_t copied[XTF_ROW_MAX];

    memcpy(copied, row, plan->schema->row_size);
    if (!change_row(to, part, plan, copied, error))
        return false;
    if (!to->runs->options->in_place)
        return xtf_array_writer_append(to->arrays[plan->id], copied, error);
    g_byte_array_append(to->leaf, copied, plan->schema->row_size);
    return true;
}

static bool report_progress(const XtfRunsJoin *runs, GError **error)
{
    const XtfRunsOptions *options = runs->options;

    return !options->progress || options->progress(runs->done, runs->total, options->data) ||
           xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
}

static bool copy_array(CopiedLocation *to, const XtfRunPart *part, const XtfArray *array, GError **error)
{
    const XtfRunPlan *plan = &part->plans[array->schema->id];
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, 0, &found, error))
        return false;
    while (found) {
        uint64_t n = xtf_cursor_available(&cursor);
        const uint8_t *row = xtf_cursor_row(&cursor);
        for (uint64_t i = 0; i < n; i++, row += plan->schema->row_size)
            if (!copy_row(to, part, plan, row, error))
                return false;
        to->runs->done += n;
        if (!report_progress(to->runs, error) || !xtf_cursor_next(&cursor, (int64_t)n, &found, error))
            return false;
    }
    return true;
}

/* Adds the leaf of an array that begins with row n, and sets *next to the row after it. */
static bool name_leaf(CopiedLocation *to, const XtfRunPart *part, const XtfArray *array, XtfCursor *cursor, uint64_t n,
                      uint64_t *next, GError **error)
{
    const XtfRunPlan *plan = &part->plans[array->schema->id];
    g_auto(XtfDescent) descent = {0};
    bool found;

    if (!xtf_descent_find(array, n, &descent, error) || !xtf_cursor_seek_n(cursor, n, &found, error))
        return false;
    uint64_t count = xtf_cursor_available(cursor);
    const uint8_t *row = xtf_cursor_row(cursor);
    g_byte_array_set_size(to->leaf, 0);
    for (uint64_t i = 0; i < count; i++, row += plan->schema->row_size)
        if (!copy_row(to, part, plan, row, error))
            return false;
    *next = n + count;
    return xtf_array_writer_add_leaf(to->arrays[plan->id], descent.leaf.open ? 0 : descent.leaf.place, to->leaf->data,
                                     (uint32_t)count, error);
}

/* Makes an array of a run a piece of the joined one. Reads its rows for the totals. */
static bool name_array(CopiedLocation *to, const XtfRunPart *part, const XtfArray *array, GError **error)
{
    const XtfRunPlan *plan = &part->plans[array->schema->id];
    const XtfAddedNumbers added = {.seq = to->seq_before,
                                   .message = plan->message ? to->rows_before[plan->message_schema] : 0};
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    if (!xtf_run_begin_piece(to->runs, part, array, &added, to->arrays[plan->id], error))
        return false;
    for (uint64_t n = 0, next; n < array->n_rows; n = next) {
        if (!name_leaf(to, part, array, &cursor, n, &next, error))
            return false;
        to->runs->done += next - n;
        if (!report_progress(to->runs, error))
            return false;
    }
    return true;
}

/* Ends the frames that a run leaves open, innermost first, at the time of the location's last record. */
static bool end_frames(CopiedLocation *to, const XtfRunPart *part, const XtfArray *array, uint64_t last, GError **error)
{
    const XtfRunPlan *plan = &part->plans[array->schema->id];
    const XtfSchema *schema = plan->schema;
    g_autofree XtfOpenFrame *frames = NULL;
    uint8_t row[XTF_ROW_MAX];
    size_t n;

    if (!xtf_array_stack(array, (unsigned)plan->frames, array->n_rows, &frames, &n, error))
        return false;
    const uint8_t *values = schema->aggregates[plan->frames].values;
    g_byte_array_set_size(to->leaf, 0);
    for (size_t i = 0; i < n; i++) {
        const XtfOpenFrame *frame = &frames[n - 1 - i];
        if (!xtf_array_row(array, frame->row, row, error)) /* the end has the other fields of the begin */
            return false;
        xtf_field_set(&schema->fields[0], row, last);
        xtf_field_set(&schema->fields[values[0]], row, 1);
        xtf_field_set(&schema->fields[values[1]], row, array->n_rows + i - frame->row);
        if (plan->seq)
            xtf_field_set(plan->seq, row, to->next_seq - to->seq_before);
        if (!copy_row(to, part, plan, row, error))
            return false;
    }
    return to->leaf->len == 0 ||
           xtf_array_writer_add_own_piece(to->arrays[plan->id], to->leaf->data, (uint32_t)n, error);
}

/* Copies the rows of a location in one run. `goes_on`: the trace has a later run, so frames that this one leaves open
 * are ended. */
static bool copy_run(CopiedLocation *to, const RunArrays *from, bool goes_on, GError **error)
{
    XtfRunsJoin *runs = to->runs;
    uint64_t last = 0;

    to->seq_before = to->next_seq;
    for (guint i = 0; i < runs->join->schemas->len; i++)
        to->rows_before[i] = to->arrays[i] ? xtf_array_writer_n_rows(to->arrays[i]) : 0;
    for (guint i = 0; i < from->arrays->len; i++) {
        const XtfArray *array = &g_array_index(from->arrays, XtfArray, i);
        uint32_t id = from->part->plans[array->schema->id].id;
        if (!to->arrays[id])
            to->arrays[id] = xtf_writer_array(runs->writer, to->location, runs->written[id], error);
        if (!to->arrays[id] || !(runs->options->in_place ? name_array : copy_array)(to, from->part, array, error))
            return false;
        if (array->schema->kind == XTF_SCHEMA_RECORD)
            last = MAX(last, array->last);
    }
    for (guint i = 0; goes_on && i < from->arrays->len; i++) {
        const XtfArray *array = &g_array_index(from->arrays, XtfArray, i);
        if (from->part->plans[array->schema->id].frames >= 0 && !end_frames(to, from->part, array, last, error))
            return false;
    }
    return true;
}

/* Takes the arrays of a location off a run. Skips arrays that are not copied. */
static bool take_arrays(XtfRunPart *part, uint64_t location, GArray *arrays, GError **error)
{
    XtfTrace *trace = part->run->trace;
    uint64_t n = xtf_trace_n_arrays(trace);

    g_array_set_size(arrays, 0);
    for (; part->rank < n; part->rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, part->rank, 1, &array, error) || !xtf_array_is_supported(&array, error))
            return false;
        if (array.location != location)
            return true;
        if (part->plans[array.schema->id].schema)
            g_array_append_val(arrays, array);
    }
    return true;
}

/* Names the run in an error about its data. */
static void name_run(const XtfRunPart *part, GError **error)
{
    if (error && g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED))
        g_prefix_error(error, "%s: ", part->run->path);
}

static bool copy_location(XtfRunsJoin *runs, uint64_t location, GError **error)
{
    guint n_schemas = runs->join->schemas->len;
    g_autofree XtfArrayWriter **arrays = g_new0(XtfArrayWriter *, n_schemas + 1);
    g_autofree uint64_t *rows_before = g_new0(uint64_t, n_schemas + 1);
    g_autoptr(GArray) of_run = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    g_autoptr(GByteArray) leaf = g_byte_array_new();
    CopiedLocation to = {
        .runs = runs, .location = location, .arrays = arrays, .rows_before = rows_before, .leaf = leaf};

    for (size_t i = 0; i < runs->n; i++) {
        const RunArrays from = {&runs->parts[i], of_run};
        if (take_arrays(from.part, location, of_run, error) && copy_run(&to, &from, i + 1 < runs->n, error))
            continue;
        name_run(from.part, error);
        return false;
    }
    for (guint i = 0; i < n_schemas; i++)
        if (arrays[i] && !xtf_array_writer_close(arrays[i], error))
            return false;
    return true;
}

/* Finds the least location of which a run has arrays to copy. */
static bool find_next_location(const XtfRunsJoin *runs, uint64_t *location, bool *found, GError **error)
{
    *found = false;
    for (size_t i = 0; i < runs->n; i++) {
        const XtfRunPart *part = &runs->parts[i];
        XtfArray array;
        if (part->rank == xtf_trace_n_arrays(part->run->trace))
            continue;
        if (!xtf_trace_get_arrays(part->run->trace, part->rank, 1, &array, error))
            return false;
        *location = *found ? MIN(*location, array.location) : array.location;
        *found = true;
    }
    return true;
}

bool xtf_runs_copy_rows(XtfRunsJoin *runs, GError **error)
{
    uint64_t location;
    bool found;

    while (find_next_location(runs, &location, &found, error)) {
        if (!found)
            return true;
        if (!copy_location(runs, location, error))
            return false;
    }
    return false;
}
