/* A source that counts the reads of a base source. */
#pragma once

#include "libxtf/source.h"

typedef struct {
    XtfSource source;
    XtfSource *base; /* owned */
    uint64_t n_reads, n_bytes;
} CountedSource;

static bool counted_read(XtfSource *self, uint64_t offset, void *buffer, size_t length, GError **error)
{
    CountedSource *counted = (CountedSource *)self;

    counted->n_reads++;
    counted->n_bytes += length;
    return counted->base->ops->read(counted->base, offset, buffer, length, error);
}

static void counted_close(XtfSource *self)
{
    xtf_source_close(((CountedSource *)self)->base);
    g_free(self);
}

/* Opens a file as a counted source; NULL with an error. The trace that is opened from &source owns it. */
static inline CountedSource *counted_source_open(const char *path, GError **error)
{
    static const XtfSourceOps ops = {.read = counted_read, .close = counted_close};
    XtfSource *base = xtf_source_open_pread(path, error);
    CountedSource *counted = base ? g_new0(CountedSource, 1) : NULL;

    if (counted)
        *counted = (CountedSource){.source = {.ops = &ops, .size = xtf_source_size(base)}, .base = base};
    return counted;
}
