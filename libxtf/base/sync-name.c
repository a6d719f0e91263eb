#include "libxtf/base/sync-name.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

void xtf_sync_name(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int before = errno, fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    errno = before;
}
