#include "src/import/output.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_output(const char *output, const char *source, GError **error)
{
    struct stat there, read;

    if (stat(output, &there) != 0) /* other faults show when the file is created */
        return true;
    if (!S_ISREG(there.st_mode))
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", output,
                        S_ISDIR(there.st_mode) ? g_strerror(EISDIR) : "is no regular file");
    if (stat(source, &read) == 0 && there.st_dev == read.st_dev && there.st_ino == read.st_ino)
        return xtf_fail(error, XTF_ERROR_IO, "%s: is the file to be read", output);
    return true;
}

char *xtf_output_begin(const char *output, const char *source, GError **error)
{
    if (!check_output(output, source, error))
        return NULL;
    g_autofree char *path = g_strdup_printf("%s.XXXXXX", output);
    int fd = g_mkstemp(path);
    mode_t mask = umask(0);

    umask(mask);
    if (fd < 0) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", output, g_strerror(errno));
        return NULL;
    }
    fchmod(fd, 0666 & ~mask); /* the mode of any new file */
    close(fd);
    return g_steal_pointer(&path);
}

bool xtf_output_end(char *path, const char *output, bool whole, GError **error)
{
    if (whole && rename(path, output) != 0)
        whole = xtf_fail(error, XTF_ERROR_IO, "%s: %s", output, g_strerror(errno));
    if (!whole)
        unlink(path);
    g_free(path);
    return whole;
}
