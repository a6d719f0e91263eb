/*
 * xtf copy: a trace, stored another way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/copy/compensate-report.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/trace/copy-output.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/cli/ui/storage-options.h"
#include "src/model/properties.h"
#include "src/trace/context/analyses.h"

#define TOOL "xtf copy --compensate " XTF_VERSION

enum {
    COMPENSATE_CACHE_BYTES = 8 << 20, /* each part of the trace is read in order, three times */
};

typedef struct {
    XtfTrace *trace;
    const char *from, *to;
    XtfWriterOptions storage;
    gboolean force, quiet, incomplete, older, compensate, keep_flushes;
    char **probes; /* NULL: none */
    XtfCompensation *compensation;
} Copy;

static void show_copy_progress(uint64_t done, uint64_t total, void *progress)
{
    xtf_progress_update(progress, done, total, done);
}

static bool write_copy(const Copy *copy, const XtfOutput *output, XtfSteps *steps, XtfProgress *progress,
                       GError **error)
{
    const XtfClock *clock = xtf_trace_clock(copy->trace);
    XtfWriterOptions options = copy->storage;
    const XtfNewTimes times = copy->compensation ? xtf_compensation_times(copy->compensation) : (XtfNewTimes){0};
    const XtfCopyProperty properties[] = {
        {XTF_PROPERTY_COMPENSATED, TOOL},
        {XTF_PROPERTY_PROBES, copy->compensation ? xtf_compensation_report(copy->compensation)->probes : NULL},
    };
    const XtfCopyOptions copy_options = {
        .cancel = steps->cancel,
        .progress = show_copy_progress,
        .progress_data = progress,
        .new_times = copy->compensation ? &times : NULL,
        .properties = properties,
        .n_properties = G_N_ELEMENTS(properties),
        .steps = steps,
    };

    options.resolution_num = clock->resolution_num;
    options.resolution_den = clock->resolution_den;
    options.origin = clock->origin;
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);
    return writer && xtf_copy_trace(copy->trace, writer, &copy_options, error) &&
           xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool compensate(Copy *copy, XtfSteps *steps, GError **error)
{
    const XtfCompensateOptions options = {.probes = (const char *const *)copy->probes,
                                          .keep_flushes = copy->keep_flushes};

    copy->compensation = xtf_compensate(copy->trace, &options, steps, error);
    return copy->compensation && xtf_compensation_trusts_clocks(copy->compensation, error);
}

static bool copy_to_output(Copy *copy, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("copying", "rows", copy->quiet);
    XtfInterrupts interrupts;
    XtfSteps steps = {
        .cancel = xtf_interrupts_catch(&interrupts), .progress = xtf_progress_step, .progress_data = progress};

    bool good = !copy->compensate || compensate(copy, &steps, error);
    if (good) {
        XtfOutput *output = xtf_copy_output_begin(copy->trace, copy->to, copy->from, error);
        good = output && xtf_output_end(output, write_copy(copy, output, &steps, progress, error), error);
    }
    xtf_interrupts_release(&interrupts);
    return good;
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

/* Prints what is wrong with the options; true if something is. */
static bool usage_is_wrong(const Copy *copy)
{
    const char *fault = NULL;

    if (!copy->compensate && (copy->probes || copy->keep_flushes))
        fault = "--probe and --keep-flushes are for --compensate";
    else if (copy->older && g_file_test(copy->from, G_FILE_TEST_IS_DIR))
        fault = "--older-commit takes one file: copy the damaged part of the folder";
    if (fault)
        xtf_print_line(stderr, "xtf: copy: %s (see xtf copy --help)", fault);
    return fault != NULL;
}

static bool copy_source(Copy *copy, GError **error)
{
    const XtfOpenOptions open = {.older_commit = copy->older,
                                 .cache_bytes = copy->compensate ? COMPENSATE_CACHE_BYTES : 0};
    const XtfSourceOptions source_options = {.open = &open,
                                             .quiet = copy->quiet,
                                             .incomplete = copy->incomplete,
                                             .no_companion = copy->older || copy->compensate};
    g_autoptr(XtfTrace) trace = xtf_cli_open_xtf(copy->from, &source_options, error);

    if (!trace)
        return false;
    copy->trace = trace;
    bool good = copy_to_output(copy, error);
    if (good && !copy->quiet) {
        print_sizes(trace, copy->from, copy->to);
        print_older_commit(trace, copy->older);
        if (copy->compensation)
            xtf_compensation_print(copy->compensation, trace);
        else
            good = print_analysis(trace, error);
    }
    xtf_compensation_free(copy->compensation);
    return good;
}

int xtf_command_copy(int argc, char **argv)
{
    g_auto(XtfCliStorage) storage = {0};
    g_auto(GStrv) probes = NULL;
    Copy copy = {0};
    const GOptionEntry entries[] = {
        {"force", 'f', 0, G_OPTION_ARG_NONE, &copy.force, "Replace COPY if it exists", NULL},
        {"compensate", 0, 0, G_OPTION_ARG_NONE, &copy.compensate,
         "Give all records the times of a run without the recorder's cost", NULL},
        {"probe", 0, 0, G_OPTION_ARG_STRING_ARRAY, &probes,
         "Costs of records: ENTER=120ns,MPI=300ns,foo=2us (default: the recorder's)", "COSTS"},
        {"keep-flushes", 0, 0, G_OPTION_ARG_NONE, &copy.keep_flushes, "Keep the time in which buffers were flushed",
         NULL},
        XTF_CLI_STORAGE_ENTRIES(storage),
        XTF_INCOMPLETE_ENTRY(copy.incomplete),
        {"older-commit", 0, 0, G_OPTION_ARG_NONE, &copy.older,
         "Copy the commit before the newest one, if that is damaged", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &copy.quiet, "Show no progress and no summary", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 2, "TRACE COPY",
            "Copies a trace row by row and stores the copy as the options say. Leaves out what old commits left\n"
            "in the file.\n"
            "\n"
            "  xtf copy --level 9 run.xtf small.xtf\n"
            "  xtf copy --compensate --probe ENTER=120ns,LEAVE=90ns,MPI=300ns run.xtf without-probes.xtf\n"
            "\n"
            "With --compensate, sections between records become shorter by the costs of the recorder's probes,\n"
            "and waits are computed anew in the recorded matching (docs/COMPENSATE.md).",
            entries) ||
        !xtf_cli_storage_options("copy", &storage, &copy.storage))
        return XTF_EXIT_USAGE;
    copy.from = argv[1];
    copy.to = argv[2];
    copy.probes = probes;
    if (usage_is_wrong(&copy))
        return XTF_EXIT_USAGE;
    if (!copy.force && g_file_test(copy.to, G_FILE_TEST_EXISTS)) {
        xtf_print_line(stderr, "xtf: '%s' exists already: --force replaces it", copy.to);
        return XTF_EXIT_FAILED;
    }
    return copy_source(&copy, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}
