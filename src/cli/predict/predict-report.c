#include "src/cli/predict/predict-report.h"

#include <inttypes.h>
#include <stdio.h>

#include "libxtf/trace.h"
#include "src/cli/predict/predict-table.h"
#include "src/cli/ui/print.h"
#include "src/trace/text/lines.h"

enum {
    BACKWARD_PART = 1000, /* a warning, if more than 1 in 1000 messages or ends of operations contradict the clocks */
    RATIO_WIDTH = 10,     /* at least */
};

#define RATIO_FORMAT "%.4f"

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_ANY, NULL,
               "process; `all`: the one that ends last; `baseline`: that one in the recorded run by the model"),
    XTF_COLUMN("recorded", XTF_COLUMN_TIME, NULL,
               "recorded time, without MPI_Init and MPI_Finalize; `all`: the greatest of all processes"),
    XTF_COLUMN("predicted", XTF_COLUMN_TIME, NULL, "predicted time, the sum of the following ones"),
    XTF_COLUMN("ratio", XTF_COLUMN_REAL, NULL, "predicted / recorded"),
    XTF_COLUMN("computing", XTF_COLUMN_TIME, NULL, "time outside of MPI"),
    XTF_COLUMN("waiting", XTF_COLUMN_TIME, NULL, "time in which the process waits for others"),
    XTF_COLUMN("transfer", XTF_COLUMN_TIME, NULL, "time in which it waits for messages under way"),
    XTF_COLUMN("overhead", XTF_COLUMN_TIME, NULL, "time to send and receive messages"),
};

const XtfTableDeclaration xtf_table_predict =
    XTF_TABLE("predict", "a line for each process, then `all` and `baseline`", columns);

/* ---- The machine. */

static void print_link(const XtfPredictReport *report, const char *label, const XtfLinkTimes *link, const char *remark)
{
    double second = xtf_predict_parts(report->predict, 1);

    printf("%-14s latency %.4g us, ", label, 1e6 * (double)link->latency / second);
    if (link->per_byte > 0)
        printf("bandwidth %.4g GB/s", second / link->per_byte / 1e9);
    else
        printf("infinite bandwidth");
    printf("%s\n", remark);
}

static void print_machine(const XtfPredictReport *report)
{
    const XtfMachine *machine = report->machine;
    const XtfEstimate *estimate = &xtf_predict_extraction(report->predict)->estimate;
    double second = xtf_predict_parts(report->predict, 1);

    print_link(report, "network", &machine->remote, machine->pairs ? ", the mean of all pairs" : "");
    if (machine->nodes)
        print_link(report, "within a node", &machine->local, "");
    printf("%-14s overhead %.4g us, ", "messages", 1e6 * (double)machine->overhead / second);
    if (machine->eager == UINT64_MAX)
        printf("all eager");
    else
        printf("eager below %" PRIu64 " bytes", machine->eager);
    printf("%s\n", machine->contention ? ", sharing the links of their nodes" : "");
    if (!report->is_estimated) {
        printf("%-14s no messages show it\n", "recorded");
        return;
    }
    uint64_t n = estimate->n_waited > 0 ? estimate->n_waited : estimate->n;
    g_autofree char *remark = g_strdup_printf(", by %" PRIu64 " messages", n);
    print_link(report, "recorded", &report->estimated->remote, remark);
}

/* ---- The table. */

static double ratio_of(const XtfPredictedProcess *process)
{
    return (double)process->predicted / (double)process->recorded;
}

/* Returns the width of the greatest ratio. */
static size_t find_ratio_width(const XtfPredictReport *report, const XtfPrediction *prediction)
{
    double greatest = 0;

    for (uint32_t i = 0; i < xtf_replay_n_processes(xtf_predict_replay(report->predict)); i++) {
        const XtfPredictedProcess process = xtf_predicted_process(report->predict, prediction, i);
        if (process.recorded > 0)
            greatest = MAX(greatest, ratio_of(&process));
    }
    g_autofree char *text = g_strdup_printf(RATIO_FORMAT, greatest);
    return MAX(strlen(text), RATIO_WIDTH);
}

static void put_process(const XtfPredictedProcess *process, XtfLines *lines)
{
    xtf_lines_ticks(lines, process->recorded);
    xtf_lines_ticks(lines, process->predicted);
    if (process->recorded > 0)
        xtf_lines_real(lines, RATIO_FORMAT, ratio_of(process));
    else
        xtf_lines_none(lines);
    xtf_lines_ticks(lines, process->computing);
    xtf_lines_ticks(lines, process->waiting);
    xtf_lines_ticks(lines, process->transfer);
    xtf_lines_ticks(lines, process->overhead);
}

/* Returns the process that ends last, with the greatest recorded time of all. */
static XtfPredictedProcess find_whole(const XtfPredictReport *report, const XtfPrediction *prediction)
{
    XtfPredictedProcess whole = {0};
    uint64_t recorded = 0;

    for (uint32_t i = 0; i < xtf_replay_n_processes(xtf_predict_replay(report->predict)); i++) {
        const XtfPredictedProcess process = xtf_predicted_process(report->predict, prediction, i);
        recorded = MAX(recorded, process.recorded);
        if (i == 0 || process.predicted > whole.predicted)
            whole = process;
    }
    whole.recorded = recorded;
    return whole;
}

static bool print_table(const XtfPredictReport *report, GError **error)
{
    const XtfPredictedProcess all = find_whole(report, report->prediction);
    const XtfPredictedProcess baseline = find_whole(report, report->baseline);
    g_autoptr(GString) text = g_string_new(NULL);
    XtfTimeScale scale;
    XtfGrid grid;
    XtfLines lines;

    xtf_time_scale_init(&scale, xtf_trace_clock(report->trace));
    size_t width = xtf_ticks_width(&scale, MAX(MAX(all.recorded, all.predicted), baseline.predicted));
    xtf_grid_init(&grid, &xtf_table_predict);
    xtf_grid_add(&grid, "proc", strlen("baseline"));
    size_t ratio = MAX(find_ratio_width(report, report->prediction), find_ratio_width(report, report->baseline));
    for (unsigned i = 1; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(&grid, columns[i].name, columns[i].type == XTF_COLUMN_REAL ? ratio : width);
    xtf_lines_init(&lines, &grid, &scale, text);
    xtf_lines_header(&lines);
    for (uint32_t i = 0; i < xtf_replay_n_processes(xtf_predict_replay(report->predict)); i++) {
        const XtfPredictedProcess process = xtf_predicted_process(report->predict, report->prediction, i);
        xtf_lines_number(&lines, process.proc);
        put_process(&process, &lines);
    }
    xtf_lines_word(&lines, "all");
    put_process(&all, &lines);
    xtf_lines_word(&lines, "baseline");
    put_process(&baseline, &lines);
    return xtf_lines_finish(&lines, error) && xtf_print_bytes(text->str, text->len, error);
}

/* ---- What the model leaves out. */

static void warn_of(uint64_t n, const char *text)
{
    if (n > 0)
        xtf_print_line(stderr, "xtf: warning: %" PRIu64 " %s", n, text);
}

static uint64_t count_threads(const XtfPredict *predict)
{
    const XtfReplay *replay = xtf_predict_replay(predict);
    uint64_t n = 0;

    for (uint32_t process = 0; process < xtf_replay_n_processes(replay); process++)
        n += xtf_replay_process(replay, process)->n_locations - 1;
    return n;
}

static void print_warnings(const XtfPredictReport *report)
{
    const XtfExtraction *extraction = xtf_predict_extraction(report->predict);
    const XtfReplayCounts *counts = &extraction->counts;

    if (extraction->backward > counts->messages / BACKWARD_PART)
        xtf_print_line(stderr,
                       "xtf: warning: %" PRIu64 " of %" PRIu64
                       " messages were received before they were sent, so the recorded network is wrong: xtf align "
                       "corrects the clocks",
                       extraction->backward, counts->messages);
    if (extraction->backward_ends > extraction->ends / BACKWARD_PART)
        xtf_print_line(stderr,
                       "xtf: warning: %" PRIu64 " of %" PRIu64
                       " ends of collective operations come before another member begins, so recorded times are "
                       "unreliable: xtf align corrects the clocks",
                       extraction->backward_ends, extraction->ends);
    warn_of(counts->uncertain_sends + counts->uncertain_receives,
            "sends and receives are not matched: they take no time, and nobody waits for them");
    warn_of(counts->uncertain_collectives,
            "ends of collective operations are not matched: they take no time, and nobody waits for them");
    warn_of(count_threads(report->predict),
            "threads beside the first of a process: only messages make them wait, not teams, locks or joins");
    warn_of(report->prediction->forced_sends,
            "sends would wait for ever, as their receivers wait for them: they were treated as eager");
    warn_of(report->prediction->forced_others, "waits would last for ever, and were left out");
}

bool xtf_predict_print(const XtfPredictReport *report, GError **error)
{
    print_machine(report);
    if (!print_table(report, error))
        return false;
    printf("%-14s %" PRIu64 " messages, %" PRIu64 " collective operations\n", "replayed", report->prediction->messages,
           report->prediction->operations);
    printf("%-14s %" PRIu64 " receives may come in another order\n", "overtaking", report->prediction->overtaking);
    print_warnings(report);
    return true;
}
