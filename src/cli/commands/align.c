/*
 * xtf align: corrects clocks so that they agree with the messages.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/align/align.h"
#include "src/cli/commands/commands.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/trace/align-source.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/trace/copy-output.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/trace/text/time-scale.h"

enum {
    ALONE_NAMED = 20, /* most processes that the report names; of more it prints the number */
};

typedef struct {
    const char *source, *path; /* name that the user gave, and the .xtf file that it is, or was imported to */
    char *output;
    gboolean undo, dry_run, force, quiet, keep_offsets, always, incomplete;
    gint64 latency, tolerance; /* ns; -1: not given */
    XtfTrace *trace;
    XtfProgress *progress;
    atomic_bool *cancel;
} Align;

/* ---- The report. */

static void print_time(const char *label, const XtfTrace *trace, uint64_t ticks, const char *more)
{
    char text[XTF_TIME_TEXT_MAX] = "";
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(trace));
    printf("%-14s %s s%s\n", label, xtf_time_scale_put(&scale, ticks, text + sizeof text - 1), more);
}

static void print_violations(const char *label, const XtfTrace *trace, const XtfViolations *violations)
{
    char text[XTF_TIME_TEXT_MAX] = "";
    XtfTimeScale scale;

    printf("%-14s %" PRIu64 " messages received before they were sent, %" PRIu64
           " ends of collective operations before "
           "a beginning",
           label, violations->messages, violations->ends);
    xtf_time_scale_init(&scale, xtf_trace_clock(trace));
    if (xtf_violations_all(violations) > 0)
        printf(", by up to %s s", xtf_time_scale_put(&scale, violations->largest, text + sizeof text - 1));
    putchar('\n');
}

static void print_process_time(const char *label, const XtfTrace *trace, uint64_t ticks, uint64_t proc)
{
    g_autofree char *more = g_strdup_printf(" at most, process %" PRIu64, proc);
    print_time(label, trace, ticks, ticks > 0 ? more : "");
}

static void print_alone(const GArray *isolated)
{
    if (isolated->len == 0)
        return;
    printf("%-14s ", "alone");
    if (isolated->len > ALONE_NAMED)
        printf("%u processes", isolated->len);
    for (guint i = 0; isolated->len <= ALONE_NAMED && i < isolated->len; i++)
        printf("%s%" PRIu64,
               i > 0               ? ", "
               : isolated->len > 1 ? "processes "
                                   : "process ",
               g_array_index(isolated, uint64_t, i));
    puts(": exchanged no messages, so the clock is kept");
}

static void print_align_report(const Align *align, const XtfAlignReport *report)
{
    printf("%-14s %" PRIu64 " matched; left out %" PRIu64 " sends, %" PRIu64 " receives\n", "messages",
           report->counts.messages, report->counts.uncertain_sends, report->counts.uncertain_receives);
    printf("%-14s %" PRIu64 " put together; left out %" PRIu64 " ends\n", "collectives", report->counts.collectives,
           report->counts.uncertain_collectives);
    printf("%-14s %" PRIu32 ", %" PRIu64 " pairs of them exchange messages\n", "processes", report->n_processes,
           report->n_pairs);
    print_alone(report->unconnected);
    print_violations("before", align->trace, &report->before);
    if (report->nothing_to_do) {
        puts("Nothing contradicts the clocks, so they are kept.");
        return;
    }
    print_violations("after", align->trace, &report->after);
    printf("%-14s %s\n", "clocks",
           report->estimated  ? "offsets and drifts are estimated"
           : report->readings ? "those of the recorder, mended"
                              : "those of the trace, mended: an estimate of offsets and drifts is no better");
    if (report->estimated)
        printf("%-14s %.3f ppm\n", "largest drift", report->largest_drift * 1e6);
    printf("%-14s %" PRIu64 " times; the clock maps have %" PRIu64 " knots\n", "set forward", report->n_jumps,
           report->n_knots);
    print_process_time("largest shift", align->trace, report->largest_shift, report->shifted_proc);
    print_process_time("durations", align->trace, report->largest_change, report->changed_proc);
    if (align->dry_run)
        puts("Nothing was stored.");
}

/* ---- The work. */

static void show_step(unsigned step, uint64_t done, uint64_t total, void *data)
{
    xtf_progress_update(((Align *)data)->progress, done, total, done);
}

static void show_copy(uint64_t done, uint64_t total, void *data)
{
    xtf_progress_update(((Align *)data)->progress, done, total, done);
}

static uint64_t to_ticks(const XtfTrace *trace, gint64 ns, uint64_t none)
{
    const XtfClock *clock = xtf_trace_clock(trace);

    if (ns < 0)
        return none;
    unsigned __int128 ticks = (unsigned __int128)ns * clock->resolution_num / clock->resolution_den / 1000000000;
    return (uint64_t)MIN(ticks, UINT32_MAX);
}

static bool align_into(Align *align, XtfWriter *writer, GError **error)
{
    if (align->undo)
        return xtf_alignment_undo(align->trace, writer, error);
    const XtfAlignOptions options = {
        .latency = to_ticks(align->trace, align->latency, 0),
        .tolerance = to_ticks(align->trace, align->tolerance, UINT64_MAX),
        .keep_offsets = align->keep_offsets,
        .always = align->always,
        .cancel = align->cancel,
        .progress = show_step,
        .progress_data = align,
    };
    g_autoptr(XtfAlignment) alignment = xtf_align(align->trace, &options, error);
    if (!alignment)
        return false;
    xtf_progress_hide(align->progress);
    if (!align->quiet)
        print_align_report(align, &alignment->report);
    return !writer || alignment->report.nothing_to_do || xtf_alignment_store(alignment, writer, XTF_ALIGN_TOOL, error);
}

static bool write_aligned_copy(Align *align, const XtfOutput *output, GError **error)
{
    const XtfCopyOptions copy = {.cancel = align->cancel, .progress = show_copy, .progress_data = align};

    const XtfWriterOptions options = xtf_copy_writer_options(align->trace);
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);
    return writer && xtf_copy_trace(align->trace, writer, &copy, error) && align_into(align, writer, error) &&
           xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool align_to_copy(Align *align, GError **error)
{
    if (!align->force && g_file_test(align->output, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' exists already: --force replaces it", align->output);
    XtfOutput *output = xtf_copy_output_begin(align->trace, align->output, align->path, error);
    return output && xtf_output_end(output, write_aligned_copy(align, output, error), error);
}

/* Aligns the trace itself. The writer locks the file first, and so fails at once if it cannot be written. */
static bool align_in_place(Align *align, GError **error)
{
    g_autoptr(XtfWriter) writer =
        xtf_cli_writer_of(align->trace, align->source, align->path, "-o FILE writes an aligned copy", error);

    return writer && align_into(align, writer, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool align_source(Align *align, GError **error)
{
    g_autofree char *path = NULL;
    const XtfSourceOptions source_options = {
        .quiet = align->quiet, .incomplete = align->incomplete, .no_companion = true};
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(align->source, &source_options, &path, error);
    XtfInterrupts interrupts;

    if (!trace)
        return false;
    g_autoptr(XtfProgress) progress = xtf_progress_new("aligning", "rows", align->quiet);
    align->trace = trace;
    align->path = path;
    align->progress = progress;
    align->cancel = xtf_interrupts_catch(&interrupts);
    bool good = align->dry_run  ? align_into(align, NULL, error)
                : align->output ? align_to_copy(align, error)
                                : align_in_place(align, error);
    xtf_interrupts_release(&interrupts);
    return good;
}

static bool usage_is_wrong(const Align *align)
{
    const char *fault = align->undo && align->dry_run     ? "--undo has no --dry-run"
                        : align->output && align->dry_run ? "--dry-run writes nothing, so -o makes no sense"
                        : align->force && !align->output  ? "--force is for -o"
                        : align->latency < -1 || align->tolerance < -1 ? "times cannot be negative"
                                                                       : NULL;
    if (fault)
        fprintf(stderr, "xtf: align: %s (see xtf align --help)\n", fault);
    return fault != NULL;
}

int xtf_command_align(int argc, char **argv)
{
    g_autofree char *output = NULL;
    Align align = {.latency = -1, .tolerance = -1};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write an aligned copy, and leave TRACE as it is", "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &align.force, "Replace FILE if it exists", NULL},
        {"undo", 'u', 0, G_OPTION_ARG_NONE, &align.undo, "Give the trace its old clocks back", NULL},
        {"dry-run", 'n', 0, G_OPTION_ARG_NONE, &align.dry_run, "Report only, store nothing", NULL},
        {"always", 'a', 0, G_OPTION_ARG_NONE, &align.always, "Align even if the clocks do not contradict each other",
         NULL},
        {"keep-offsets", 'k', 0, G_OPTION_ARG_NONE, &align.keep_offsets,
         "Estimate no offsets; mend the clocks as they are", NULL},
        {"latency", 0, 0, G_OPTION_ARG_INT64, &align.latency, "The least time that a message takes (default: 0)", "NS"},
        {"tolerance", 0, 0, G_OPTION_ARG_INT64, &align.tolerance,
         "Error allowed when clock maps are simplified (default: 50)", "NS"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &align.quiet, "Show no progress and no report", NULL},
        XTF_INCOMPLETE_ENTRY(align.incomplete),
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 1, "TRACE",
            "Corrects the clocks of a trace's processes, so that no message is received before it was sent.\n"
            "Stores the correction in TRACE as clock maps and rewrites no record. Offsets and drifts come from\n"
            "messages and collective operations; a controlled logical clock mends what is left.\n"
            "\n"
            "  xtf align -n run.xtf               say how far the clocks disagree\n"
            "  xtf align run.xtf                  correct them\n"
            "  xtf align -o aligned.xtf run.xtf   correct them in a copy\n"
            "\n"
            "With -o or -n, TRACE may be anything that `xtf mount` takes; else it is an .xtf file.",
            entries))
        return XTF_EXIT_USAGE;
    align.source = argv[1];
    align.output = output;
    if (usage_is_wrong(&align))
        return XTF_EXIT_USAGE;
    return align_source(&align, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
