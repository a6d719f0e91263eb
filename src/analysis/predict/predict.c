#include "src/analysis/predict/predict.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/model/properties.h"

enum { EAGER_DEFAULT = 64 << 10 };

struct XtfPredict {
    XtfTrace *trace;
    XtfReplay *replay;
    XtfRunProgram *program;  /* with the factors of regions */
    XtfRunProgram *recorded; /* without them; NULL: `program` has none */
    XtfExtraction extraction;
    uint32_t *first; /* first location, by process */
};

static bool check_trace(XtfTrace *trace, const XtfTraceContext *context, GError **error)
{
    const char *reason = NULL;

    if (xtf_properties_count_bytes(context->properties, xtf_trace_clock(trace)))
        reason = "it has measurements of a network, whose clock counts bytes";
    else if (context->gaps.n > 0)
        reason = "it joins several runs: predict each run";
    else if (xtf_trace_kept_from(trace) > 0)
        reason = "its first volumes were removed: xtf copy makes an ordinary trace of it";
    return !reason || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot predict this trace: %s", reason);
}

/* Reads the trace, and makes its program. *replay is kept if it is not NULL. */
static XtfRunProgram *read_program(XtfPredict *predict, const uint32_t *factors, XtfReplay **replay, XtfSteps *steps,
                                   GError **error)
{
    const XtfReplayOptions options = {.calls = true,
                                      .factors = factors,
                                      .cancel = steps ? steps->cancel : NULL,
                                      .progress = steps ? xtf_steps_show : NULL,
                                      .progress_data = steps};

    xtf_steps_begin(steps, "reading messages", 0);
    g_autoptr(XtfReplay) own = xtf_replay_new(predict->trace, &options, error);
    if (!own || !check_trace(predict->trace, xtf_replay_context(own), error))
        return NULL;
    xtf_steps_begin(steps, "replaying", 0);
    g_autoptr(XtfRunProgram) program = xtf_extract(own, &predict->extraction, error);
    if (!program)
        return NULL;
    program->in_parts = factors != NULL;
    xtf_replay_end_runs(own);
    if (replay)
        *replay = g_steal_pointer(&own);
    return g_steal_pointer(&program);
}

XtfPredict *xtf_predict_new(XtfTrace *trace, const uint32_t *factors, XtfSteps *steps, GError **error)
{
    g_autoptr(XtfPredict) predict = g_new0(XtfPredict, 1);

    predict->trace = trace;
    if (factors && !(predict->recorded = read_program(predict, NULL, NULL, steps, error)))
        return NULL;
    predict->program = read_program(predict, factors, &predict->replay, steps, error);
    if (!predict->program)
        return NULL;
    predict->first = xtf_replay_first_locations(predict->replay);
    return g_steal_pointer(&predict);
}

void xtf_predict_free(XtfPredict *predict)
{
    if (!predict)
        return;
    xtf_run_program_free(predict->program);
    xtf_run_program_free(predict->recorded);
    xtf_replay_free(predict->replay);
    g_free(predict->first);
    g_free(predict);
}

XtfReplay *xtf_predict_replay(const XtfPredict *predict)
{
    return predict->replay;
}

const XtfExtraction *xtf_predict_extraction(const XtfPredict *predict)
{
    return &predict->extraction;
}

const XtfRunProgram *xtf_predict_program(const XtfPredict *predict)
{
    return predict->program;
}

double xtf_predict_parts(const XtfPredict *predict, double seconds)
{
    const XtfClock *clock = xtf_trace_clock(predict->trace);

    return seconds * (double)clock->resolution_num / (double)clock->resolution_den * XTF_PREDICT_PARTS;
}

XtfMachine xtf_predict_estimated(const XtfPredict *predict, bool *found)
{
    double latency = 0, per_byte = 0;

    *found = xtf_estimate_fit(&predict->extraction.estimate, &latency, &per_byte);
    const XtfLinkTimes link = {(uint64_t)(latency * XTF_PREDICT_PARTS + 0.5), per_byte * XTF_PREDICT_PARTS};
    return (XtfMachine){.remote = link, .local = link, .eager = EAGER_DEFAULT};
}

bool xtf_predict_compute(XtfPredict *predict, const XtfMachine *machine, const uint64_t *factors, XtfSteps *steps,
                         XtfPrediction *prediction, GError **error)
{
    xtf_steps_begin(steps, "predicting", 0);
    return xtf_predict_run(predict->program, machine, factors, NULL, steps, prediction, error);
}

bool xtf_predict_baseline(XtfPredict *predict, const XtfMachine *machine, XtfSteps *steps, XtfPrediction *prediction,
                          GError **error)
{
    xtf_steps_begin(steps, "predicting the recorded run", 0);
    return xtf_predict_run(predict->recorded ? predict->recorded : predict->program, machine, NULL, NULL, steps,
                           prediction, error);
}

/* ---- Processes. */

uint32_t xtf_predict_first_location(const XtfPredict *predict, uint32_t process)
{
    return predict->first[process];
}

static uint64_t ticks_of(uint64_t parts)
{
    return parts / XTF_PREDICT_PARTS; /* rounded down, as the times of records are */
}

static uint64_t length_of(const XtfReplayBound *bound)
{
    return bound->found && bound->leave > bound->enter ? bound->leave - bound->enter : 0;
}

/* Returns the recorded time of a location without MPI_Init and MPI_Finalize. */
static uint64_t recorded_time(const XtfPredict *predict, uint32_t process, uint32_t location)
{
    XtfReplayBounds bounds;

    xtf_replay_bounds(predict->replay, process, location, &bounds);
    uint64_t whole = bounds.end > bounds.begin ? bounds.end - bounds.begin : 0;
    return whole - MIN(whole, length_of(&bounds.init) + length_of(&bounds.finalize));
}

XtfPredictedProcess xtf_predicted_process(const XtfPredict *predict, const XtfPrediction *prediction, uint32_t number)
{
    const XtfReplayProcess *process = xtf_replay_process(predict->replay, number);
    const XtfPredictedTimes *all = prediction->locations + predict->first[number];
    uint32_t last = 0;

    for (uint32_t i = 1; i < process->n_locations; i++)
        if (all[i].end > all[last].end)
            last = i;
    return (XtfPredictedProcess){
        .proc = process->proc,
        .recorded = recorded_time(predict, number, last),
        .predicted = ticks_of(all[last].end),
        .computing = ticks_of(all[last].computing),
        .waiting = ticks_of(all[last].waiting),
        .transfer = ticks_of(all[last].transfer),
        .overhead = ticks_of(all[last].overhead),
    };
}
