#include "src/cli/trace/join-runs.h"

#include "libxtf/trace.h"
#include "src/cli/trace/archive-cache.h"
#include "src/files/same-file.h"
#include "src/import/output.h"
#include "src/model/schemas.h"
#include "src/trace/context/run-numbers.h"

/* ---- The runs. */

static void clear_run(gpointer run)
{
    xtf_trace_unref(((XtfRun *)run)->trace);
}

/* Opens the runs, and sorts them by time. */
static GArray *open_runs(const char *output, char **names, const XtfJoinRunsOptions *options, GError **error)
{
    const XtfSourceOptions source = {.quiet = options->quiet, .no_companion = true, .incomplete = options->incomplete};
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(XtfRun));

    g_array_set_clear_func(runs, clear_run);
    for (char **name = names; *name; name++) {
        if (xtf_is_same_file(output, *name)) {
            xtf_fail(error, XTF_ERROR_IO, "%s: the output file is one of the runs", output);
            return NULL;
        }
        XtfRun run = {.trace = xtf_cli_open_xtf(*name, &source, error), .path = *name};
        if (!run.trace)
            return NULL;
        g_array_append_val(runs, run);
    }
    return xtf_runs_sort((XtfRun *)runs->data, runs->len, error) ? g_steal_pointer(&runs) : NULL;
}

/* ---- Locations. */

typedef struct {
    uint64_t proc, thread;
    const char *name; /* name of the run's trace */
    const char *path; /* path of the run's trace */
} KnownLocation;

/* Compares a location with that of an earlier run. */
static bool compare_location(uint64_t id, const KnownLocation *known, const KnownLocation *location, uint64_t *renamed,
                             GError **error)
{
    if (known->proc != location->proc || known->thread != location->thread)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "location %" PRIu64 " is thread %" PRIu64 " of process %" PRIu64 " in %s, and thread %" PRIu64
                        " of process %" PRIu64 " in %s: they are no runs of one job",
                        id, known->thread, known->proc, known->path, location->thread, location->proc, location->path);
    *renamed += !g_str_equal(known->name, location->name);
    return true;
}

/* Compares the locations of a run with `known`, by id, and adds new ones. */
static bool match_locations(const XtfRun *run, GHashTable *known, uint64_t *renamed, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(run->trace, XTF_TABLE_LOCATIONS, &table, error))
        return false;
    const XtfField *id = table ? xtf_schema_field(table->schema, "id") : NULL;
    const XtfField *proc = table ? xtf_schema_field(table->schema, "proc") : NULL;
    const XtfField *thread = table ? xtf_schema_field(table->schema, "thread") : NULL;
    const XtfField *name = table ? xtf_schema_field(table->schema, "name") : NULL;
    for (uint64_t i = 0; id && proc && thread && name && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        KnownLocation location = {xtf_field_get(proc, row), xtf_field_get(thread, row), NULL, run->path};
        uint64_t key = xtf_field_get(id, row);
        if (!xtf_trace_string(run->trace, (uint32_t)xtf_field_get(name, row), &location.name, error))
            return false;
        const KnownLocation *before = g_hash_table_lookup(known, &key);
        if (before && !compare_location(key, before, &location, renamed, error))
            return false;
        if (!before)
            g_hash_table_insert(known, g_memdup2(&key, sizeof key), g_memdup2(&location, sizeof location));
    }
    return true;
}

static bool check_locations(const GArray *runs, uint64_t *renamed, GError **error)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);

    for (guint i = 0; i < runs->len; i++)
        if (!match_locations(&g_array_index(runs, XtfRun, i), known, renamed, error))
            return false;
    return true;
}

/* ---- The table of runs. */

/* Copies the rows of a trace that joins several runs. */
static bool copy_rows(XtfTrace *trace, const XtfTable *table, XtfWriter *writer, XtfTableWriter *to, GError **error)
{
    const XtfField *name = xtf_schema_field(xtf_model_schema(XTF_MODEL_RUNS), "name");

    for (uint64_t i = 0; i < table->n_rows; i++) {
        XtfRunRow row;
        const char *text;
        uint32_t id;
        memcpy(&row, table->rows + i * sizeof row, sizeof row);
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, (const uint8_t *)&row), &text, error) ||
            !xtf_writer_add_string(writer, text, &id, error))
            return false;
        row.name = id;
        if (!xtf_table_writer_append(to, &row, NULL, error))
            return false;
    }
    return true;
}

static bool add_row(const XtfRun *run, XtfWriter *writer, XtfTableWriter *to, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(run->trace);
    const XtfSchema *processes = xtf_trace_find_schema(run->trace, XTF_TABLE_PROCESSES);
    XtfRunRow row = {.first = clock->first, .last = clock->last};
    g_autofree char *name = g_path_get_basename(run->path);
    uint32_t id;

    if (!xtf_writer_add_string(writer, name, &id, error))
        return false;
    row.name = id;
    row.processes = processes ? (uint32_t)xtf_trace_n_rows(run->trace, processes->id) : 0;
    return xtf_table_writer_append(to, &row, NULL, error);
}

/* Writes the table of all runs. An input that was joined from several runs counts as these runs. */
static bool write_runs(const GArray *runs, XtfWriter *writer, size_t *n, GError **error)
{
    const XtfSchema *schema = xtf_model_schema(XTF_MODEL_RUNS);
    uint32_t id;

    if (!xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    XtfTableWriter *to = xtf_writer_table(writer, id, error);
    for (guint i = 0; to && i < runs->len; i++) {
        const XtfRun *run = &g_array_index(runs, XtfRun, i);
        const XtfTable *table;
        if (!xtf_trace_table(run->trace, XTF_TABLE_RUNS, &table, error))
            return false;
        bool joined = table && table->n_rows > 0 && xtf_schema_equal(table->schema, schema);
        if (joined ? !copy_rows(run->trace, table, writer, to, error) : !add_row(run, writer, to, error))
            return false;
    }
    *n = to ? xtf_table_writer_n_rows(to) : 0;
    return to;
}

/* ---- The output. */

static bool show_progress(uint64_t done, uint64_t total, void *data)
{
    const XtfBytesProgress *progress = data;

    xtf_progress_update(progress->progress, done, total, done);
    return !atomic_load(progress->cancel);
}

static uint64_t earliest_origin(const GArray *runs)
{
    uint64_t origin = UINT64_MAX;

    for (guint i = 0; i < runs->len; i++)
        origin = MIN(origin, xtf_trace_clock(g_array_index(runs, XtfRun, i).trace)->origin);
    return origin;
}

static bool write_whole(const XtfOutput *output, const GArray *runs, const XtfJoinRunsOptions *options,
                        XtfJoinRunsReport *report, GError **error)
{
    const XtfRun *first = (const XtfRun *)runs->data;
    const XtfClock *clock = xtf_trace_clock(first->trace);
    XtfTraceInfo info;

    xtf_trace_get_info(first->trace, &info);
    const XtfWriterOptions storage = {
        .page_size = info.page_size,
        .resolution_num = clock->resolution_num,
        .resolution_den = clock->resolution_den,
        .origin = earliest_origin(runs),
    };
    XtfRunsOptions join = {
        .separate = xtf_run_separate_tables(),
        .left_out = xtf_run_left_out_tables(),
        .in_place = options->in_place,
        .progress = show_progress,
        .data = (void *)&options->progress,
    };
    join.numbers = xtf_run_numbers(&join.n_numbers);
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &storage, error);
    return writer && xtf_join_runs(writer, first, runs->len, &join, error) &&
           write_runs(runs, writer, &report->n_runs, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

bool xtf_cli_join_runs(const char *path, char **names, const XtfJoinRunsOptions *options, XtfJoinRunsReport *report,
                       GError **error)
{
    *report = (XtfJoinRunsReport){0};
    g_autoptr(GArray) runs = open_runs(path, names, options, error);
    if (!runs || !check_locations(runs, &report->renamed, error))
        return false;
    XtfOutput *output = xtf_output_begin(path, NULL, error);
    return output && xtf_output_end(output, write_whole(output, runs, options, report, error), error);
}
