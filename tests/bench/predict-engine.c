/*
 * Measures the engine of predictions, by the messages of a trace that it computes in a second of one core.
 *
 *     predict-engine [--times N] [--latency TICKS] [--megabytes N] TRACE.xtf
 *
 * Reading the trace is a figure of its own. Computing is measured without contention, with messages that share links
 * fairly, and with messages that are not eager. N megabytes a second are the bandwidth of the links (default: 1000).
 */
#include <inttypes.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "src/analysis/predict/predict.h"

enum { TIMES_MAX = 99 };

typedef struct {
    gint times, latency, megabytes;
    XtfPredict *predict;
} Measure;

static void measure_engine(const Measure *measure, const char *name, const XtfMachine *machine, const char *target)
{
    double seconds[TIMES_MAX];
    XtfPrediction prediction = {0};
    g_autoptr(GError) error = NULL;

    for (gint i = 0; i < measure->times; i++) {
        xtf_prediction_finish(&prediction);
        double before = bench_thread_time();
        bool good = xtf_predict_compute(measure->predict, machine, NULL, NULL, &prediction, &error);
        seconds[i] = bench_thread_time() - before;
        bench_check(good, error, "cannot predict");
    }
    double median = bench_median(seconds, (size_t)measure->times);
    bench_row(name, target, NULL, "%.3g M messages/s a core, of %" PRIu64 "; %.3g us a message",
              (double)prediction.messages / median / 1e6, prediction.messages,
              1e6 * median / (double)prediction.messages);
    xtf_prediction_finish(&prediction);
}

static void measure_reading(const Measure *measure, XtfTrace *trace, double seconds)
{
    const XtfExtraction *extraction = xtf_predict_extraction(measure->predict);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    bench_row("predict: reading the trace", NULL, NULL, "%.3g M messages/s of processor time",
              (double)extraction->counts.messages / seconds / 1e6);
}

static void measure_trace(Measure *measure, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    bench_check(trace, error, "%s", path);
    double before = bench_processor_time();
    measure->predict = xtf_predict_new(trace, NULL, NULL, &error);
    bench_check(measure->predict, error, "%s", path);
    measure_reading(measure, trace, bench_processor_time() - before);
    const XtfLinkTimes link = {
        .latency = (uint64_t)measure->latency * XTF_PREDICT_PARTS,
        .per_byte = xtf_predict_parts(measure->predict, 1) / (measure->megabytes * 1e6),
    };
    XtfMachine machine = {.remote = link, .local = link, .eager = 64 << 10};
    measure_engine(measure, "predict: without contention", &machine, "1 M messages/s a core");
    machine.contention = true;
    measure_engine(measure, "predict: with contention", &machine, "0.2 M messages/s a core");
    machine.eager = 0;
    measure_engine(measure, "predict: with contention, rendezvous", &machine, "0.2 M messages/s a core");
    xtf_predict_free(measure->predict);
}

int main(int argc, char **argv)
{
    Measure measure = {.times = 5, .latency = 1000, .megabytes = 1000};
    const GOptionEntry entries[] = {
        {"times", 0, 0, G_OPTION_ARG_INT, &measure.times, "Number of runs", "N"},
        {"latency", 0, 0, G_OPTION_ARG_INT, &measure.latency, "Latency in ticks", "TICKS"},
        {"megabytes", 0, 0, G_OPTION_ARG_INT, &measure.megabytes, "Bandwidth, in MB/s", "N"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE.xtf");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc != 2 || measure.times < 1 ||
        measure.times > TIMES_MAX || measure.latency < 0 || measure.megabytes < 1)
        bench_fail(error, "usage: predict-engine [--times N] [--latency TICKS] [--megabytes N] TRACE.xtf");
    measure_trace(&measure, argv[1]);
    return 0;
}
