#include "src/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/base/sync-name.h"
#include "src/export/job.h"
#include "src/files/sync.h"
#include "src/import/output.h"
#include "src/tree/paths/selection-dir.h"

/* ---- Folders. */

/* Removes a folder that an exporter made, with its files and folders. Returns false if the folder remains. */
static bool remove_folder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        struct stat info;
        if (lstat(child, &info) == 0 && S_ISDIR(info.st_mode))
            remove_folder(child);
        else
            unlink(child);
    }
    return rmdir(path) == 0;
}

/* Locks a folder of this user if no process has locked it. Returns its descriptor; -1 on failure. In a folder like /tmp
 * another user may have made it, to exchange it for a link while its files are removed. */
static int lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat locked, at_path;

    /* Another process may have removed the folder before it was locked. */
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &locked) == 0 && lstat(path, &at_path) == 0 &&
        locked.st_ino == at_path.st_ino && locked.st_dev == at_path.st_dev && locked.st_uid == geteuid())
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Creates the folder PATH.new-by-xtf, and locks it. The name is the same each time, so that this function removes the
 * folder of a killed process. Returns NULL if the folder is in use, or has other files. */
static char *create_locked_folder(const XtfExporter *exporter, const char *final_path, mode_t mode, int *lock)
{
    g_autofree char *path = g_strconcat(final_path, ".new-by-xtf", NULL);

    for (unsigned i = 0; i < 2; i++) {
        bool made = mkdir(path, mode) == 0;
        *lock = made || errno == EEXIST ? lock_folder(path) : -1;
        if (*lock >= 0 && made)
            return g_steal_pointer(&path);
        if (*lock < 0)
            return NULL;
        bool removed = exporter->may_replace(path) && remove_folder(path);
        close(*lock);
        *lock = -1;
        if (!removed)
            return NULL;
    }
    return NULL;
}

/* Creates an empty folder for the export. *lock gets a descriptor that keeps other processes from removing the folder,
 * or -1: the folder has a random name. */
static char *create_folder(const XtfExporter *exporter, const char *final_path, int *lock, GError **error)
{
    mode_t mask = umask(0);

    umask(mask);
    char *locked = create_locked_folder(exporter, final_path, 0777 & ~mask, lock);
    if (locked)
        return locked;
    g_autofree char *path = g_strdup_printf("%s.XXXXXX", final_path);
    if (!g_mkdtemp_full(path, 0777 & ~mask)) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", final_path, g_strerror(errno));
        return NULL;
    }
    return g_steal_pointer(&path);
}

/* ---- Files and folders. */

/* True if the path is the source of the export, or contains it. */
static bool holds_source(const char *final_path, const char *source)
{
    g_autofree char *whole_path = realpath(final_path, NULL), *whole_source = source ? realpath(source, NULL) : NULL;

    if (!whole_path || !whole_source || !g_str_has_prefix(whole_source, whole_path))
        return false;
    char end = whole_source[strlen(whole_path)];
    return end == '\0' || end == '/';
}

static bool check_final_path(const XtfExporter *exporter, const char *final_path, const XtfExportOptions *options,
                             GError **error)
{
    struct stat existing;

    if (lstat(final_path, &existing) != 0)
        return errno == ENOENT || xtf_fail(error, XTF_ERROR_IO, "%s: %s", final_path, g_strerror(errno));
    if (!options->force)
        return xtf_fail(error, XTF_ERROR_IO, "'%s' exists already: --force replaces it", final_path);
    if (holds_source(final_path, options->source))
        return xtf_fail(error, XTF_ERROR_IO, "'%s' is, or contains, the trace to export: it is not replaced",
                        final_path);
    if (exporter->folder)
        return (S_ISDIR(existing.st_mode) && exporter->may_replace(final_path)) ||
               xtf_fail(error, XTF_ERROR_IO, "'%s' exists already and contains more than %s: it is not replaced",
                        final_path, exporter->description);
    return (S_ISREG(existing.st_mode) && exporter->may_replace(final_path)) ||
           xtf_fail(error, XTF_ERROR_IO, "'%s' exists already and is not %s: it is not replaced", final_path,
                    exporter->description);
}

/* Renames the finished folder to its final path. An export may take long, so this function checks the path again. It
 * removes the old folder after the new one has replaced it, if the filesystem can exchange names. */
static bool put_folder(const XtfExportJob *job, const char *final_path, const XtfExportOptions *options, GError **error)
{
    int flags = options->force ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    struct stat existing;

    if (!check_final_path(job->exporter, final_path, options, error))
        return false;
    bool replaces = lstat(final_path, &existing) == 0;
    if (renameat2(AT_FDCWD, job->output, AT_FDCWD, final_path, replaces ? flags : RENAME_NOREPLACE) == 0) {
        xtf_sync_name(final_path);
        if (replaces)
            remove_folder(job->output);
        return true;
    }
    /* The filesystem supports neither flag of renameat2(2). rename() replaces only an empty folder, so the old folder
     * goes first. */
    if (errno == EINVAL && (!replaces || remove_folder(final_path)) && rename(job->output, final_path) == 0) {
        xtf_sync_name(final_path);
        return true;
    }
    return xtf_fail(error, XTF_ERROR_IO, "%s: %s", final_path, g_strerror(errno));
}

static GVariant *run_supervised(XtfExportJob *job, const XtfExportOptions *options, GError **error)
{
    g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const XtfSupervision supervision = {
        .work = xtf_export_job_run,
        .data = job,
        .type = XTF_EXPORT_REPORT_TYPE,
        .subject = "the process that wrote the export",
        .cancel = options->cancel,
        .progress = options->progress,
        .progress_data = options->progress_data,
    };

    return xtf_supervise(&supervision, suspects, error);
}

/* Replaces the temporary path in an error by the final one. OTF2's messages name the temporary folder, which users do
 * not know. */
static void replace_path_in_message(GError *error, const char *path, const char *final_path)
{
    g_autoptr(GString) message = g_string_new(error->message);

    g_string_replace(message, path, final_path, 0);
    g_free(error->message);
    error->message = g_strdup(message->str);
}

/* Writes the export to the folder job->output, and gives the folder its name. */
static GVariant *fill_folder(XtfExportJob *job, const char *final_path, const XtfExportOptions *options, GError **error)
{
    g_autoptr(GVariant) result = NULL;
    GError *failure = NULL;

    result = run_supervised(job, options, &failure);
    if (result && xtf_sync_folder(job->output, &failure) && put_folder(job, final_path, options, &failure))
        return g_steal_pointer(&result);
    remove_folder(job->output);
    replace_path_in_message(failure, job->output, final_path);
    g_propagate_error(error, failure);
    return NULL;
}

static GVariant *export_folder(XtfExportJob *job, const char *final_path, const XtfExportOptions *options,
                               GError **error)
{
    int lock;
    g_autofree char *path = create_folder(job->exporter, final_path, &lock, error);

    if (!path)
        return NULL;
    job->output = path;
    job->final_path = final_path;
    GVariant *result = fill_folder(job, final_path, options, error);
    if (lock >= 0)
        close(lock);
    return result;
}

static GVariant *export_file(XtfExportJob *job, const char *final_path, const XtfExportOptions *options, GError **error)
{
    XtfOutput *output = xtf_output_begin(final_path, options->source ? options->source : "", error);
    g_autoptr(GVariant) result = NULL;

    if (!output)
        return NULL;
    job->output = output->path;
    job->final_path = output->final_path;
    result = run_supervised(job, options, error);
    bool whole = result &&
                 check_final_path(job->exporter, final_path, options, error); /* another program may have made a file */
    return xtf_output_end(output, whole, error) ? g_steal_pointer(&result) : NULL;
}

bool xtf_export(const XtfExporter *exporter, XtfNode *directory, const char *output, const XtfExportOptions *options,
                XtfExportReport *report, GError **error)
{
    static const XtfExportOptions defaults;
    g_autofree char *final_path = g_strdup(output);
    g_autoptr(GVariant) result = NULL;
    g_autofree char **notes = NULL;

    options = options ? options : &defaults;
    for (size_t n = strlen(final_path); n > 1 && final_path[n - 1] == '/'; n--)
        final_path[n - 1] = '\0';
    if (directory->class != &xtf_selection_dir)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "it is not a directory of records, such as proc/0 or time/1-2: only records are exported");
    if (!check_final_path(exporter, final_path, options, error))
        return false;
    g_autofree char *folder = g_path_get_dirname(final_path);
    XtfExportJob job = {.exporter = exporter,
                        .tree = directory->tree,
                        .selection = directory->selection,
                        .rate = options->rate,
                        .for_scalasca = options->for_scalasca,
                        .expands = options->expands,
                        .folder = folder};
    result = exporter->folder ? export_folder(&job, final_path, options, error)
                              : export_file(&job, final_path, options, error);
    if (!result)
        return false;
    g_variant_get(result, "(tt^a&s)", &report->records, &report->locations, &notes);
    for (char **note = notes; *note; note++)
        g_ptr_array_add(report->notes, g_strdup(*note));
    return true;
}
