/*
 * xtf merge: makes one trace of several that were written separately, or of several runs of a job.
 */
#include <inttypes.h>
#include <stdio.h>

#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/correct-clocks.h"
#include "src/cli/trace/join-runs.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/record/launch/parts.h"
#include "src/trace/context/analyses.h"

enum {
    COLLECTORS_SECONDS = 3,
};

static void print_left_out(const char *path, const GError *error, void *data)
{
    const XtfBytesProgress *merge = data;

    xtf_progress_hide(merge->progress);
    xtf_print_line(stderr, "xtf: left out: %s", error->message);
}

/* Finds the parts that the user names; a folder means all parts in it. Waits for collectors (xtf record) of programs
 * that have just ended. */
static GPtrArray *find_parts(char **names, const atomic_bool *cancel, GError **error)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);

    xtf_parts_await_files(names, COLLECTORS_SECONDS, cancel); /* folders are not locked */
    for (; *names; names++) {
        if (!g_file_test(*names, G_FILE_TEST_IS_DIR)) {
            g_ptr_array_add(parts, g_strdup(*names));
            continue;
        }
        xtf_parts_await(*names, COLLECTORS_SECONDS, cancel);
        char **in_folder = xtf_folder_parts(*names, error);
        if (!in_folder)
            return NULL;
        for (size_t i = 0; in_folder[i]; i++)
            g_ptr_array_add(parts, in_folder[i]);
        g_free(in_folder);
    }
    return g_steal_pointer(&parts);
}

/* Writes the merged file; without an output, writes the anchor of the named folder. */
static bool merge_to(const char *output, char **names, const XtfMergeOptions *options, XtfMergeReport *report,
                     GError **error)
{
    XtfClockedMerge *merge = options->data;

    if (!output) {
        xtf_parts_await(names[0], COLLECTORS_SECONDS, merge->progress.cancel);
        g_auto(GStrv) parts = xtf_folder_parts(names[0], error);
        if (!parts)
            return false;
        xtf_cli_read_clocks((const char *const *)parts, g_strv_length(parts), &merge->clocks);
        return xtf_merge_anchor(names[0], options, report, error);
    }
    g_autoptr(GPtrArray) parts = find_parts(names, merge->progress.cancel, error);
    if (!parts)
        return false;
    xtf_cli_read_clocks((const char *const *)parts->pdata, parts->len, &merge->clocks);
    return xtf_merge(output, (const char *const *)parts->pdata, parts->len, options, report, error);
}

/* Prints what was done about the clocks of nodes. */
static void print_clocks(const XtfNodeClocks *clocks)
{
    g_autoptr(GPtrArray) sentences = xtf_cli_sum_up_clocks(clocks);

    for (guint i = 0; i < sentences->len; i++)
        xtf_print_line(stdout, "%s", (const char *)sentences->pdata[i]);
}

static bool merge_parts(const char *output, char **names, bool keep_going, bool quiet, XtfMergeReport *report,
                        GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("merging", "MiB", quiet);
    XtfInterrupts interrupts;
    XtfClockedMerge merge = {.progress = {progress, xtf_interrupts_catch(&interrupts)}};
    const XtfMergeOptions options = {
        .keep_going = keep_going,
        .progress = xtf_progress_bytes,
        .left_out = print_left_out,
        .clock_of = xtf_cli_clock_of,
        .data = &merge,
    };
    bool good = merge_to(output, names, &options, report, error);

    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    if (good && !quiet)
        print_clocks(&merge.clocks);
    xtf_node_clocks_finish(&merge.clocks);
    return good;
}

/* Waits for the collectors of runs that have just ended, and joins the runs. */
static bool join_runs(const char *output, char **names, bool in_place, bool keep_going, bool quiet,
                      XtfJoinRunsReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("joining", "rows", quiet);
    XtfInterrupts interrupts;
    const XtfJoinRunsOptions options = {
        .progress = {progress, xtf_interrupts_catch(&interrupts)},
        .incomplete = keep_going,
        .quiet = quiet,
        .in_place = in_place,
    };

    xtf_parts_await_files(names, COLLECTORS_SECONDS, options.progress.cancel);
    for (char **name = names; *name; name++)
        if (g_file_test(*name, G_FILE_TEST_IS_DIR))
            xtf_parts_await(*name, COLLECTORS_SECONDS, options.progress.cancel);
    bool good = xtf_cli_join_runs(output, names, &options, report, error);
    xtf_interrupts_release(&interrupts);
    return good;
}

static void print_runs_report(const char *path, const XtfJoinRunsReport *report)
{
    xtf_print_line(stdout, "%s: %zu run%s", path, report->n_runs, report->n_runs == 1 ? "" : "s");
    if (report->renamed > 0)
        xtf_print_line(stdout, "%" PRIu64 " threads have other names in later runs: those of their first run are kept",
                       report->renamed);
}

static bool usage_is_wrong(const char *output, bool anchor, bool runs, bool force, int n_names)
{
    bool folder = anchor && !runs;
    const char *fault = runs && !output           ? "--runs needs -o FILE"
                        : folder == !!output      ? "one of -o FILE and --anchor is needed"
                        : folder && force         ? "--force is for -o"
                        : folder && n_names != 1  ? "--anchor takes one folder"
                        : !folder && n_names == 0 ? "no part is named"
                                                  : NULL;
    if (fault)
        fprintf(stderr, "xtf: merge: %s (see xtf merge --help)\n", fault);
    return fault != NULL;
}

static void print_merge_report(const char *path, const XtfMergeReport *report)
{
    const char *plural = report->parts == 1 ? "" : "s";

    if (report->copied > 0)
        xtf_print_line(stdout, "%s: %zu part%s, %" PRIu64 " bytes of theirs and %" PRIu64 " of its own", path,
                       report->parts, plural, report->copied, report->written);
    else
        xtf_print_line(
            stdout, "%s" G_DIR_SEPARATOR_S XTF_ANCHOR_NAME ": %zu part%s, in place, and %" PRIu64 " bytes of its own",
            path, report->parts, plural, report->written);
}

/* Prints that the analyses of the parts are not shown. Each analysis covers only one part. */
static bool print_analysis(const char *output, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(output, NULL, error);
    bool found, shown;

    if (!trace || !xtf_analyses_find_waits(trace, &found, &shown, error))
        return false;
    if (found && !shown)
        xtf_print_line(stdout, "analyses of the parts are kept, but not shown: xtf analyze makes one of %s", output);
    return true;
}

int xtf_command_merge(int argc, char **argv)
{
    g_autofree char *output = NULL;
    gboolean anchor = FALSE, runs = FALSE, force = FALSE, keep_going = FALSE, quiet = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write to FILE", "FILE"},
        {"anchor", 'a', 0, G_OPTION_ARG_NONE, &anchor,
         "Write a file that names the parts: FOLDER/" XTF_ANCHOR_NAME ", with --runs FILE", NULL},
        {"runs", 'r', 0, G_OPTION_ARG_NONE, &runs, "Each PART is a run of one job, such as one that restarts", NULL},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace FILE if it exists", NULL},
        {"keep-going", 'k', 0, G_OPTION_ARG_NONE, &keep_going, "Leave out damaged parts", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no summary", NULL},
        {0},
    };
    XtfMergeReport report;
    XtfJoinRunsReport runs_report;
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, -1, "-o FILE PART... | --anchor FOLDER | --runs [--anchor] -o FILE PART...",
            "Makes one trace of several .xtf files that were written apart, such as one per process. Each\n"
            "location belongs to one part. The parts are only read. A PART may be a folder of .xtf files.\n"
            "With --runs, each PART is a run of one job. The trace has the rows of all runs, one after\n"
            "another in time. The rows are copied; with --anchor, too, FILE names the runs in its folder.\n"
            "\n"
            "  xtf merge -o run.xtf run.xtf.d       copies the parts into one file, by reflinks if possible\n"
            "  xtf merge --anchor run.xtf.d         leaves them where they are; the folder opens like a file\n"
            "  xtf merge --runs -o all.xtf run1.xtf run2.xtf   joins the runs of a job that was restarted\n"
            "  xtf merge --runs --anchor -o all.xtf run1.xtf run2.xtf   the same, but copies no rows",
            entries))
        return XTF_EXIT_USAGE;
    if (usage_is_wrong(output, anchor, runs, force, argc - 1))
        return XTF_EXIT_USAGE;
    if (output && !force && g_file_test(output, G_FILE_TEST_EXISTS)) {
        xtf_print_line(stderr, "xtf: '%s' exists already: --force replaces it", output);
        return XTF_EXIT_FAILED;
    }
    if (runs && !join_runs(output, argv + 1, anchor, keep_going, quiet, &runs_report, &error))
        return xtf_cli_fail(error);
    if (runs) {
        if (!quiet)
            print_runs_report(output, &runs_report);
        return XTF_EXIT_DONE;
    }
    if (!merge_parts(output, argv + 1, keep_going, quiet, &report, &error))
        return xtf_cli_fail(error);
    if (!quiet)
        print_merge_report(output ? output : argv[1], &report);
    return quiet || !output || print_analysis(output, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
