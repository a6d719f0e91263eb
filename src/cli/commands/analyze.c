/*
 * xtf analyze: who waited for whom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/analysis/analyze/analyze.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/trace/copy-trace.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/output.h"
#include "src/query/text/time-scale.h"

#define TOOL "xtf analyze " XTF_VERSION

enum {
    CACHE_BYTES = 48 << 20,
};

typedef struct {
    const char *source, *path; /* what the user named, and the .xtf file that it is, or was imported to */
    char *output;
    gboolean force, quiet;
    XtfTrace *trace;
    XtfProgress *progress;
    atomic_bool *cancel;
    XtfAnalyzeReport report;
} Analyze;

/* ---- The report. */

static void print_kinds(const Analyze *analyze)
{
    const XtfField *event = xtf_schema_field_by_role(xtf_model_schema(XTF_MODEL_WAITS), XTF_ROLE_EVENT);
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(analyze->trace));
    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        char text[XTF_TIME_TEXT_MAX] = "";
        if (analyze->report.found.waits[kind] > 0)
            printf("%-18s %12" PRIu64 "  %s s\n", event->labels[kind], analyze->report.found.waits[kind],
                   xtf_time_scale_put(&scale, analyze->report.found.amounts[kind], text + sizeof text - 1));
    }
}

static void print_time(const Analyze *analyze, const char *label, uint64_t ticks, const char *what)
{
    char text[XTF_TIME_TEXT_MAX] = "";
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(analyze->trace));
    printf("%-18s %s s  %s\n", label, xtf_time_scale_put(&scale, ticks, text + sizeof text - 1), what);
}

static void print_report(const Analyze *analyze)
{
    const XtfFound *found = &analyze->report.found;
    const XtfReplayCounts *counts = &found->counts;

    printf("%-18s %12" PRIu64 "  matched; left out %" PRIu64 " sends, %" PRIu64 " receives\n", "messages",
           counts->messages, counts->uncertain_sends, counts->uncertain_receives);
    printf("%-18s %12" PRIu64 "  put together; left out %" PRIu64 " ends\n", "collectives", counts->collectives,
           counts->uncertain_collectives);
    printf("%-18s %12" PRIu64 "  of %" PRIu64 "\n", "clock violations", found->violations, found->judged);
    print_kinds(analyze);
    print_time(analyze, "critical path", analyze->report.path.length, "from MPI_Init to MPI_Finalize");
    print_time(analyze, "ideal run", analyze->report.ideal, "with a network that takes no time");
    if (found->violations > found->judged / 1000)
        fprintf(stderr,
                "xtf: warning: the clocks of processes disagree, so these waits are not to be trusted: xtf align "
                "corrects clocks\n");
}

/* ---- The work. */

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    xtf_progress_update(((Analyze *)data)->progress, done, total, done);
}

static bool analyze_into(Analyze *analyze, XtfWriter *writer, GError **error)
{
    const XtfAnalyzeOptions options = {.cancel = analyze->cancel, .progress = show_progress, .progress_data = analyze};

    return xtf_analyze(analyze->trace, writer, TOOL, &options, &analyze->report, error);
}

static bool write_copy(Analyze *analyze, const char *path, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(analyze->trace);
    const XtfCopyOptions copy = {
        .cancel = analyze->cancel, .progress = show_progress, .progress_data = analyze, .no_derived = true};
    XtfTraceInfo info;

    xtf_trace_get_info(analyze->trace, &info);
    const XtfWriterOptions options = {
        .page_size = info.page_size,
        .resolution_num = clock->resolution_num,
        .resolution_den = clock->resolution_den,
        .origin = clock->origin == clock->first ? UINT64_MAX : clock->origin,
        .codec = info.codec,
    };
    g_autoptr(XtfWriter) writer = xtf_writer_create(path, &options, error);
    return writer && xtf_copy_trace(analyze->trace, writer, &copy, error) && analyze_into(analyze, writer, error) &&
           xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool analyze_copy(Analyze *analyze, GError **error)
{
    if (!analyze->force && g_file_test(analyze->output, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' is there already: --force replaces it", analyze->output);
    XtfOutput *output = xtf_output_begin(analyze->output, analyze->path, error);
    return output && xtf_output_end(output, write_copy(analyze, output->path, error), error);
}

/* The writer keeps others from the file meanwhile, and tells at once if the file cannot be written. */
static bool analyze_in_place(Analyze *analyze, GError **error)
{
    g_autoptr(XtfWriter) writer =
        xtf_cli_writer_of(analyze->trace, analyze->source, analyze->path, "-o FILE writes an analysed copy", error);
    return writer && analyze_into(analyze, writer, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool run(Analyze *analyze, GError **error)
{
    g_autofree char *path = NULL;
    /* Everything is read once or twice, from its beginning to its end. */
    const XtfOpenOptions open = {.cache_bytes = CACHE_BYTES};
    const XtfSourceOptions how = {.open = &open, .quiet = analyze->quiet};
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(analyze->source, &how, &path, error);
    XtfInterrupts interrupts;

    if (!trace)
        return false;
    g_autoptr(XtfProgress) progress = xtf_progress_new("analysing", "rows", analyze->quiet);
    analyze->trace = trace;
    analyze->path = path;
    analyze->progress = progress;
    analyze->cancel = xtf_interrupts_catch(&interrupts);
    bool good = analyze->output ? analyze_copy(analyze, error) : analyze_in_place(analyze, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    if (good && !analyze->quiet)
        print_report(analyze);
    return good;
}

int xtf_command_analyze(int argc, char **argv)
{
    g_autofree char *output = NULL;
    Analyze analyze = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write an analysed copy, and leave TRACE as it is", "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &analyze.force, "Replace FILE if it is there already", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &analyze.quiet, "No progress, no report", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(&argc, &argv, 1, "TRACE",
                       "Finds who waited for whom, and why: late senders and receivers, waits at barriers and in other\n"
                       "collective operations, what delayed those who were waited for, the critical path, and the\n"
                       "run on an ideal network. The result is stored in TRACE as derived types; no record is\n"
                       "rewritten, and an earlier analysis is replaced.\n\n"
                       "TRACE is an .xtf file, or with -o whatever `mount` takes.",
                       entries))
        return XTF_EXIT_USAGE;
    analyze.source = argv[1];
    analyze.output = output;
    if (analyze.force && !output) {
        fprintf(stderr, "xtf: analyze: --force is for -o (see xtf analyze --help)\n");
        return XTF_EXIT_USAGE;
    }
    return run(&analyze, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
