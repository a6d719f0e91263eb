#include "src/import/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"
#include "libxtf/base/sync-name.h"
#include "src/files/same-file.h"
#include "src/files/sync.h"

static bool check_final_path(const char *final_path, const char *source, GError **error)
{
    struct stat existing;

    if (stat(final_path, &existing) != 0) /* creating the file reports any other fault */
        return true;
    if (!S_ISREG(existing.st_mode))
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", final_path,
                        S_ISDIR(existing.st_mode) ? g_strerror(EISDIR) : "is no regular file");
    if (source && xtf_is_same_file(source, final_path))
        return xtf_fail(error, XTF_ERROR_IO, "%s: the output is the file to be read", final_path);
    return true;
}

/* Creates a file without a name. False if the file system does not support that, or without /proc, which linkat() needs
 * to give the file its name. */
static bool create_nameless(XtfOutput *output, const char *folder, mode_t mode)
{
    output->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (output->fd < 0)
        return false;
    output->path = g_strdup_printf("/proc/self/fd/%d", output->fd);
    if (access(output->path, R_OK | W_OK) == 0)
        return true;
    close(output->fd);
    output->fd = -1;
    g_clear_pointer(&output->path, g_free);
    return false;
}

static bool create_named(XtfOutput *output, const char *folder, mode_t mode, GError **error)
{
    g_autofree char *name = g_path_get_basename(output->final_path);

    output->path = g_strdup_printf("%s/%s.XXXXXX", folder, name);
    int fd = g_mkstemp(output->path);

    if (fd < 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", output->final_path, g_strerror(errno));
    fchmod(fd, mode);
    close(fd);
    return true;
}

static void output_free(XtfOutput *output)
{
    if (output->fd >= 0)
        close(output->fd);
    g_free(output->path);
    g_free(output->final_path);
    g_free(output);
}

XtfOutput *xtf_output_begin_in(const char *folder, const char *final_path, GError **error)
{
    mode_t mask = umask(0);

    umask(mask);
    XtfOutput *output = g_new0(XtfOutput, 1);
    output->final_path = g_strdup(final_path);
    output->fd = -1;
    if (create_nameless(output, folder, 0666 & ~mask) ||
        create_named(output, folder, 0666 & ~mask, error)) /* the mode of any new file */
        return output;
    output_free(output);
    return NULL;
}

XtfOutput *xtf_output_begin(const char *final_path, const char *source, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(final_path);

    return check_final_path(final_path, source, error) ? xtf_output_begin_in(folder, final_path, error) : NULL;
}

void xtf_output_redirect(XtfOutput *output, const char *final_path)
{
    g_free(output->final_path);
    output->final_path = g_strdup(final_path);
}

static bool move_to_final_path(XtfOutput *output, GError **error)
{
    bool is_nameless = output->fd >= 0;

    if (is_nameless ? xtf_nameless_link(output->fd, output->final_path) : rename(output->path, output->final_path) == 0)
        return true;
    xtf_fail(error, XTF_ERROR_IO, "%s: %s", output->final_path, g_strerror(errno));
    if (!is_nameless)
        unlink(output->path);
    return false;
}

int xtf_output_open(const XtfOutput *output, GError **error)
{
    int fd = open(output->path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", output->final_path, g_strerror(errno));
    return fd;
}

XtfWriter *xtf_output_writer(const XtfOutput *output, const XtfWriterOptions *options, GError **error)
{
    int fd = xtf_output_open(output, error);

    return fd < 0 ? NULL : xtf_writer_create_in(fd, output->final_path, options, error);
}

bool xtf_output_sync(const XtfOutput *output, GError **error)
{
    return xtf_sync_file(output->path, output->final_path, error);
}

bool xtf_output_end(XtfOutput *output, bool complete, GError **error)
{
    complete = complete && xtf_output_sync(output, error);
    bool placed = complete && move_to_final_path(output, error);

    if (placed)
        xtf_sync_name(output->final_path);
    if (!complete && output->fd < 0)
        unlink(output->path);
    output_free(output);
    return placed;
}
