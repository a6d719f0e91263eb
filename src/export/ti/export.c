/*
 * Export to the time-independent traces of SimGrid. docs/EXPORT.md says what becomes of the records.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/export/ti/exporter.h"
#include "src/export/ti/ti-export.h"

static const char list_name[] = "trace.ti";

/* Checks that the selection is a window of one run, in which all calls and messages are known. */
static bool check_selection(const XtfExportJob *job, GError **error)
{
    const XtfSelection *selection = job->selection;
    const XtfTraceContext *context = &job->tree->context;

    if (context->scale.bytes)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace is a measured network, which has no times");
    if (context->enters_leaves < 0)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the trace has no calls, which show when a process computes");
    if (selection->base || selection->procs || selection->threads || selection->windows ||
        selection->type != XTF_ANY_TYPE || xtf_selection_is_filtered(selection))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the ranks of a simulation need each other: choose only a window (time/)");
    if (!selection->endless && selection->time_to == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "the window is empty");
    if (context->gaps.n > 0 && xtf_run_gaps_ticks(&context->gaps, selection->time_from,
                                                  selection->endless ? XTF_TIME_OPEN : selection->time_to) > 0)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the trace joins several runs: choose the window (time/) of one run");
    return true;
}

static void note_left_out(XtfTiExport *export)
{
    const XtfTiKept *kept = &export->kept;

    xtf_export_count(export->job, kept->uncertain_sends, "sends without a certain receive left out");
    xtf_export_count(export->job, kept->uncertain_receives, "receives without a certain send left out");
    xtf_export_count(
        export->job, kept->uncertain_ends,
        "ends of collective operations left out: they do not block, or it is uncertain who waits for whom");
    xtf_export_count(export->job, kept->n_separate,
                     "collective operations left out: the trace does not say that their members wait for each other");
    for (uint32_t i = 0; i < kept->n_processes; i++)
        xtf_export_count(export->job, kept->processes[i].n - MIN(kept->processes[i].n, 1),
                         "threads and streams left out: they have no messages");
}

/* Writes the list of the ranks' files. smpirun reads it in its folder. */
static bool write_list(const XtfTiExport *export, GError **error)
{
    g_autofree char *path = g_build_filename(export->job->output, list_name, NULL);
    FILE *file = fopen(path, "we");

    if (!file)
        return xtf_fail(error, XTF_ERROR_IO, "%s/%s: %s", export->job->final_path, list_name, g_strerror(errno));
    for (uint32_t rank = 0; rank < export->kept.n_processes; rank++) {
        g_autofree char *name = xtf_ti_file_name(rank);
        fprintf(file, "%s\n", name);
    }
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    return good || xtf_fail(error, XTF_ERROR_IO, "%s/%s: cannot write: %s", export->job->final_path, list_name,
                            g_strerror(errno ? errno : EIO));
}

static bool export_ranks(XtfExportJob *job, GError **error)
{
    XtfTiExport export = {0};

    if (!check_selection(job, error))
        return false;
    bool good =
        xtf_ti_export_init(&export, job, error) && xtf_ti_write_ranks(&export, error) && write_list(&export, error);
    if (good)
        note_left_out(&export);
    xtf_ti_export_finish(&export);
    return good;
}

/* True if the folder has only files that this exporter names. */
static bool has_ranks_only(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        uint64_t rank;
        g_autofree char *number =
            g_str_has_prefix(name, "rank-") && g_str_has_suffix(name, ".ti")
                ? g_strndup(name + strlen("rank-"), strlen(name) - strlen("rank-") - strlen(".ti"))
                : g_strdup("");
        if (strcmp(name, list_name) != 0 && !g_ascii_string_to_unsigned(number, 10, 0, UINT32_MAX, &rank, NULL))
            return false;
    }
    return dir;
}

const XtfExporter xtf_ti_exporter = {
    .name = "ti",
    .description = "a folder of SimGrid's time-independent traces",
    .expands = true,
    .folder = true,
    .may_replace = has_ranks_only,
    .run = export_ranks,
};
