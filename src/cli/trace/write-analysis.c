#include "src/cli/trace/write-analysis.h"

#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/copy-output.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/files/same-file.h"
#include "src/import/output.h"

#define TOOL "xtf analyze " XTF_VERSION

typedef struct {
    const XtfAnalysisJob *job;
    const char *output; /* NULL: the trace itself */
    const char *base;   /* the file that a companion is of */
    XtfAnalyzeOptions options;
    XtfAnalyzeReport *report;
} Work;

/* Writes the analysis, and closes the writer, which it owns. */
static bool write_to(const Work *work, XtfWriter *writer, GError **error)
{
    g_autoptr(XtfWriter) owned_writer = writer;

    if (!owned_writer || !xtf_analyze(work->job->trace, owned_writer, TOOL, &work->options, work->report, error))
        return false;
    xtf_progress_step("committing", 0, 0, work->options.progress_data);
    return xtf_writer_close(g_steal_pointer(&owned_writer), error);
}

static bool write_companion(const Work *work, const XtfOutput *output, GError **error)
{
    XtfTraceInfo info;

    xtf_trace_get_info(work->job->trace, &info);
    const XtfWriterOptions options = {.codec = info.codec};
    int fd = xtf_output_open(output, error);
    return fd >= 0 && write_to(work,
                               xtf_writer_create_companion_in(fd, output->final_path, work->job->trace, work->base,
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

static bool write_with_copy(const Work *work, GError **error)
{
    const char *path = work->output;

    if (xtf_trace_kept_from(work->job->trace) > 0)
        return xtf_fail(
            error, XTF_ERROR_INVALID,
            "'%s' lacks its first volumes, so records of a copy have other numbers: 'xtf copy %s %s' writes "
            "the copy, and 'xtf analyze %s' analyses it",
            work->job->source, work->job->source, path, path);
    if (!work->job->force && g_file_test(path, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' exists already: xtf analyze --force replaces it", path);
    XtfOutput *output = xtf_copy_output_begin(work->job->trace, path, work->job->path, error);
    return output && xtf_output_end(output, write_copy(work, output, error), error);
}

/* True if a file may be replaced: an analysis of this trace, also of an earlier commit, or any file with `force`. */
static bool may_replace(const Work *work, const char *path)
{
    g_autoptr(GError) problem = NULL;

    if (work->job->force || !g_file_test(path, G_FILE_TEST_EXISTS))
        return true;
    g_autoptr(XtfTrace) present = xtf_trace_open_companion(path, work->base, NULL, &problem);
    return present || g_error_matches(problem, XTF_ERROR, XTF_ERROR_STALE);
}

/* True if a folder is the one in which commands look for the analysis. */
static bool is_place_beside(const Work *work, const char *folder)
{
    g_autofree char *own = g_path_get_dirname(work->base);

    return xtf_is_same_file(own, folder);
}

/* Returns the path of a companion in a folder that the user named, which the caller frees. In the folder of the trace
 * it is where commands look; elsewhere it has the name of the trace. */
static char *find_place_in(const Work *work, const char *folder)
{
    g_autofree char *name = g_path_get_basename(is_place_beside(work, folder) ? work->base : work->job->path);
    g_autofree char *file = g_strconcat(name, XTF_COMPANION_SUFFIX, NULL);

    return g_build_filename(folder, file, NULL);
}

/* True if the output of a trace in parts is a companion: the user named a folder, or the file where commands look. */
static bool is_companion_place(const Work *work)
{
    g_autofree char *folder = g_path_get_dirname(work->output), *name = g_path_get_basename(work->output);
    g_autofree char *beside = xtf_companion_beside(work->base), *looked_for = g_path_get_basename(beside);

    return !work->job->output || g_file_test(work->output, G_FILE_TEST_IS_DIR) ||
           (g_str_equal(name, looked_for) && is_place_beside(work, folder));
}

static bool write_aside(const Work *work, GError **error)
{
    bool is_folder = work->job->output && g_file_test(work->output, G_FILE_TEST_IS_DIR);
    g_autofree char *path = is_folder ? find_place_in(work, work->output) : g_strdup(work->output);

    if (!may_replace(work, path))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' exists already, and is not an analysis of this trace: xtf analyze --force replaces it",
                        path);
    XtfOutput *output = xtf_output_begin(path, work->base, error);
    if (!output && !work->job->output)
        xtf_cli_add_advice(error, "xtf analyze -o FOLDER writes it elsewhere, and xtf mount -o analysis=FILE shows it");
    return output && xtf_output_end(output, write_companion(work, output, error), error);
}

/* Adds the analysis to the trace. The writer locks the file first, and so fails at once if it cannot be written. */
static bool write_in_place(const Work *work, GError **error)
{
    const XtfAnalysisJob *job = work->job;
    g_autofree char *otherwise = xtf_companion_advice(job->source);

    return write_to(work, xtf_cli_writer_of(job->trace, job->source, job->path, otherwise, error), error);
}

/* True if the trace is in several files that can have no companion together: a folder without an anchor, or an anchor
 * of runs. The analysis then goes into a copy in one file. */
static bool needs_copy(const XtfTraceInfo *info)
{
    return info->joined || info->runs;
}

/* True if the trace is an anchor of parts. */
static bool is_in_parts(const XtfTraceInfo *info)
{
    return info->parts > 0 && !info->companion && !needs_copy(info);
}

/* Fails for a trace that needs a copy, without an output. */
static bool fail_without_place(const XtfAnalysisJob *job, const XtfTraceInfo *info, GError **error)
{
    g_autofree char *anchor =
        info->joined ? g_strdup_printf("; or 'xtf merge --anchor %s' writes an anchor, whose analysis needs no copy",
                                       job->source)
                     : g_strdup("");

    return xtf_fail(error, XTF_ERROR_INVALID,
                    "'%s' is in several files, but an analysis is of one: 'xtf analyze -o ONE.xtf %s' writes a copy in "
                    "one file, with the analysis%s",
                    job->source, job->source, anchor);
}

/* True if the analysis has a place: in the trace, in a companion of one file or of an anchor, or in a copy. */
static bool has_place(const XtfAnalysisJob *job, const XtfTraceInfo *info, GError **error)
{
    if (info->companion)
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' is the analysis of a trace: xtf analyze takes the trace itself",
                        job->source);
    if (job->output && info->volumes > 0)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' is in several volumes, so the analysis goes into its last one, without -o; or 'xtf merge "
                        "-o ONE.xtf %s' makes one file of them",
                        job->source, job->source);
    return job->output || !needs_copy(info) || fail_without_place(job, info, error);
}

/* Returns the default path of the analysis, which the caller frees; NULL: the trace itself. A merged file cannot be
 * extended, nor an anchor, so its companion gets the analysis. */
static char *find_default_place(const XtfAnalysisJob *job, const XtfTraceInfo *info)
{
    if (!info->merged && !is_in_parts(info))
        return NULL;
    char *path = xtf_companion_beside(job->source);
    if (!job->quiet)
        xtf_print_line(stderr, "xtf: %s is %s: the analysis goes into %s, where all commands look", job->source,
                       info->parts > 0 ? "in several files" : "a merged file", path);
    return path;
}

/* Writes the analysis to its place. */
static bool write_to_place(const Work *work, const XtfTraceInfo *info, GError **error)
{
    if (!work->output)
        return write_in_place(work, error);
    if (work->job->imported || needs_copy(info) || (is_in_parts(info) && !is_companion_place(work)))
        return write_with_copy(work, error);
    return write_aside(work, error);
}

static bool analyze_and_write(Work *work, GError **error)
{
    const XtfAnalysisJob *job = work->job;
    XtfTraceInfo info;

    xtf_trace_get_info(job->trace, &info);
    if (!has_place(job, &info, error))
        return false;
    g_autofree char *base = xtf_companion_base(job->path);
    g_autofree char *default_place = job->output ? NULL : find_default_place(job, &info);
    work->base = base;
    work->output = default_place ? default_place : job->output;
    if (job->force && !work->output)
        return xtf_fail(
            error, XTF_ERROR_INVALID,
            "the analysis goes into '%s' itself and replaces an earlier one: --force is for -o, and for merged "
            "files (see xtf analyze --help)",
            job->source);
    return write_to_place(work, &info, error);
}

/* ---- Ranks of a job. */

/* The identity of an opened commit of a file. */
typedef struct {
    uint8_t file_id[16];
    uint64_t commit, bytes;
} Identity;

/* Checks that all ranks have opened the same trace. */
static bool check_same_trace(const XtfAnalysisJob *job, GError **error)
{
    GError *own = NULL;
    XtfTraceInfo info;
    Identity identity = {0}, of_first;

    xtf_trace_get_info(job->trace, &info);
    identity.commit = info.commit;
    identity.bytes = info.file_size;
    if (!info.joined) /* parts that are joined in memory have a new id in each process */
        memcpy(identity.file_id, info.file_id, sizeof identity.file_id);
    g_autoptr(GBytes) packed = g_bytes_new(&identity, sizeof identity);
    g_autoptr(GBytes) shared = xtf_world_broadcast(job->world, packed);
    memcpy(&of_first, g_bytes_get_data(shared, NULL), sizeof of_first);
    if (memcmp(identity.file_id, of_first.file_id, sizeof of_first.file_id) != 0)
        xtf_fail(&own, XTF_ERROR_INVALID,
                 "'%s' is another file here than for rank 0: it must be on a file system that all ranks share",
                 job->source);
    else if (identity.commit != of_first.commit || identity.bytes != of_first.bytes)
        xtf_fail(&own, XTF_ERROR_INVALID, "'%s' grows: ranks analyse a trace when it is complete", job->source);
    return xtf_world_have_succeeded(job->world, own, error);
}

/* Analyses in a rank: rank 0 writes. */
static bool analyze_in_rank(Work *work, GError **error)
{
    const XtfAnalysisJob *job = work->job;
    GError *own = NULL;

    if (!check_same_trace(job, error))
        return false;
    if (xtf_world_rank(job->world) == 0)
        analyze_and_write(work, &own);
    else
        xtf_analyze(job->trace, NULL, TOOL, &work->options, work->report, &own);
    return xtf_world_have_succeeded(job->world, own, error);
}

bool xtf_cli_write_analysis(const XtfAnalysisJob *job, XtfAnalyzeReport *report, GError **error)
{
    XtfInterrupts interrupts;
    Work work = {.job = job, .report = report};

    g_autoptr(XtfProgress) progress = xtf_progress_new("analysing", "rows", job->quiet);
    work.options.world = job->world;
    work.options.progress = xtf_progress_step;
    work.options.progress_data = progress;
    work.options.cancel = xtf_interrupts_catch(&interrupts);
    bool good = job->world ? analyze_in_rank(&work, error) : analyze_and_write(&work, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    return good;
}
