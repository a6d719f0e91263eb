#include "tests/fuzz/targets/import.h"

#include <fcntl.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/job.h"
#include "src/import/output.h"

static void stop_at_problem(const char *message, void *data)
{
    g_error("fuzz: the check finds a problem in an import: %s", message);
}

static void check_output(const char *path)
{
    GError *error = NULL;
    XtfCheckReport report;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);

    if (!trace || !xtf_trace_check(trace, stop_at_problem, NULL, NULL, &report, &error))
        g_error("fuzz: an import cannot be read: %s", error->message);
}

void target_import(const XtfImporter *importer, const char *folder, const char *anchor, bool keep_going)
{
    static XtfSupervised shared;
    g_autofree char *path = g_build_filename(folder, "out.xtf", NULL);
    g_autoptr(GArray) skipped = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const XtfImportOptions options = {.jobs = 1, .keep_going = keep_going, .storage.no_sync = true};
    const XtfReplaced replaced = {.path = path};
    GError *error = NULL;
    XtfOutput *output = xtf_output_begin(path, anchor, &error);

    target_must(output != NULL, "no output can be made");
    XtfImportJob job = {.importer = importer,
                        .anchor = anchor,
                        .output = output,
                        .options = &options,
                        .skipped = skipped,
                        .replaced = &replaced};
    GVariant *result = importer->detect(anchor) ? xtf_import_job_run(&shared, &job, &error) : NULL;
    if (result || error)
        target_result(result != NULL, &error);
    target_must(xtf_output_end(output, result != NULL, NULL) == (result != NULL), "the output is lost");
    if (!result)
        return;
    g_variant_unref(g_variant_ref_sink(result));
    check_output(path);
    unlink(path);
}

void target_write(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    target_must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file cannot be written");
    close(fd);
}

void target_write_files(const char *folder, const char *const *names, size_t n_names, const uint8_t *data, size_t size)
{
    TargetBytes bytes = {data, size};

    while (bytes.left > 0) {
        const char *name = names[target_take(&bytes, 1) % n_names];
        size_t length = target_take(&bytes, 2);
        length = MIN(length, bytes.left);
        target_write(folder, name, bytes.at, length);
        bytes.at += length;
        bytes.left -= length;
    }
}
