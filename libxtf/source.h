/*
 * Page sources: the bytes of a trace.
 *
 * A source is a range of bytes that any number of threads may read at once. Three are built in: pread(2), mmap(2) and
 * memory. Callers may add others by filling in XtfSourceOps.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

typedef struct XtfSource XtfSource;

/* Bytes to be read from a source. */
typedef struct {
    uint64_t offset;
    void *buffer;
    size_t length;
} XtfReadRange;

typedef struct {
    /* Fills `buffer` with exactly `length` bytes from `offset`, or fails. Callers never read past the size. */
    bool (*read)(XtfSource *self, uint64_t offset, void *buffer, size_t length, GError **error);
    /* Returns the bytes in place, valid until close. Returns NULL if the source cannot map them; the caller then uses
     * `read`. The function may be NULL. */
    const uint8_t *(*map)(XtfSource *self, uint64_t offset, size_t length);
    /* Updates the size to the file's current size. If there is a `map`, no other thread may use the source meanwhile.
     * NULL if the bytes never grow. */
    bool (*grow)(XtfSource *self, GError **error);
    void (*close)(XtfSource *self); /* frees self */
    /* Functions of sources of several files; NULL in sources of one file. The first converts `offset` to an offset
     * in its file. The second extends *error, which is set: it names the file that holds the bytes. It also says if a
     * later commit may have replaced them. */
    uint64_t (*file_offset)(XtfSource *self, uint64_t offset);
    void (*name_file)(XtfSource *self, uint64_t offset, GError **error);
    /* Returns the path of the file, or NULL. The function may be NULL. */
    const char *(*path)(XtfSource *self);
    /* Fills the buffers of n ranges by one request, or fails. For sources whose requests are slow, such as a file
     * behind a network: a trace of such a source asks for many ranges at once. NULL: each range is read when it is
     * needed. */
    bool (*read_ranges)(XtfSource *self, const XtfReadRange *ranges, size_t n, GError **error);
    /* Starts to read a range that will soon be asked for, and returns at once. So several ranges are read from a disk
     * at the same time. A hint, which may do nothing. The function may be NULL. */
    void (*expect)(XtfSource *self, uint64_t offset, uint64_t length);
} XtfSourceOps;

struct XtfSource {
    const XtfSourceOps *ops;
    uint64_t size; /* bytes; growth of the file is visible only after `grow` */
};

/* Returns the size, for threads that read a source while another calls grow(). The result may be an earlier size. */
static inline uint64_t xtf_source_size(const XtfSource *source)
{
    return __atomic_load_n(&source->size, __ATOMIC_RELAXED);
}

/* Opens a regular file for reading and sets *size in bytes. Refuses all other files with XTF_ERROR_IO, and never
 * blocks, as opening a FIFO would. The caller closes the descriptor. Returns -1 with an error. */
int xtf_file_open(const char *path, uint64_t *size, GError **error);
/* Opens `name` in a folder given by a descriptor, like xtf_file_open(). `path` appears in messages. */
int xtf_file_open_at(int folder, const char *name, const char *path, uint64_t *size, GError **error);

/* Opens a source that uses pread(). The source owns its descriptor. */
XtfSource *xtf_source_open_pread(const char *path, GError **error);
XtfSource *xtf_source_open_pread_at(int folder, const char *name, const char *path, GError **error);

/* Opens a source that maps the file. Pages cost no copy. If the file is truncated while it is mapped, the process
 * dies of SIGBUS, so use it for files that no process truncates. */
XtfSource *xtf_source_open_mmap(const char *path, GError **error);

/* Returns a source of bytes in memory. The source holds a reference to `bytes` until it is closed. */
XtfSource *xtf_source_new_bytes(GBytes *bytes);

void xtf_source_close(XtfSource *source); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSource, xtf_source_close)

XTF_END_DECLS
