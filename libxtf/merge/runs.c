#include "libxtf/disk/strings.h"
#include "libxtf/merge/runs-private.h"
#include "libxtf/references.h"

/* ---- The order of the runs. */

static bool has_records(const XtfRun *run)
{
    const XtfClock *clock = xtf_trace_clock(run->trace);

    return clock->first <= clock->last;
}

static int compare_runs(const void *a, const void *b)
{
    const XtfRun *left = a, *right = b;
    bool left_has = has_records(left), right_has = has_records(right);
    uint64_t x = xtf_trace_clock(left->trace)->first, y = xtf_trace_clock(right->trace)->first;

    if (left_has != right_has)
        return left_has ? 1 : -1;
    return (x > y) - (x < y);
}

/* Returns a time of the clock in seconds, as text. The caller frees it. */
static char *format_seconds(const XtfClock *clock, uint64_t ticks)
{
    enum { DIGITS = 1000000000 };
    unsigned __int128 parts = (unsigned __int128)ticks * clock->resolution_den * DIGITS / clock->resolution_num;

    return g_strdup_printf("%" PRIu64 ".%09" PRIu64 " s", (uint64_t)(parts / DIGITS), (uint64_t)(parts % DIGITS));
}

static bool check_order(const XtfRun *before, const XtfRun *after, GError **error)
{
    const XtfClock *first = xtf_trace_clock(before->trace), *second = xtf_trace_clock(after->trace);

    if (!has_records(before) || first->last < second->first)
        return true;
    g_autofree char *end = format_seconds(first, first->last);
    g_autofree char *begin = format_seconds(second, second->first);
    return xtf_fail(error, XTF_ERROR_INVALID,
                    "%s ends at %s, and %s begins at %s of the same clock: runs must not overlap in time", before->path,
                    end, after->path, begin);
}

static bool check_run(const XtfRun *first, const XtfRun *run, GError **error)
{
    const XtfClock *a = xtf_trace_clock(first->trace), *b = xtf_trace_clock(run->trace);
    XtfTraceInfo info;

    xtf_trace_get_info(run->trace, &info);
    if (!xtf_trace_is_supported(run->trace, error)) {
        g_prefix_error(error, "%s: ", run->path);
        return false;
    }
    if (info.removed > 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: its first volumes were removed, so it joins no other run",
                        run->path);
    return (a->resolution_num == b->resolution_num && a->resolution_den == b->resolution_den) ||
           xtf_fail(error, XTF_ERROR_INVALID,
                    "the clocks of %s and %s have different resolutions: %" PRIu64 "/%" PRIu64 " and %" PRIu64
                    "/%" PRIu64 " ticks per second",
                    first->path, run->path, a->resolution_num, a->resolution_den, b->resolution_num, b->resolution_den);
}

bool xtf_runs_sort(XtfRun *runs, size_t n, GError **error)
{
    for (size_t i = 0; i < n; i++)
        if (!check_run(&runs[0], &runs[i], error))
            return false;
    qsort(runs, n, sizeof *runs, compare_runs);
    for (size_t i = 1; i < n; i++)
        if (!check_order(&runs[i - 1], &runs[i], error))
            return false;
    return true;
}

/* ---- Numbers that each run gives out by itself. */

/* Returns the greatest value of a field in a run; false if it has none. */
static bool find_greatest(const XtfTrace *trace, const XtfRunNumber *number, const XtfField **field, uint64_t *greatest)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, number->schema);
    const XtfLimits *limits;

    *field = schema ? xtf_schema_field(schema, number->field) : NULL;
    limits = *field ? xtf_trace_limits(trace, schema->id, (uint32_t)(*field - schema->fields)) : NULL;
    if (!limits || limits->min > limits->max)
        return false;
    *greatest = limits->max;
    return true;
}

/* Returns what to add to the numbers of a field's name in the run after `part`. Leaves a number for "none". */
static bool add_numbers(const XtfRunsJoin *runs, const XtfRunPart *part, size_t index, uint64_t *next, GError **error)
{
    const XtfRunNumber *numbers = runs->options->numbers;
    uint64_t by = part->shifts[index].by, greatest;
    const XtfField *field;

    *next = by;
    for (size_t i = 0; i < runs->options->n_numbers; i++) {
        if (!g_str_equal(numbers[i].field, numbers[index].field) ||
            !find_greatest(part->run->trace, &numbers[i], &field, &greatest))
            continue;
        uint64_t most = (field->width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * field->width) - 1) - 1;
        if (by > most || greatest > most - by)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                            "%s: the numbers in the field \"%s\" of \"%s\" do not fit behind those of the runs before",
                            part->run->path, numbers[i].field, numbers[i].schema);
        *next = MAX(*next, by + greatest + 1);
    }
    return true;
}

static bool find_shifts(XtfRunsJoin *runs, GError **error)
{
    size_t n = runs->options->n_numbers;

    for (size_t i = 0; i < runs->n; i++) {
        XtfRunPart *part = &runs->parts[i];
        part->shifts = g_new0(XtfNumberShift, n + 1);
        for (size_t k = 0; k < n; k++) {
            uint64_t by = 0;
            part->shifts[k] =
                (XtfNumberShift){.schema = runs->options->numbers[k].schema, .field = runs->options->numbers[k].field};
            if (i > 0 && !add_numbers(runs, &runs->parts[i - 1], k, &by, error))
                return false;
            part->shifts[k].by = by;
        }
    }
    uint64_t unused;
    for (size_t k = 0; k < n; k++) /* checks that the numbers of the last run fit */
        if (!add_numbers(runs, &runs->parts[runs->n - 1], k, &unused, error))
            return false;
    return true;
}

/* ---- Schemas and tables. */

static bool is_left_out(const XtfRunsJoin *runs, const XtfSchema *schema)
{
    const char *const *left_out = runs->options->left_out;

    return schema->kind == XTF_SCHEMA_DERIVED || (left_out && g_strv_contains(left_out, schema->name));
}

static bool write_schemas(XtfRunsJoin *runs, GError **error)
{
    guint n = runs->join->schemas->len;

    runs->written = g_new(uint32_t, n + 1);
    for (guint i = 0; i < n; i++) {
        const XtfSchema *schema = runs->join->schemas->pdata[i];
        runs->written[i] = XTF_NOT_WRITTEN;
        if (!is_left_out(runs, schema) && !xtf_writer_add_schema(runs->writer, schema, &runs->written[i], error))
            return false;
    }
    return true;
}

/* Replaces the strings of a joined row by the writer's. */
static bool write_strings(const XtfRunsJoin *runs, const XtfJoinedTable *table, uint8_t *row, GError **error)
{
    const GByteArray *heap = runs->join->strings;

    for (guint i = 0; i < table->references->len; i++) {
        const XtfReference *reference = xtf_reference_at(table->references, i);
        const XtfField *field = &table->schema->fields[reference->field];
        const char *text, *fault;
        uint32_t length, id;
        if (reference->table || !xtf_reference_holds(reference, table->schema, row))
            continue;
        if (!xtf_strings_get(heap->data, heap->len, xtf_field_get(field, row), &text, &length, &fault))
            return xtf_damaged(error, "table \"%s\": a string: %s", table->schema->name, fault);
        if (!xtf_writer_add_string(runs->writer, text, &id, error))
            return false;
        xtf_field_set(field, row, id);
    }
    return true;
}

static bool write_table(const XtfRunsJoin *runs, const XtfJoinedTable *table, GError **error)
{
    uint32_t row_size = table->schema->row_size;
    XtfTableWriter *to = xtf_writer_table(runs->writer, runs->written[table->schema->id], error);
    uint8_t row[XTF_ROW_MAX];

    for (uint32_t i = 0; to && i < table->n_rows; i++) {
        memcpy(row, table->rows->data + (size_t)i * row_size, row_size);
        if (!write_strings(runs, table, row, error) || !xtf_table_writer_append(to, row, NULL, error))
            return false;
    }
    return to;
}

static bool write_tables(const XtfRunsJoin *runs, GError **error)
{
    for (guint id = 0; id < runs->join->tables->len; id++) {
        const XtfJoinedTable *table = runs->join->tables->pdata[id];
        if (table && runs->written[id] != XTF_NOT_WRITTEN && !write_table(runs, table, error))
            return false;
    }
    return true;
}

static bool join_run(XtfRunsJoin *runs, XtfRunPart *part, GError **error)
{
    XtfJoin *join = runs->join;

    join->separate = runs->options->separate;
    join->shifts = part->shifts;
    join->n_shifts = runs->options->n_numbers;
    for (uint32_t i = 0; i < xtf_trace_n_schemas(part->run->trace); i++)
        runs->total +=
            xtf_trace_schema(part->run->trace, i)->kind == XTF_SCHEMA_TABLE ? 0 : xtf_trace_n_rows(part->run->trace, i);
    if (!xtf_join_schemas(join, part->run->trace, part->run->path, &part->map, error))
        return false;
    if (xtf_join_tables(join, part->run->trace, &part->map, error))
        return true;
    g_prefix_error(error, "%s: ", part->run->path);
    return false;
}

/* Returns the final row numbers of a table, by row of the run; NULL if the run has no such table. */
static uint32_t *number_rows(const XtfRunsJoin *runs, const XtfPartMap *map, uint32_t id)
{
    const XtfJoinedTable *table = runs->join->tables->pdata[id];

    if (!map->rows[id])
        return NULL;
    uint32_t *rows = g_new(uint32_t, map->n_rows[id] + 1);
    for (uint32_t i = 0; i < map->n_rows[id]; i++)
        rows[i] = xtf_joined_row(table, map->rows[id][i]);
    return rows;
}

static bool join_tables(XtfRunsJoin *runs, GError **error)
{
    for (size_t i = 0; i < runs->n; i++)
        if (!join_run(runs, &runs->parts[i], error))
            return false;
    if (!xtf_join_finish_tables(runs->join, error) || !write_schemas(runs, error) || !write_tables(runs, error))
        return false;
    for (size_t i = 0; i < runs->n; i++) {
        XtfRunPart *part = &runs->parts[i];
        part->final_rows = g_new0(uint32_t *, part->map.n_whole + 1);
        for (uint32_t id = 0; id < part->map.n_whole; id++)
            part->final_rows[id] = number_rows(runs, &part->map, id);
        xtf_run_make_plans(runs, part);
    }
    return !runs->options->in_place || xtf_runs_map_tables(runs, error);
}

static void part_finish(XtfRunPart *part)
{
    for (uint32_t i = 0; part->plans && i < xtf_trace_n_schemas(part->run->trace); i++)
        xtf_run_plan_finish(&part->plans[i]);
    for (uint32_t id = 0; part->final_rows && id < part->map.n_whole; id++)
        g_free(part->final_rows[id]);
    g_free(part->final_rows);
    g_free(part->plans);
    g_free(part->shifts);
    xtf_part_map_finish(&part->map);
    g_hash_table_unref(part->strings);
}

bool xtf_join_runs(XtfWriter *writer, const XtfRun *all, size_t n, const XtfRunsOptions *options, GError **error)
{
    g_autofree XtfRunPart *parts = g_new0(XtfRunPart, n + 1);
    g_autoptr(XtfJoin) join = xtf_join_new();
    XtfRunsJoin runs = {.writer = writer, .options = options, .join = join, .parts = parts, .n = n};

    if (n == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "no run to join");
    for (size_t i = 0; i < n; i++)
        parts[i] = (XtfRunPart){.run = &all[i], .strings = g_hash_table_new(NULL, NULL)};
    bool good = find_shifts(&runs, error) && (!options->in_place || xtf_runs_name_parts(&runs, error)) &&
                join_tables(&runs, error) && xtf_runs_copy_rows(&runs, error);
    for (size_t i = 0; i < n; i++)
        part_finish(&parts[i]);
    g_free(runs.written);
    return good;
}
