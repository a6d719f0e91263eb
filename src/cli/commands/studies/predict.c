/*
 * xtf predict: the recorded run on another machine.
 */
#include <stdio.h>

#include "libxtf/trace.h"
#include "src/analysis/predict/predicted-times.h"
#include "src/cli/commands/commands.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/predict/predict-options.h"
#include "src/cli/predict/predict-placement.h"
#include "src/cli/predict/predict-report.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/output.h"
#include "src/model/properties.h"

enum {
    CACHE_BYTES = 8 << 20, /* each part of the trace is read in order */
};

#define TOOL "xtf predict " XTF_VERSION

typedef struct {
    const char *source;
    char *output; /* NULL: none */
    gboolean quiet, incomplete, force;
    XtfPredictedRun *run; /* with the times of records, for the output */
    XtfTrace *trace;
    XtfPredictTexts texts;
    XtfPredict *predict;
    uint32_t *region_factors;
    uint64_t *factors;
    XtfPredictPlaces places;
    XtfMachine machine, estimated;
    bool found; /* the trace shows a network */
    XtfPrediction prediction, baseline;
} Predict;

static void predict_finish(Predict *predict)
{
    xtf_predicted_run_free(predict->run);
    g_free(predict->output);
    xtf_predict_free(predict->predict);
    xtf_prediction_finish(&predict->prediction);
    xtf_prediction_finish(&predict->baseline);
    xtf_predict_texts_finish(&predict->texts);
    g_free(predict->region_factors);
    g_free(predict->factors);
    xtf_predict_places_finish(&predict->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Predict, predict_finish)

/* ---- The predicted run as a trace. */

static bool write_run(const Predict *predict, const XtfOutput *output, XtfSteps *steps, GError **error)
{
    const XtfNewTimes times = xtf_predicted_run_times(predict->run);
    const XtfCopyProperty property = {XTF_PROPERTY_PREDICTED, TOOL};
    const XtfCopyOptions options = {
        .cancel = steps->cancel, .new_times = &times, .properties = &property, .n_properties = 1, .steps = steps};
    const XtfWriterOptions storage = xtf_copy_writer_options(predict->trace);

    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &storage, error);
    return writer && xtf_copy_trace(predict->trace, writer, &options, error) &&
           xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool write_output(const Predict *predict, XtfSteps *steps, GError **error)
{
    XtfOutput *output = xtf_output_begin(predict->output, predict->source, error);

    return output && xtf_output_end(output, write_run(predict, output, steps, error), error);
}

/* ---- The prediction. */

/* Computes the run on the machine. */
static bool compute_run(Predict *predict, XtfSteps *steps, GError **error)
{
    if (!predict->output)
        return xtf_predict_compute(predict->predict, &predict->machine, predict->factors, steps, &predict->prediction,
                                   error);
    predict->run = xtf_predicted_run_new(predict->predict, &predict->machine, predict->factors, steps,
                                         &predict->prediction, error);
    return predict->run && write_output(predict, steps, error);
}

static bool compute_all(Predict *predict, XtfSteps *steps, GError **error)
{
    if (!xtf_predict_region_factors(predict->trace, predict->texts.regions, &predict->region_factors, error))
        return false;
    predict->predict = xtf_predict_new(predict->trace, predict->region_factors, steps, error);
    if (!predict->predict)
        return false;
    predict->machine = predict->estimated = xtf_predict_estimated(predict->predict, &predict->found);
    return xtf_predict_machine(predict->predict, &predict->texts, &predict->places, &predict->machine, error) &&
           xtf_predict_process_factors(predict->predict, predict->texts.cpu, &predict->factors, error) &&
           xtf_predict_baseline(predict->predict, &predict->estimated, steps, &predict->baseline, error) &&
           compute_run(predict, steps, error);
}

static bool compute_with_progress(Predict *predict, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("predicting", NULL, predict->quiet);
    XtfInterrupts interrupts;
    XtfSteps steps = {
        .cancel = xtf_interrupts_catch(&interrupts), .progress = xtf_progress_step, .progress_data = progress};
    bool good = compute_all(predict, &steps, error);

    xtf_interrupts_release(&interrupts);
    return good;
}

static bool predict_source(Predict *predict, GError **error)
{
    g_autofree char *path = NULL;
    const XtfOpenOptions open = {.cache_bytes = CACHE_BYTES};
    const XtfSourceOptions options = {
        .open = &open, .quiet = predict->quiet, .incomplete = predict->incomplete, .no_companion = true};
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(predict->source, &options, &path, error);

    if (!trace)
        return false;
    predict->trace = trace;
    if (!compute_with_progress(predict, error))
        return false;
    const XtfPredictReport report = {.predict = predict->predict,
                                     .trace = trace,
                                     .machine = &predict->machine,
                                     .estimated = &predict->estimated,
                                     .prediction = &predict->prediction,
                                     .baseline = &predict->baseline,
                                     .is_estimated = predict->found};
    bool good = xtf_predict_print(&report, error);
    g_clear_pointer(&predict->run, xtf_predicted_run_free);
    g_clear_pointer(&predict->predict, xtf_predict_free);
    return good;
}

/* Prints a placement on nodes. */
static int print_places(const Predict *predict, gint n_nodes)
{
    GError *error = NULL;

    if (n_nodes < 1 || n_nodes > XTF_PREDICT_NODES_MAX) {
        xtf_print_line(stderr, "xtf: predict: --place needs a number of nodes from 1 to %d", XTF_PREDICT_NODES_MAX);
        return XTF_EXIT_USAGE;
    }
    return xtf_predict_print_placement(predict->source, (uint32_t)n_nodes, predict->incomplete, &error)
               ? XTF_EXIT_DONE
               : xtf_cli_fail(error);
}

static const char summary[] =
    "Predicts the recorded run on another network, on other processors, or with faster regions.\n"
    "The line `baseline` is the recorded run by the same model, beside what was recorded.\n"
    "\n"
    "  xtf predict --latency 1us --bandwidth 10G run.xtf\n"
    "  xtf predict --latency 1us -o fast.xtf run.xtf       and write the predicted run\n"
    "  xtf predict --region solve=0.5 run.xtf              what is gained if solve is twice as fast\n"
    "  xtf predict --latency 0 --bandwidth inf run.xtf     the ideal network\n"
    "  xtf predict --place 4 run.xtf > 4.map               a placement on 4 nodes, for --map";

int xtf_command_predict(int argc, char **argv)
{
    g_auto(Predict) predict = {0};
    XtfPredictTexts *texts = &predict.texts;
    gint place = G_MININT; /* not given */
    const GOptionEntry entries[] = {
        {"latency", 'l', 0, G_OPTION_ARG_STRING, &texts->latency,
         "Latency of a message between nodes (default: that of the trace)", "TIME"},
        {"bandwidth", 'b', 0, G_OPTION_ARG_STRING, &texts->bandwidth,
         "Bytes a second, such as 10G; or inf (default: those of the trace)", "BYTES"},
        {"overhead", 0, 0, G_OPTION_ARG_STRING, &texts->overhead,
         "Time that sender and receiver spend on a message each (default: 0)", "TIME"},
        {"eager", 0, 0, G_OPTION_ARG_STRING, &texts->eager, "Senders do not wait to send less (default: 64K)", "BYTES"},
        {"map", 'm', 0, G_OPTION_ARG_FILENAME, &texts->map, "Nodes of processes: lines PROCESS NODE", "FILE"},
        {"place", 0, 0, G_OPTION_ARG_INT, &place, "Print a map to N nodes that moves few bytes between them", "N"},
        {"network", 0, 0, G_OPTION_ARG_FILENAME, &texts->network, "A measured network; its processors are the nodes",
         "NET"},
        {"local-latency", 0, 0, G_OPTION_ARG_STRING, &texts->local_latency,
         "Latency within a node (default: as between nodes)", "TIME"},
        {"local-bandwidth", 0, 0, G_OPTION_ARG_STRING, &texts->local_bandwidth,
         "Bytes a second within a node (default: as between nodes)", "BYTES"},
        {"contention", 'c', 0, G_OPTION_ARG_STRING, &texts->contention,
         "none (default), or nic: messages share the links of their nodes fairly", "WHAT"},
        {"collectives", 0, 0, G_OPTION_ARG_STRING, &texts->collectives,
         "Time of collective operations: messages (default), or formula", "WHAT"},
        {"cpu", 0, 0, G_OPTION_ARG_STRING_ARRAY, &texts->cpu,
         "Computing takes F times as long: 1.2, or of a set: 0-3=0.5", "F"},
        {"region", 'r', 0, G_OPTION_ARG_STRING_ARRAY, &texts->regions,
         "Computing in calls of these regions takes F times as long: solve=0.5", "NAME=F"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &predict.output, "Write the predicted run as a trace into FILE",
         "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &predict.force, "Replace FILE if it exists", NULL},
        XTF_INCOMPLETE_ENTRY(predict.incomplete),
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &predict.quiet, "Show no progress", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(&argc, &argv, 1, "TRACE", summary, entries))
        return XTF_EXIT_USAGE;
    predict.source = argv[1];
    if (place != G_MININT && predict.output) {
        xtf_print_line(stderr, "xtf: predict: --place prints a map and predicts nothing, so there is no run to write");
        return XTF_EXIT_USAGE;
    }
    if (place != G_MININT)
        return print_places(&predict, place);
    if (predict.output && !predict.force && g_file_test(predict.output, G_FILE_TEST_EXISTS)) {
        xtf_print_line(stderr, "xtf: '%s' exists already: --force replaces it", predict.output);
        return XTF_EXIT_FAILED;
    }
    return predict_source(&predict, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
