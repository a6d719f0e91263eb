#include "libxtf/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"

#define NEW_ENDING ".new-by-xtf"

enum {
    NAMES_TRIED = 100,
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

/* Removes a file that a killed process left. A process that still runs keeps its file locked until it has renamed it.
 * Returns true if the name is free now. */
static bool remove_abandoned(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat locked, at_path;
    bool is_free = fd < 0 && errno == ENOENT;

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &locked) == 0 && lstat(path, &at_path) == 0 &&
        locked.st_dev == at_path.st_dev && locked.st_ino == at_path.st_ino)
        is_free = unlink(path) == 0;
    if (fd >= 0)
        close(fd);
    return is_free;
}

/* Links the file to a temporary name, and renames this to `path`. Returns false with errno on failure. */
static bool replace_by_link(const char *by_descriptor, const char *path)
{
    for (unsigned number = 0; number < NAMES_TRIED;) {
        g_autofree char *temporary =
            number == 0 ? g_strconcat(path, NEW_ENDING, NULL) : g_strdup_printf("%s" NEW_ENDING "-%u", path, number);
        if (linkat(AT_FDCWD, by_descriptor, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0) {
            if (rename(temporary, path) == 0)
                return true;
            int fault = errno;
            unlink(temporary);
            errno = fault;
            return false;
        }
        if (errno != EEXIST)
            return false;
        number += !remove_abandoned(temporary);
    }
    errno = EEXIST;
    return false;
}

bool xtf_nameless_link(int fd, const char *path)
{
    g_autofree char *by_descriptor = g_strdup_printf("/proc/self/fd/%d", fd);

    if (linkat(AT_FDCWD, by_descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    flock(fd, LOCK_EX | LOCK_NB);
    bool replaced = replace_by_link(by_descriptor, path);
    int fault = errno;
    flock(fd, LOCK_UN);
    errno = fault;
    return replaced;
}
