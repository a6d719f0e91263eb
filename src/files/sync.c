#include "src/files/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"

bool xtf_sync_file(const char *path, const char *shown_path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;
    int fault = errno;

    if (fd >= 0)
        close(fd);
    return good || xtf_fail(error, XTF_ERROR_IO, "%s: cannot be written: %s", shown_path ? shown_path : path,
                            g_strerror(fault));
}

bool xtf_sync_folder(const char *path, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, error);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        struct stat info;
        if (lstat(child, &info) != 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be read: %s", child, g_strerror(errno));
        if (S_ISDIR(info.st_mode) ? !xtf_sync_folder(child, error)
                                  : S_ISREG(info.st_mode) && !xtf_sync_file(child, NULL, error))
            return false;
    }
    return dir && xtf_sync_file(path, NULL, error);
}
