/*
 * xtf analyze: finds who waited for whom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/write-analysis.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/files/shell-word.h"
#include "src/model/wait-kinds.h"
#include "src/trace/context/region-classes.h"
#include "src/trace/select/parallel.h"
#include "src/trace/text/time-scale.h"
#include "src/world/world.h"

enum {
    CACHE_BYTES = 8 << 20,
};

typedef struct {
    const char *named; /* name that the user gave: an .xtf file, or an archive */
    XtfAnalysisJob job;
    XtfAnalyzeReport report;
} Analyze;

/* ---- The report. */

static void print_kinds(const Analyze *analyze)
{
    const XtfField *event = xtf_schema_field_by_role(xtf_model_schema(XTF_MODEL_WAITS), XTF_ROLE_EVENT);
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(analyze->job.trace));
    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        char text[XTF_TIME_TEXT_MAX] = "";
        if (analyze->report.found.waits[kind] > 0)
            printf("%-18s %12" PRIu64 "  %s s\n", event->labels[kind], analyze->report.found.waits[kind],
                   xtf_time_scale_put(&scale, analyze->report.found.amounts[kind], text + sizeof text - 1));
    }
}

static void print_time(const Analyze *analyze, const char *label, uint64_t ticks, const char *meaning)
{
    char text[XTF_TIME_TEXT_MAX] = "";
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(analyze->job.trace));
    printf("%-18s %s s  %s\n", label, xtf_time_scale_put(&scale, ticks, text + sizeof text - 1), meaning);
}

/* Prints the number of messages left out for one reason. */
static void print_ends(const char *label, uint64_t sends, uint64_t receives, const char *reason)
{
    printf("  %-16s %12" PRIu64 "  sends, %" PRIu64 " receives: %s\n", label, sends, receives, reason);
}

/* True if the trace says that some locations were not recorded for a while. */
static bool was_recording_off(XtfTrace *trace)
{
    XtfRegionClasses classes;

    if (!xtf_region_classes_load(&classes, trace, NULL))
        return false;
    xtf_region_classes_finish(&classes);
    return classes.present & XTF_CLASS_BIT(XTF_CLASS_UNRECORDED);
}

static void print_analysis_report(const Analyze *analyze)
{
    bool was_off = was_recording_off(analyze->job.trace);
    const XtfFound *found = &analyze->report.found;
    const XtfReplayCounts *counts = &found->counts;

    printf("%-18s %12" PRIu64 "  matched; left out %" PRIu64 " sends, %" PRIu64 " receives\n", "messages",
           counts->messages, counts->uncertain_sends, counts->uncertain_receives);
    print_ends("unmatched", counts->unmatched_sends, counts->unmatched_receives,
               was_off ? "the other end is missing, as recording was off there for a while"
                       : "the other end is missing");
    print_ends("uncertain", counts->uncertain_sends - MIN(counts->uncertain_sends, counts->unmatched_sends),
               counts->uncertain_receives - MIN(counts->uncertain_receives, counts->unmatched_receives),
               "their matching is unknown");
    printf("%-18s %12" PRIu64 "  put together; left out %" PRIu64 " ends\n", "collectives", counts->collectives,
           counts->uncertain_collectives);
    printf("%-18s %12" PRIu64 "  of %" PRIu64 "\n", "clock violations", found->violations, found->judged);
    print_kinds(analyze);
    print_time(analyze, "critical path", analyze->report.path.length,
               analyze->report.path.finalized ? "from MPI_Init to MPI_Finalize"
                                              : "to the last record, since no MPI_Finalize is recorded");
    print_time(analyze, "ideal run", analyze->report.ideal, "with messages that take no time");
    if (analyze->report.levels > 0)
        printf("%-18s %12u  levels: deeper calls count for the calls around them\n", "call paths",
               analyze->report.levels);
    if (analyze->report.roots > 0)
        printf("%-18s %12u  of the lowest rows: time in others counts as outside of calls\n", "outer functions",
               analyze->report.roots);
    if (xtf_found_contradicts(found))
        fprintf(stderr, "xtf: warning: the clocks of the processes contradict each other, so these waits are "
                        "unreliable: xtf align corrects the clocks\n");
}

/* Prints, on a terminal, which commands show the analysis. With -o it prints nothing: other commands do not find that
 * file by themselves. */
static void print_next_commands(const Analyze *analyze)
{
    g_autofree char *trace = xtf_shell_word(analyze->named);

    if (isatty(STDERR_FILENO) && !analyze->job.output)
        xtf_print_line(stderr,
                       "xtf: to look at it: xtf cat %s waits/profile delays/profile critical/profile, xtf mount %s DIR",
                       trace, trace);
}

/* ---- The work. */

static XtfTrace *open_source(const Analyze *analyze, char **path, GError **error)
{
    /* A small cache is enough, as each part of the trace is read in order, once or twice. */
    const XtfOpenOptions open = {.cache_bytes = CACHE_BYTES};
    const XtfSourceOptions options = {.open = &open, .quiet = analyze->job.quiet, .no_companion = true};

    return xtf_cli_open_source(analyze->named, &options, path, error);
}

/* Opens the trace. In a job rank 0 opens it first: it may import an archive, which the others then find. */
static XtfTrace *open_in_order(const Analyze *analyze, char **path, GError **error)
{
    XtfWorld *world = analyze->job.world;
    g_autoptr(XtfTrace) trace = NULL;
    GError *own = NULL;

    if (!world || xtf_world_rank(world) == 0)
        trace = open_source(analyze, path, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return NULL;
    own = NULL;
    if (!trace)
        trace = open_source(analyze, path, &own);
    return !world || xtf_world_have_succeeded(world, own, error) ? g_steal_pointer(&trace) : NULL;
}

static bool analyze_source(Analyze *analyze, GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = open_in_order(analyze, &path, error);

    if (!trace)
        return false;
    g_autofree char *named = g_canonicalize_filename(analyze->named, NULL);
    analyze->job.imported = !g_str_equal(named, path);
    analyze->job.source = analyze->job.imported ? path : analyze->named;
    analyze->job.trace = trace;
    analyze->job.path = path;
    if (!xtf_cli_write_analysis(&analyze->job, &analyze->report, error))
        return false;
    if (!analyze->job.quiet) {
        print_analysis_report(analyze);
        print_next_commands(analyze);
    }
    return true;
}

/* Analyses alone or, if the launcher of an MPI started several processes, with the other ranks of the job. */
static int analyze_in_world(Analyze *analyze, unsigned jobs)
{
    XtfWorld *world = xtf_world_is_alone() ? NULL : xtf_cli_start_world();
    GError *error = NULL;

    if (!world && !xtf_world_is_alone())
        return XTF_EXIT_FAILED;
    if (world && xtf_world_size(world) > 1) {
        analyze->job.world = world;
        analyze->job.quiet |= xtf_world_rank(world) > 0;
        jobs = jobs > 0 ? jobs : 1; /* users start a rank for each core */
    }
    xtf_parallel_set_threads(jobs);
    bool good = analyze_source(analyze, &error);
    int status = good ? XTF_EXIT_DONE : error ? xtf_cli_fail(error) : XTF_EXIT_FAILED; /* another rank reports it */
    xtf_world_end(world, status);
    return status;
}

int xtf_command_analyze(int argc, char **argv)
{
    g_autofree char *output = NULL;
    Analyze analyze = {0};
    gboolean force = FALSE, quiet = FALSE;
    gint jobs = 0;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write the analysis into FILE, and leave TRACE as it is",
         "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace FILE even if it is no analysis of TRACE", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Use N threads (default: one per processor)", "N"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no report", NULL},
        {0},
    };

    if (!xtf_cli_parse(
            &argc, &argv, 1, "TRACE",
            "Finds who waited for whom, and why: late senders and receivers, waits in barriers and other\n"
            "collective operations, what delayed the processes that others waited for, the critical path, and\n"
            "the run on an ideal network. Stores the result in TRACE and rewrites no record; an earlier\n"
            "analysis is replaced.\n"
            "\n"
            "  xtf analyze run.xtf && xtf cat run.xtf waits/profile\n"
            "  xtf analyze -o run.xtf.analysis run.xtf            leave run.xtf as it is\n"
            "  mpirun -n 64 xtf analyze run.xtf                   by the ranks of an MPI job\n"
            "\n"
            "All commands find TRACE.xtf.analysis beside TRACE.xtf, until TRACE changes. `xtf mount -o\n"
            "analysis=FILE` shows another FILE. The analysis of a merged trace always goes into a file beside\n"
            "it, and that of a folder of parts beside its anchor. For an archive, the import in the cache gets\n"
            "the analysis; with -o, FILE is an import too. For a folder of parts, FILE is a copy in one file; if\n"
            "FILE is a folder, it gets the analysis alone.",
            entries))
        return XTF_EXIT_USAGE;
    if (jobs < 0) {
        fputs("xtf: analyze: --jobs takes a number from 1 on (0: one thread per processor)\n", stderr);
        return XTF_EXIT_USAGE;
    }
    analyze.named = argv[1];
    analyze.job = (XtfAnalysisJob){.output = output, .force = force, .quiet = quiet};
    return analyze_in_world(&analyze, (unsigned)jobs);
}
