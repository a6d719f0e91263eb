#include "libxtf/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"

enum {
    LINK_ATTEMPTS = 100,
};

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

static bool is_at_path(int fd, const char *path)
{
    struct stat file, at_path;

    return fstat(fd, &file) == 0 && stat(path, &at_path) == 0 && file.st_dev == at_path.st_dev &&
           file.st_ino == at_path.st_ino;
}

/* Links the file to the temporary name, and renames that. Sets *again to true if another process took the temporary
 * name, or a killed one left it. */
static bool replace_by_link(int fd, const char *by_descriptor, const char *temporary, const char *path, bool *again)
{
    if (linkat(AT_FDCWD, by_descriptor, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) != 0) {
        *again = errno == EEXIST && (unlink(temporary) == 0 || errno == ENOENT);
        return false;
    }
    if (rename(temporary, path) == 0)
        return true;
    int fault = errno;
    *again = fault == ENOENT && !is_at_path(fd, path);
    if (fault != ENOENT)
        unlink(temporary);
    errno = fault;
    return fault == ENOENT && !*again;
}

bool xtf_nameless_link(int fd, const char *path)
{
    g_autofree char *by_descriptor = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *temporary = g_strconcat(path, ".new-by-xtf", NULL);
    bool again = true;

    for (unsigned i = 0; again && i < LINK_ATTEMPTS; i++) {
        if (linkat(AT_FDCWD, by_descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return true;
        again = false;
        if (errno == EEXIST && replace_by_link(fd, by_descriptor, temporary, path, &again))
            return true;
    }
    return false;
}
