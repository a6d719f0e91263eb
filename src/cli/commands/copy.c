/*
 * xtf copy: a trace, stored another way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/cli/ui/storage-options.h"
#include "src/import/output.h"
#include "src/trace/context/analyses.h"

static void show_copy_progress(uint64_t done, uint64_t total, void *progress)
{
    xtf_progress_update(progress, done, total, done);
}

static bool write_copy(XtfTrace *trace, const XtfOutput *output, const XtfWriterOptions *storage, bool quiet,
                       GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("copying", "rows", quiet);
    const XtfClock *clock = xtf_trace_clock(trace);
    XtfWriterOptions options = *storage;
    XtfInterrupts interrupts;

    options.resolution_num = clock->resolution_num;
    options.resolution_den = clock->resolution_den;
    options.origin = clock->origin;
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);
    if (!writer)
        return false;
    XtfCopyOptions copy = {
        .cancel = xtf_interrupts_catch(&interrupts),
        .progress = show_copy_progress,
        .progress_data = progress,
    };
    bool good = xtf_copy_trace(trace, writer, &copy, error);
    xtf_interrupts_release(&interrupts);
    return good && xtf_writer_close(g_steal_pointer(&writer), error);
}

static void print_sizes(const XtfTrace *trace, const char *from, const char *to)
{
    XtfTraceInfo before;
    struct stat after;

    xtf_trace_get_info(trace, &before);
    if (stat(to, &after) == 0)
        xtf_print_line(stdout, "%s: %" PRIu64 " bytes; %s: %" PRIu64 " bytes", from, before.file_size, to,
                       (uint64_t)after.st_size);
}

static void print_older_commit(const XtfTrace *trace, bool older)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    if (older)
        xtf_print_line(stdout, "of commit %" PRIu64 ", which is not the newest one", info.commit);
}

static bool print_analysis(XtfTrace *trace, GError **error)
{
    bool found, shown;

    if (!xtf_analyses_find_waits(trace, &found, &shown, error))
        return false;
    if (found)
        puts(shown ? "with its analysis"
                   : "with rows of an analysis that are not shown in either: xtf analyze makes them anew");
    return true;
}

int xtf_command_copy(int argc, char **argv)
{
    g_auto(XtfCliStorage) storage = {0};
    gboolean force = FALSE, quiet = FALSE, incomplete = FALSE, older = FALSE;
    const GOptionEntry entries[] = {
        {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace COPY if it exists", NULL},
        XTF_CLI_STORAGE_ENTRIES(storage),
        XTF_INCOMPLETE_ENTRY(incomplete),
        {"older-commit", 0, 0, G_OPTION_ARG_NONE, &older, "Copy the commit before the newest one, if that is damaged",
         NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no summary", NULL},
        {0},
    };
    XtfWriterOptions options = {0};
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 2, "TRACE COPY",
            "Copies a trace row by row and stores the copy as the options say. Leaves out what old commits left\n"
            "in the file.\n"
            "\n"
            "  xtf copy --level 9 run.xtf small.xtf",
            entries) ||
        !xtf_cli_storage_options("copy", &storage, &options))
        return XTF_EXIT_USAGE;
    if (!force && g_file_test(argv[2], G_FILE_TEST_EXISTS)) {
        xtf_print_line(stderr, "xtf: '%s' exists already: --force replaces it", argv[2]);
        return XTF_EXIT_FAILED;
    }
    const XtfOpenOptions open = {.older_commit = older};
    const XtfSourceOptions source_options = {
        .open = &open, .quiet = quiet, .incomplete = incomplete, .no_companion = older};
    if (older && g_file_test(argv[1], G_FILE_TEST_IS_DIR)) {
        xtf_print_line(stderr, "xtf: copy: --older-commit takes one file: copy the damaged part of '%s'", argv[1]);
        return XTF_EXIT_USAGE;
    }
    g_autoptr(XtfTrace) trace = xtf_cli_open_xtf(argv[1], &source_options, &error);
    XtfOutput *output = trace ? xtf_output_begin(argv[2], argv[1], &error) : NULL;
    if (!output)
        return xtf_cli_fail(error);
    bool whole = write_copy(trace, output, &options, quiet, &error);
    if (!xtf_output_end(output, whole, &error))
        return xtf_cli_fail(error);
    if (!quiet) {
        print_sizes(trace, argv[1], argv[2]);
        print_older_commit(trace, older);
    }
    return quiet || print_analysis(trace, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
