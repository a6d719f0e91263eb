/*
 * The writer's file: its descriptor, and the allocation of its pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "libxtf/write/writer-private.h"

enum { LOCK_TRIES = 20, LOCK_DELAY_US = 5000 };

/* Takes the file lock, with retries: a program that checks whether a file is being written holds the lock for an
 * instant. */
static bool try_lock(int fd)
{
    for (unsigned tries = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
            return false;
        g_usleep(LOCK_DELAY_US);
    }
    return true;
}

bool xtf_writer_lock_file(int fd, const char *path, GError **error)
{
    /* The kernel releases the lock when the descriptor is closed, also when the writer crashes. */
    if (try_lock(fd))
        return true;
    return errno == EWOULDBLOCK
               ? xtf_fail(error, XTF_ERROR_IO, "%s: another program is writing it", path)
               : xtf_fail(error, XTF_ERROR_IO, "%s: cannot lock the file: %s", path, g_strerror(errno));
}

int xtf_writer_open_file(const char *path, int flags, GError **error)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);

    if (fd < 0)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    if (fd < 0 || xtf_writer_lock_file(fd, path, error))
        return fd;
    close(fd);
    return -1;
}

/* Writes bytes to a file of the writer, whose offsets count from its begin. */
static bool put_bytes(XtfWriter *writer, int fd, uint64_t offset, const void *bytes, size_t length, GError **error)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        ssize_t n = pwrite(fd, from, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            writer->failed = true;
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot write: %s", writer->path, g_strerror(errno));
        }
        from += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

bool xtf_writer_put(XtfWriter *writer, uint64_t offset, const void *bytes, size_t length, GError **error)
{
    uint64_t first = writer->own_first * writer->page_size;

    if (offset < first) {
        writer->failed = true;
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: an earlier volume cannot be written", writer->path);
    }
    return put_bytes(writer, writer->fd, offset - first, bytes, length, error);
}

bool xtf_writer_put_edges(XtfWriter *writer, const void *bytes, size_t length, GError **error)
{
    if (!put_bytes(writer, writer->edges_fd, writer->edges_end, bytes, length, error))
        return false;
    writer->edges_end += length;
    return true;
}

uint64_t xtf_writer_take_pages(XtfWriter *writer, uint64_t behind, uint64_t n_pages)
{
    uint64_t place;

    if (!xtf_space_take_pages(writer->space, behind, n_pages, &place)) {
        place = writer->pages;
        writer->pages += n_pages;
    }
    return place;
}

uint64_t xtf_writer_allot(XtfWriter *writer, uint64_t behind, uint64_t n_pages)
{
    g_mutex_lock(&writer->lock);
    uint64_t place = xtf_writer_take_pages(writer, behind, n_pages);
    writer->sealed_bytes += n_pages * writer->page_size;
    g_mutex_unlock(&writer->lock);
    return place;
}

void xtf_writer_drop(XtfWriter *writer, uint64_t offset, uint32_t length)
{
    const XtfRef dropped = {.offset = offset, .length = length};

    if (length > 0 && offset >= writer->own_first * writer->page_size)
        g_array_append_val(writer->dropped, dropped);
}
