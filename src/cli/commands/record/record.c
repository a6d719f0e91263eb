/*
 * xtf record: runs a program, and records a trace of it.
 */
#include <signal.h>
#include <stdio.h>

#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/commands/record/record-names.h"
#include "src/cli/copy/rewrite.h"
#include "src/cli/trace/correct-clocks.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/cli/ui/record-options.h"
#include "src/files/shell-word.h"
#include "src/record/launch/folder.h"
#include "src/record/launch/parts.h"
#include "src/record/launch/plan.h"
#include "src/record/launch/run.h"
#include "src/record/launch/summary.h"

enum { AFTER_DRAIN_SECONDS = 5 /* a collector that gives up draining still has to end */ };

static void print_all(const GPtrArray *sentences)
{
    for (guint i = 0; i < sentences->len; i++)
        xtf_print_line(stderr, "xtf: %s", (const char *)sentences->pdata[i]);
}

/* Prints what was done about the clocks of nodes. */
static void print_clocks(const XtfNodeClocks *clocks)
{
    g_autoptr(GPtrArray) sentences = xtf_cli_sum_up_clocks(clocks);

    print_all(sentences);
}

/* Waits for the collectors, then makes one trace of the parts. */
static bool merge_parts(const XtfRecordPlan *plan, const XtfCliRecord *given, XtfParts *parts, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("merging", "MiB", given->quiet);
    XtfInterrupts interrupts;
    atomic_bool *cancel = xtf_interrupts_catch(&interrupts);
    XtfClockedMerge state = {.progress = {progress, cancel}};
    const XtfMergeOptions options = {.progress = xtf_progress_bytes, .clock_of = xtf_cli_clock_of, .data = &state};

    xtf_parts_await(plan->folder, given->record.drain + AFTER_DRAIN_SECONDS, cancel);
    xtf_parts_find(plan->folder, plan->gather, given->record.drain, cancel, parts);
    xtf_cli_read_clocks((const char *const *)parts->paths->pdata, parts->paths->len, &state.clocks);
    /* Another process, or the program itself, may have made a file of this name since the start. */
    bool good = xtf_record_may_write(plan, given->force, error) &&
                xtf_parts_merge(parts, plan->output, plan->folder, &options, error);
    if (good) /* a failure leaves the merged file as it is */
        xtf_rewrite_small(plan->output, cancel, NULL);
    xtf_progress_hide(progress);
    if (good && !given->quiet)
        print_clocks(&state.clocks);
    xtf_node_clocks_finish(&state.clocks);
    xtf_interrupts_release(&interrupts);
    return good;
}

/* Prints that other hosts may have parts in their own folder of that name. */
static void print_remote_folder(const XtfRecordPlan *plan)
{
    xtf_print_line(stderr,
                   "xtf: processes on other hosts may have written parts to %s on those hosts, unless the hosts share "
                   "it: `xtf merge` makes one trace of all parts in one folder",
                   plan->gather);
}

/* Returns the folders of the parts, on this host and from other hosts. The caller frees the text. */
static char *name_folders(const XtfRecordPlan *plan)
{
    return g_file_test(plan->gather, G_FILE_TEST_IS_DIR) ? g_strdup_printf("%s and %s", plan->folder, plan->gather)
                                                         : g_strdup(plan->folder);
}

/* Prints why nothing readable was recorded. Returns the exit status. */
static int print_failure(const XtfRecordPlan *plan, const XtfParts *parts)
{
    g_autofree char *folders = name_folders(plan);

    print_all(parts->left_out);
    print_all(parts->remarks);
    xtf_print_line(stderr, "xtf: %s is not written: no recorded part can be read; what was recorded is in %s",
                   plan->output, folders);
    return XTF_EXIT_FAILED;
}

/* Prints the likely reason why no process recorded anything. Returns the exit status. */
static int print_nothing_recorded(const XtfRecordPlan *plan, int status)
{
    xtf_print_line(stderr, "xtf: %s is not written: no process recorded anything", plan->output);
    if (status != 0)
        xtf_print_line(stderr, "xtf: the command itself failed, with status %d: %s", status, plan->argv[0]);
    else
        xtf_print_line(stderr, plan->command.mpi == XTF_MPI_NONE
                                   ? "xtf: the program seems to have no MPI, and no regions to record were found "
                                     "(--mpi=openmpi or --mpi=mpich if it loads its MPI later)"
                                   : "xtf: no process has called MPI_Init, or its calls bypass the preloaded library "
                                     "(dlsym(handle, ...), RTLD_DEEPBIND, -Bsymbolic): see docs/RECORD.md");
    if (status == 0 && plan->command.has_launcher && plan->command.mpi != XTF_MPI_NONE)
        print_remote_folder(plan);
    return XTF_EXIT_FAILED;
}

static int print_not_merged(const XtfRecordPlan *plan, const XtfParts *parts, GError *error)
{
    g_autofree char *folders = name_folders(plan);

    print_all(parts->left_out);
    print_all(parts->remarks);
    xtf_cli_fail(error);
    xtf_print_line(
        stderr, "xtf: what was recorded is in %s: `xtf mount` reads this folder, and `xtf merge` makes one file of it",
        folders);
    return XTF_EXIT_FAILED;
}

/* Prints where the parts are that cannot become one file, because --keep has removed their first files. Returns the
 * exit status. */
static int print_removed(const XtfRecordPlan *plan, const XtfParts *parts)
{
    g_autofree char *folders = name_folders(plan);

    print_all(parts->left_out);
    print_all(parts->remarks);
    xtf_print_line(stderr,
                   "xtf: --keep has removed the first files of the parts, so %s is not written: the parts in %s are "
                   "the trace, and `xtf mount` reads this folder",
                   plan->output, folders);
    return parts->left_out->len + parts->remarks->len == 0 ? XTF_EXIT_DONE : XTF_EXIT_FAILED;
}

/* Prints the summary. Sets *whole to true if the parts say that nothing is missing. */
static bool print_summary(const XtfRecordPlan *plan, bool quiet, bool *whole, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(plan->output, NULL, error);

    if (!trace || !xtf_record_is_whole(trace, whole, error))
        return false;
    if (quiet)
        return true;
    g_auto(GStrv) lines = xtf_record_summary(trace, plan->output, error);
    g_autofree char *output = xtf_shell_word(plan->output);
    for (char **line = lines; line && *line; line++)
        xtf_print_line(stderr, "xtf: %s", *line);
    if (lines)
        xtf_print_line(stderr, "xtf: to look at it: xtf cat %s profile, xtf play %s, xtf mount %s DIR", output, output,
                       output);
    return lines != NULL;
}

/* Removes the merged parts, on this host and from other hosts. */
static bool remove_parts(const XtfRecordPlan *plan, GError **error)
{
    return xtf_folder_remove(plan->folder, error) &&
           (!g_file_test(plan->gather, G_FILE_TEST_IS_DIR) || xtf_folder_remove(plan->gather, error));
}

/* Removes the parts, or keeps them if the trace does not have all their records. Messages may name logs in their
 * folder, so these stay, too. */
static bool remove_or_keep_parts(const XtfRecordPlan *plan, const XtfParts *parts, bool keep, GError **error)
{
    g_autofree char *folders = name_folders(plan);

    if (!keep && parts->left_out->len + parts->remarks->len == 0)
        return remove_parts(plan, error);
    xtf_print_line(stderr,
                   keep ? "xtf: its parts are in %s" : "xtf: the trace lacks some records, so its parts stay in %s",
                   folders);
    if (parts->missing && plan->command.has_launcher)
        print_remote_folder(plan);
    return true;
}

/* Makes the trace after the program has ended with this status. Returns the exit status. */
static int finish_record(const XtfRecordPlan *plan, const XtfCliRecord *given, int status)
{
    g_auto(XtfParts) parts = {0};
    GError *error = NULL;

    signal(SIGPIPE, SIG_IGN); /* the reader of the summary may end, as `head` does: the parts must still be removed */
    xtf_parts_init(&parts);
    if (!merge_parts(plan, given, &parts, &error)) {
        if (parts.paths->len > 0 && parts.n_removed == 0)
            return print_not_merged(plan, &parts, error);
        g_error_free(error);
        if (parts.paths->len > 0)
            return print_removed(plan, &parts);
        if (parts.left_out->len + parts.remarks->len > 0)
            return print_failure(plan, &parts);
        xtf_folder_remove(plan->folder, NULL);
        return print_nothing_recorded(plan, status);
    }
    bool whole = true;
    bool good = print_summary(plan, given->quiet, &whole, &error);
    good &= remove_or_keep_parts(plan, &parts, given->keep_parts || !good, good ? &error : NULL);
    if (!good)
        return xtf_cli_fail(error);
    return whole && parts.left_out->len + parts.remarks->len == 0 ? XTF_EXIT_DONE : XTF_EXIT_FAILED;
}

static int run_program(const XtfRecordPlan *plan, const XtfCliRecord *given)
{
    g_auto(GStrv) environment = xtf_record_plan_environment(plan);
    GError *error = NULL;
    int status;

    if (!xtf_run(plan->argv, environment, &status, &error)) {
        xtf_folder_remove(plan->folder, NULL);
        return xtf_cli_fail(error);
    }
    int record_status = finish_record(plan, given, status);
    return status != 0 ? status : record_status;
}

static int become(const XtfRecordPlan *plan)
{
    g_auto(GStrv) environment = xtf_record_plan_environment(plan);
    GError *error = NULL;

    if (plan->first)
        xtf_print_line(stderr,
                       "xtf: the parts of the trace go to %s: `xtf mount` reads this folder, and `xtf merge` makes one "
                       "file of it",
                       plan->output);
    xtf_exec(plan->argv, environment, &error);
    return xtf_cli_fail(error);
}

/* True if the limit of file sizes leaves no room for the job's files, and a launcher has started the program. */
static bool has_no_room(const XtfRecordPlan *plan, const GError *error)
{
    return plan->inside && g_error_matches(error, XTF_ERROR, XTF_ERROR_TOO_LARGE);
}

/* Runs the program without the recorder. The launcher's other processes may need it. */
static int become_unrecorded(char **command, GError *reason)
{
    g_auto(GStrv) environment = g_get_environ();
    GError *error = NULL;

    xtf_print_line(stderr, "xtf: %s: the limit of file sizes (ulimit -f) is too low, so this process is not recorded",
                   reason->message);
    g_error_free(reason);
    xtf_exec(command, environment, &error);
    return xtf_cli_fail(error);
}

static void print_warnings(char **warnings)
{
    for (; *warnings; warnings++)
        xtf_print_line(stderr, "xtf: %s", *warnings);
}

static int record_program(char **command, const XtfCliRecord *given)
{
    g_auto(XtfRecordPlan) plan = {0};
    g_auto(GStrv) unknown = xtf_cli_record_unknown_variables();
    GError *error = NULL;

    if (!xtf_record_plan(command, given->output, given->mpi, &given->record, &plan, &error))
        return xtf_cli_fail(error);
    if (plan.first)
        print_warnings(unknown);
    if (given->dry_run) {
        g_autofree char *text = xtf_record_plan_text(&plan);
        fputs(text, stdout);
        return XTF_EXIT_DONE;
    }
    if (!xtf_record_prepare(&plan, given->force, &error))
        return has_no_room(&plan, error) ? become_unrecorded(command, error) : xtf_cli_fail(error);
    g_auto(GStrv) warnings = xtf_record_plan_warnings(&plan);
    if (plan.first)
        print_warnings(warnings);
    return plan.inside ? become(&plan) : run_program(&plan, given);
}

int xtf_command_record(int argc, char **argv)
{
    g_auto(XtfCliRecord) given = {0};

    if (!xtf_cli_record_parse(
            &argc, &argv,
            "Runs a program, unchanged, and records a trace of it: calls of MPI, messages, threads, and regions\n"
            "that the program names or its compiler instruments (-finstrument-functions).\n"
            "\n"
            "  xtf record -o run.xtf mpirun -n 8 ./app    writes the file run.xtf\n"
            "  mpirun -n 8 xtf record -o run.xtf ./app    writes the folder run.xtf.d: `xtf mount` shows it,\n"
            "                                             `xtf merge` makes one file of it\n"
            "  xtf record --names run.xtf                 finds names of functions and lines of calls that\n"
            "                                             debug information of this machine has\n"
            "\n"
            "Each option is a variable of the environment, too: XTF_RECORD_BUFFER=1M is --buffer 1M,\n"
            "XTF_RECORD_ALL_CALLS=1 is --all-calls. An option on the command line overrides its variable.\n"
            "\n"
            "Exits with the status of the program. If that is 0 but the trace is incomplete, exits with 1.",
            &given))
        return XTF_EXIT_USAGE;
    return given.names ? xtf_cli_record_names(argv[1], &given) : record_program(argv + 1, &given);
}
