#include "src/analysis/compensate/compensate.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/properties.h"
#include "src/trace/select/parallel.h"

enum {
    BUFFERS_BYTES = 16 << 20, /* bytes of the buffers of all locations' logs of a kind together */
    BUFFER_MAX = 32 << 10,
};

struct XtfCompensation {
    XtfTrace *trace;
    XtfReplay *replay;
    XtfTraceContext *context; /* of the replay */
    const XtfLocations *all;
    XtfProbes *probes;
    XtfMarkTypes types;
    const XtfReplayCallTypes *calls;
    XtfSpool spool;
    XtfRetimedLocation *locations;
    XtfRetime retime;
    XtfSteps *steps;
    XtfCompensationReport report;
};

/* ---- What can be compensated. */

static bool check_trace(XtfTrace *trace, const XtfTraceContext *context, GError **error)
{
    const char *reason = NULL;

    if (xtf_properties_count_bytes(context->properties, xtf_trace_clock(trace)))
        reason = "it has measurements of a network, whose clock counts bytes";
    else if (context->gaps.n > 0)
        reason = "it joins several runs: compensate each run, then join them";
    else if (xtf_trace_kept_from(trace) > 0)
        reason = "its first volumes were removed: xtf copy makes an ordinary trace of it";
    else if (xtf_property(context->properties, XTF_PROPERTY_COMPENSATED))
        reason = "it is compensated already";
    return !reason || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot compensate this trace: %s", reason);
}

static bool find_probes(XtfCompensation *compensation, const XtfCompensateOptions *options, GError **error)
{
    XtfProbes *probes = compensation->probes = xtf_probes_new(compensation->context, error);
    bool any = true;

    if (!probes)
        return false;
    probes->flushes = !options->keep_flushes;
    for (const char *const *text = options->probes; text && *text; text++)
        if (!xtf_probes_add(probes, *text, error))
            return false;
    const char *stated = options->probes ? NULL : xtf_property(compensation->context->properties, XTF_PROPERTY_PROBES);
    if (stated && !xtf_probes_add(probes, stated, error))
        return false;
    if (!options->probes && !stated && !xtf_probes_add_recorded(probes, &any, error))
        return false;
    compensation->report.recorded = !options->probes && !stated;
    compensation->report.probes = g_strdup(probes->text->str);
    return any ||
           xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "the trace does not say what its probes cost: --probe ENTER=120ns,LEAVE=90ns,MPI=300ns does");
}

/* ---- The walks. */

/* The walk of one location. */
typedef struct {
    XtfCompensation *compensation;
    XtfRetimedLocation *location;
    XtfMarkWriter writer;
    uint64_t n_records;
    bool has_threads, has_windows; /* records of waits that stay as recorded */
} Walked;

static void note_other_waits(Walked *walked, const XtfSchema *schema)
{
    walked->has_threads |= g_str_equal(schema->name, "locks") || g_str_equal(schema->name, "threads");
    walked->has_windows |= g_str_has_prefix(schema->name, "rma_") || g_str_equal(schema->name, "io_locks");
}

/* Follows the first MPI_Finalize of a location, and finds its longest section. */
static void follow_finalize(Walked *walked, const XtfWalkedRecord *record)
{
    const XtfReplayCallTypes *calls = walked->compensation->calls;
    XtfFinalCall *final = &walked->location->final;
    uint64_t section = record->time - record->begin;

    if (final->entered && !final->left && section >= final->wait.section)
        final->wait = (XtfMark){.seq = record->seq, .time = record->time, .local = record->local, .section = section};
    if (record->schema != calls->schema || final->left)
        return;
    uint32_t region = (uint32_t)MIN(xtf_load_value(&calls->region, record->row), UINT32_MAX);
    bool enters = xtf_load_bits(&calls->event, record->row) == 0;
    if (xtf_replay_call_kind(calls, region) != XTF_MPI_CALL_FINALIZE)
        return;
    if (enters && !final->entered) {
        final->entered = true;
        final->enter_local = record->local;
        final->enter_done = record->time + record->debt;
    } else if (!enters && final->entered) {
        final->left = true;
        final->leave_time = record->time;
    }
}

static bool walk_record(void *data, const XtfWalkedRecord *record, GError **error)
{
    Walked *walked = data;

    walked->n_records++;
    follow_finalize(walked, record);
    return xtf_marks_put(&walked->writer, &walked->compensation->types, record, error);
}

static bool walk_location(XtfCompensation *compensation, uint32_t index, XtfCompensationReport *report, GError **error)
{
    XtfRetimedLocation *location = &compensation->locations[index];
    Walked walked = {.compensation = compensation, .location = location};

    for (uint64_t i = 0; i < compensation->all->all[index].n_arrays; i++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(compensation->trace, compensation->all->all[index].first_array + i, 1, &array, error))
            return false;
        if (array.schema->kind == XTF_SCHEMA_RECORD)
            note_other_waits(&walked, array.schema);
    }
    xtf_log_writer_init(&walked.writer.log, &compensation->spool, compensation->retime.buffer);
    bool good = xtf_walk(compensation->probes, &compensation->all->all[index], &location->sections, walk_record,
                         &walked, compensation->steps, error) &&
                xtf_log_writer_end(&walked.writer.log, &location->mark_log, error);
    xtf_log_writer_finish(&walked.writer.log);
    report->n_records += walked.n_records;
    report->thread_locations += walked.has_threads;
    report->window_locations += walked.has_windows;
    return good;
}

typedef struct {
    XtfCompensation *compensation;
    XtfCompensationReport report;
} Worker;

static void *begin_worker(void *compensation)
{
    Worker *worker = g_new0(Worker, 1);

    worker->compensation = compensation;
    return worker;
}

static bool walk_locations(void *data, void *unused, uint32_t first, uint32_t end, GError **error)
{
    Worker *worker = data;

    for (uint32_t i = first; i < end; i++)
        if (!walk_location(worker->compensation, i, &worker->report, error))
            return false;
    return true;
}

static void join_worker(void *data, void *compensation)
{
    Worker *worker = data;
    XtfCompensationReport *report = &((XtfCompensation *)compensation)->report;

    report->n_records += worker->report.n_records;
    report->thread_locations += worker->report.thread_locations;
    report->window_locations += worker->report.window_locations;
    g_free(worker);
}

/* ---- The report. */

static void report_process_times(XtfCompensation *compensation, const XtfLocation *of,
                                 const XtfRetimedLocation *location)
{
    GArray *processes = compensation->report.processes;

    if (processes->len == 0 || g_array_index(processes, XtfCompensatedProcess, processes->len - 1).proc != of->proc) {
        const XtfCompensatedProcess process = {.proc = of->proc};
        g_array_append_val(processes, process);
    }
    XtfCompensatedProcess *process = &g_array_index(processes, XtfCompensatedProcess, processes->len - 1);
    process->removed += location->sections.removed;
    process->end = MAX(process->end, location->sections.time);
    process->new_end = MAX(process->new_end, location->sections.local + location->moved);
}

static void make_report(XtfCompensation *compensation)
{
    XtfCompensationReport *report = &compensation->report;
    uint64_t first = xtf_trace_clock(compensation->trace)->first;

    for (uint32_t i = 0; i < compensation->all->n; i++) {
        const XtfRetimedLocation *location = &compensation->locations[i];
        if (!location->sections.any)
            continue;
        report_process_times(compensation, &compensation->all->all[i], location);
        report->n_sections += location->sections.n_sections;
        report->n_clamped += location->sections.n_clamped;
        report->removed += location->sections.removed;
        report->length = MAX(report->length, location->sections.time - MIN(location->sections.time, first));
        uint64_t end = location->sections.local + location->moved;
        report->new_length = MAX(report->new_length, end - MIN(end, first));
    }
    report->retime = compensation->retime.counts;
}

/* ---- All locations. */

static uint64_t count_records(const XtfTrace *trace)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_RECORD)
            n += xtf_trace_n_rows(trace, i);
    return n;
}

static bool compute_times(XtfCompensation *compensation, GError **error)
{
    const XtfParallelWork walks = {.step = 1, .begin = begin_worker, .work = walk_locations, .join = join_worker};
    uint32_t n = compensation->all->n;

    compensation->locations = g_new0(XtfRetimedLocation, (gsize)n + 1);
    compensation->retime = (XtfRetime){.replay = compensation->replay,
                                       .spool = &compensation->spool,
                                       .locations = compensation->locations,
                                       .n_locations = n,
                                       .buffer = MIN(BUFFERS_BYTES / (n + 1), BUFFER_MAX)};
    xtf_mark_types_init(&compensation->types, compensation->trace);
    xtf_steps_begin(compensation->steps, "shortening sections", count_records(compensation->trace));
    if (!xtf_parallel(&walks, compensation, n, error))
        return false;
    xtf_steps_begin(compensation->steps, "replaying waits", 0);
    if (!xtf_retime(&compensation->retime, &compensation->report.counts, error))
        return false;
    make_report(compensation);
    return true;
}

XtfCompensation *xtf_compensate(XtfTrace *trace, const XtfCompensateOptions *options, XtfSteps *steps, GError **error)
{
    g_autoptr(XtfCompensation) compensation = g_new0(XtfCompensation, 1);
    const XtfReplayOptions replay = {.calls = true,
                                     .cancel = steps ? steps->cancel : NULL,
                                     .progress = steps ? xtf_steps_show : NULL,
                                     .progress_data = steps};

    compensation->trace = trace;
    compensation->steps = steps;
    compensation->spool = XTF_SPOOL_NONE;
    compensation->report.processes = g_array_new(FALSE, FALSE, sizeof(XtfCompensatedProcess));
    xtf_steps_begin(steps, "reading messages", 0);
    compensation->replay = xtf_replay_new(trace, &replay, error);
    if (!compensation->replay)
        return NULL;
    compensation->context = xtf_replay_context(compensation->replay);
    compensation->calls = xtf_replay_call_types(compensation->replay);
    compensation->all = xtf_trace_context_locations(compensation->context, error);
    if (!compensation->all || !check_trace(trace, compensation->context, error) ||
        !find_probes(compensation, options, error) || !xtf_spool_open(&compensation->spool, error) ||
        !compute_times(compensation, error))
        return NULL;
    return g_steal_pointer(&compensation);
}

void xtf_compensation_free(XtfCompensation *compensation)
{
    if (!compensation)
        return;
    if (compensation->locations)
        xtf_retime_finish(&compensation->retime);
    g_free(compensation->locations);
    xtf_probes_free(compensation->probes);
    xtf_spool_close(&compensation->spool);
    xtf_replay_free(compensation->replay);
    g_array_unref(compensation->report.processes);
    g_free(compensation->report.probes);
    g_free(compensation);
}

const XtfCompensationReport *xtf_compensation_report(const XtfCompensation *compensation)
{
    return &compensation->report;
}

/* ---- New times. */

typedef struct {
    const XtfNewTimesVisitor *visitor;
    XtfLogReader moves;
    uint64_t move_seq, moved; /* of the next move, if any; of the present one */
    int64_t next_move;
    bool has_move;
    XtfOrderReader orders;
    XtfOrderChange change; /* the next one, if any */
    bool has_change;
} Visit;

static bool read_move(Visit *visit, GError **error)
{
    const uint8_t *record, *end;

    if (!xtf_log_next(&visit->moves, &record, &end, error))
        return false;
    visit->has_move = record != NULL;
    if (record) {
        visit->move_seq += xtf_log_get(&record);
        visit->next_move = (int64_t)xtf_log_get_near(&record);
    }
    return true;
}

static bool visit_record(void *data, const XtfWalkedRecord *record, GError **error)
{
    Visit *visit = data;

    if (visit->has_move && visit->move_seq <= record->seq) {
        visit->moved += (uint64_t)visit->next_move;
        if (!read_move(visit, error))
            return false;
    }
    uint64_t time = record->local + visit->moved;
    if (!visit->visitor->record(visit->visitor->data, record, time, error))
        return false;
    while (visit->has_change && visit->change.seq <= record->seq)
        if (!visit->visitor->order(visit->visitor->data, record, time, &visit->change, error) ||
            !xtf_order_next(&visit->orders, &visit->change, &visit->has_change, error))
            return false;
    return true;
}

static bool visit_location(const void *data, uint32_t location, const XtfNewTimesVisitor *visitor, XtfSteps *steps,
                           GError **error)
{
    const XtfCompensation *compensation = data;
    const XtfRetimedLocation *of = &compensation->locations[location];
    Visit visit = {.visitor = visitor};
    XtfSections sections;

    xtf_log_reader_init(&visit.moves, &compensation->spool, &of->moves, BUFFER_MAX);
    xtf_log_reader_init(&visit.orders.log, &compensation->spool, &of->orders, BUFFER_MAX);
    bool good = read_move(&visit, error) && xtf_order_next(&visit.orders, &visit.change, &visit.has_change, error) &&
                xtf_walk(compensation->probes, &compensation->all->all[location], &sections, visit_record, &visit,
                         steps, error);
    xtf_log_reader_finish(&visit.moves);
    xtf_log_reader_finish(&visit.orders.log);
    return good;
}

static uint64_t compensated_proc(const void *data, uint32_t process)
{
    return xtf_replay_process(((const XtfCompensation *)data)->replay, process)->proc;
}

XtfNewTimes xtf_compensation_times(const XtfCompensation *compensation)
{
    return (XtfNewTimes){.data = compensation,
                         .locations = compensation->all,
                         .n_records = compensation->report.n_records,
                         .visit = visit_location,
                         .proc = compensated_proc};
}
