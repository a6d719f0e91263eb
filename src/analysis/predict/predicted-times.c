#include "src/analysis/predict/predicted-times.h"

#include "libxtf/trace.h"
#include "src/analysis/replay/replay-rows.h"

enum {
    BUFFERS_BYTES = 16 << 20, /* of the logs of all locations together */
    BUFFER_MAX = 32 << 10,
    FACTOR_ONE = 1 << 20,
};

/* The shifts of a location (engine.h). */
typedef struct {
    XtfLogWriter writer;
    XtfLog log;
    uint64_t seq, shift; /* of the last one */
} Shifts;

struct XtfPredictedRun {
    XtfPredict *predict;
    XtfTrace *trace;
    const XtfLocations *locations;
    const uint64_t *factors; /* by process; NULL: none */
    XtfProbes *probes;       /* which cost nothing */
    XtfSpool spool;
    Shifts *shifts; /* by location */
};

/* ---- The computation. */

static bool note_shift(void *data, uint32_t location, uint64_t seq, uint64_t shift, GError **error)
{
    Shifts *shifts = &((XtfPredictedRun *)data)->shifts[location];

    if (shift == shifts->shift)
        return true;
    uint8_t *to = xtf_log_begin(&shifts->writer, error);
    if (!to)
        return false;
    to = xtf_log_put_near(to, seq - shifts->seq);
    xtf_log_end(&shifts->writer, xtf_log_put_near(to, shift - shifts->shift));
    shifts->seq = seq;
    shifts->shift = shift;
    return true;
}

static bool compute_shifts(XtfPredictedRun *run, const XtfMachine *machine, XtfSteps *steps, XtfPrediction *prediction,
                           GError **error)
{
    const XtfPredictionConsumer consumer = {.data = run, .shift = note_shift};
    uint32_t n = run->locations->n, buffer = MAX(MIN(BUFFERS_BYTES / (n + 1), BUFFER_MAX), XTF_LOG_BUFFER_MIN);

    run->shifts = g_new0(Shifts, (gsize)n + 1);
    for (uint32_t i = 0; i < n; i++)
        xtf_log_writer_init(&run->shifts[i].writer, &run->spool, buffer);
    xtf_steps_begin(steps, "predicting", 0);
    if (!xtf_predict_run(xtf_predict_program(run->predict), machine, run->factors, &consumer, steps, prediction, error))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!xtf_log_writer_end(&run->shifts[i].writer, &run->shifts[i].log, error)) {
            xtf_prediction_finish(prediction);
            return false;
        }
    return true;
}

XtfPredictedRun *xtf_predicted_run_new(XtfPredict *predict, const XtfMachine *machine, const uint64_t *factors,
                                       XtfSteps *steps, XtfPrediction *prediction, GError **error)
{
    XtfTraceContext *context = xtf_replay_context(xtf_predict_replay(predict));
    g_autoptr(XtfPredictedRun) run = g_new0(XtfPredictedRun, 1);

    run->spool = XTF_SPOOL_NONE;
    run->predict = predict;
    run->trace = context->trace;
    run->factors = factors;
    run->locations = xtf_trace_context_locations(context, error);
    run->probes = run->locations ? xtf_probes_new(context, error) : NULL;
    if (!run->probes || !xtf_spool_open(&run->spool, error) || !compute_shifts(run, machine, steps, prediction, error))
        return NULL;
    run->probes->flushes = false;
    return g_steal_pointer(&run);
}

void xtf_predicted_run_free(XtfPredictedRun *run)
{
    if (!run)
        return;
    for (uint32_t i = 0; run->shifts && i < run->locations->n; i++)
        xtf_log_writer_finish(&run->shifts[i].writer);
    g_free(run->shifts);
    xtf_probes_free(run->probes);
    xtf_spool_close(&run->spool);
    g_free(run);
}

/* ---- A visit to a location. */

typedef struct {
    const XtfPredictedRun *run;
    const XtfNewTimesVisitor *visitor;
    XtfReplayWalk walk; /* over the calls: time of computing */
    uint64_t factor, first;
    XtfLogReader log;
    uint64_t seq, next_shift, shift; /* of the next shift; the present one */
    bool has_shift;
} Visit;

static bool read_shift(Visit *visit, GError **error)
{
    const uint8_t *record, *end;

    if (!xtf_log_next(&visit->log, &record, &end, error))
        return false;
    visit->has_shift = record != NULL;
    if (record) {
        visit->seq += xtf_log_get_near(&record);
        visit->next_shift += xtf_log_get_near(&record);
    }
    return true;
}

static bool visit_record(void *data, const XtfWalkedRecord *record, GError **error)
{
    Visit *visit = data;
    XtfReplayCall call;

    while (visit->has_shift && visit->seq <= record->seq) {
        visit->shift = visit->next_shift;
        if (!read_shift(visit, error))
            return false;
    }
    if (!xtf_replay_walk_to(&visit->walk, record->time, record->seq, &call, error))
        return false;
    const XtfRunProgram *program = xtf_predict_program(visit->run->predict);
    uint64_t parts = xtf_predict_computing(program, call.outside, visit->factor) + visit->shift;
    return visit->visitor->record(visit->visitor->data, record, visit->first + parts / XTF_PREDICT_PARTS, error);
}

/* Finds the calls of a location; *found is false if it has none. */
static bool find_calls(const XtfPredictedRun *run, const XtfLocation *location, XtfArray *calls, bool *found,
                       GError **error)
{
    const XtfSchema *schema = xtf_replay_call_types(xtf_predict_replay(run->predict))->schema;

    *found = false;
    for (uint64_t i = 0; schema && i < location->n_arrays && !*found; i++) {
        if (!xtf_trace_get_arrays(run->trace, location->first_array + i, 1, calls, error))
            return false;
        *found = xtf_replay_array_of(calls, 1, schema) != NULL;
    }
    return true;
}

static bool visit_records(Visit *visit, const XtfLocation *location, const XtfReplayBounds *bounds, XtfSteps *steps,
                          GError **error)
{
    XtfCallpathCache cache;
    XtfCallpathLog callpaths;
    XtfCallpathTotals sums = {0};
    XtfSections sections;
    XtfArray calls;
    bool found;

    if (!find_calls(visit->run, location, &calls, &found, error))
        return false;
    xtf_callpath_cache_init(&cache);
    xtf_callpath_log_init(&callpaths);
    const XtfReplayWalkShared shared = {.types = xtf_replay_call_types(xtf_predict_replay(visit->run->predict)),
                                        .callpaths = &callpaths,
                                        .cache = &cache,
                                        .sums = &sums};
    xtf_replay_walk_init(&visit->walk, &shared, found ? &calls : NULL, bounds->begin, bounds->end);
    bool good = read_shift(visit, error) &&
                xtf_walk(visit->run->probes, location, &sections, visit_record, visit, steps, error);
    xtf_replay_walk_finish(&visit->walk);
    xtf_callpath_totals_finish(&sums);
    xtf_callpath_log_finish(&callpaths);
    xtf_callpath_cache_finish(&cache);
    return good;
}

static bool visit_location(const void *data, uint32_t location, const XtfNewTimesVisitor *visitor, XtfSteps *steps,
                           GError **error)
{
    const XtfPredictedRun *run = data;
    const XtfReplay *replay = xtf_predict_replay(run->predict);
    const XtfRunProgram *program = xtf_predict_program(run->predict);
    uint32_t process = program->processes[location];
    Visit visit = {.run = run,
                   .visitor = visitor,
                   .factor = run->factors ? run->factors[process] : FACTOR_ONE,
                   .first = xtf_trace_clock(run->trace)->first};
    XtfReplayBounds bounds;

    xtf_replay_bounds(replay, process, location - xtf_predict_first_location(run->predict, process), &bounds);
    if (bounds.begin > bounds.end)
        return true;
    xtf_log_reader_init(&visit.log, &run->spool, &run->shifts[location].log, BUFFER_MAX);
    bool good = visit_records(&visit, &run->locations->all[location], &bounds, steps, error);
    xtf_log_reader_finish(&visit.log);
    return good;
}

XtfNewTimes xtf_predicted_run_times(const XtfPredictedRun *run)
{
    return (XtfNewTimes){.data = run, .locations = run->locations, .visit = visit_location};
}
