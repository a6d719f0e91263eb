#include "src/analysis/path/path-segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"

enum { BLOCK = 1 << 15 }; /* segments */

static const size_t block_bytes = BLOCK * sizeof(XtfPathSegment);

void xtf_path_segments_init(XtfPathSegments *segments, const char *folder)
{
    *segments = (XtfPathSegments){.fd = -1, .folder = folder};
}

void xtf_path_segments_finish(XtfPathSegments *segments)
{
    g_free(segments->block);
    if (segments->fd >= 0)
        close(segments->fd);
    xtf_path_segments_init(segments, NULL);
}

static bool fail(GError **error, const char *what)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s a temporary file: %s", what, g_strerror(errno));
}

static int open_unlinked(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    g_autofree char *name = g_build_filename(folder, "xtf-XXXXXX", NULL);
    fd = g_mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

/* Writes the block behind all others, or reads the last one back. */
static bool move_block(XtfPathSegments *segments, bool out, GError **error)
{
    uint64_t number = (segments->n - segments->n_block) / BLOCK - !out;
    char *bytes = (char *)segments->block;

    if (segments->fd < 0)
        segments->fd = open_unlinked(segments->folder ? segments->folder : g_get_tmp_dir());
    if (segments->fd < 0)
        return fail(error, "creating");
    for (size_t done = 0; done < block_bytes;) {
        off_t at = (off_t)(number * block_bytes + done);
        ssize_t n = out ? pwrite(segments->fd, bytes + done, block_bytes - done, at)
                        : pread(segments->fd, bytes + done, block_bytes - done, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return fail(error, out ? "writing" : "reading");
        done += (size_t)n;
    }
    segments->n_block = out ? 0 : BLOCK;
    return true;
}

bool xtf_path_segments_add(XtfPathSegments *segments, const XtfPathSegment *segment, GError **error)
{
    if (!segments->block)
        segments->block = g_malloc(block_bytes);
    if (segments->n_block == BLOCK && !move_block(segments, true, error))
        return false;
    segments->block[segments->n_block++] = *segment;
    segments->n++;
    return true;
}

bool xtf_path_segments_take(XtfPathSegments *segments, XtfPathSegment *segment, bool *found, GError **error)
{
    *found = segments->n > 0;
    if (!*found)
        return true;
    if (segments->n_block == 0 && !move_block(segments, false, error))
        return false;
    *segment = segments->block[--segments->n_block];
    segments->n--;
    return true;
}
