/*
 * xtf record: runs a program, and records a trace of it.
 */
#include <stdio.h>
#include <unistd.h>

#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/rewrite.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/files/shell-word.h"
#include "src/record/launch/folder.h"
#include "src/record/launch/parts.h"
#include "src/record/launch/plan.h"
#include "src/record/launch/run.h"
#include "src/record/launch/summary.h"
#include "src/record/names/filter.h"

enum {
    DRAIN_SECONDS = 10,
    DRAIN_MAX = 86400,
    AFTER_DRAIN_SECONDS = 5, /* a collector that gives up draining still has to end */
    BRAKE_MAX = 1000000000,
    FSYNC_MAX = 86400,
    KEEP_MAX = 1000000,
    ROTATE_MAX = 365 * 86400,
    RING_MIN = 4 << 10,
    RING_MAX = 1 << 30,
};

/* The options as given on the command line. */
typedef struct {
    char *output, *buffer, *when_full, *filter, *mpi, *clock, *drain, *brake, *fsync, *rotate, *keep, *sites;
    gboolean force, keep_parts, all_calls, stack, locks, dry_run, quiet;
} Given;

static void given_finish(Given *given)
{
    char *texts[] = {given->output, given->buffer, given->when_full, given->filter, given->mpi,  given->clock,
                     given->drain,  given->brake,  given->fsync,     given->rotate, given->keep, given->sites};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_finish)

static bool report_wrong(const char *option, const char *value, const char *needed)
{
    xtf_print_line(stderr, "xtf: record: %s '%s': %s", option, value, needed);
    return false;
}

/* Rounds up to a power of two, as rings are. */
static bool parse_buffer(const char *text, guint64 *size)
{
    uint64_t bytes;

    if (!text)
        return true;
    if (!xtf_cli_parse_size(text, &bytes) || bytes == 0 || bytes > RING_MAX)
        return report_wrong("--buffer", text, "4K to 1G is needed");
    for (*size = RING_MIN; *size < bytes;)
        *size *= 2;
    return true;
}

static bool parse_drain(const char *text, guint64 *seconds)
{
    *seconds = DRAIN_SECONDS;
    return !text || g_ascii_string_to_unsigned(text, 10, 1, DRAIN_MAX, seconds, NULL) ||
           report_wrong("--drain", text, "a number of seconds, 1 to 86400, is needed");
}

static bool parse_word(const char *option, const char *text, const char *const *words, unsigned *number)
{
    g_autofree char *needed = g_strjoinv(" or ", (char **)words);
    g_autofree char *message = g_strdup_printf("%s is needed", needed);

    for (*number = 0; text && words[*number]; ++*number)
        if (g_str_equal(text, words[*number]))
            return true;
    *number = 0;
    return !text || report_wrong(option, text, message);
}

static bool parse_fsync(const char *text)
{
    guint64 seconds;

    return !text || g_ascii_string_to_unsigned(text, 10, 0, FSYNC_MAX, &seconds, NULL) ||
           report_wrong("--fsync", text, "a number of seconds, 0 to 86400, is needed");
}

/* Reads a length of time: digits, and s, m, h or d. */
static bool parse_rotate(const char *text, guint64 *seconds)
{
    static const struct {
        char unit;
        unsigned seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    size_t digits = text ? strspn(text, "0123456789") : 0;
    g_autofree char *number = g_strndup(text, digits);
    unsigned unit = 0;

    *seconds = 0;
    while (text && unit < G_N_ELEMENTS(units) && units[unit].unit != text[digits])
        unit++;
    if (text && (unit == G_N_ELEMENTS(units) || text[digits + 1] ||
                 !g_ascii_string_to_unsigned(number, 10, 1, ROTATE_MAX / units[unit].seconds, seconds, NULL)))
        return report_wrong("--rotate", text, "a time such as 1h is needed: up to 365d, with s, m, h or d");
    *seconds *= text ? units[unit].seconds : 0;
    return true;
}

static bool parse_keep(const char *text, guint64 rotate, guint64 *keep)
{
    *keep = 0;
    if (text && rotate == 0)
        return report_wrong("--keep", text, "it is for --rotate");
    return !text || g_ascii_string_to_unsigned(text, 10, 1, KEEP_MAX, keep, NULL) ||
           report_wrong("--keep", text, "a number of files is needed");
}

static bool parse_brake(const char *text)
{
    guint64 calls;

    return !text || g_ascii_string_to_unsigned(text, 10, 0, BRAKE_MAX, &calls, NULL) ||
           report_wrong("--brake", text, "a number of calls is needed, or 0");
}

static bool parse_sites(const char *text, bool *off)
{
    *off = g_strcmp0(text, "0") == 0;
    return !text || *off || g_str_equal(text, "1") || report_wrong("--sites", text, "0 or 1 is needed");
}

/* Reads the filter now, since the traced program would find a mistake in it only later. Makes its path absolute, as the
 * program may change its folder. */
static bool parse_filter(char **filter)
{
    g_autoptr(GError) error = NULL;

    if (!*filter)
        return true;
    if (access(*filter, R_OK) != 0)
        return report_wrong("--filter", *filter, "it cannot be read");
    g_autoptr(XtfFilter) rules = xtf_filter_read(*filter, &error);
    if (!rules)
        return report_wrong("--filter", *filter, error->message);
    char *absolute = g_canonicalize_filename(*filter, NULL);
    g_free(*filter);
    *filter = absolute;
    return true;
}

static bool parse_given(Given *given, XtfRecordOptions *options, XtfMpi *mpi)
{
    static const char *const manners[] = {"wait", "drop", "flush", NULL}, *const clocks[] = {"tsc", "monotonic", NULL};
    unsigned manner, clock;

    if (!parse_buffer(given->buffer, &options->ring_size) || !parse_drain(given->drain, &options->drain) ||
        !parse_word("--when-full", given->when_full, manners, &manner) ||
        !parse_word("--clock", given->clock, clocks, &clock) || !parse_brake(given->brake) ||
        !parse_sites(given->sites, &options->no_sites) || !parse_fsync(given->fsync) ||
        !parse_rotate(given->rotate, &options->rotate) || !parse_keep(given->keep, options->rotate, &options->keep) ||
        !parse_filter(&given->filter))
        return false;
    if (given->output && !*given->output)
        return report_wrong("--output", given->output, "the name of a file is needed");
    *mpi = XTF_MPI_UNKNOWN;
    if (given->mpi && !xtf_mpi_parse(given->mpi, mpi))
        return report_wrong("--mpi", given->mpi, "openmpi, mpich or none is needed");
    options->when_full = given->when_full;
    options->clock = given->clock;
    options->filter = given->filter;
    options->all_calls = given->all_calls;
    options->stack = given->stack;
    options->locks = given->locks;
    options->brake = given->brake;
    options->fsync = given->fsync;
    return true;
}

static void print_all(const GPtrArray *sentences)
{
    for (guint i = 0; i < sentences->len; i++)
        xtf_print_line(stderr, "xtf: %s", (const char *)sentences->pdata[i]);
}

/* Waits for the collectors, then makes one trace of the parts. */
static bool merge_parts(const XtfRecordPlan *plan, const Given *given, XtfParts *parts, guint64 drain, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("merging", "MiB", given->quiet);
    XtfInterrupts interrupts;
    XtfBytesProgress state = {.progress = progress, .cancel = xtf_interrupts_catch(&interrupts)};
    const XtfMergeOptions options = {.progress = xtf_progress_bytes, .data = &state};

    xtf_parts_await(plan->folder, drain + AFTER_DRAIN_SECONDS, state.cancel);
    xtf_parts_find(plan->folder, plan->gather, drain, state.cancel, parts);
    /* Another process, or the program itself, may have made a file of this name since the start. */
    bool good = xtf_record_may_write(plan, given->force, error) &&
                xtf_parts_merge(parts, plan->output, plan->folder, &options, error);
    if (good) /* a failure leaves the merged file as it is */
        xtf_rewrite_small(plan->output, state.cancel, NULL);
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
                                     "(RTLD_DEEPBIND, -Bsymbolic): see docs/RECORD.md");
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
static int finish_record(const XtfRecordPlan *plan, const Given *given, guint64 drain, int status)
{
    g_auto(XtfParts) parts = {0};
    GError *error = NULL;

    xtf_parts_init(&parts);
    if (!merge_parts(plan, given, &parts, drain, &error)) {
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

static int run_program(const XtfRecordPlan *plan, const Given *given, guint64 drain)
{
    g_auto(GStrv) environment = xtf_record_plan_environment(plan);
    GError *error = NULL;
    int status;

    if (!xtf_run(plan->argv, environment, &status, &error)) {
        xtf_folder_remove(plan->folder, NULL);
        return xtf_cli_fail(error);
    }
    int record_status = finish_record(plan, given, drain, status);
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

static int record_program(char **command, const Given *given, const XtfRecordOptions *options, XtfMpi mpi)
{
    g_auto(XtfRecordPlan) plan = {0};
    GError *error = NULL;

    if (!xtf_record_plan(command, given->output, mpi, options, &plan, &error))
        return xtf_cli_fail(error);
    if (given->dry_run) {
        g_autofree char *text = xtf_record_plan_text(&plan);
        fputs(text, stdout);
        return XTF_EXIT_DONE;
    }
    if (!xtf_record_prepare(&plan, given->force, &error))
        return has_no_room(&plan, error) ? become_unrecorded(command, error) : xtf_cli_fail(error);
    g_auto(GStrv) warnings = xtf_record_plan_warnings(&plan);
    for (char **warning = warnings; *warning && plan.first; warning++)
        xtf_print_line(stderr, "xtf: %s", *warning);
    return plan.inside ? become(&plan) : run_program(&plan, given, options->drain);
}

int xtf_command_record(int argc, char **argv)
{
    g_auto(Given) given = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.output, "The trace to write (default: PROGRAM.xtf)", "FILE"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &given.force, "Replace FILE if it exists", NULL},
        {"dry-run", 0, 0, G_OPTION_ARG_NONE, &given.dry_run, "Print the commands and run nothing", NULL},
        {"mpi", 0, 0, G_OPTION_ARG_STRING, &given.mpi,
         "The MPI of the program: openmpi, mpich, none (default: found out)", "NAME"},
        {"buffer", 'b', 0, G_OPTION_ARG_STRING, &given.buffer, "Size of each thread's buffer, 4K to 1G (default: 4M)",
         "SIZE"},
        {"when-full", 'w', 0, G_OPTION_ARG_STRING, &given.when_full,
         "If a buffer is full: wait (default), drop records, or flush it all", "WHAT"},
        {"all-calls", 'a', 0, G_OPTION_ARG_NONE, &given.all_calls,
         "Record calls that do not communicate too, such as MPI_Comm_rank", NULL},
        {"filter", 0, 0, G_OPTION_ARG_FILENAME, &given.filter,
         "Read from FILE which functions of the program to record", "FILE"},
        {"brake", 0, 0, G_OPTION_ARG_STRING, &given.brake,
         "Stop recording a function after N short calls (default: 100000; 0: never)", "N"},
        {"sites", 0, 0, G_OPTION_ARG_STRING, &given.sites,
         "From where the program calls MPI: 1 (default), or 0 to leave it out", "N"},
        {"locks", 0, 0, G_OPTION_ARG_NONE, &given.locks, "Record POSIX mutexes", NULL},
        {"stack", 0, 0, G_OPTION_ARG_NONE, &given.stack, "Call MPI through other preloaded tools", NULL},
        {"clock", 0, 0, G_OPTION_ARG_STRING, &given.clock, "Read this clock: tsc or monotonic", "NAME"},
        {"drain", 0, 0, G_OPTION_ARG_STRING, &given.drain, "Time to wait for the records at the end (default: 10)",
         "SECONDS"},
        {"fsync", 0, 0, G_OPTION_ARG_STRING, &given.fsync,
         "Time between writes to the disk (default: 5; 0: at the end only)", "SECONDS"},
        {"rotate", 0, 0, G_OPTION_ARG_STRING, &given.rotate, "Begin new files after this time, such as 1h", "TIME"},
        {"keep", 0, 0, G_OPTION_ARG_STRING, &given.keep,
         "With --rotate: keep the last N old files, and remove the others", "N"},
        {"keep-parts", 'k', 0, G_OPTION_ARG_NONE, &given.keep_parts, "Keep the parts after merging them", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet, "Show no progress and no summary", NULL},
        {0},
    };
    XtfRecordOptions options = {0};
    XtfMpi mpi;

    if (!xtf_cli_parse(
            &argc, &argv, XTF_CLI_COMMAND, "[--] COMMAND [ARGUMENT...]",
            "Runs a program, unchanged, and records a trace of it: calls of MPI, messages, threads, and regions\n"
            "that the program names or its compiler instruments (-finstrument-functions).\n"
            "\n"
            "  xtf record -o run.xtf mpirun -n 8 ./app    writes the file run.xtf\n"
            "  mpirun -n 8 xtf record -o run.xtf ./app    writes the folder run.xtf.d: `xtf mount` shows it,\n"
            "                                             `xtf merge` makes one file of it\n"
            "\n"
            "Exits with the status of the program. If that is 0 but the trace is incomplete, exits with 1.",
            entries))
        return XTF_EXIT_USAGE;
    if (!parse_given(&given, &options, &mpi))
        return XTF_EXIT_USAGE;
    return record_program(argv + 1, &given, &options, mpi);
}
