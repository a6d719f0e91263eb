#include "libxtf/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"

typedef struct {
    XtfSource base;
    char *path;
    int fd;
} PreadSource;

/* Bytes in memory: those of a mapped file, or of a GBytes. */
typedef struct {
    XtfSource base;
    const uint8_t *data;
    GBytes *bytes; /* NULL: a mapped file */
} MemorySource;

static bool fail_errno(GError **error, const char *path, const char *what)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s: %s%s", path, what, g_strerror(errno));
}

static const char *kind_of_file(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "something else";
    }
}

/* The descriptor shows what was opened, whatever the name stands for by then. */
int xtf_file_open(const char *path, uint64_t *size, GError **error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool known = fd >= 0 && fstat(fd, &status) == 0;

    if (known && S_ISREG(status.st_mode)) {
        *size = (uint64_t)status.st_size;
        return fd;
    }
    if (known)
        xtf_fail(error, XTF_ERROR_IO, "%s: is no regular file, but %s", path, kind_of_file(status.st_mode));
    else
        fail_errno(error, path, "");
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool pread_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    PreadSource *self = (PreadSource *)source;
    uint8_t *to = buffer;

    while (length > 0) {
        ssize_t n = pread(self->fd, to, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(error, self->path, "cannot read: ");
        if (n == 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: it was cut short while it was read", self->path);
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

static void pread_close(XtfSource *source)
{
    PreadSource *self = (PreadSource *)source;
    close(self->fd);
    g_free(self->path);
    g_free(self);
}

static const XtfSourceOps pread_ops = {.read = pread_read, .close = pread_close};

XtfSource *xtf_source_open_pread(const char *path, GError **error)
{
    uint64_t size;
    int fd = xtf_file_open(path, &size, error);
    if (fd < 0)
        return NULL;
    PreadSource *self = g_new0(PreadSource, 1);
    self->base = (XtfSource){.ops = &pread_ops, .size = size};
    self->path = g_strdup(path);
    self->fd = fd;
    return &self->base;
}

static bool memory_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    memcpy(buffer, ((MemorySource *)source)->data + offset, length);
    return true;
}

static const uint8_t *memory_map(XtfSource *source, uint64_t offset, size_t length)
{
    return ((MemorySource *)source)->data + offset;
}

static void memory_close(XtfSource *source)
{
    MemorySource *self = (MemorySource *)source;

    if (self->bytes)
        g_bytes_unref(self->bytes);
    else if (self->data)
        munmap((void *)self->data, source->size);
    g_free(self);
}

static const XtfSourceOps memory_ops = {.read = memory_read, .map = memory_map, .close = memory_close};

static XtfSource *memory_source(const uint8_t *data, uint64_t size, GBytes *bytes)
{
    MemorySource *self = g_new0(MemorySource, 1);

    *self = (MemorySource){.base = {.ops = &memory_ops, .size = size}, .data = data, .bytes = bytes};
    return &self->base;
}

XtfSource *xtf_source_open_mmap(const char *path, GError **error)
{
    uint64_t size;
    int fd = xtf_file_open(path, &size, error);
    if (fd < 0)
        return NULL;
    void *data = size > 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (data == MAP_FAILED)
        fail_errno(error, path, "cannot map: ");
    close(fd);
    return data == MAP_FAILED ? NULL : memory_source(data, size, NULL);
}

XtfSource *xtf_source_new_bytes(GBytes *bytes)
{
    gsize size;
    const uint8_t *data = g_bytes_get_data(bytes, &size);

    return memory_source(data, size, g_bytes_ref(bytes));
}

void xtf_source_close(XtfSource *source)
{
    if (source)
        source->ops->close(source);
}
