/*
 * xtf merge: one trace of several that were written apart.
 */
#include <inttypes.h>
#include <stdio.h>

#include "libxtf/merge.h"
#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"

typedef struct {
    XtfProgress *progress;
    atomic_bool *cancel;
} Merge;

static bool show_progress(uint64_t done, uint64_t total, void *data)
{
    const Merge *merge = data;

    xtf_progress_update(merge->progress, done, total, done >> 20);
    return !atomic_load(merge->cancel);
}

static void say_left_out(const char *path, const GError *error, void *data)
{
    const Merge *merge = data;

    xtf_progress_hide(merge->progress);
    xtf_print_line(stderr, "xtf: left out: %s", error->message);
}

static bool run(const char *output, char **parts, size_t n_parts, bool keep_going, bool quiet, XtfMergeReport *report,
                GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("merging", "MiB", quiet);
    XtfInterrupts interrupts;
    Merge merge = {.progress = progress, .cancel = xtf_interrupts_catch(&interrupts)};
    const XtfMergeOptions options = {
        .keep_going = keep_going,
        .progress = show_progress,
        .left_out = say_left_out,
        .data = &merge,
    };
    bool good = xtf_merge(output, (const char *const *)parts, n_parts, &options, report, error);

    xtf_interrupts_release(&interrupts);
    return good;
}

int xtf_command_merge(int argc, char **argv)
{
    g_autofree char *output = NULL;
    gboolean keep_going = FALSE, quiet = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The file to write (required)", "FILE"},
        {"keep-going", 'k', 0, G_OPTION_ARG_NONE, &keep_going, "Leave out parts that cannot be read", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "No progress, no summary", NULL},
        {0},
    };
    XtfMergeReport report;
    GError *error = NULL;

    if (!xtf_cli_parse(&argc, &argv, -1, "-o FILE PART...",
                       "Makes one .xtf file of several that were written apart, such as one for each process.\n"
                       "The parts are appended as they are, by reflinks where the file system has them; each location\n"
                       "belongs to one of them. Definitions that mean the same become one. The parts stay as they are.",
                       entries))
        return XTF_EXIT_USAGE;
    if (!output) {
        fputs("xtf: merge: -o FILE is missing (see xtf merge --help)\n", stderr);
        return XTF_EXIT_USAGE;
    }
    if (!run(output, argv + 1, (size_t)argc - 1, keep_going, quiet, &report, &error))
        return xtf_cli_fail(error);
    if (!quiet)
        xtf_print_line(stdout, "%s: %zu parts, %" PRIu64 " bytes of theirs and %" PRIu64 " of its own", output,
                       report.parts, report.copied, report.written);
    return XTF_EXIT_DONE;
}
