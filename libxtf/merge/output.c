#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/base/nameless.h"
#include "libxtf/base/sync-name.h"
#include "libxtf/merge/merge-private.h"

enum {
    COPY_BYTES = 16 << 20, /* per step; each step reports progress */
    COPY_BUFFER_BYTES = 1 << 20,
    BUFFER_BYTES = 1 << 20,
    MEMORY_MAX = 1 << 30, /* maximum bytes of a file in memory; more is an error */
};

static bool fail_io(const char *path, const char *action, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s: cannot %s: %s", path, action, g_strerror(errno));
}

static bool check_replaceable(const char *path, GError **error)
{
    struct stat status;

    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return true; /* creating the file reports other errors */
    return xtf_fail(error, XTF_ERROR_IO, "%s: %s", path,
                    S_ISDIR(status.st_mode) ? g_strerror(EISDIR) : "not a regular file");
}

bool xtf_merge_output_begin(XtfMergeOutput *output, const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    mode_t mask = umask(0);

    umask(mask);
    *output = (XtfMergeOutput){.fd = -1, .path = g_strdup(path), .buffer = g_byte_array_new()};
    if (!check_replaceable(path, error))
        return false;
    /* A file without a name vanishes with the process, however that ends. */
    output->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666 & ~mask);
    if (output->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL)) {
        output->temporary = g_strdup_printf("%s.XXXXXX", path);
        output->fd = g_mkstemp_full(output->temporary, O_RDWR | O_CLOEXEC, (int)(0666 & ~mask));
    }
    if (output->fd < 0) {
        g_clear_pointer(&output->temporary, g_free);
        return fail_io(path, "create the file", error);
    }
    return true;
}

void xtf_merge_output_begin_in_memory(XtfMergeOutput *output, const char *path)
{
    *output = (XtfMergeOutput){.fd = -1, .path = g_strdup(path), .buffer = g_byte_array_new()};
}

void xtf_merge_output_skip(XtfMergeOutput *output, uint64_t length)
{
    output->end += length;
    if (output->fd < 0) { /* a file gets a hole there */
        g_byte_array_set_size(output->buffer, (guint)output->end);
        memset(output->buffer->data, 0, output->end);
    }
}

bool xtf_merge_output_write(XtfMergeOutput *output, uint64_t offset, const void *bytes, size_t length, GError **error)
{
    const uint8_t *at = bytes;

    if (output->fd < 0) {
        memcpy(output->buffer->data + offset, bytes, length);
        return true;
    }
    while (length > 0) {
        ssize_t written = pwrite(output->fd, at, length, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail_io(output->path, "write", error);
        at += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

bool xtf_merge_output_flush(XtfMergeOutput *output, GError **error)
{
    GByteArray *buffer = output->buffer;

    if (output->fd < 0)
        return true;
    if (!xtf_merge_output_write(output, output->end - buffer->len, buffer->data, buffer->len, error))
        return false;
    g_byte_array_set_size(buffer, 0);
    return true;
}

uint64_t xtf_merge_output_align(XtfMergeOutput *output)
{
    static const uint8_t zeros[XTF_ITEM_ALIGNMENT];
    size_t pad = (XTF_ITEM_ALIGNMENT - output->end % XTF_ITEM_ALIGNMENT) % XTF_ITEM_ALIGNMENT;

    g_byte_array_append(output->buffer, zeros, (guint)pad);
    output->end += pad;
    return output->end;
}

bool xtf_merge_output_add(XtfMergeOutput *output, const void *bytes, size_t length, XtfRef *ref, GError **error)
{
    *ref = (XtfRef){0};
    if (length == 0)
        return true;
    if (length > XTF_ITEM_MAX || output->buffer->len + length > MEMORY_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: an item of %zu bytes exceeds the limit of a file",
                        output->path, length);
    *ref = (XtfRef){xtf_merge_output_align(output), (uint32_t)length, xtf_checksum(bytes, length)};
    g_byte_array_append(output->buffer, bytes, (guint)length);
    output->end += length;
    return output->buffer->len < BUFFER_BYTES || xtf_merge_output_flush(output, error);
}

bool xtf_merge_add_chunk(XtfMergeOutput *output, const uint8_t *bytes, size_t length, XtfChunks *chunks, GError **error)
{
    XtfRef ref;

    if (!xtf_merge_output_add(output, bytes, length, &ref, error))
        return false;
    chunks->chunks = g_renew(XtfRef, chunks->chunks, chunks->n + 1);
    chunks->chunks[chunks->n++] = ref;
    chunks->bytes += length;
    return true;
}

/* ---- Parts. */

/* Copies bytes through a buffer. */
static bool copy_through_buffer(XtfMergeOutput *output, int from, const char *path, uint64_t at, uint64_t to,
                                uint64_t length, GError **error)
{
    g_autofree uint8_t *bytes = g_malloc(COPY_BUFFER_BYTES);

    while (length > 0) {
        ssize_t n = pread(from, bytes, MIN(length, (uint64_t)COPY_BUFFER_BYTES), (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_io(path, "read", error);
        if (n == 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: the file was truncated while it was read", path);
        if (!xtf_merge_output_write(output, to, bytes, (size_t)n, error))
            return false;
        at += (uint64_t)n;
        to += (uint64_t)n;
        length -= (uint64_t)n;
    }
    return true;
}

/* Copies within the kernel, by reflink if possible. *done gets the number of copied bytes. */
static bool copy_in_kernel(XtfMergeOutput *output, int from, uint64_t at, uint64_t to, uint64_t length, uint64_t *done,
                           GError **error)
{
    *done = 0;
    while (*done < length) {
        off_t in = (off_t)(at + *done), out = (off_t)(to + *done);
        ssize_t n = copy_file_range(from, &in, output->fd, &out, length - *done, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
            return fail_io(output->path, "write", error);
        if (n <= 0) /* unsupported here: reading and writing reports any other error */
            return true;
        *done += (uint64_t)n;
    }
    return true;
}

bool xtf_merge_output_copy(XtfMergeOutput *output, int from, const XtfPart *part, const XtfPartFile *file,
                           uint64_t total, uint32_t page_size, const XtfMergeOptions *options, GError **error)
{
    uint64_t start = (part->first_page + file->first_page) * page_size;

    for (uint64_t at = 0; at < file->size;) {
        uint64_t length = MIN(file->size - at, (uint64_t)COPY_BYTES), done;
        if (!copy_in_kernel(output, from, at, start + at, length, &done, error) ||
            !copy_through_buffer(output, from, part->path, at + done, start + at + done, length - done, error))
            return false;
        at += length;
        output->copied += length;
        if (options->progress && !options->progress(output->copied, total, options->data))
            return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    }
    output->end = start + file->pages * page_size;
    return true;
}

/* ---- The final name. */

bool xtf_merge_output_end(XtfMergeOutput *output, bool sync, GError **error)
{
    if (sync && fsync(output->fd) != 0)
        return fail_io(output->path, "sync", error);
    if (!output->temporary && !xtf_nameless_link(output->fd, output->path))
        return fail_io(output->path, "give the file its name", error);
    if (output->temporary && rename(output->temporary, output->path) != 0)
        return fail_io(output->path, "give the file its name", error);
    g_clear_pointer(&output->temporary, g_free);
    if (sync)
        xtf_sync_name(output->path);
    return true;
}

void xtf_merge_output_finish(XtfMergeOutput *output)
{
    if (output->fd >= 0)
        close(output->fd);
    if (output->temporary)
        unlink(output->temporary);
    if (output->buffer)
        g_byte_array_unref(output->buffer);
    g_free(output->temporary);
    g_free(output->path);
    *output = (XtfMergeOutput){.fd = -1};
}
