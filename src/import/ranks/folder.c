#include "src/import/ranks/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/base/sync-name.h"
#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/files/sync.h"
#include "src/model/properties.h"

enum {
    SEEING_ATTEMPTS = 50,
    SEEING_PAUSE_US = 100000,
};

void xtf_import_folder_init(XtfImportFolder *folder, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    folder->path = g_strndup(path, length);
    folder->parent = g_path_get_dirname(folder->path);
}

void xtf_import_folder_finish(XtfImportFolder *folder)
{
    g_free(folder->path);
    g_free(folder->parent);
}

char *xtf_import_folder_part(const char *folder, unsigned rank)
{
    return g_strdup_printf("%s/%06u.xtf", folder, rank);
}

char *xtf_import_folder_definitions(const char *folder)
{
    return g_build_filename(folder, "definitions.xtf", NULL);
}

/* ---- What is at the path. */

/* True if a folder has only files of traces. Sets *is_empty if it has none. */
static bool check_entries(const char *path, bool *is_empty, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    *is_empty = true;
    if (!dir)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        *is_empty = false;
        if (!strstr(name, ".xtf") || g_file_test(file, G_FILE_TEST_IS_DIR))
            return xtf_fail(error, XTF_ERROR_IO,
                            "%s: it has other files than an import, such as %s: -o writes elsewhere", path, name);
    }
    return true;
}

bool xtf_import_folder_check(const XtfImportFolder *folder, const XtfImporter *importer, bool force, char **identity,
                             GError **error)
{
    g_autofree char *anchor = g_build_filename(folder->path, XTF_ANCHOR_NAME, NULL);
    struct stat existing;
    bool is_empty;

    *identity = NULL;
    if (lstat(folder->path, &existing) != 0)
        return true; /* making the folder reports any other fault */
    if (!S_ISDIR(existing.st_mode))
        return xtf_fail(error, XTF_ERROR_IO,
                        "%s: it exists and is no folder: the ranks of a job write a folder, such as NAME.xtf.d",
                        folder->path);
    if (!check_entries(folder->path, &is_empty, error))
        return false;
    if (is_empty || force)
        return true;
    g_autoptr(XtfTrace) trace = xtf_trace_open(anchor, NULL, NULL);
    g_autoptr(GHashTable) properties = trace ? xtf_trace_read_properties(trace, NULL) : NULL;
    if (properties)
        *identity = g_strdup(xtf_property(properties, importer->identity));
    return *identity ||
           xtf_fail(error, XTF_ERROR_IO, "'%s' exists already and is not an import of this format: --force replaces it",
                    folder->path);
}

/* ---- A new folder. */

char *xtf_import_folder_make(const XtfImportFolder *folder, GError **error)
{
    g_autofree char *made = g_strdup_printf("%s.XXXXXX", folder->path);

    if (g_mkdtemp_full(made, 0777)) /* the umask applies */
        return g_steal_pointer(&made);
    xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder->path, g_strerror(errno));
    return NULL;
}

bool xtf_import_folder_sees(const char *made)
{
    for (int i = 0; i < SEEING_ATTEMPTS; i++) {
        if (access(made, F_OK) == 0)
            return true;
        usleep(SEEING_PAUSE_US);
    }
    return false;
}

void xtf_import_folder_remove(const char *made)
{
    g_autoptr(GDir) dir = g_dir_open(made, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(made, name, NULL);
        unlink(file);
    }
    rmdir(made);
}

bool xtf_import_folder_has(const char *made, uint64_t records, GError **error)
{
    g_autofree char *anchor = g_build_filename(made, XTF_ANCHOR_NAME, NULL);
    g_autoptr(XtfTrace) trace = xtf_trace_open(anchor, NULL, error);
    uint64_t n = 0;

    for (unsigned type = 0; trace && type < XTF_N_RECORD_TYPES; type++) {
        const XtfSchema *schema = xtf_trace_find_schema(trace, xtf_model_schema(type)->name);
        n += schema ? xtf_trace_n_rows(trace, schema->id) : 0;
    }
    return trace &&
           (n == records || xtf_damaged(error, "%s: the parts have %" PRIu64 " records, but %" PRIu64 " were imported",
                                        made, n, records));
}

/* Moves a folder to the path. An older folder there gets the name of the new one. */
static bool move_folder(const XtfImportFolder *folder, const char *made, bool *exchanged)
{
    *exchanged = renameat2(AT_FDCWD, made, AT_FDCWD, folder->path, RENAME_EXCHANGE) == 0;
    if (*exchanged)
        return true;
    if (errno == ENOENT)
        return rename(made, folder->path) == 0;
    /* The file system cannot exchange: for a moment nothing is at the path. */
    g_autofree char *old = g_strconcat(made, ".old", NULL);
    if (rename(folder->path, old) != 0 && errno != ENOENT)
        return false;
    if (rename(made, folder->path) != 0) {
        int code = errno;
        rename(old, folder->path);
        errno = code;
        return false;
    }
    xtf_import_folder_remove(old);
    return true;
}

bool xtf_import_folder_publish(const XtfImportFolder *folder, const char *made, GError **error)
{
    bool exchanged;

    if (!xtf_sync_folder(made, error))
        return false;
    if (!move_folder(folder, made, &exchanged))
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder->path, g_strerror(errno));
    if (exchanged)
        xtf_import_folder_remove(made);
    xtf_sync_name(folder->path);
    return true;
}
