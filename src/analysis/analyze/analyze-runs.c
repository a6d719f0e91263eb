/*
 * Each run is analysed into a trace of its own, a temporary file with derived rows alone. Then the rows of all runs are
 * written, location by location.
 */
#include <unistd.h>

#include "libxtf/array.h"
#include "libxtf/base/nameless.h"
#include "libxtf/trace.h"
#include "src/analysis/analyze/analyze-private.h"
#include "src/analysis/formulas/callpath-numbers.h"
#include "src/model/schemas.h"
#include "src/trace/context/trace-context.h"

enum { N_TAGS = XTF_MODEL_AFTER_ANALYSIS - XTF_MODEL_WAITS };

/* The analysis of a run. */
typedef struct {
    int fd;             /* of the temporary file; -1: none */
    XtfTrace *trace;    /* the derived rows; NULL: not analysed yet */
    uint32_t *contexts; /* numbers of call paths in the trace of all runs, by number in this run */
    uint64_t n_contexts;
    uint64_t *waits_before; /* by location: rows of `waits` of earlier runs */
} Run;

typedef struct {
    XtfTrace *trace;
    XtfTraceContext context;
    const XtfLocations *locations;
    Run *runs;
    uint32_t n;
    XtfWorld *world;
    XtfWriter *writer;
    XtfSteps *steps;
    XtfCallpathNumbers callpaths; /* call paths of the trace of all runs */
} Runs;

/* ---- The analysis of each run. */

static XtfWriter *create_writer(const Runs *runs, Run *run, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(runs->trace);
    const XtfWriterOptions options = {.resolution_num = clock->resolution_num,
                                      .resolution_den = clock->resolution_den,
                                      .origin = clock->origin,
                                      .no_sync = true};

    run->fd = xtf_nameless_file(NULL, error);
    int fd = run->fd < 0 ? -1 : dup(run->fd);
    if (run->fd >= 0 && fd < 0)
        xtf_fail(error, XTF_ERROR_IO, "the analysis of a run: %s", g_strerror(errno));
    return fd < 0 ? NULL : xtf_writer_create_in(fd, "the analysis of a run", &options, error);
}

static bool analyze_run(const Runs *runs, const XtfRunGaps *gaps, uint32_t number, XtfAnalyzeReport *report,
                        GError **error)
{
    const XtfRunWindow window = xtf_run_window(gaps, number);
    Run *run = &runs->runs[number];

    if (!runs->writer)
        return xtf_analyze_window(runs->trace, window, runs->world, NULL, runs->steps, report, error);
    g_autoptr(XtfWriter) writer = create_writer(runs, run, error);
    if (!writer || !xtf_analyze_window(runs->trace, window, runs->world, writer, runs->steps, report, error) ||
        !xtf_writer_close(g_steal_pointer(&writer), error))
        return false;
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", run->fd);
    run->trace = xtf_trace_open(path, NULL, error);
    return run->trace;
}

static void add_counts(XtfReplayCounts *to, const XtfReplayCounts *from)
{
    to->messages += from->messages;
    to->collectives += from->collectives;
    to->uncertain_sends += from->uncertain_sends;
    to->uncertain_receives += from->uncertain_receives;
    to->uncertain_collectives += from->uncertain_collectives;
    to->unmatched_sends += from->unmatched_sends;
    to->unmatched_receives += from->unmatched_receives;
}

static void add_report(XtfAnalyzeReport *to, const XtfAnalyzeReport *from)
{
    add_counts(&to->found.counts, &from->found.counts);
    to->found.violations += from->found.violations;
    to->found.judged += from->found.judged;
    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        to->found.waits[kind] += from->found.waits[kind];
        to->found.amounts[kind] += from->found.amounts[kind];
    }
    to->causes.explained += from->causes.explained;
    to->causes.circles += from->causes.circles;
    to->causes.lost += from->causes.lost;
    to->causes.looked += from->causes.looked;
    to->path.segments += from->path.segments;
    to->path.length += from->path.length;
    to->path.finalized &= from->path.finalized;
    to->path.circles += from->path.circles;
    to->ideal += from->ideal;
    if (from->levels > 0 && (to->levels == 0 || from->levels < to->levels))
        to->levels = from->levels;
    to->roots = MAX(to->roots, from->roots);
}

static bool analyze_all(const Runs *runs, const XtfRunGaps *gaps, XtfAnalyzeReport *report, GError **error)
{
    *report = (XtfAnalyzeReport){.path.finalized = true};
    for (uint32_t i = 0; i < runs->n; i++) {
        XtfAnalyzeReport one = {0};
        if (!analyze_run(runs, gaps, i, &one, error))
            return false;
        add_report(report, &one);
    }
    return true;
}

/* ---- Call paths of the whole. */

/* Numbers the call paths of a run. A parent has a smaller number than its children. */
static bool number_callpaths(Runs *runs, Run *run, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(run->trace, XTF_TABLE_CONTEXTS, &table, error))
        return false;
    run->n_contexts = table ? table->n_rows : 0;
    run->contexts = g_new(uint32_t, run->n_contexts + 1);
    for (uint64_t i = 0; i < run->n_contexts; i++) {
        XtfContextRow row;
        memcpy(&row, table->rows + i * sizeof row, sizeof row);
        uint32_t parent = row.parent < i ? run->contexts[row.parent] : XTF_CALLPATH_NONE;
        if (!xtf_callpath_number(&runs->callpaths, parent, row.region, UINT32_MAX - 1, &run->contexts[i]))
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the runs have too many call paths");
    }
    return true;
}

static bool write_callpaths(Runs *runs, GError **error)
{
    uint32_t id;

    for (uint32_t i = 0; i < runs->n; i++)
        if (!number_callpaths(runs, &runs->runs[i], error))
            return false;
    if (!xtf_writer_add_schema(runs->writer, xtf_model_schema(XTF_MODEL_CONTEXTS), &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(runs->writer, id, error);
    for (uint32_t i = 0; table && i < xtf_callpath_numbers_n(&runs->callpaths); i++) {
        const XtfNumberedCallpath *path = xtf_callpath_numbers_at(&runs->callpaths, i);
        const XtfContextRow row = {.parent = path->parent, .region = path->region};
        if (!xtf_table_writer_append(table, &row, NULL, error))
            return false;
    }
    return table;
}

/* ---- Rows. */

static bool find_array(const Run *run, uint64_t location, unsigned tag, XtfArray *array, bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(run->trace, xtf_model_schema(tag)->name);

    *found = false;
    return !schema || xtf_trace_find_array(run->trace, location, schema->id, array, found, error);
}

/* Counts the rows of `waits` of earlier runs, by location. */
static bool count_waits(const Runs *runs, GError **error)
{
    for (uint32_t i = 0; i < runs->n; i++) {
        Run *run = &runs->runs[i];
        run->waits_before = g_new0(uint64_t, runs->locations->n + 1);
        for (uint32_t l = 0; i > 0 && l < runs->locations->n; l++) {
            const Run *before = run - 1;
            XtfArray array;
            bool found;
            if (!find_array(before, runs->locations->all[l].id, XTF_MODEL_WAITS, &array, &found, error))
                return false;
            run->waits_before[l] = before->waits_before[l] + (found ? array.n_rows : 0);
        }
    }
    return true;
}

/* Changes a row of one run: its call path, and the wait that is its cause, get their numbers in the trace of all
 * runs. */
static void change_row(const Runs *runs, const Run *run, const XtfSchema *schema, uint8_t *row)
{
    const XtfField *context = xtf_schema_field(schema, "context"), *cause = xtf_schema_field(schema, "cause");
    const XtfField *culprit = xtf_schema_field(schema, "culprit"), *thread = xtf_schema_field(schema, "culprit_thread");
    uint32_t index;

    if (context && !xtf_field_is_none(context, row) && xtf_field_get(context, row) < run->n_contexts)
        xtf_field_set(context, row, run->contexts[xtf_field_get(context, row)]);
    if (cause && culprit && thread && !xtf_field_is_none(cause, row) &&
        xtf_locations_find(runs->locations, xtf_field_get(culprit, row), xtf_field_get(thread, row), &index))
        xtf_field_set(cause, row, xtf_field_get(cause, row) + run->waits_before[index]);
}

static bool copy_rows(const Runs *runs, const Run *run, const XtfArray *array, XtfArrayWriter *to, GError **error)
{
    uint32_t size = array->schema->row_size;
    uint8_t copied[XTF_ROW_MAX];
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, 0, &found, error))
        return false;
    while (found) {
        uint64_t n = xtf_cursor_available(&cursor);
        for (uint64_t i = 0; i < n; i++) {
            memcpy(copied, xtf_cursor_row(&cursor) + i * size, size);
            change_row(runs, run, array->schema, copied);
            if (!xtf_array_writer_append(to, copied, error))
                return false;
        }
        if (!xtf_steps_advance(runs->steps, n, error) || !xtf_cursor_next(&cursor, (int64_t)n, &found, error))
            return false;
    }
    return true;
}

/* Writes the rows of a derived type of a location. */
static bool write_array(const Runs *runs, uint64_t location, unsigned tag, GError **error)
{
    XtfArrayWriter *to = NULL;
    uint32_t id;

    if (!xtf_writer_add_schema(runs->writer, xtf_model_schema(tag), &id, error))
        return false;
    for (uint32_t i = 0; i < runs->n; i++) {
        XtfArray array;
        bool found;
        if (!find_array(&runs->runs[i], location, tag, &array, &found, error))
            return false;
        if (!found)
            continue;
        if (!to && !(to = xtf_writer_array(runs->writer, location, id, error)))
            return false;
        if (!copy_rows(runs, &runs->runs[i], &array, to, error))
            return false;
    }
    return !to || xtf_array_writer_close(to, error);
}

static bool write_derived(const Runs *runs, GError **error)
{
    for (uint32_t l = 0; l < runs->locations->n; l++)
        for (unsigned tag = 0; tag < N_TAGS; tag++)
            if (!write_array(runs, runs->locations->all[l].id, XTF_MODEL_WAITS + tag, error))
                return false;
    return true;
}

static void run_finish(Run *run)
{
    xtf_trace_unref(run->trace);
    if (run->fd >= 0)
        close(run->fd);
    g_free(run->contexts);
    g_free(run->waits_before);
}

static bool nothing_is_reserved(const XtfSchema *schema)
{
    return false;
}

static bool write_whole(Runs *runs, GError **error)
{
    xtf_steps_begin(runs->steps, "writing all runs", 0);
    return (runs->locations = xtf_trace_context_locations(&runs->context, error)) && count_waits(runs, error) &&
           write_callpaths(runs, error) && write_derived(runs, error);
}

bool xtf_analyze_runs(XtfTrace *trace, const XtfRunGaps *gaps, XtfWorld *world, XtfWriter *writer, XtfSteps *steps,
                      XtfAnalyzeReport *report, GError **error)
{
    g_autofree Run *all = g_new0(Run, gaps->n + 1);
    Runs runs = {.trace = trace, .runs = all, .n = gaps->n + 1, .world = world, .writer = writer, .steps = steps};

    for (uint32_t i = 0; i < runs.n; i++)
        all[i].fd = -1;
    xtf_callpath_numbers_init(&runs.callpaths);
    bool good = xtf_trace_context_init(&runs.context, trace, false, nothing_is_reserved, error) &&
                (!writer || xtf_analyze_clear(writer, error)) && analyze_all(&runs, gaps, report, error) &&
                (!writer || write_whole(&runs, error));
    for (uint32_t i = 0; i < runs.n; i++)
        run_finish(&all[i]);
    xtf_callpath_numbers_finish(&runs.callpaths);
    xtf_trace_context_finish(&runs.context);
    return good;
}
