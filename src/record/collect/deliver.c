#include "src/record/collect/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/files/same-file.h"
#include "src/record/collect/part.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

enum { COPY_BYTES = 1 << 20 };

/* Returns the folder to which parts move from `folder`; NULL if they stay. */
static const char *destination(const char *folder, const char *host)
{
    const char *gather = g_getenv("XTF_RECORD_GATHER"), *home = g_getenv("XTF_RECORD_HOST");

    if (!gather || !gather[0] || g_strcmp0(home, host) == 0 || xtf_is_same_file(gather, folder))
        return NULL;
    return gather;
}

void xtf_collect_create_gathering(const char *folder, const char *host)
{
    const char *gather = destination(folder, host);

    if (gather)
        g_mkdir_with_parents(gather, 0700); /* a later delivery reports the error */
}

static bool copy_bytes(int from, int to)
{
    g_autofree uint8_t *buffer = g_malloc(COPY_BYTES);
    ssize_t n;

    while ((n = TEMP_FAILURE_RETRY(read(from, buffer, COPY_BYTES))) > 0)
        for (ssize_t at = 0; at < n;) {
            ssize_t written = TEMP_FAILURE_RETRY(write(to, buffer + at, n - at));
            if (written < 0)
                return false;
            at += written;
        }
    return n == 0;
}

/* Copies the file `from` to the file `to` in the folder, a descriptor. */
static bool copy_file(const char *from, int folder, const char *to, GError **error)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int out = in < 0 ? -1 : xtf_job_file_open(folder, to, O_WRONLY | O_CREAT | O_TRUNC);
    bool good = out >= 0 && copy_bytes(in, out) && TEMP_FAILURE_RETRY(fsync(out)) == 0;
    int failure = errno;

    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && errno != EINTR && good) {
        good = false;
        failure = errno;
    }
    return good || xtf_fail(error, XTF_ERROR_IO, "copying %s to %s: %s", from, to, g_strerror(failure));
}

/* Renames a file unless the new name exists. Some file systems support neither links nor RENAME_NOREPLACE. */
static bool name_new(int folder, const char *from, const char *to)
{
    if (linkat(folder, from, folder, to, 0) == 0)
        return unlinkat(folder, from, 0) == 0;
    if (errno == EEXIST)
        return false;
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return false;
    if (faccessat(folder, to, F_OK, 0) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(folder, from, folder, to) == 0;
}

/* Copies a file to a folder. The file gets its name there only when it is whole. */
static bool copy_to_folder(const char *path, const char *gather, const char *host, const char *name, bool replace,
                           GError **error)
{
    if (g_mkdir_with_parents(gather, 0700) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", gather, g_strerror(errno));
    int folder = xtf_collect_folder_open(gather, error);
    if (folder < 0)
        return false;
    g_autofree char *before = g_strdup_printf(".%s-%s", host, name);
    bool good = copy_file(path, folder, before, error);
    if (good && (replace ? renameat(folder, before, folder, name) != 0 : !name_new(folder, before, name)))
        good = xtf_fail(error, XTF_ERROR_IO, "%s/%s: %s", gather, name, g_strerror(errno));
    if (!good)
        unlinkat(folder, before, 0);
    close(folder);
    return good;
}

/* Renames a file of the folder; removes it if name is NULL. */
static void rename_in_folder(const char *folder, const char *path, const char *name)
{
    int directory = xtf_job_folder_open(folder);
    g_autofree char *old = g_path_get_basename(path);

    if (directory < 0)
        return;
    if (name)
        renameat(directory, old, directory, name);
    else
        unlinkat(directory, old, 0);
    close(directory);
}

/* True if a name is that of an earlier volume of a part: the part's name, a dot and digits. */
static bool is_volume_of(const char *name, const char *part)
{
    size_t length = strlen(part);

    return g_str_has_prefix(name, part) && name[length] == '.' && name[length + 1] &&
           strspn(name + length + 1, "0123456789") == strlen(name + length + 1);
}

/* Copies the earlier volumes of a part, and removes them. The numbers of the first ones may be missing: `--keep`
 * removed these volumes. */
static bool deliver_volumes(const char *folder, const char *part, const char *gather, const char *host, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (is_volume_of(name, part))
            g_ptr_array_add(names, g_strdup(name));
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);
        if (!copy_to_folder(path, gather, host, names->pdata[i], false, error))
            return false;
        rename_in_folder(folder, path, NULL);
    }
    return true;
}

bool xtf_collect_deliver(const char *folder, const char *path, const char *host, GError **error)
{
    const char *gather = destination(folder, host);

    if (!gather)
        return true;
    g_autofree char *name = g_path_get_basename(path);
    if (!deliver_volumes(folder, name, gather, host, error) || !copy_to_folder(path, gather, host, name, false, error))
        return false;
    rename_in_folder(folder, path, NULL);
    return true;
}

/* Returns the path of stderr's file, if it is a log in the folder; else NULL. */
static char *find_log(const char *folder, bool *is_empty)
{
    g_autofree char *log = g_file_read_link("/proc/self/fd/2", NULL);
    g_autofree char *log_folder = log ? g_path_get_dirname(log) : NULL;
    struct stat status;

    if (!log || !g_str_has_suffix(log, XTF_JOB_LOG_ENDING) || !xtf_is_same_file(log_folder, folder) ||
        fstat(STDERR_FILENO, &status) != 0)
        return NULL;
    *is_empty = status.st_size == 0;
    return g_steal_pointer(&log);
}

bool xtf_collect_deliver_log(const char *folder, const char *part, const char *host, bool good)
{
    const char *gather = destination(folder, host);
    bool is_empty = false;
    g_autofree char *log = find_log(folder, &is_empty);
    g_autofree char *name = NULL;

    if (!log)
        return true;
    if (good && is_empty) {
        if (!gather)
            rename_in_folder(folder, log, NULL);
        return true;
    }
    if (part) {
        g_autofree char *base = g_path_get_basename(part);
        name = g_strdup_printf("%.*s" XTF_JOB_LOG_ENDING, (int)strcspn(base, "."), base);
    } else if (gather) { /* a process's number is unique only together with its host */
        g_autofree char *base = g_path_get_basename(log);
        name = g_strdup_printf("%s-%s", host, base);
    }
    if (gather)
        return is_empty || copy_to_folder(log, gather, host, name, true, NULL);
    if (name)
        rename_in_folder(folder, log, name);
    return true;
}

void xtf_collect_clean_folder(const char *folder, const char *host)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    bool is_empty;

    if (!destination(folder, host))
        return;
    g_autofree char *log = find_log(folder, &is_empty);
    if (log)
        rename_in_folder(folder, log, NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir)
        return;
    while ((name = g_dir_read_name(dir))) {
        if (!xtf_job_is_shared(name))
            return;
        g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    }
    for (guint i = 0; i < paths->len; i++)
        rename_in_folder(folder, paths->pdata[i], NULL);
    g_rmdir(folder);
}
