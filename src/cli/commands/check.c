#include <inttypes.h>
#include <stdio.h>

#include "libxtf/check.h"
#include "libxtf/error.h"
#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/companion.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/files/shell-word.h"
#include "src/model/process-properties.h"

/* A check reads each page in order, once or twice, so a small cache is enough. */
static const XtfOpenOptions check_options = {.cache_bytes = 16 << 20};

typedef struct {
    XtfProgress *progress;
    atomic_bool *cancel;
    const char *part; /* path of the part being checked; NULL: the whole trace is */
    size_t done, n;   /* traces checked so far, and in all */
    bool quiet;
    GHashTable *printed; /* messages printed so far: a problem of a part may appear again for the whole */
} Check;

static void print_problem(const char *message, void *data)
{
    Check *check = data;
    bool named = !check->part || g_str_has_prefix(message, check->part);
    char *line = named ? g_strdup(message) : g_strdup_printf("%s: %s", check->part, message);

    if (g_hash_table_contains(check->printed, line)) {
        g_free(line);
        return;
    }
    xtf_progress_hide(check->progress);
    xtf_print_line(stdout, "%s", line);
    g_hash_table_add(check->printed, line);
}

static bool show_check_progress(double done, void *data)
{
    const Check *check = data;

    xtf_progress_update(check->progress, (uint64_t)((done + (double)check->done) * 10000), 10000 * check->n, 0);
    return !atomic_load(check->cancel);
}

/* True if the part is only waiting for its first commit. */
static bool is_without_commit(const XtfTrace *whole, const char *path)
{
    size_t n;
    const XtfPartRemark *const *remarks = xtf_trace_part_remarks(whole, &n);

    for (size_t i = 0; i < n; i++)
        if (remarks[i]->kind == XTF_PART_WITHOUT_COMMIT && g_str_equal(remarks[i]->path, path))
            return true;
    return false;
}

static void print_superblock_remark(Check *check, const char *path, const XtfCheckReport *report)
{
    if (check->quiet || !report->one_superblock)
        return;
    xtf_progress_hide(check->progress);
    xtf_print_line(
        stdout,
        "%s%sonly one superblock is of the last commit: the writer was interrupted while it closed the file; "
        "nothing is lost",
        path ? path : "", path ? ": " : "");
}

static void count_problem(const char *message, void *problems)
{
    ++*(uint64_t *)problems;
}

/* Prints that a damaged file has a whole commit before the damaged one, if it has. A power cut may leave such a file.
 */
static void print_older_commit(Check *check, const char *path)
{
    const XtfOpenOptions options = {.cache_bytes = check_options.cache_bytes, .older_commit = true};
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, &options, NULL);
    uint64_t problems = 0;
    XtfCheckReport report;
    XtfTraceInfo info;

    if (!trace || !xtf_trace_check(trace, count_problem, NULL, &problems, &report, NULL) || problems > 0)
        return;
    g_autofree char *word = xtf_shell_word(path);
    xtf_trace_get_info(trace, &info);
    xtf_progress_hide(check->progress);
    xtf_print_line(stdout, "%s: commit %" PRIu64 " before it is whole: `xtf copy --older-commit %s COPY` copies it",
                   path, info.commit, word);
}

/* Checks a part as a separate file. A part that cannot be opened counts as a problem. */
static bool check_part(Check *check, const XtfTrace *whole, const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, &check_options, &problem);
    XtfCheckReport report;

    check->part = path;
    bool good = true;
    if (trace)
        good = xtf_trace_check(trace, print_problem, show_check_progress, check, &report, error);
    if (good && trace)
        print_superblock_remark(check, path, &report);
    else if (!trace && !is_without_commit(whole, path))
        print_problem(problem->message, check);
    if (good && (!trace || report.problems > 0))
        print_older_commit(check, path);
    check->part = NULL;
    check->done++;
    return good;
}

/* Returns the parts of a trace in several files, whose structures are not checked with the whole; NULL: it is one file.
 * The caller frees the paths. */
static char **find_parts(const XtfTrace *trace, const char *source)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    if (info.parts == 0 || info.companion)
        return NULL;
    return info.joined ? xtf_folder_parts(source, NULL) : xtf_trace_part_paths(trace, false);
}

static bool check_parts_and_whole(Check *check, XtfTrace *trace, const char *source, char **parts,
                                  XtfCheckReport *report, GError **error)
{
    XtfTraceInfo info;

    for (char **part = parts; part && *part; part++)
        if (!check_part(check, trace, *part, error))
            return false;
    if (!xtf_trace_check(trace, print_problem, show_check_progress, check, report, error))
        return false;
    print_superblock_remark(check, NULL, report);
    xtf_trace_get_info(trace, &info);
    if (report->problems > 0 && info.parts == 0)
        print_older_commit(check, source);
    return true;
}

/* Checks the parts, if there are any, and then the whole trace. */
static bool check_trace(XtfTrace *trace, const char *source, bool quiet, XtfCheckReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("checking", NULL, quiet);
    g_autoptr(GHashTable) printed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) parts = find_parts(trace, source);
    XtfInterrupts interrupts;
    Check check = {.progress = progress,
                   .cancel = xtf_interrupts_catch(&interrupts),
                   .n = 1 + (parts ? g_strv_length(parts) : 0),
                   .quiet = quiet,
                   .printed = printed};
    bool completed = check_parts_and_whole(&check, trace, source, parts, report, error);

    xtf_interrupts_release(&interrupts);
    report->problems = g_hash_table_size(printed);
    return completed;
}

/* Prints which processes ended early. They are no problem of the file, which states them. */
static bool print_early_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) ends = xtf_early_ends(trace, error);

    for (guint i = 0; ends && i < ends->len; i++) {
        const XtfEarlyEnd *end = &g_array_index(ends, XtfEarlyEnd, i);
        xtf_print_line(stdout, "process %" PRIu32 " ends early, since its collector could not write: %s", end->proc,
                       end->reason);
    }
    return ends != NULL;
}

static bool check_and_print(XtfTrace *trace, const char *source, bool quiet, uint64_t *problems, GError **error)
{
    XtfCheckReport report = {0};

    if (!check_trace(trace, source, quiet, &report, error))
        return false;
    /* An unreadable table is a problem that was printed already. */
    if (!quiet && report.problems == 0 && !print_early_ends(trace, error))
        return false;
    if (!quiet)
        xtf_print_unknown(stdout, trace);
    if (!quiet && report.removed_arrays > 0)
        printf("%" PRIu64
               " arrays were checked in part: their first rows were in volumes that were removed on purpose\n",
               report.removed_arrays);
    if (!quiet && report.unknown_arrays > 0)
        printf("not known: the codec or schema of %" PRIu64 " of the arrays, which are not checked\n",
               report.unknown_arrays);
    if (!quiet)
        printf("%" PRIu64 " arrays, %" PRIu64 " rows, %" PRIu64 " pages (%" PRIu64 " more reserved, %" PRIu64
               " free, %" PRIu64 " unreachable): %" PRIu64 " problem%s\n",
               report.arrays, report.rows, report.pages, report.reserved_pages, report.free_pages,
               report.unreachable_pages, report.problems, report.problems == 1 ? "" : "s");
    *problems += report.problems;
    return true;
}

/* Prints why the companion beside the trace is not used. Counts a problem if it cannot be read. It is no problem if the
 * companion is of another trace, of an earlier commit, or from a later version of xtf. */
static void report_unused_companion(const char *source, const GError *reason, bool quiet, uint64_t *problems)
{
    bool damaged = !g_error_matches(reason, XTF_ERROR, XTF_ERROR_STALE) &&
                   !g_error_matches(reason, XTF_ERROR, XTF_ERROR_INVALID) &&
                   !g_error_matches(reason, XTF_ERROR, XTF_ERROR_UNSUPPORTED);

    if (damaged)
        xtf_print_line(stdout, "the analysis beside '%s' cannot be read: %s", source, reason->message);
    else if (!quiet)
        xtf_companion_remark(reason);
    *problems += damaged;
}

/* Checks the file without its companion if `without_companion`. Else checks it with the companion, if it has one that
 * fits; *whole is true if the file itself is a companion. */
static bool check_source(const char *source, bool without_companion, bool quiet, bool *whole, uint64_t *problems,
                         GError **error)
{
    g_autoptr(GError) left_out = NULL;
    const XtfSourceOptions source_options = {.open = &check_options,
                                             .quiet = quiet || !without_companion,
                                             .no_companion = without_companion,
                                             .incomplete = true,
                                             .left_out = &left_out};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &source_options, &path, error);
    XtfTraceInfo info;

    if (!trace)
        return false;
    if (left_out)
        report_unused_companion(source, left_out, quiet, problems);
    xtf_trace_get_info(trace, &info);
    if (!without_companion && (!info.companion || *whole))
        return true;
    *whole = info.companion;
    if (!without_companion && !quiet)
        puts("with its analysis, in another file:");
    return check_and_print(trace, path, quiet, problems, error);
}

int xtf_command_check(int argc, char **argv)
{
    gboolean quiet = FALSE;
    const GOptionEntry entries[] = {
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show problems only", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 1, "TRACE",
            "Verifies every invariant of the format in a whole trace. Prints a line for each problem and exits\n"
            "with 1 if there are any.\n"
            "\n"
            "  xtf check run.xtf\n"
            "\n"
            "Of an archive, checks its import; of a folder or an anchor, each part and what binds the parts; and\n"
            "an analysis beside the trace. Names what it does not know, from a later version of the format, and\n"
            "does not check it.",
            entries))
        return XTF_EXIT_USAGE;
    uint64_t problems = 0;
    bool whole = false;
    bool good = check_source(argv[1], true, quiet, &whole, &problems, &error) &&
                check_source(argv[1], false, quiet, &whole, &problems, &error);
    if (!good)
        return xtf_cli_fail(error);
    return problems ? XTF_EXIT_FAILED : XTF_EXIT_DONE;
}
