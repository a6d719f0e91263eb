#include "src/cli/trace/write-analysis.h"

#include <stdio.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/copy-trace.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/output.h"

#define TOOL "xtf analyze " XTF_VERSION

typedef struct {
    const XtfAnalysisJob *job;
    const char *output; /* NULL: the trace itself */
    XtfAnalyzeOptions options;
    XtfAnalyzeReport *report;
} Work;

/* Takes the writer. */
static bool write_to(const Work *work, XtfWriter *writer, GError **error)
{
    g_autoptr(XtfWriter) own = writer;

    if (!own || !xtf_analyze(work->job->trace, own, TOOL, &work->options, work->report, error))
        return false;
    xtf_progress_step("committing", 0, 0, work->options.progress_data);
    return xtf_writer_close(g_steal_pointer(&own), error);
}

static bool write_companion(const Work *work, const XtfOutput *output, GError **error)
{
    XtfTraceInfo info;

    xtf_trace_get_info(work->job->trace, &info);
    const XtfWriterOptions options = {.codec = info.codec};
    int fd = xtf_output_open(output, error);
    return fd >= 0 && write_to(work,
                               xtf_writer_create_companion_in(fd, output->place, work->job->trace, work->job->path,
                                                              &options, error),
                               error);
}

static bool write_copy(const Work *work, const XtfOutput *output, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(work->job->trace);
    const XtfWriterOptions options = {
        .resolution_num = clock->resolution_num, .resolution_den = clock->resolution_den, .origin = clock->origin};
    const XtfCopyOptions copy = {.cancel = work->options.cancel, .no_derived = true};
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);

    return writer && xtf_copy_trace(work->job->trace, writer, &copy, error) &&
           write_to(work, g_steal_pointer(&writer), error);
}

static bool write_with_import(const Work *work, GError **error)
{
    const char *place = work->output;

    if (!work->job->force && g_file_test(place, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' is there already: xtf analyze --force replaces it", place);
    XtfOutput *output = xtf_output_begin(place, work->job->path, error);
    return output && xtf_output_end(output, write_copy(work, output, error), error);
}

/* An analysis of this trace may be replaced, also one of an earlier commit; other files only if the user says so. */
static bool may_replace(const XtfAnalysisJob *job, const char *path)
{
    g_autoptr(GError) problem = NULL;

    if (job->force || !g_file_test(path, G_FILE_TEST_EXISTS))
        return true;
    g_autoptr(XtfTrace) there = xtf_trace_open_companion(path, job->path, NULL, &problem);
    return there || g_error_matches(problem, XTF_ERROR, XTF_ERROR_STALE);
}

static bool write_aside(const Work *work, GError **error)
{
    g_autofree char *name = g_path_get_basename(work->job->path);
    g_autofree char *beside = xtf_companion_beside(name);
    bool is_folder = g_file_test(work->output, G_FILE_TEST_IS_DIR);
    g_autofree char *place = is_folder ? g_build_filename(work->output, beside, NULL) : g_strdup(work->output);

    if (!may_replace(work->job, place))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' is there already, and no analysis of this trace: xtf analyze --force replaces it", place);
    XtfOutput *output = xtf_output_begin(place, work->job->path, error);
    return output && xtf_output_end(output, write_companion(work, output, error), error);
}

/* The writer keeps others from the file meanwhile, and tells at once if the file cannot be written. */
static bool write_in_place(const Work *work, GError **error)
{
    const XtfAnalysisJob *job = work->job;
    g_autofree char *otherwise = xtf_companion_advice(job->source);

    return write_to(work, xtf_cli_writer_of(job->trace, job->source, job->path, otherwise, error), error);
}

static bool is_of_one_file(const XtfAnalysisJob *job, GError **error)
{
    g_autofree char *named = g_canonicalize_filename(job->source, NULL);
    g_autofree char *folder = g_file_test(named, G_FILE_TEST_IS_DIR) ? g_strdup(named) : g_path_get_dirname(named);
    XtfTraceInfo info;

    xtf_trace_get_info(job->trace, &info);
    if (!g_file_test(job->path, G_FILE_TEST_IS_DIR) && (info.parts == 0 || info.companion))
        return true;
    return xtf_fail(error, XTF_ERROR_INVALID,
                    "'%s' lies in several files, and an analysis is of one: 'xtf merge -o ONE.xtf %s' makes one of "
                    "them, and 'xtf analyze -o ONE.xtf" XTF_COMPANION_SUFFIX " ONE.xtf' its analysis",
                    job->source, folder);
}

/* A merged file holds its parts as they were, and nothing is added to it: its analysis goes where all commands look.
 * The caller frees what is returned; NULL: the trace itself. */
static char *usual_place(const XtfAnalysisJob *job)
{
    XtfTraceInfo info;

    xtf_trace_get_info(job->trace, &info);
    if (!info.merged)
        return NULL;
    char *place = xtf_companion_beside(job->source);
    if (!job->quiet)
        xtf_print_line(stderr, "xtf: %s is a merged file: the analysis goes into %s, which all commands find",
                       job->source, place);
    return place;
}

bool xtf_cli_write_analysis(const XtfAnalysisJob *job, XtfAnalyzeReport *report, GError **error)
{
    XtfInterrupts interrupts;

    if (!is_of_one_file(job, error))
        return false;
    g_autofree char *usual = job->output ? NULL : usual_place(job);
    Work work = {.job = job, .output = usual ? usual : job->output, .report = report};
    if (job->force && !work.output)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' gets its analysis itself, in place of an earlier one: --force is for -o, and for merged "
                        "files (see xtf analyze --help)",
                        job->source);
    g_autoptr(XtfProgress) progress = xtf_progress_new("analysing", "rows", job->quiet);
    work.options.progress = xtf_progress_step;
    work.options.progress_data = progress;
    work.options.cancel = xtf_interrupts_catch(&interrupts);
    bool good = !work.output    ? write_in_place(&work, error)
                : job->imported ? write_with_import(&work, error)
                                : write_aside(&work, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    return good;
}
