#include "src/import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/trace.h"
#include "src/import/job.h"
#include "src/import/output.h"
#include "src/model/properties.h"

enum {
    SKIPPED_MAX = 64, /* locations that keep_going skips because the reader crashed on them */
};

/* Adds to the message the anchor and the locations on which the reader may have crashed. */
static void add_suspects(GError *error, const XtfImporter *importer, const char *anchor, const GArray *suspects)
{
    g_autoptr(GString) message = g_string_new(NULL);

    for (guint i = 0; i < suspects->len; i++)
        g_string_append_printf(message, "%s%s %" PRIu64, i == 0 ? ", in " : " or",
                               i > 0                ? ""
                               : importer->suspects ? importer->suspects
                                                    : "location",
                               g_array_index(suspects, uint64_t, i));
    if (error->code != XTF_ERROR_DAMAGED || g_str_has_prefix(error->message, anchor))
        return;
    g_string_prepend(message, error->message);
    g_string_prepend(message, ": ");
    g_string_prepend(message, anchor);
    g_free(error->message);
    error->message = g_string_free(g_steal_pointer(&message), FALSE);
}

GVariant *xtf_import_read(const XtfImportJob *job, GError **error)
{
    const XtfImportOptions *options = job->options;
    g_autoptr(GArray) skipped = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    XtfImportOptions child_options = *options;
    XtfImportJob child_job = *job;

    child_job.options = &child_options;
    child_job.skipped = skipped;
    for (;;) {
        XtfSupervision supervision = {
            .work = xtf_import_job_run,
            .data = &child_job,
            .type = job->share ? XTF_SHARED_REPORT_TYPE : XTF_REPORT_TYPE,
            .cancel = options->cancel,
            .progress = options->progress,
            .progress_data = options->progress_data,
        };
        g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        GError *failed = NULL;
        GVariant *result = xtf_supervise(&supervision, suspects, &failed);
        if (result)
            return result;
        if (!options->keep_going || suspects->len == 0 || skipped->len >= SKIPPED_MAX) {
            add_suspects(failed, job->importer, job->anchor, suspects);
            g_propagate_error(error, failed);
            return NULL;
        }
        g_clear_error(&failed);
        if (child_options.jobs == 1)
            g_array_append_vals(skipped, suspects->data, suspects->len);
        child_options.jobs = 1;
    }
}

/* Finds out which trace an existing file at the output's path is an import of. Fails if it is not an import, unless it
 * is empty or `force` is set. */
static bool find_replaced(XtfReplaced *replaced, const XtfImporter *importer, const char *output, bool force,
                          GError **error)
{
    struct stat existing;

    *replaced = (XtfReplaced){.path = output};
    if (force || stat(output, &existing) != 0 || !S_ISREG(existing.st_mode) || existing.st_size == 0)
        return true;
    g_autoptr(XtfTrace) trace = xtf_trace_open(output, NULL, NULL);
    g_autoptr(GHashTable) properties = trace ? xtf_trace_read_properties(trace, NULL) : NULL;
    if (properties)
        replaced->identity = g_strdup(xtf_property(properties, importer->identity));
    return replaced->identity ||
           xtf_fail(error, XTF_ERROR_IO, "'%s' exists already and is not an import%s: --force replaces it", output,
                    trace ? " of this format" : "");
}

/* True if a file exists, and is none of XTF's: no import can have left it there. */
static bool is_foreign_file(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);

    return !trace && g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_XTF);
}

/* True if an existing file is one of the archive's files, or in one of its folders. Imports have names that begin like
 * the archive's, and are no part of it. */
static bool is_in_archive(const XtfImporter *importer, const char *anchor, const char *output)
{
    g_autoptr(GPtrArray) files = xtf_importer_files(importer, anchor);
    g_autofree char *final_path = realpath(output, NULL);
    struct stat existing, read;

    if (!final_path || stat(final_path, &existing) != 0 || !is_foreign_file(final_path))
        return false;
    for (guint i = 0; files && i < files->len; i++) {
        g_autofree char *path = realpath(files->pdata[i], NULL);
        if (!path || stat(path, &read) != 0)
            continue;
        size_t length = strlen(path);
        if ((existing.st_dev == read.st_dev && existing.st_ino == read.st_ino) ||
            (S_ISDIR(read.st_mode) && g_str_has_prefix(final_path, path) && final_path[length] == '/'))
            return true;
    }
    return false;
}

bool xtf_import(const char *path, const char *output, const XtfImportOptions *options, XtfImportReport *report,
                GError **error)
{
    static const XtfImportOptions defaults;
    const XtfImporter *importer;
    const char *format = options ? options->format : NULL;
    g_autofree char *anchor =
        format ? xtf_import_of_format(path, format, &importer, error) : xtf_import_detect(path, &importer, error);
    XtfReplaced replaced;

    if (anchor && is_in_archive(importer, anchor, output))
        return xtf_fail(error, XTF_ERROR_IO, "%s: the output is a file of the archive to be read", output);
    XtfOutput *file = anchor ? xtf_output_begin(output, anchor, error) : NULL;
    if (!file)
        return false;
    if (options && options->values && !importer->has_values) {
        xtf_output_end(file, false, NULL);
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: --values is for traces of OpenTS, but this is a trace of %s",
                        path, importer->name);
    }
    options = options ? options : &defaults;
    g_autoptr(GVariant) result = NULL;
    if (find_replaced(&replaced, importer, output, options->force, error))
        result = xtf_import_read(
            &(XtfImportJob){
                .importer = importer, .anchor = anchor, .output = file, .options = options, .replaced = &replaced},
            error);
    g_free(replaced.identity);
    if (!xtf_output_end(file, result, error))
        return false;
    xtf_import_report_unpack(report, result);
    report->format = importer->name;
    return true;
}
