/*
 * Page sources: where the bytes of a trace come from.
 *
 * A source is a fixed range of bytes that any number of threads may read at once. Three are built in: pread(2), mmap(2)
 * and memory; a caller may bring its own by filling XtfSourceOps.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

typedef struct XtfSource XtfSource;

typedef struct {
    /* Fills `buffer` with exactly `length` bytes from `offset`, or fails. Never called past the size. */
    bool (*read)(XtfSource *self, uint64_t offset, void *buffer, size_t length, GError **error);
    /* The bytes in place, good until close; NULL where this source can't (then `read` is used). May itself be NULL. */
    const uint8_t *(*map)(XtfSource *self, uint64_t offset, size_t length);
    /* Takes in what the bytes have grown by; where there is a `map`, nobody else may use the source then. NULL where
     * they never grow. */
    bool (*grow)(XtfSource *self, GError **error);
    void (*close)(XtfSource *self); /* frees self */
    /* Of bytes that lie in several files: the byte of its file that `offset` is; and says in *error, which is set, what
     * file the bytes are of, and whether a later commit may have put others in their place. NULL where there is one
     * file. */
    uint64_t (*where)(XtfSource *self, uint64_t offset);
    void (*blame)(XtfSource *self, uint64_t offset, GError **error);
    /* The path of the file; NULL, or a NULL function, if it has none. */
    const char *(*path)(XtfSource *self);
} XtfSourceOps;

struct XtfSource {
    const XtfSourceOps *ops;
    uint64_t size; /* bytes; what a growing file gains is seen after `grow` only */
};

/* For those who read a source while it grows: the size may be an older one, but none that never was. */
static inline uint64_t xtf_source_size(const XtfSource *source)
{
    return __atomic_load_n(&source->size, __ATOMIC_RELAXED);
}

/* Opens a regular file for reading, and gets its size in bytes. Everything else is refused (XTF_ERROR_IO), and never
 * waited for: a FIFO would wait for its writer. The caller closes the descriptor; -1 with an error. */
int xtf_file_open(const char *path, uint64_t *size, GError **error);
/* The same of a name in a folder, a descriptor. `path` is for messages. */
int xtf_file_open_at(int folder, const char *name, const char *path, uint64_t *size, GError **error);

/* By block reads. The source owns a descriptor of its own. */
XtfSource *xtf_source_open_pread(const char *path, GError **error);
XtfSource *xtf_source_open_pread_at(int folder, const char *name, const char *path, GError **error);

/* By mapping the file. Pages cost no copy, but a file that is cut short while it is mapped kills the process with
 * SIGBUS, so use it for files that nobody truncates. */
XtfSource *xtf_source_open_mmap(const char *path, GError **error);

/* Over memory, which is referenced for as long as the source lives. */
XtfSource *xtf_source_new_bytes(GBytes *bytes);

void xtf_source_close(XtfSource *source); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSource, xtf_source_close)

XTF_END_DECLS
