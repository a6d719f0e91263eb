#include "libxtf/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "libxtf/error.h"

int xtf_nameless_file(const char *folder, GError **error)
{
    const char *folder_path = folder ? folder : g_get_tmp_dir();
    int fd = open(folder_path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0)
        return fd;
    g_autofree char *name = g_build_filename(folder_path, "xtf-temporary-XXXXXX", NULL);
    fd = g_mkstemp_full(name, O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        unlink(name);
    else
        xtf_fail(error, XTF_ERROR_IO, "cannot create a temporary file in '%s': %s", folder_path, g_strerror(errno));
    return fd;
}
