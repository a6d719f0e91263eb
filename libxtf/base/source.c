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

/* Bytes in memory: a mapped file or a GBytes. */
typedef struct {
    XtfSource base;
    const uint8_t *data;
    GBytes *bytes; /* NULL: a mapped file */
    char *path;    /* of a mapped file */
    int fd;        /* descriptor of a mapped file */
} MemorySource;

static bool fail_errno(GError **error, const char *path, const char *context)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s: %s%s", path, context, g_strerror(errno));
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
        return "a special file";
    }
}

/* Checks the opened descriptor, not the name: the name may lead to another file by now. */
int xtf_file_open_at(int folder, const char *name, const char *path, uint64_t *size, GError **error)
{
    struct stat status;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool has_status = fd >= 0 && fstat(fd, &status) == 0;

    if (has_status && S_ISREG(status.st_mode)) {
        *size = (uint64_t)status.st_size;
        return fd;
    }
    if (has_status)
        xtf_fail(error, XTF_ERROR_IO, "%s: not a regular file but %s", path, kind_of_file(status.st_mode));
    else
        fail_errno(error, path, "");
    if (fd >= 0)
        close(fd);
    return -1;
}

int xtf_file_open(const char *path, uint64_t *size, GError **error)
{
    return xtf_file_open_at(AT_FDCWD, path, path, size, error);
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
            return xtf_fail(error, XTF_ERROR_IO, "%s: the file was truncated while it was read", self->path);
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

static bool pread_grow(XtfSource *source, GError **error)
{
    PreadSource *self = (PreadSource *)source;
    off_t end = lseek(self->fd, 0, SEEK_END);

    if (end < 0)
        return fail_errno(error, self->path, "");
    __atomic_store_n(&source->size, (uint64_t)end,
                     __ATOMIC_RELAXED); /* other threads, whose snapshots share the source, read the size */
    return true;
}

static void pread_expect(XtfSource *source, uint64_t offset, uint64_t length)
{
    posix_fadvise(((PreadSource *)source)->fd, (off_t)offset, (off_t)length, POSIX_FADV_WILLNEED);
}

static void pread_close(XtfSource *source)
{
    PreadSource *self = (PreadSource *)source;
    close(self->fd);
    g_free(self->path);
    g_free(self);
}

static const char *pread_path(XtfSource *source)
{
    return ((PreadSource *)source)->path;
}

static const XtfSourceOps pread_ops = {
    .read = pread_read,
    .grow = pread_grow,
    .close = pread_close,
    .path = pread_path,
    .expect = pread_expect,
};

XtfSource *xtf_source_open_pread_at(int folder, const char *name, const char *path, GError **error)
{
    uint64_t size;
    int fd = xtf_file_open_at(folder, name, path, &size, error);
    if (fd < 0)
        return NULL;
    PreadSource *self = g_new0(PreadSource, 1);
    self->base = (XtfSource){.ops = &pread_ops, .size = size};
    self->path = g_strdup(path);
    self->fd = fd;
    return &self->base;
}

XtfSource *xtf_source_open_pread(const char *path, GError **error)
{
    return xtf_source_open_pread_at(AT_FDCWD, path, path, error);
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

    g_bytes_unref(self->bytes);
    g_free(self);
}

static const XtfSourceOps memory_ops = {.read = memory_read, .map = memory_map, .close = memory_close};

XtfSource *xtf_source_new_bytes(GBytes *bytes)
{
    MemorySource *self = g_new0(MemorySource, 1);
    gsize size;

    self->data = g_bytes_get_data(bytes, &size);
    self->base = (XtfSource){.ops = &memory_ops, .size = size};
    self->bytes = g_bytes_ref(bytes);
    return &self->base;
}

static void unmap_file(MemorySource *self)
{
    if (self->data)
        munmap((void *)self->data, self->base.size);
    self->data = NULL;
    self->base.size = 0;
}

/* Maps the file at its current length. */
static bool mmap_grow(XtfSource *source, GError **error)
{
    MemorySource *self = (MemorySource *)source;
    off_t end = lseek(self->fd, 0, SEEK_END);

    if (end < 0)
        return fail_errno(error, self->path, "");
    if ((uint64_t)end == source->size)
        return true;
    unmap_file(self);
    void *data = end > 0 ? mmap(NULL, (size_t)end, PROT_READ, MAP_SHARED, self->fd, 0) : NULL;
    if (data == MAP_FAILED)
        return fail_errno(error, self->path, "cannot map: ");
    self->data = data;
    source->size = (uint64_t)end;
    return true;
}

static void mmap_close(XtfSource *source)
{
    MemorySource *self = (MemorySource *)source;

    unmap_file(self);
    close(self->fd);
    g_free(self->path);
    g_free(self);
}

static const char *mmap_path(XtfSource *source)
{
    return ((MemorySource *)source)->path;
}

static const XtfSourceOps mmap_ops = {
    .read = memory_read,
    .map = memory_map,
    .grow = mmap_grow,
    .close = mmap_close,
    .path = mmap_path,
};

XtfSource *xtf_source_open_mmap(const char *path, GError **error)
{
    uint64_t size;
    int fd = xtf_file_open(path, &size, error);
    if (fd < 0)
        return NULL;
    MemorySource *self = g_new0(MemorySource, 1);
    self->base.ops = &mmap_ops;
    self->path = g_strdup(path);
    self->fd = fd;
    if (mmap_grow(&self->base, error))
        return &self->base;
    mmap_close(&self->base);
    return NULL;
}

void xtf_source_close(XtfSource *source)
{
    if (source)
        source->ops->close(source);
}
