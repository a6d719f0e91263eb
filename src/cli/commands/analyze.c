/*
 * xtf analyze: who waited for whom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/analysis/analyze/analyze.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/files/shell-word.h"
#include "src/import/output.h"
#include "src/query/select/parallel.h"
#include "src/query/text/time-scale.h"

#define TOOL "xtf analyze " XTF_VERSION

enum {
    CACHE_BYTES = 8 << 20,
};

typedef struct {
    const char *source, *path; /* what the user named, and the .xtf file that it is, or was imported to */
    char *output, *own_output; /* where a companion goes; own_output is ours to free */
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

/* For people who watch. An analysis that is not where all commands look is found by who put it elsewhere. */
static void say_where(const Analyze *analyze)
{
    g_autofree char *trace = xtf_shell_word(analyze->source);

    if (isatty(STDERR_FILENO) && (!analyze->output || analyze->own_output))
        xtf_print_line(stderr,
                       "xtf: to look at it: xtf cat %s waits/profile delays/profile critical/profile, xtf mount %s DIR",
                       trace, trace);
}

/* ---- The work. */

static bool analyze_into(Analyze *analyze, XtfWriter *writer, GError **error)
{
    const XtfAnalyzeOptions options = {
        .cancel = analyze->cancel, .progress = xtf_progress_step, .progress_data = analyze->progress};

    return xtf_analyze(analyze->trace, writer, TOOL, &options, &analyze->report, error);
}

static bool commit(const Analyze *analyze, XtfWriter *writer, GError **error)
{
    xtf_progress_step("committing", 0, 0, analyze->progress);
    return xtf_writer_close(writer, error);
}

static bool write_companion(Analyze *analyze, const char *path, GError **error)
{
    XtfTraceInfo info;

    xtf_trace_get_info(analyze->trace, &info);
    const XtfWriterOptions options = {.codec = info.codec};
    g_autoptr(XtfWriter) writer = xtf_writer_create_companion(path, analyze->trace, analyze->path, &options, error);
    return writer && analyze_into(analyze, writer, error) && commit(analyze, g_steal_pointer(&writer), error);
}

/* An analysis of this trace may be replaced, also one of an earlier commit; other files only if the user says so. */
static bool may_replace(const Analyze *analyze, const char *path)
{
    g_autoptr(GError) problem = NULL;

    if (analyze->force || !g_file_test(path, G_FILE_TEST_EXISTS))
        return true;
    g_autoptr(XtfTrace) there = xtf_trace_open_companion(path, analyze->path, NULL, &problem);
    return there || g_error_matches(problem, XTF_ERROR, XTF_ERROR_STALE);
}

static bool analyze_aside(Analyze *analyze, GError **error)
{
    g_autofree char *name = g_path_get_basename(analyze->path);
    g_autofree char *beside = xtf_companion_beside(name);
    bool is_folder = g_file_test(analyze->output, G_FILE_TEST_IS_DIR);
    g_autofree char *place = is_folder ? g_build_filename(analyze->output, beside, NULL) : g_strdup(analyze->output);

    if (!may_replace(analyze, place))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' is there already, and no analysis of this trace: --force replaces it", place);
    XtfOutput *output = xtf_output_begin(place, analyze->path, error);
    return output && xtf_output_end(output, write_companion(analyze, output->path, error), error);
}

/* The writer keeps others from the file meanwhile, and tells at once if the file cannot be written. */
static bool analyze_in_place(Analyze *analyze, GError **error)
{
    g_autofree char *otherwise = xtf_companion_advice(analyze->source);
    g_autoptr(XtfWriter) writer = xtf_cli_writer_of(analyze->trace, analyze->source, analyze->path, otherwise, error);
    return writer && analyze_into(analyze, writer, error) && commit(analyze, g_steal_pointer(&writer), error);
}

/* What an analysis belongs to is one .xtf file, with all its rows. */
static bool is_file(const Analyze *analyze, GError **error)
{
    g_autofree char *named = g_canonicalize_filename(analyze->source, NULL);
    g_autofree char *folder = g_file_test(named, G_FILE_TEST_IS_DIR) ? g_strdup(named) : g_path_get_dirname(named);
    XtfTraceInfo info;

    if (!g_str_equal(named, analyze->path))
        return xtf_fail(
            error, XTF_ERROR_INVALID,
            "'%s' is no .xtf file: 'xtf import' makes one, and 'xtf mount --analyze' analyses its own import",
            analyze->source);
    xtf_trace_get_info(analyze->trace, &info);
    if (!g_file_test(analyze->path, G_FILE_TEST_IS_DIR) && (info.parts == 0 || info.companion))
        return true;
    return xtf_fail(error, XTF_ERROR_INVALID,
                    "'%s' lies in several files, and an analysis is of one: 'xtf merge -o ONE.xtf %s' makes one of "
                    "them, and 'xtf analyze -o ONE.xtf" XTF_COMPANION_SUFFIX " ONE.xtf' its analysis",
                    analyze->source, folder);
}

/* A merged file holds its parts as they were, and nothing is added to it: its analysis goes where all commands look. */
static void place_of_merged(Analyze *analyze)
{
    XtfTraceInfo info;

    xtf_trace_get_info(analyze->trace, &info);
    if (analyze->output || !info.merged)
        return;
    analyze->output = analyze->own_output = xtf_companion_beside(analyze->source);
    if (!analyze->quiet)
        xtf_print_line(stderr, "xtf: %s is a merged file: the analysis goes into %s, which all commands find",
                       analyze->source, analyze->output);
}

static bool run(Analyze *analyze, GError **error)
{
    g_autofree char *path = NULL;
    /* Everything is read once or twice, from its beginning to its end. */
    const XtfOpenOptions open = {.cache_bytes = CACHE_BYTES};
    const XtfSourceOptions how = {.open = &open, .quiet = analyze->quiet, .alone = true};
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(analyze->source, &how, &path, error);
    XtfInterrupts interrupts;

    analyze->trace = trace;
    analyze->path = path;
    if (!trace || !is_file(analyze, error))
        return false;
    place_of_merged(analyze);
    if (analyze->force && !analyze->output)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' gets its analysis itself, in place of an earlier one: --force is for -o, and for merged "
                        "files (see xtf analyze --help)",
                        analyze->source);
    g_autoptr(XtfProgress) progress = xtf_progress_new("analysing", "rows", analyze->quiet);
    analyze->progress = progress;
    analyze->cancel = xtf_interrupts_catch(&interrupts);
    bool good = analyze->output ? analyze_aside(analyze, error) : analyze_in_place(analyze, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    if (good && !analyze->quiet) {
        print_report(analyze);
        say_where(analyze);
    }
    return good;
}

int xtf_command_analyze(int argc, char **argv)
{
    g_autofree char *output = NULL;
    Analyze analyze = {0};
    gint jobs = 0;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write the analysis into FILE, and leave TRACE as it is",
         "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &analyze.force,
         "Replace FILE if it is there already, and no analysis of TRACE", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Share the work among N threads (default: one a processor)", "N"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &analyze.quiet, "No progress, no report", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 1, "TRACE",
            "Finds who waited for whom, and why: late senders and receivers, waits at barriers and in other\n"
            "collective operations, what delayed those who were waited for, the critical path, and the\n"
            "run on an ideal network. The result is stored in TRACE as derived types; no record is\n"
            "rewritten, and an earlier analysis is replaced.\n\n"
            "With -o it goes into a file of its own. TRACE" XTF_COMPANION_SUFFIX " beside TRACE is found by\n"
            "all commands, as long as TRACE stays as it is; another FILE by `xtf mount -o analysis=FILE`.\n"
            "To a merged TRACE, as `xtf record` makes it, nothing is added: its analysis goes beside it.",
            entries))
        return XTF_EXIT_USAGE;
    if (jobs < 0) {
        fputs("xtf: analyze: --jobs takes a number from 1 on (0: one a processor)\n", stderr);
        return XTF_EXIT_USAGE;
    }
    xtf_parallel_set_threads((unsigned)jobs);
    analyze.source = argv[1];
    analyze.output = output;
    bool good = run(&analyze, &error);
    g_free(analyze.own_output);
    return good ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
