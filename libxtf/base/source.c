#include "libxtf/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    XtfSource base;
    char *path;
    int fd;
} PreadSource;

typedef struct {
    XtfSource base;
    uint8_t *data;
} MmapSource;

typedef struct {
    XtfSource base;
    GBytes *bytes;
} BytesSource;

static bool fail_errno(GError **error, const char *path, const char *what)
{
    int code = errno;
    g_set_error(error, XTF_ERROR, XTF_ERROR_IO, "%s: %s%s", path, what, g_strerror(code));
    return false;
}

/* Opens a regular file (or a block device) and tells its size; -1 on failure. */
static int open_file(const char *path, uint64_t *size, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fail_errno(error, path, "");
        return -1;
    }
    struct stat status;
    off_t end = -1;
    if (fstat(fd, &status) < 0) {
        fail_errno(error, path, "");
    } else if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        fail_errno(error, path, "");
    } else if ((end = lseek(fd, 0, SEEK_END)) < 0) {
        fail_errno(error, path, "");
    }
    if (end < 0) {
        close(fd);
        return -1;
    }
    *size = (uint64_t)end;
    return fd;
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
        if (n == 0) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_IO, "%s: it was cut short while it was read", self->path);
            return false;
        }
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
    int fd = open_file(path, &size, error);
    if (fd < 0)
        return NULL;
    PreadSource *self = g_new0(PreadSource, 1);
    self->base = (XtfSource){.ops = &pread_ops, .size = size};
    self->path = g_strdup(path);
    self->fd = fd;
    return &self->base;
}

static bool mmap_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    MmapSource *self = (MmapSource *)source;
    memcpy(buffer, self->data + offset, length);
    return true;
}

static const uint8_t *mmap_map(XtfSource *source, uint64_t offset, size_t length)
{
    return ((MmapSource *)source)->data + offset;
}

static void mmap_close(XtfSource *source)
{
    MmapSource *self = (MmapSource *)source;
    if (self->data)
        munmap(self->data, source->size);
    g_free(self);
}

static const XtfSourceOps mmap_ops = {.read = mmap_read, .map = mmap_map, .close = mmap_close};

XtfSource *xtf_source_open_mmap(const char *path, GError **error)
{
    uint64_t size;
    int fd = open_file(path, &size, error);
    if (fd < 0)
        return NULL;
    void *data = size > 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (data == MAP_FAILED)
        fail_errno(error, path, "cannot map: ");
    close(fd);
    if (data == MAP_FAILED)
        return NULL;
    MmapSource *self = g_new0(MmapSource, 1);
    self->base = (XtfSource){.ops = &mmap_ops, .size = size};
    self->data = data;
    return &self->base;
}

static bool bytes_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    const uint8_t *data = g_bytes_get_data(((BytesSource *)source)->bytes, NULL);
    memcpy(buffer, data + offset, length);
    return true;
}

static const uint8_t *bytes_map(XtfSource *source, uint64_t offset, size_t length)
{
    const uint8_t *data = g_bytes_get_data(((BytesSource *)source)->bytes, NULL);
    return data + offset;
}

static void bytes_close(XtfSource *source)
{
    BytesSource *self = (BytesSource *)source;
    g_bytes_unref(self->bytes);
    g_free(self);
}

static const XtfSourceOps bytes_ops = {.read = bytes_read, .map = bytes_map, .close = bytes_close};

XtfSource *xtf_source_new_bytes(GBytes *bytes)
{
    BytesSource *self = g_new0(BytesSource, 1);
    self->base = (XtfSource){.ops = &bytes_ops, .size = g_bytes_get_size(bytes)};
    self->bytes = g_bytes_ref(bytes);
    return &self->base;
}

void xtf_source_close(XtfSource *source)
{
    if (source)
        source->ops->close(source);
}
