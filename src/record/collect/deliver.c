#include "src/record/collect/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20 };

static bool copy_bytes(int from, int to)
{
    g_autofree uint8_t *buffer = g_malloc(COPY_BYTES);
    ssize_t n;

    while ((n = read(from, buffer, COPY_BYTES)) > 0)
        for (ssize_t at = 0; at < n;) {
            ssize_t written = write(to, buffer + at, n - at);
            if (written < 0)
                return false;
            at += written;
        }
    return n == 0;
}

static bool copy_file(const char *from, const char *to, GError **error)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = out >= 0 && copy_bytes(in, out) && fsync(out) == 0;
    int failure = errno;

    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && good) {
        good = false;
        failure = errno;
    }
    return good || xtf_fail(error, XTF_ERROR_IO, "copying %s to %s: %s", from, to, g_strerror(failure));
}

bool xtf_collect_deliver(const char *path, const char *host, GError **error)
{
    const char *gather = g_getenv("XTF_RECORD_GATHER"), *home = g_getenv("XTF_RECORD_HOST");

    if (!gather || !gather[0] || g_strcmp0(home, host) == 0)
        return true;
    if (g_mkdir_with_parents(gather, 0777) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", gather, g_strerror(errno));
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *place = g_build_filename(gather, name, NULL);
    g_autofree char *before = g_strdup_printf("%s/.%s-%s", gather, host, name);
    bool good = copy_file(path, before, error);
    if (good && link(before, place) != 0) /* unlike rename, it replaces nothing */
        good = xtf_fail(error, XTF_ERROR_IO, "%s: %s", place, g_strerror(errno));
    g_unlink(before);
    if (good)
        g_unlink(path);
    return good;
}

void xtf_collect_settle_log(const char *folder, const char *part, bool good)
{
    g_autofree char *log = g_file_read_link("/proc/self/fd/2", NULL);
    g_autofree char *where = log ? g_path_get_dirname(log) : NULL;
    g_autofree char *there = g_canonicalize_filename(folder, NULL);
    struct stat status;

    if (!log || !g_str_has_suffix(log, ".log") || !g_str_equal(where, there) || fstat(STDERR_FILENO, &status) != 0)
        return;
    if (good && status.st_size == 0) {
        g_unlink(log);
        return;
    }
    if (!part)
        return;
    g_autofree char *name = g_path_get_basename(part);
    g_autofree char *stem = g_strndup(name, strcspn(name, "."));
    g_autofree char *place = g_strdup_printf("%s/%s.log", folder, stem);
    g_rename(log, place);
}
