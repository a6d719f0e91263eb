#include <inttypes.h>
#include <stdio.h>

#include "libxtf/check.h"
#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/companion.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"

typedef struct {
    XtfProgress *progress;
    atomic_bool *cancel;
} Check;

static void print_problem(const char *message, void *data)
{
    const Check *check = data;

    xtf_progress_hide(check->progress);
    xtf_print_line(stdout, "%s", message);
}

static bool show_progress(double done, void *data)
{
    const Check *check = data;

    xtf_progress_update(check->progress, (uint64_t)(done * 10000), 10000, 0);
    return !atomic_load(check->cancel);
}

static bool walk(XtfTrace *trace, bool quiet, XtfCheckReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("checking", NULL, quiet);
    XtfInterrupts interrupts;
    Check check = {.progress = progress, .cancel = xtf_interrupts_catch(&interrupts)};
    bool walked = xtf_trace_check(trace, print_problem, show_progress, &check, report, error);

    xtf_interrupts_release(&interrupts);
    return walked;
}

static bool check(XtfTrace *trace, bool quiet, uint64_t *problems, GError **error)
{
    XtfCheckReport report = {0};

    if (!walk(trace, quiet, &report, error))
        return false;
    if (!quiet)
        xtf_print_unknown(stdout, trace);
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

/* A companion beside the trace that cannot be read is a problem; one that belongs to another trace, or to an earlier
 * commit, or that a later version wrote, is none. */
static void judge_left_out(const char *source, const GError *reason, bool quiet, uint64_t *problems)
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

/* Checks the file alone; or, unless it is a companion itself (*whole), what it is together with its companion, if it
 * has one that fits. */
static bool check_source(const char *source, bool alone, bool quiet, bool *whole, uint64_t *problems, GError **error)
{
    g_autoptr(GError) left_out = NULL;
    const XtfSourceOptions how = {.quiet = quiet, .alone = alone, .left_out = &left_out};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &how, &path, error);
    XtfTraceInfo info;

    if (!trace)
        return false;
    if (left_out)
        judge_left_out(source, left_out, quiet, problems);
    xtf_trace_get_info(trace, &info);
    if (!alone && (!info.companion || *whole))
        return true;
    *whole = info.companion;
    if (!alone && !quiet)
        puts("with its analysis, which lies in another file:");
    return check(trace, quiet, problems, error);
}

int xtf_command_check(int argc, char **argv)
{
    gboolean quiet = FALSE;
    const GOptionEntry entries[] = {
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show problems only: no progress, no summary", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 1, "TRACE",
            "Walks all of an .xtf file and verifies every invariant of the format. Problems go to stdout, one a\n"
            "line; the exit status is 1 if there are any. What a later version of the format may have added is no\n"
            "problem: a line says what is not known, and so not checked. Of an archive its import is checked; an\n"
            "analysis beside the trace is checked with it.",
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
